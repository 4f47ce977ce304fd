/** A crystal of another machine joined with the one that is here. */

import { WRITTEN_FORGOTTEN, writtenHash } from './crystal.js';
import { mergeCrystals } from './crystal-merge.js';
import { idOf } from './crystal-parse.js';
import type { Crystal, CrystalLesson } from './crystal-shape.js';
import { keyOfText, lessonId } from './identity.js';
import { compareText } from './order.js';

/**
 * What is written counts as ours afterwards, so that the other machine's words are not taken for an edit; edits made by hand in either
 * file have to be taken in before. The same two crystals give the same one in either order.
 */
export function joinCrystals(here: Crystal | null, there: Crystal): Crystal {
  const joined = mergeCrystals(here ?? there, there);
  const project = joined.project?.id ?? null;
  const written = [
    ...joined.lessons.map((lesson) => [idOf(lesson, project), writtenHash(lesson)] as const),
    ...joined.tombstones.map(({ id }) => [id, WRITTEN_FORGOTTEN] as const),
  ];
  return { ...joined, written: Object.fromEntries(written.sort((a, b) => compareText(a[0], b[0]))) };
}

/** A crystal as if it had been written for another project: what a lesson says keeps its place there, under the id that it has there. */
export function adoptCrystal(crystal: Crystal, project: { id: string; name: string }): Crystal {
  const from = crystal.project?.id ?? null;
  if (from === project.id) return crystal;
  const lessons = [...crystal.lessons, ...crystal.history];
  const idThere = (lesson: CrystalLesson): string =>
    lessonId(project.id, lesson.learnt?.kind ?? lesson.kind, lesson.key ?? keyOfText(lesson.text));
  const added = crystal.edits.flatMap((e) =>
    e.action === 'add' && e.text !== null ? [[e.lesson, lessonId(project.id, e.kind ?? 'fact', keyOfText(e.text))] as const] : [],
  );
  const ids = new Map([...lessons.map((lesson) => [idOf(lesson, from), idThere(lesson)] as const), ...added]);
  const idIn = (id: string): string => ids.get(id) ?? id;
  const moved = (lesson: CrystalLesson): CrystalLesson => ({
    ...lesson,
    id: idIn(idOf(lesson, from)),
    supersedes: lesson.supersedes.map(idIn),
    conflicts_with: lesson.conflicts_with.map(idIn),
    ...(typeof lesson.superseded_by === 'string' ? { superseded_by: idIn(lesson.superseded_by) } : {}),
  });
  return {
    ...crystal,
    project: { ...crystal.project, id: project.id, name: project.name, aliases: crystal.project?.aliases ?? [] },
    lessons: crystal.lessons.map(moved),
    history: crystal.history.map(moved),
    tombstones: crystal.tombstones.map((stone) => ({ ...stone, id: idIn(stone.id) })),
    edits: crystal.edits.map((edit) => ({ ...edit, lesson: idIn(edit.lesson) })),
    written: Object.fromEntries(Object.entries(crystal.written).map(([id, hash]) => [idIn(id), hash])),
  };
}
