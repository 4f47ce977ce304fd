/** Takes out of a crystal what a purge is about; lessons that rested on nothing else go with it. */

import { idOf } from './parse.js';
import type { Crystal, CrystalLesson } from './shape.js';
import { sessionKey, type Edit } from '../../types.js';
import { isOfHand } from './remembered.js';

export interface Purged {
  /** Ids of entries. */
  ids: ReadonlySet<string>;
  /** `agent\0session` of sessions of which nothing is left. */
  sessions: ReadonlySet<string>;
  /** Whether a text holds what must go. */
  holds: (text: string) => boolean;
  /** Days on which nothing else was logged. */
  days?: ReadonlySet<string>;
  /** Whether what a hand did must go too. */
  isGoneEdit?: (edit: Edit) => boolean;
}

interface PurgedCrystal {
  crystal: Crystal;
  /** Ids of the lessons that went. */
  removed: string[];
  changed: boolean;
}

function holdsAnywhere(value: unknown, holds: Purged['holds']): boolean {
  if (typeof value === 'string') return holds(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, each]) => holds(key) || holdsAnywhere(each, holds));
}

/**
 * The lesson without its purged events and words; null when nothing supports it any more or its own words must go.
 * @param isUnsaid what a hand said of it goes
 */
function purgeLesson(lesson: CrystalLesson, { ids, sessions, holds }: Purged, isUnsaid: boolean): CrystalLesson | null {
  const evidence = lesson.evidence.filter(
    (e) =>
      !(e.entry !== null && ids.has(e.entry)) &&
      !sessions.has(sessionKey(e.agent, e.session)) &&
      !holdsAnywhere(e, holds) &&
      !(isUnsaid && isOfHand(e)),
  );
  const { learnt: before, ...words } = lesson;
  const [rest, learnt] = isUnsaid ? [{ ...words, ...before }, undefined] : [words, before];
  const kept = {
    ...rest,
    tags: lesson.tags.filter((tag) => !holds(tag)),
    files: lesson.files.filter((file) => !holds(file)),
    evidence: [],
  };
  if (holdsAnywhere(kept, holds)) return null;
  if (evidence.length < lesson.evidence.length && !evidence.some((e) => e.supports)) return null;
  return { ...kept, evidence, ...(learnt !== undefined && !holdsAnywhere(learnt, holds) ? { learnt } : {}) };
}

/** Pure; the crystal given stays as it is. Purging twice changes nothing more. */
export function purgeCrystal(crystal: Crystal, purged: Purged): PurgedCrystal {
  const { sessions, holds } = purged;
  const project = crystal.project?.id ?? null;
  const names = new Set([...sessions].map((key) => key.slice(key.indexOf('\u0000') + 1)));
  const goneEdits = new Set(crystal.edits.filter((edit) => purged.isGoneEdit?.(edit)));
  const unsaid = new Set([...goneEdits].filter(({ text }) => text !== null).map((edit) => edit.lesson));
  const keep = (lessons: readonly CrystalLesson[]): CrystalLesson[] =>
    lessons.flatMap((lesson) => purgeLesson(lesson, purged, unsaid.has(idOf(lesson, project))) ?? []);
  const [lessons, history] = [keep(crystal.lessons), keep(crystal.history)];
  const left = new Set([...lessons, ...history].map((lesson) => idOf(lesson, project)));
  const removed = [...crystal.lessons, ...crystal.history].map((lesson) => idOf(lesson, project)).filter((id) => !left.has(id));
  const relations = crystal.relations.flatMap((relation) => {
    const shown = relation.sessions.filter((session) => !names.has(session));
    return holdsAnywhere({ ...relation, sessions: shown }, holds) || (shown.length === 0 && relation.sessions.length > 0)
      ? []
      : [{ ...relation, sessions: shown }];
  });
  const named = new Set(relations.flatMap(({ from, to }) => [from, to]));
  const before = new Set(crystal.relations.flatMap(({ from, to }) => [from, to]));
  const result: Crystal = {
    ...crystal,
    project:
      crystal.project === null ? null : { ...crystal.project, aliases: crystal.project.aliases.filter((alias) => !holds(alias)) },
    active_days: crystal.active_days.filter((day) => !purged.days?.has(day)),
    lessons,
    history,
    written: Object.fromEntries(Object.entries(crystal.written).filter(([id]) => !removed.includes(id))),
    relations,
    entities: crystal.entities.filter(
      (entity) => !holdsAnywhere(entity, holds) && (named.has(entity.name) || !before.has(entity.name)),
    ),
    edits: crystal.edits.filter((edit) => !goneEdits.has(edit) && !holdsAnywhere(edit, holds)),
    tombstones: crystal.tombstones
      .filter((stone) => !holdsAnywhere(stone, holds))
      .map((stone) =>
        stone.sources === undefined ? stone : { ...stone, sources: stone.sources.filter(({ entry }) => !purged.ids.has(entry)) },
      ),
    extra: Object.fromEntries(
      Object.entries(crystal.extra).filter(([key, value]) => !holds(key) && !holdsAnywhere(value, holds)),
    ),
  };
  return { crystal: result, removed, changed: JSON.stringify(result) !== JSON.stringify(crystal) };
}
