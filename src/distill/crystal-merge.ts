/** Two crystals of one project into one: the same bytes in either order, and nothing twice. */

import type { Edit, Lesson } from '../types.js';
import { capEvidence, uniteEntities, uniteRelations } from './crystal.js';
import { idOf } from './crystal-parse.js';
import type { Crystal, CrystalLesson, Tombstone } from './crystal-shape.js';
import { uniteDays } from './days.js';
import { foldAgentEdits, foldEdits, isOpenToAgents, uniteEdits } from './edits.js';
import { compareText, sortedSet } from './order.js';

const stable = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) =>
    v && typeof v === 'object' && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort((a, b) => compareText(a[0], b[0])))
      : v,
  );

/** The later of two values in a fixed order that knows nothing of which file came first. */
const greater = <T>(a: T, b: T): T => (stable(a) >= stable(b) ? a : b);

const topTrust = (l: CrystalLesson): number => l.evidence.reduce((top, e) => (e.supports && e.trust > top ? e.trust : top), 0);
/** Day of the newest of the most trusted events: the same whether two or three crystals are joined, and in any order. */
function lastDay(l: CrystalLesson): string {
  const top = topTrust(l);
  return l.evidence.reduce((last, e) => (e.supports && e.trust === top && e.day > last ? e.day : last), '');
}

/** Fields that are joined; the others come from the better of the two as a whole. */
const JOINED: ReadonlySet<string> = new Set([
  'importance',
  'tags',
  'files',
  'pinned',
  'evidence',
  'supersedes',
  'conflicts_with',
  'worth',
  'extractor',
]);
const chosenFields = (l: CrystalLesson): object => Object.fromEntries(Object.entries(l).filter(([field]) => !JOINED.has(field)));

function uniteLesson(a: CrystalLesson, b: CrystalLesson): CrystalLesson {
  const order = topTrust(a) - topTrust(b) || compareText(lastDay(a), lastDay(b)) || compareText(a.text, b.text);
  const [first, second] = [
    { ...b, ...a },
    { ...a, ...b },
  ];
  // Of equals by what is not joined: a joined list would let the loser win when the same two are merged again.
  const isFirst = order === 0 ? stable(chosenFields(first)) >= stable(chosenFields(second)) : order > 0;
  return {
    ...(isFirst ? first : second),
    importance: Math.max(a.importance ?? 1, b.importance ?? 1) as Lesson['importance'],
    tags: sortedSet([...a.tags, ...b.tags]),
    files: sortedSet([...a.files, ...b.files]),
    pinned: a.pinned || b.pinned,
    evidence: capEvidence([...a.evidence, ...b.evidence]),
    supersedes: sortedSet([...a.supersedes, ...b.supersedes]),
    conflicts_with: sortedSet([...a.conflicts_with, ...b.conflicts_with]),
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

const sortById = <T extends { id?: string | undefined }>(items: Iterable<T>): T[] =>
  [...items].sort((x, y) => compareText(x.id ?? '', y.id ?? ''));

function uniteTombstones(a: readonly Tombstone[], b: readonly Tombstone[]): Tombstone[] {
  const byId = new Map<string, Tombstone>();
  for (const stone of [...a, ...b]) {
    const old = byId.get(stone.id);
    byId.set(stone.id, !old || stone.at > old.at ? stone : stone.at < old.at ? old : greater(old, stone));
  }
  return sortById(byId.values());
}

function uniteProjects(a: Crystal['project'], b: Crystal['project']): Crystal['project'] {
  if (!a || !b) return a ?? b;
  const best = greater(a, b);
  return { ...best, aliases: sortedSet([...a.aliases, ...b.aliases]) };
}

/** Whether a tombstone is an agent's and the lesson, as the other crystal has it, a person's: there it does not count, as it does not where it was made. */
function outOfReach(edits: readonly Edit[]): (id: string, lesson: CrystalLesson | undefined) => boolean {
  const [agents, persons] = [foldAgentEdits(edits), foldEdits(edits)];
  return (id, lesson) => {
    if (lesson === undefined || (agents.get(id)?.forgottenAt ?? null) === null) return false;
    const own = persons.get(id);
    return own === undefined
      ? !isOpenToAgents({ saidBy: lesson.said_by, pinned: lesson.pinned }, 'forget')
      : own.forgottenAt === null;
  };
}

/** Joins two crystals of one project (of one id); a person's tombstone in either holds in both. Commutative and idempotent. */
export function mergeCrystals(a: Crystal, b: Crystal): Crystal {
  const project = a.project?.id ?? b.project?.id ?? null;
  const edits = uniteEdits([...a.edits, ...b.edits]);
  const isOutOfReach = outOfReach(edits);
  const live = uniteLessonLists(a.lessons, b.lessons, project);
  const past = uniteLessonLists(a.history, b.history, project);
  for (const [id, lesson] of live) {
    const old = past.get(id);
    if (old) live.set(id, uniteLesson(lesson, { ...old, status: lesson.status, superseded_by: lesson.superseded_by }));
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
  const written = [...new Set([...Object.keys(a.written), ...Object.keys(b.written)])].sort(compareText);
  return {
    version: a.version,
    project: uniteProjects(a.project, b.project),
    as_of: a.as_of > b.as_of ? a.as_of : b.as_of,
    active_days: uniteDays(a.active_days, b.active_days),
    lessons: sortById(live.values()),
    written: Object.fromEntries(
      written.map((id) => [id, greater(a.written[id] ?? b.written[id]!, b.written[id] ?? a.written[id]!)]),
    ),
    entities: uniteEntities([...a.entities, ...b.entities].sort((x, y) => compareText(stable(x), stable(y)))),
    relations: uniteRelations([...a.relations, ...b.relations].sort((x, y) => compareText(stable(x), stable(y)))),
    history: sortById(past.values()),
    tombstones,
    edits,
    extra: Object.fromEntries(
      fields.map((f) => [f, f in a.extra && f in b.extra ? greater(a.extra[f], b.extra[f]) : (a.extra[f] ?? b.extra[f])]),
    ),
  };
}
