/** Writes crystal.json: events without confidence. Equal lessons always give equal bytes. */
import {
  type Edit,
  type LessonEvent,
  type FactFields,
  type Lesson,
  type Project,
  type Relation,
  RELATION_ENDS,
  isShown,
  picked,
} from '../../types.js';
import { idOf } from './parse.js';
import {
  CRYSTAL_VERSION,
  type Crystal,
  type CrystalEntity,
  type CrystalLesson,
  type CrystalRelation,
  EDIT_FIELDS,
  EVENT_FIELDS,
  LESSON_FIELDS,
  FileShape,
  LessonShape,
  type Tombstone,
} from './shape.js';
import { type ProjectClock, uniteDays } from '../days.js';
import { foldAgentEdits, foldEdits, uniteEdits } from '../edits.js';
import { fingerprintOf, shortHash } from '../../text/fingerprint.js';
import { uniteEvidence } from '../order.js';
import { sourcesOf } from './remembered.js';
import { compareText, sortedSet } from '../../text/order.js';

/**
 * Events kept per lesson and side: older ones add little, and a person must be able to read the
 * file.
 */
const MAX_EVENTS = 100;

/** Mark in `written` for a lesson that was among the tombstones. */
export const WRITTEN_FORGOTTEN = 'forgotten';

/** Includes a field of an earlier build. */
const KNOWN_FIELDS = new Set([...Object.keys(LessonShape.shape), 'conflicts_with']);

/**
 * Hash of kind and text, with a `p` if pinned. If the hash differs, a person changed the lesson.
 */
export function writtenHash(lesson: { kind: string; text: string; pinned: boolean }): string {
  return shortHash(`${lesson.kind}\u0000${lesson.text}`) + (lesson.pinned ? 'p' : '');
}

/** An object with its keys in order. */
export function sortedObject<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries([...entries].sort((a, b) => compareText(a[0], b[0])));
}

/** Hash of a fact's fields; their order has no effect. */
function fieldsHash(fields: FactFields): string {
  return shortHash(JSON.stringify(Object.entries(fields).sort(([a], [b]) => compareText(a, b))));
}

/** Facts whose fields somebody changed, which is not allowed, since rows prove them. */
export function changedFields(crystal: Crystal): CrystalLesson[] {
  return [...crystal.lessons, ...crystal.history].filter(
    ({ fields, fields_hash: hash }) => hash !== undefined && hash !== fieldsHash(fields ?? {}),
  );
}

/**
 * The crystal with hashes of all facts' fields, as if we wrote them.
 * @param known fields to put back, by lesson id
 */
export function withFields(
  crystal: Crystal,
  known: ReadonlyMap<string, FactFields> = new Map(),
): Crystal {
  const put = (lesson: CrystalLesson): CrystalLesson => {
    const fields = known.get(lesson.id ?? '') ?? lesson.fields;
    return lesson.fact === undefined || fields === undefined
      ? lesson
      : { ...lesson, fields, fields_hash: fieldsHash(fields) };
  };
  return { ...crystal, lessons: crystal.lessons.map(put), history: crystal.history.map(put) };
}

/** The speaker is the last field. */
function crystalLearnt(of: NonNullable<Lesson['learnt']>): Record<string, unknown> {
  const { said_by, ...learnt } = of;
  return { ...learnt, said_by };
}

/** The newest events of each side, oldest first; the order of `evidence` has no effect. */
export function capEvidence(evidence: readonly LessonEvent[]): LessonEvent[] {
  const all = uniteEvidence(evidence);
  return uniteEvidence([
    ...all.filter((e) => e.supports).slice(-MAX_EVENTS),
    ...all.filter((e) => !e.supports).slice(-MAX_EVENTS),
  ]);
}

/** Fields of a lesson that we do not know. */
export function extrasOf(lesson: CrystalLesson): Record<string, unknown> {
  return Object.fromEntries(Object.entries(lesson).filter(([key]) => !KNOWN_FIELDS.has(key)));
}

function crystalLesson(l: Lesson, extra: Record<string, unknown>): Record<string, unknown> {
  const { fact, fields, learnt, status, superseded_by, ...always } = picked(l, LESSON_FIELDS);
  return {
    ...always,
    tags: sortedSet(l.tags),
    files: sortedSet(l.files),
    evidence: capEvidence(l.evidence).map((event) => picked(event, EVENT_FIELDS)),
    supersedes: sortedSet(l.supersedes),
    ...(fact === null || fields === null ? {} : { fact, fields, fields_hash: fieldsHash(fields) }),
    ...(learnt ? { learnt: crystalLearnt(learnt) } : {}),
    ...(status === 'faded' || status === 'superseded' ? { status, superseded_by } : {}),
    ...extra,
  };
}

/** Tombstones for forgotten lessons, with the hash of the text if it is or was known. */
function planTombstones(
  edits: readonly Edit[],
  lessons: readonly Lesson[],
  previous: readonly Tombstone[],
  belongsHere: ReadonlySet<string>,
): Tombstone[] {
  const texts = new Map(
    lessons.map((l) => [l.id, fingerprintOf(l.learnt?.text ?? l.text)] as const),
  );
  const places = new Map(lessons.map((l) => [l.id, sourcesOf(l)] as const));
  const old = new Map(previous.map((t) => [t.id, t] as const));
  const stones: Tombstone[] = [];
  // An agent's edit counts only if it took effect: an agent cannot forget a person's lesson.
  const forgotten = new Set(lessons.filter((l) => l.status === 'forgotten').map((l) => l.id));
  const byAgents = [...foldAgentEdits(edits)].filter(([id]) => forgotten.has(id));
  for (const [id, effective] of new Map([...byAgents, ...foldEdits(edits)])) {
    if (effective.forgottenAt === null || !belongsHere.has(id)) continue;
    const sources = places.get(id) ?? old.get(id)?.sources ?? [];
    stones.push({
      ...old.get(id),
      id,
      at: effective.forgottenAt,
      text_hash: texts.get(id) ?? old.get(id)?.text_hash ?? '',
      ...(sources.length > 0 ? { sources } : {}),
    });
  }
  return stones.sort((a, b) => compareText(a.id, b.id));
}

interface CrystalInput {
  /** null for the global crystal. */
  project: Project | null;
  clock: ProjectClock;
  /** All lessons that `distillProject` returned. */
  lessons: readonly Lesson[];
  /** All known edits; edits of other projects are left out. */
  edits: readonly Edit[];
  relations: readonly (Relation & { sessions: string[] })[];
  /** The last file, for fields that only it has; null if there is none. */
  previous: Crystal | null;
}

function endsOf({ from, rel, to }: Relation): CrystalEntity[] {
  const [source, target] = RELATION_ENDS[rel];
  return [
    { name: from, type: source },
    { name: to, type: target },
  ];
}

function relationKey(r: CrystalRelation): string {
  return [r.from, r.rel, r.to].join('\u0000');
}

/** Unites relations of two sources and their sessions; sorted by from, rel, to. */
export function uniteRelations(relations: readonly CrystalRelation[]): CrystalRelation[] {
  const byKey = new Map<string, CrystalRelation>();
  for (const r of relations) {
    const old = byKey.get(relationKey(r));
    byKey.set(relationKey(r), {
      ...r,
      ...old,
      sessions: sortedSet([...(old?.sessions ?? []), ...r.sessions]),
    });
  }
  return [...byKey.keys()].sort(compareText).map((key) => byKey.get(key)!);
}

/** Unites entities of two sources; sorted by name and type. */
export function uniteEntities(entities: readonly CrystalEntity[]): CrystalEntity[] {
  const byKey = new Map<string, CrystalEntity>();
  for (const e of entities)
    byKey.set(`${e.name}\u0000${e.type}`, { ...e, ...byKey.get(`${e.name}\u0000${e.type}`) });
  return [...byKey.keys()].sort(compareText).map((key) => byKey.get(key)!);
}

function projectOf(project: Project | null, previous: Crystal | null): Crystal['project'] {
  if (!project) return previous?.project ?? null;
  return {
    ...previous?.project,
    id: project.id,
    name: project.name,
    ...(project.remote === null ? {} : { remote: project.remote }),
    aliases: sortedSet([...project.aliases, ...(previous?.project?.aliases ?? [])]),
  };
}

/**
 * The text of crystal.json (ends in a newline). Unknown fields of the previous file, at the top and
 * per lesson, are written again.
 */
export function renderCrystal(input: CrystalInput): string {
  const { previous } = input;
  const projectId = input.project?.id ?? null;
  const extras = new Map(
    [...(previous?.history ?? []), ...(previous?.lessons ?? [])].map(
      (l) => [idOf(l, projectId), extrasOf(l)] as const,
    ),
  );
  const sorted = [...input.lessons].sort((a, b) => compareText(a.id, b.id));
  const lines = (wanted: (l: Lesson) => boolean): Record<string, unknown>[] =>
    sorted.filter(wanted).map((l) => crystalLesson(l, extras.get(l.id) ?? {}));
  const live = sorted.filter(isShown);
  const belongs = new Set([
    ...sorted.map((l) => l.id),
    ...(previous?.edits ?? []).map((e) => e.lesson),
    ...(previous?.tombstones ?? []).map((t) => t.id),
  ]);
  const edits = uniteEdits([...input.edits, ...(previous?.edits ?? [])]).filter((e) =>
    belongs.has(e.lesson),
  );
  const tombstones = planTombstones(
    [...input.edits, ...edits],
    sorted,
    previous?.tombstones ?? [],
    belongs,
  );
  const written = [
    ...live.map((l) => [l.id, writtenHash(l)] as const),
    ...tombstones.map((t) => [t.id, WRITTEN_FORGOTTEN] as const),
  ];
  const crystal = {
    version: CRYSTAL_VERSION,
    project: projectOf(input.project, previous),
    as_of: input.clock.day,
    active_days: uniteDays(input.clock.activeDays, previous?.active_days ?? []),
    lessons: lines(isShown),
    written: sortedObject(written),
    entities: uniteEntities([...input.relations.flatMap(endsOf), ...(previous?.entities ?? [])]),
    relations: uniteRelations([
      ...input.relations.map((each) => ({ ...each })),
      ...(previous?.relations ?? []),
    ]),
    history: lines((l) => l.status === 'faded' || l.status === 'superseded'),
    tombstones,
    edits: edits.map((edit) => picked(edit, EDIT_FIELDS)),
    ...previous?.extra,
  };
  return `${JSON.stringify(crystal, null, 2)}\n`;
}

// Writes a crystal that was changed as a whole (joined, purged).

function byId(lessons: readonly CrystalLesson[], project: string | null): CrystalLesson[] {
  return [...lessons].sort((a, b) => compareText(idOf(a, project), idOf(b, project)));
}

/** The text of the file, with a newline at the end. The order of keys and lists has no effect. */
export function formatCrystal(crystal: Crystal): string {
  const { extra, ...known } = crystal;
  const project = crystal.project?.id ?? null;
  const sorted: Record<string, unknown> = {
    ...known,
    lessons: byId(known.lessons, project),
    written: sortedObject(Object.entries(known.written)),
    history: byId(known.history, project),
    tombstones: [...known.tombstones].sort((a, b) => compareText(a.id, b.id)),
  };
  const fields = Object.keys(FileShape.shape).map((name) => [name, sorted[name]] as const);
  const file = { ...Object.fromEntries(fields), ...extra };
  return `${JSON.stringify(inOrder(file, 0), null, 2)}\n`;
}

/** Sorts the keys inside the lists; the keys of the file itself keep the order of the format. */
function inOrder(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((each) => inOrder(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, inOrder(each, depth + 1)] as const,
  );
  return depth > 0 ? sortedObject(entries) : Object.fromEntries(entries);
}
