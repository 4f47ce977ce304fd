/**
 * Merges two crystals of one project. Their order has no effect, and nothing is in the result
 * twice.
 */
import type { Edit, Lesson } from '../../types.js';
import { idOf } from './parse.js';
import type { Crystal, CrystalLesson, Tombstone } from './shape.js';
import {
  WRITTEN_FORGOTTEN,
  capEvidence,
  sortedObject,
  uniteEntities,
  uniteRelations,
  withFields,
  writtenHash,
} from './crystal.js';
import { uniteDays } from '../days.js';
import { planAdd } from '../edit-plans.js';
import { foldAgentEdits, foldEdits, isOpenToAgents, uniteEdits } from '../edits.js';
import { lessonId } from '../identity.js';
import { keyOfText } from '../../text/fingerprint.js';
import { withOwnEvents } from '../join.js';
import { compareText, sortedSet } from '../../text/order.js';
import { isObject } from '../../text/fields.js';

import { topTrust } from '../forming.js';

function stable(value: unknown): string {
  return JSON.stringify(value, (_key, v: unknown) =>
    isObject(v) ? sortedObject(Object.entries(v)) : v,
  );
}

/** The greater of two values; their order has no effect. */
function greater<T>(a: T, b: T): T {
  return stable(a) >= stable(b) ? a : b;
}

/** Day of the newest of the most trusted events; the order of joining has no effect. */
function lastDay(l: CrystalLesson): string {
  const top = topTrust(l.evidence);
  return l.evidence.reduce(
    (last, e) => (e.supports && e.trust === top && e.day > last ? e.day : last),
    '',
  );
}

/** Fields that are joined; all other fields come from the better lesson. */
const JOINED: ReadonlySet<string> = new Set(
  'importance tags files pinned evidence supersedes worth extractor'.split(' '),
);
function chosenFields(l: CrystalLesson): object {
  return Object.fromEntries(Object.entries(l).filter(([field]) => !JOINED.has(field)));
}

function uniteLesson(a: CrystalLesson, b: CrystalLesson): CrystalLesson {
  const order =
    topTrust(a.evidence) - topTrust(b.evidence) ||
    compareText(lastDay(a), lastDay(b)) ||
    compareText(b.text, a.text);
  const [first, second] = [
    { ...b, ...a },
    { ...a, ...b },
  ];
  // Joined fields are not compared, so that a second merge has the same winner.
  const isFirst =
    order === 0 ? stable(chosenFields(first)) >= stable(chosenFields(second)) : order > 0;
  return {
    ...(isFirst ? first : second),
    importance: Math.max(a.importance ?? 1, b.importance ?? 1) as Lesson['importance'],
    tags: sortedSet([...a.tags, ...b.tags]),
    files: sortedSet([...a.files, ...b.files]),
    pinned: a.pinned || b.pinned,
    evidence: capEvidence([...a.evidence, ...b.evidence]),
    supersedes: sortedSet([...a.supersedes, ...b.supersedes]),
    worth: Math.max(a.worth, b.worth),
    extractor: Math.max(a.extractor, b.extractor),
  };
}

function uniteLessonLists(
  a: readonly CrystalLesson[],
  b: readonly CrystalLesson[],
  project: string | null,
): Map<string, CrystalLesson> {
  const byId = new Map<string, CrystalLesson>();
  for (const lesson of [...a, ...b]) {
    const id = idOf(lesson, project);
    const old = byId.get(id);
    byId.set(id, old ? uniteLesson(old, { ...lesson, id }) : { ...lesson, id });
  }
  return byId;
}

function sortById<T extends { id?: string | undefined }>(items: Iterable<T>): T[] {
  return [...items].sort((x, y) => compareText(x.id ?? '', y.id ?? ''));
}

function uniteTombstones(a: readonly Tombstone[], b: readonly Tombstone[]): Tombstone[] {
  const byId = new Map<string, Tombstone>();
  for (const stone of [...a, ...b]) {
    const old = byId.get(stone.id);
    byId.set(
      stone.id,
      !old || stone.at > old.at ? stone : stone.at < old.at ? old : greater(old, stone),
    );
  }
  return sortById(byId.values());
}

function uniteProjects(a: Crystal['project'], b: Crystal['project']): Crystal['project'] {
  if (!a || !b) return a ?? b;
  const best = greater(a, b);
  return { ...best, aliases: sortedSet([...a.aliases, ...b.aliases]) };
}

/**
 * Whether an agent forgot a lesson that is a person's in the other crystal; the agent's edit then
 * does not count.
 */
function outOfReach(
  edits: readonly Edit[],
): (id: string, lesson: CrystalLesson | undefined) => boolean {
  const [agents, persons] = [foldAgentEdits(edits), foldEdits(edits)];
  return (id, lesson) => {
    if (lesson === undefined || (agents.get(id)?.forgottenAt ?? null) === null) return false;
    const own = persons.get(id);
    return own === undefined
      ? !isOpenToAgents({ said_by: lesson.said_by, pinned: lesson.pinned }, 'forget')
      : own.forgottenAt === null;
  };
}

/**
 * Joins two crystals of one project id; a person's tombstone in one of them counts for both.
 * Commutative and idempotent.
 */
export function mergeCrystals(a: Crystal, b: Crystal): Crystal {
  const project = a.project?.id ?? b.project?.id ?? null;
  const edits = uniteEdits([...a.edits, ...b.edits]);
  const isOutOfReach = outOfReach(edits);
  const live = uniteLessonLists(a.lessons, b.lessons, project);
  const past = uniteLessonLists(a.history, b.history, project);
  for (const [id, lesson] of live) {
    const old = past.get(id);
    if (old)
      live.set(
        id,
        uniteLesson(lesson, { ...old, status: lesson.status, superseded_by: lesson.superseded_by }),
      );
    past.delete(id);
  }
  const tombstones = uniteTombstones(a.tombstones, b.tombstones).filter(
    ({ id }) => !isOutOfReach(id, live.get(id) ?? past.get(id)),
  );
  for (const { id } of tombstones) {
    live.delete(id);
    past.delete(id);
  }
  const fields = [...new Set([...Object.keys(a.extra), ...Object.keys(b.extra)])].sort(compareText);
  const written = [...new Set([...Object.keys(a.written), ...Object.keys(b.written)])].sort(
    compareText,
  );
  return {
    version: a.version,
    project: uniteProjects(a.project, b.project),
    as_of: a.as_of > b.as_of ? a.as_of : b.as_of,
    active_days: uniteDays(a.active_days, b.active_days),
    lessons: sortById(live.values()),
    written: Object.fromEntries(
      written.map((id) => [
        id,
        greater(a.written[id] ?? b.written[id]!, b.written[id] ?? a.written[id]!),
      ]),
    ),
    entities: uniteEntities(
      [...a.entities, ...b.entities].sort((x, y) => compareText(stable(x), stable(y))),
    ),
    relations: uniteRelations(
      [...a.relations, ...b.relations].sort((x, y) => compareText(stable(x), stable(y))),
    ),
    history: sortById(past.values()),
    tombstones,
    edits,
    extra: Object.fromEntries(
      fields.map((f) => [
        f,
        f in a.extra && f in b.extra ? greater(a.extra[f], b.extra[f]) : (a.extra[f] ?? b.extra[f]),
      ]),
    ),
  };
}

/**
 * The crystal in which each joined lesson has only its own events and words. The next run of
 * learning joins the lessons again, perhaps under another oldest lesson.
 */
export function separated(crystal: Crystal): Crystal {
  const project = crystal.project?.id ?? null;
  const written = { ...crystal.written };
  const all = withOwnEvents(
    [...crystal.lessons, ...crystal.history],
    (lesson) => idOf(lesson, project),
    (lesson) => lesson.superseded_by,
  ).map((lesson): CrystalLesson => {
    const { learnt, ...own } = lesson;
    if (learnt === undefined || own.said_by === 'user') return lesson;
    const apart = { ...own, ...learnt };
    const id = idOf(lesson, project);
    if (written[id] === writtenHash(lesson)) written[id] = writtenHash(apart);
    return apart;
  });
  const live = crystal.lessons.length;
  return { ...crystal, written, lessons: all.slice(0, live), history: all.slice(live) };
}

/**
 * Joins two crystals; their order has no effect. Afterwards all words count as written by us, so
 * read a person's changes of both files as edits first.
 */
export function joinCrystals(here: Crystal | null, there: Crystal): Crystal {
  const joined = mergeCrystals(separated(here ?? there), separated(there));
  const project = joined.project?.id ?? null;
  const written = [
    ...joined.lessons.map((lesson) => [idOf(lesson, project), writtenHash(lesson)] as const),
    ...joined.tombstones.map(({ id }) => [id, WRITTEN_FORGOTTEN] as const),
  ];
  return { ...withFields(joined), written: sortedObject(written) };
}

/** The crystal with the ids of another project. */
export function adoptCrystal(crystal: Crystal, project: { id: string; name: string }): Crystal {
  const from = crystal.project?.id ?? null;
  if (from === project.id) return crystal;
  const lessons = [...crystal.lessons, ...crystal.history];
  const idThere = (lesson: CrystalLesson): string =>
    lessonId(project.id, lesson.learnt?.kind ?? lesson.kind, lesson.key ?? keyOfText(lesson.text));
  const added = crystal.edits.flatMap((e) =>
    e.action === 'add' && e.text !== null
      ? [[e.lesson, lessonId(project.id, e.kind ?? 'fact', keyOfText(e.text))] as const]
      : [],
  );
  const ids = new Map([
    ...lessons.map((lesson) => [idOf(lesson, from), idThere(lesson)] as const),
    ...added,
  ]);
  const idIn = (id: string): string => ids.get(id) ?? id;
  const moved = (lesson: CrystalLesson): CrystalLesson => ({
    ...lesson,
    id: idIn(idOf(lesson, from)),
    supersedes: lesson.supersedes.map(idIn),
    ...(typeof lesson.superseded_by === 'string'
      ? { superseded_by: idIn(lesson.superseded_by) }
      : {}),
  });
  return {
    ...crystal,
    project: {
      ...crystal.project,
      id: project.id,
      name: project.name,
      aliases: crystal.project?.aliases ?? [],
    },
    lessons: crystal.lessons.map(moved),
    history: crystal.history.map(moved),
    tombstones: crystal.tombstones.map((stone) => ({ ...stone, id: idIn(stone.id) })),
    edits: crystal.edits.map((edit) => ({
      ...edit,
      lesson: idIn(edit.lesson),
      text: edit.action === 'apart' && edit.text !== null ? idIn(edit.text) : edit.text,
    })),
    written: Object.fromEntries(
      Object.entries(crystal.written).map(([id, hash]) => [idIn(id), hash]),
    ),
  };
}

/**
 * The claims of somebody else's crystal, as edits that count as much as an agent's. Facts are left
 * out, since no row here proves them.
 * @param project id of the project here
 * @param owner name of the crystal's author
 */
export function foreignClaims(crystal: Crystal, project: string, owner: string): Edit[] {
  return crystal.lessons.flatMap((lesson) =>
    lesson.fact !== undefined
      ? []
      : {
          ...planAdd(project, lesson.kind, lesson.text, `${dayOf(lesson, crystal)}T00:00:00.000Z`),
          author: `import:${owner}`,
        },
  );
}

/**
 * The day of the newest evidence: it is equal at each import, so that a second import adds nothing.
 */
function dayOf({ evidence }: CrystalLesson, { as_of }: Crystal): string {
  return evidence.reduce((last, { day }) => (day > last ? day : last), '') || as_of;
}
