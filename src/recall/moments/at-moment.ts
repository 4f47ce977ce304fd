/** Selects the items for a moment: facts and lessons first, then texts of sessions, or nothing. */
import { neutralise } from '../../context/index.js';
import { countTokens } from '../../text/tokens.js';
import { stepsAhead } from '../../parse/rows.js';
import {
  changedSince,
  entriesById,
  fillPlaces,
  lessonCosines,
  loadLessons,
  loadProjects,
  rankTogether,
  type Db,
  type EntryHit,
  type RankedHit,
  namesAnything,
  relationsOf,
} from '../../store/index.js';
import { hashTerm, normaliseQuery, termsOf } from '../../terms/index.js';
import type { Lesson, Project } from '../../types.js';
import type { QueryVector } from '../query-vector.js';
import { wordsOf } from '../answer/question.js';
import { brokenHere } from './guard.js';
import { earlierOf, endedLater, withoutTaint, type Earlier } from './followed.js';
import { rankForTask } from './for-task.js';
import {
  GENERAL_FACTS,
  MOST_TOKENS,
  decide,
  hasError,
  isForHook,
  isOfOther,
  itemOf,
  namedLessons,
  type Fitting,
  type GivenBefore,
  type Known,
  type Moment,
  type MomentType,
  type RecallItem,
  type Threshold,
} from './moment.js';
import { curesOf, errorsQuoted, isInVain, isOwnCure, namesOf, str, type Names } from './names.js';
import { densestMatch, passageAround, type TermWeights } from '../passage.js';

/**
 * Items above these thresholds are shown. The values are fitted on real moments, with one project
 * left out each time (docs/search.md).
 */
export const THRESHOLDS: Readonly<Record<MomentType, Threshold>> = {
  failure: { seen: 8, least: 7.8 },
  command: { seen: 2, least: 5.43 },
  edit: { seen: 2, least: 5.43 },
  prompt: { seen: 1, least: 2.82, most: 400 },
};

/**
 * Threshold for a failure without a project. Some entry of all projects always has most words of a
 * short error, so an earlier error must have nearly all.
 */
export const ANYWHERE: Threshold = { ...THRESHOLDS.failure, leastSeen: 0.9 };

/** Number of passages that are compared, and the length of a shown one. */
const RANKED = 12;
const PASSAGE_CHARS = 260;
/**
 * Most terms of a moment that are looked up, and of them the rarest that count: a failing run
 * prints thousands, and common ones say least.
 */
const MOST_TERMS = 64;
const RAREST = 32;
/**
 * Scores are divided by the weight of a word that no entry has, so that a threshold means the same
 * in small and large stores.
 */
const UNSEEN_TERM = '\u0000';

/**
 * Facts and lessons, and also texts of sessions, to choose thresholds from.
 * @param asOf ISO 8601: nothing later is used
 */
export async function knownAt(db: Db, moment: Moment, asOf?: string): Promise<Known> {
  const { lessons, exact, isExplained } = await provenAt(await knownIn(db, moment), moment, asOf);
  const said =
    isExplained || moment.type === 'edit'
      ? NO_PASSAGES
      : await earlierPassages(db, moment, lessons(), asOf);
  return await withoutTaint(db, moment, { exact, ...said });
}

/** The data for a hook's answer, read now. */
export async function knownIn(db: Db, moment: Moment): Promise<Stored> {
  const isAsked = ({ id }: Project): boolean => moment.project === null || id === moment.project;
  return {
    db,
    lessons: (await loadLessons(db, { statuses: ['live'] })).filter((lesson) =>
      isForHook(lesson, moment.type),
    ),
    folders: async () => (await loadProjects(db)).filter(isAsked).flatMap(({ folders }) => folders),
  };
}

/** The data for the answer at a moment. */
interface Stored {
  /** Null: the database cannot be read now, so the answer comes from the other fields. */
  db: Db | null;
  /** Only shown lessons. */
  lessons: readonly Lesson[];
  /** Folders of the moment's project. */
  folders: () => Promise<readonly string[]>;
}

interface Proven {
  /** The lessons that may be shown: none whose cure is the command itself. */
  lessons: () => readonly Lesson[];
  exact: RecallItem[];
  /** A fact is about this very error, so texts about it would only repeat it. */
  isExplained: boolean;
}

/** Facts about this very error, form or file, and lessons about the task of a prompt. */
export async function provenAt(
  stored: Stored,
  moment: Moment,
  asOf?: string,
  vector: QueryVector | null = null,
): Promise<Proven> {
  const { db } = stored;
  const known = stored.lessons.filter(
    (lesson) => isHere(lesson, moment.project) && wasKnown(lesson, asOf),
  );
  if (moment.type === 'prompt')
    return {
      lessons: () => known,
      exact: [
        ...(await aboutQuoted(db, moment, known, asOf)),
        ...(await aboutTask(db, moment, known, asOf, vector)),
      ],
      isExplained: false,
    };
  const names = namesOf(moment);
  const { followed, tried } = await metBefore(db, moment, names, known, asOf);
  // Checked last, since reading the cures of all lessons would be slow.
  const mayShow = (lesson: Lesson): boolean =>
    !isOfOther(lesson, names) && !isInVain(lesson, tried) && !isOwnCure(lesson, names);
  const isExplained = known.some((lesson) => hasError(lesson, names) && mayShow(lesson));
  const exact = [
    ...(await rulesBroken(stored, moment, known)),
    ...namedLessons(known, names, mayShow),
    ...(isExplained ? [] : followed),
  ];
  return { lessons: () => known.filter(mayShow), exact, isExplained };
}

/** Rules of the person that the command or edit would break. */
async function rulesBroken(
  { folders: foldersOf }: Stored,
  { type, text }: Moment,
  lessons: readonly Lesson[],
): Promise<RecallItem[]> {
  if (type === 'failure') return [];
  const rules = lessons.filter(({ fields }) => fields?.['polarity'] === 'never');
  if (rules.length === 0) return [];
  const folders = await foldersOf();
  const steps = type === 'command' ? stepsAhead(text, folders[0] ?? '', folders) : [];
  return brokenHere(rules, { steps, file: type === 'edit' ? text : null }).map(itemOf);
}

/** What earlier sessions did after this error, and which cures are obsolete. */
async function metBefore(
  db: Db | null,
  moment: Moment,
  names: Names,
  lessons: readonly Lesson[],
  asOf?: string,
): Promise<Earlier> {
  if (db === null) return { followed: [], tried: new Set() };
  const { followed, tried } = await earlierOf(db, moment, names.signatures, asOf);
  const cures = lessons
    .filter((lesson) => hasError(lesson, names))
    .flatMap((lesson) =>
      curesOf(lesson).map((command) => ({ command, since: `${lesson.last_seen}T99` })),
    );
  const over = await endedLater(db, moment.project, cures, asOf);
  return { followed, tried: new Set([...tried, ...over]) };
}

/** Items about an error that a prompt quotes. */
async function aboutQuoted(
  db: Db | null,
  moment: Moment,
  lessons: readonly Lesson[],
  asOf?: string,
): Promise<RecallItem[]> {
  const names = { ...namesOf(moment), signatures: errorsQuoted(moment.text) };
  const { followed, tried } = await metBefore(db, moment, names, lessons, asOf);
  const facts = lessons.filter((each) => hasError(each, names) && !isInVain(each, tried));
  return facts.length > 0 ? facts.map(itemOf) : followed;
}

async function aboutTask(
  db: Db | null,
  { text, project }: Moment,
  lessons: readonly Lesson[],
  asOf: string | undefined,
  vector: QueryVector | null,
): Promise<RecallItem[]> {
  const day =
    asOf ?? lessons.reduce((last, { last_seen }) => (last_seen > last ? last_seen : last), '');
  // The page shows how to test or build; a prompt that says "test" does not ask for it. A lesson
  // about an error is shown at the error.
  const fit = lessons.filter(
    ({ fact, fields }) =>
      fact === null || (!GENERAL_FACTS.includes(fact) && str(fields ?? {}, 'error') === ''),
  );
  const cosines = db === null || vector === null ? null : await cosinesTo(db, vector, fit);
  const isRelated = db && project && (await namesAnything(db, project, text, normaliseQuery(text)));
  const related = isRelated ? (await relationsOf(db, [project]))(project) : [];
  return rankForTask(text, fit, related, day, cosines).map(itemOf);
}

/** Cosine of each lesson with a vector, by its id; null if no lesson has one. */
async function cosinesTo(db: Db, vector: QueryVector, lessons: readonly Lesson[]) {
  const known = await lessonCosines(
    db,
    vector,
    lessons.map(({ text }) => text),
  );
  const cosines = lessons.flatMap(({ id, text }): [string, number][] =>
    known.has(text) ? [[id, known.get(text)!]] : [],
  );
  return cosines.length === 0 ? null : new Map(cosines);
}

/**
 * The moment's answer: at most three items, often none. Texts of sessions, which take longer, are
 * searched only if facts and lessons give nothing.
 * @param mayRank whether there is time to search texts
 */
export async function recallSoon(
  stored: Stored,
  moment: Moment,
  before: GivenBefore,
  mayRank: () => boolean,
): Promise<RecallItem[]> {
  const { type, project } = moment;
  const least = type === 'failure' && project === null ? ANYWHERE : THRESHOLDS[type];
  const { lessons, exact } = await provenAt(stored, moment);
  const { db } = stored;
  if (db === null) return decide({ exact, ...NO_PASSAGES }, least, before, costOf);
  const proven = await withoutTaint(db, moment, { exact, ...NO_PASSAGES });
  const items = decide(proven, least, before, costOf);
  // If a proven item was already shown, nothing else is shown.
  if (items.length > 0 || proven.exact.length > 0) return placed(db, moment, items);
  if (type === 'edit' || !mayRank()) return [];
  const said = await withoutTaint(db, moment, {
    exact: [],
    ...(await earlierPassages(db, moment, lessons())),
  });
  return placed(db, moment, decide(said, least, before, costOf));
}

/** Adds the places of the lessons' evidence and, if it fits, the number of files edited since. */
async function placed(
  db: Db,
  { project, type }: Moment,
  items: readonly RecallItem[],
): Promise<RecallItem[]> {
  const entries = await entriesById(
    db,
    items.flatMap(({ evidence }) => evidence?.at(-1) ?? []),
  );
  const places = new Map(entries.map(({ id, path, line }) => [id, { path, line }]));
  const changes = await changedSince(db, project, items);
  const found = items.map(
    ({ kind, id, text, day, agent, session, path, line, evidence }): RecallItem => {
      const place = places.get(evidence?.at(-1) ?? '') ?? { path, line };
      return { kind, id, text, day, agent, session, ...place, changed: changes.get(id) ?? 0 };
    },
  );
  const isTooLong =
    found.reduce((sum, item) => sum + costOf(item), 0) > (THRESHOLDS[type].most ?? MOST_TOKENS);
  return isTooLong ? found.map((item) => ({ ...item, changed: 0 })) : found;
}

const SHORT_ID = 10;

/** The line of an item for an agent; `dripstone show` takes the id. */
export function sayItem({ text, kind, id, day, changed = 0 }: RecallItem): string {
  const source = [...(day === null ? [] : [day]), `id ${id.slice(0, SHORT_ID)}`];
  const notes = [
    ...(kind === 'entry' ? source : []),
    ...(changed === 0 ? [] : [`files changed since: ${changed}`]),
  ];
  return `- ${neutralise(text)}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** Tokens of a printed item with its line break. */
export function costOf(item: RecallItem): number {
  return countTokens(`${sayItem(item)}\n`);
}

export function isHere({ project }: Lesson, wanted: string | null): boolean {
  return wanted === null || project === null || project === wanted;
}

function wasKnown({ evidence, first_seen }: Lesson, asOf?: string): boolean {
  return (
    asOf === undefined ||
    (evidence.length === 0 ? first_seen : evidence.map(({ day }) => day).sort()[0]!) <
      asOf.slice(0, 10)
  );
}

type Passages = Pick<Known, 'ranked' | 'seen'>;
const NO_PASSAGES: Passages = { ranked: [], seen: 0 };

/** Texts of people and agents, and lessons, ranked by the weight of the moment's terms. */
async function earlierPassages(
  db: Db,
  moment: Moment,
  lessons: readonly Lesson[],
  asOf?: string,
): Promise<Passages> {
  const terms = normaliseQuery(wordsOf(moment)).slice(0, MOST_TERMS);
  const reach = {
    ...(moment.project === null ? {} : { projects: [moment.project] }),
    ...(asOf === undefined ? {} : { until: asOf }),
  };
  const spoken = {
    ...reach,
    roles: ['assistant' as const, 'user' as const],
    origins: ['agent' as const, 'user' as const],
  };
  const { found, weights } = await rankTogether(
    db,
    { terms: [...terms, UNSEEN_TERM].map(hashTerm), rarest: RAREST },
    [
      { ...spoken, limit: RANKED },
      { ...reach, limit: SEEN, texts: 0 },
    ],
  );
  const unit = weights.get(hashTerm(UNSEEN_TERM)) ?? 1;
  const byTerm = new Map(
    terms.flatMap((term) =>
      weights.has(hashTerm(term)) ? [[term, weights.get(hashTerm(term))!]] : [],
    ),
  );
  const others = (await othersOf(db, moment, found[0]!)).filter(
    ({ text }) => !isOnly(text, moment.text),
  );
  const said = others.map((hit) => passageOf(hit, byTerm));
  const learnt = lessons.map((lesson): Fitting => ({
    ...itemOf(lesson),
    score: scoreOf(lesson, byTerm),
  }));
  const ranked = [...said, ...learnt.filter(({ score }) => score > 0)]
    .map((each) => ({ ...each, score: each.score / unit }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, RANKED);
  if (ranked.length === 0) return { ranked, seen: 0 };
  const whole = [...byTerm.values()].reduce((sum, weight) => sum + weight, 0);
  const [best] = await othersOf(db, moment, found[1]!);
  return { ranked, seen: best === undefined || whole === 0 ? 0 : best.score / whole };
}

/** Whether an entry only repeats the moment: a typed command says nothing about itself. */
function isOnly(text: string, asked: string): boolean {
  const bare = (each: string): string => each.replace(/[`\s]+/g, ' ').trim();
  return bare(text) === bare(asked);
}

/** Entries that are read for `seen`: several, since the best may be of the asking session. */
const SEEN = 12;

/** Hits with their places, without the entries of the session itself. */
async function othersOf(
  db: Db,
  { session }: Moment,
  hits: readonly RankedHit[],
): Promise<(EntryHit & RankedHit)[]> {
  return (await fillPlaces(db, hits)).filter((hit) => hit.session !== session);
}

function passageOf(hit: EntryHit & RankedHit, weights: TermWeights): Fitting {
  const { id, text, score, time, agent, session, path, line } = hit;
  const passage = passageAround(
    text,
    densestMatch(text, weights, PASSAGE_CHARS - 20),
    PASSAGE_CHARS,
  );
  return {
    kind: 'entry',
    id,
    text: passage,
    score,
    day: time?.slice(0, 10) ?? null,
    agent,
    session,
    path,
    line,
  };
}

/** Typical BM25 factor of a text as short as a lesson. */
const SHORT_TEXT = 1.7;

function scoreOf({ text, tags, files }: Lesson, weights: TermWeights): number {
  const own = termsOf([text, ...tags, ...files].join(' '));
  let sum = 0;
  for (const [term, weight] of weights) if (own.has(term)) sum += weight * SHORT_TEXT;
  return sum;
}
