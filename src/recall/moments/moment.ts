/** Decides which items a hook shows at a moment of a session; often none. Pure. */
import { deniedIn, neutralise } from '../../context/index.js';
import { failureSignature } from '../../text/errors.js';
import { contentWords } from '../../text/words.js';
import { isShown, TRIGGER_TAG, WILL_KINDS, type FactName, type Lesson } from '../../types.js';
import { str, type Names } from './names.js';

/** A moment of a session at which a hook may show something. */
export interface Moment {
  type: MomentType;
  /** The typed text, the command or the path; for a failure the command. */
  text: string;
  /** What a failed command printed. */
  output: string | null;
  /** Project id; null: every project. */
  project: string | null;
  /** The session of the moment, whose own entries are not shown. */
  session: string | null;
}

export const MOMENT_TYPES = ['prompt', 'command', 'edit', 'failure'] as const;
export type MomentType = (typeof MOMENT_TYPES)[number];

/** What an answer shows. */
export interface AnswerItem {
  kind: 'rule' | 'lesson' | 'fact' | 'command' | 'cure' | 'entry' | 'session' | 'file';
  id: string;
  text: string;
  day: string | null;
  agent: string | null;
  session: string | null;
  path: string | null;
  line: number | null;
}

/** One item that is shown at a moment. */
export interface RecallItem extends AnswerItem {
  kind: 'lesson' | 'fact' | 'entry';
  /** For a lesson: the entries that prove it, oldest first; the last one gives its place. */
  evidence?: readonly string[];
  /** Files of the item, below the project's root. */
  files?: readonly string[];
  /** How many of the files were edited on a later day, so that the lesson may be outdated. */
  changed?: number;
}

/** An item that may be shown, with its score: the weight of the moment's terms in it. */
export interface Fitting extends RecallItem {
  score: number;
}

/** Candidates for a moment. */
export interface Known {
  /** Facts and lessons about this very error, form, file or task; they need no threshold. */
  exact: RecallItem[];
  /** Best first. */
  ranked: Fitting[];
  /**
   * The share of the moment's weight in the best earlier entry of any origin: about 1 or more for
   * an error that was printed before, near 0 for a new one.
   */
  seen: number;
}

/** Items are shown if the best score plus `seen` times this weight exceeds `least`. */
export interface Threshold {
  seen: number;
  least: number;
  /** Least value of `Known.seen`. */
  leastSeen?: number;
  /** Most tokens of an answer. */
  most?: number;
}

/** What the session was already shown, and its page. */
export interface GivenBefore {
  /** Ids of items that this session was shown. */
  given: ReadonlySet<string>;
  /** The page if it is linked, else ''. */
  page: string;
}

const MOST_ITEMS = 3;
export const MOST_TOKENS = 200;

/** Whether a hook may show a lesson. Edits are frequent and get only the person's wishes. */
export function isForHook({ fact, kind, said_by }: Lesson, type: MomentType): boolean {
  return type !== 'edit' || (fact === null && said_by === 'user' && WILL_KINDS.includes(kind));
}

/**
 * At most three items, best first, or none.
 * @param tokens the tokens of a printed item
 */
export function decide(
  known: Known,
  least: Threshold,
  { given, page }: GivenBefore,
  tokens: (item: RecallItem) => number,
): RecallItem[] {
  // If the best item was already shown, the others are too weak to show.
  const isBestNew = known.ranked[0] === undefined || !given.has(known.ranked[0].id);
  const isOut =
    standingOut(known, least.seen) > least.least && known.seen >= (least.leastSeen ?? 0);
  const ranked = isBestNew && isOut ? known.ranked : [];
  const isNew = ({ id, text }: RecallItem): boolean =>
    !given.has(id) && (page === '' || !page.includes(neutralise(text)));
  return firstOf([...known.exact, ...ranked].filter(isNew), tokens, least.most);
}

/** The first items within the limits, each once, without sources of shown lessons. */
function firstOf(
  found: readonly RecallItem[],
  tokens: (item: RecallItem) => number,
  most = MOST_TOKENS,
): RecallItem[] {
  const items: RecallItem[] = [];
  const seen = new Set<string>();
  let used = 0;
  for (const item of found) {
    const { id, text } = item;
    if (items.length === MOST_ITEMS) break;
    if (seen.has(id) || seen.has(text)) continue;
    const cost = tokens(item);
    if (used + cost > most) continue;
    used += cost;
    seen.add(id).add(text);
    items.push(item);
  }
  const sources = new Set(items.flatMap(({ evidence }) => evidence ?? []));
  const isSource = ({ id }: RecallItem): boolean => sources.has(id);
  return items.some(isSource)
    ? firstOf(
        found.filter((item) => !isSource(item)),
        tokens,
        most,
      )
    : items;
}

/** The value that {@link Threshold} compares. */
export function standingOut(
  { ranked, seen }: Pick<Known, 'ranked' | 'seen'>,
  weight: number,
): number {
  return ranked.length === 0 ? 0 : ranked[0]!.score + weight * seen;
}

const FORM_FIELDS = ['fails', 'form', 'works', 'needs'] as const;

/** Lessons and facts that name the error, the form or the file itself, the surest first. */
export function namedLessons(
  lessons: readonly Lesson[],
  names: Names,
  mayShow: (lesson: Lesson) => boolean,
): RecallItem[] {
  return lessons
    .filter(isShown)
    .flatMap((lesson) => {
      const rank = rankOf(lesson, names);
      return rank === 0 || !mayShow(lesson) ? [] : [{ lesson, rank }];
    })
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        b.lesson.confidence - a.lesson.confidence ||
        (a.lesson.id < b.lesson.id ? -1 : 1),
    )
    .map(({ lesson }) => itemOf(lesson));
}

/** Facts that are always true, so no particular moment needs them. */
export const GENERAL_FACTS: readonly FactName[] = ['works', 'slow'];

/** Whether a fact is about this very error. */
export function hasError({ fields }: Pick<Lesson, 'fields'>, { signatures }: Names): boolean {
  return fields !== null && signatures.includes(str(fields, 'error'));
}

/** Whether a lesson is about another error, so that its cure does not apply. */
export function isOfOther({ fields }: Pick<Lesson, 'fields'>, { signatures }: Names): boolean {
  const error = fields === null ? '' : str(fields, 'error');
  return error !== '' && signatures.length > 0 && !signatures.includes(error);
}

/** 3: the error itself; 2: the form or the file; 0: something else. */
function rankOf(lesson: Lesson, names: Names): number {
  const { fact, fields, files, text } = lesson;
  if (hasError({ fields }, names)) return 3;
  if (fact === null && lesson.tags.length > 0) {
    const rank = Math.max(...lesson.tags.map((tag) => rankOfTrigger(tag, text, names)));
    if (rank > 0) return rank;
  }
  if (fact !== null && GENERAL_FACTS.includes(fact)) return 0;
  if (fields !== null && FORM_FIELDS.some((name) => names.forms.includes(str(fields, name))))
    return 2;
  if (fact === 'absent' && fields !== null && names.programs.includes(str(fields, 'program')))
    return 2;
  return names.files.some((file) => files.includes(file) || text.includes(`\`${file}\``)) ? 2 : 0;
}

/** A shorter text occurs in lines of other errors, too. */
const LEAST_ERROR_CHARS = 12;

/**
 * Like `rankOf`, for the command, error or file in a claim's trigger. A claim without a word of the
 * failure's reason does not fit.
 */
function rankOfTrigger(tag: string, text: string, { signatures, forms, files }: Names): number {
  if (!tag.startsWith(TRIGGER_TAG)) return 0;
  const at = tag.slice(TRIGGER_TAG.length);
  const error = failureSignature(at) ?? at;
  if (error.length >= LEAST_ERROR_CHARS && signatures.some((each) => each.includes(error)))
    return 3;
  if (files.some((file) => file === at || at.endsWith(`/${file}`) || file.endsWith(`/${at}`)))
    return 2;
  if (!forms.some((form) => form === at || form.startsWith(`${at} `))) return 0;
  const words = new Set(contentWords(text));
  const named = new Set(contentWords(at));
  const isNear = (word: string): boolean => words.has(word) && !named.has(word);
  return signatures.length === 0 || signatures.some((each) => contentWords(each).some(isNear))
    ? 2
    : 0;
}

export function itemOf(lesson: Lesson): RecallItem {
  const events = lesson.evidence.filter(({ supports }) => supports);
  const event = events.at(-1);
  return {
    kind: lesson.fact === null ? 'lesson' : 'fact',
    id: lesson.id,
    text: `${lesson.text}${deniedIn(lesson)}`,
    day: lesson.last_seen,
    agent: event?.agent ?? null,
    session: event?.session ?? null,
    path: null,
    line: null,
    evidence: events.flatMap(({ entry }) => entry ?? []),
    files: lesson.files,
  };
}
