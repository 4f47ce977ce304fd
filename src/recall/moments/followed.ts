/** Finds what earlier sessions did after the same error: for a moment, and for past failures. */
import {
  aftermathOf,
  failuresLike,
  SAME_ERRORS,
  failuresOf,
  promptsNaming,
  type Aftermath,
  type Db,
  typedText,
  type EarlierFailure,
  type NextStep,
} from '../../store/index.js';
import { OF_SHELL } from '../../store/search/answers.js';
import type { Moment, RecallItem, Known } from './moment.js';
import { whyLesson } from '../../lessons/taint/taint.js';
import { splitSentences } from '../../parse/sentences.js';
import { splitShell } from '../../shell/index.js';
import { termsOf } from '../../terms/index.js';
import { announces } from '../../text/announcement.js';
import { nameKey } from '../../text/signs.js';
import { clipped } from '../../text/verbatim.js';
import { contentWords } from '../../text/words.js';

/** What earlier sessions did after an error. */
export interface Earlier {
  /** The next steps of the newest session that solved the error. */
  followed: RecallItem[];
  /** Commands that newer sessions ran without solving the error. */
  tried: ReadonlySet<string>;
}

/** The name of a file in an error; the folder must be the same, too. */
const NAMES_FILE = /[\w-]+\.[a-z]\w{0,4}(?!\w)/;

/** @param asOf ISO 8601: nothing later is used */
export async function earlierOf(
  db: Db,
  moment: Moment,
  errors: readonly string[],
  asOf?: string,
): Promise<Earlier> {
  const tried = new Set<string>();
  if (errors.length === 0) return { followed: [], tried };
  const reach = {
    project: moment.project,
    session: moment.session,
    ...(asOf === undefined ? {} : { asOf }),
  };
  const isWide = !NAMES_FILE.test(errors[0]!.replace(/^[\w.-]+\.\w{1,5}: /, ''));
  const asked = operandsOf(moment.text);
  for (const failure of await failuresLike(db, errors, reach)) {
    if (!isWide && !operandsOf(failure.command ?? '').some((one) => asked.includes(one))) continue;
    const after = untilThen(await aftermathOf(db, failure), asOf);
    const found = whatFollowed(failure, after, moment.text, errors[0]!);
    if (found === null) for (const command of inVain(after)) tried.add(command);
    if (found === null || found.ran.some((command) => tried.has(command))) continue;
    const cures = found.ran.map((command) => ({ command, since: failure.time }));
    if ((await endedLater(db, moment.project, cures, asOf)).size > 0) continue;
    const { id, agent, session, time } = failure;
    const { ran: _, ...item } = found;
    const day = time?.slice(0, 10) ?? null;
    return { followed: [{ kind: 'entry', id, ...item, day, agent, session }], tried };
  }
  return { followed: [], tried };
}

/** Commands that ran before the same form failed again. */
function inVain({ failed, steps }: Aftermath): string[] {
  const again = steps.findLast(
    ({ form, outcome }) => form === failed?.form && outcome === 'failed',
  );
  return steps
    .filter(({ at, outcome }) => outcome === 'ok' && at < (again?.at ?? 0))
    .map(({ words }) => words.join(' '));
}

const ENDS =
  /\b(?:drop(?:ped)?|removed?|deleted?|gone|no longer|any ?more|instead of|rather than|never|don['’]?t|do not|stop(?:ped)?|obsolete|replaced?)\b/i;

/**
 * The commands that the person later called obsolete.
 * @param cures each with its time: only later prompts can call it obsolete
 */
export async function endedLater(
  db: Db,
  project: string | null,
  cures: readonly { command: string; since: string | null }[],
  asOf = '9',
): Promise<Set<string>> {
  const commands = cures.map(({ command }) => command);
  const prompts = commands.length === 0 ? [] : await promptsNaming(db, project, commands);
  const isEnd = (command: string, text: string): boolean =>
    splitSentences(text).some((sentence) => sentence.includes(command) && ENDS.test(sentence));
  const over = cures.filter(({ command, since }) =>
    prompts.some(
      (one) =>
        one.command === command &&
        (one.time ?? '') > (since ?? '') &&
        (one.time ?? '') < asOf &&
        isEnd(command, one.text),
    ),
  );
  return new Set(over.map(({ command }) => command));
}

/** A command's steps without their options. */
function operandsOf(command: string): string[] {
  return splitShell(command).map(({ words }) =>
    words.filter((word) => !word.startsWith('-')).join(' '),
  );
}

/** A past failure. */
interface PastFailure {
  project: string;
  session: string;
  command: string;
  /** Its signature. */
  error: string;
  /** ISO 8601 UTC. */
  time: string;
}

/**
 * The failures of a history at which `recall` would have shown what an earlier session did next.
 * Reads all earlier failures in one query, since one for each would be slower.
 */
export async function followedThen<F extends PastFailure>(
  db: Db,
  failures: readonly F[],
): Promise<F[]> {
  const known = await failuresOf(db, failures);
  const after = new Map<string, Aftermath>();
  const found: F[] = [];
  const keep = keepClean(db);
  for (const one of failures) {
    const earlier = known.filter(
      ({ project, error, session, time }) =>
        project === one.project &&
        error === one.error &&
        session !== one.session &&
        time !== null &&
        time < one.time,
    );
    for (const failure of earlier.slice(0, SAME_ERRORS)) {
      if (!after.has(failure.id)) after.set(failure.id, await aftermathOf(db, failure));
      const text = whatFollowed(
        failure,
        untilThen(after.get(failure.id)!, one.time),
        one.command,
        one.error,
      )?.text;
      if (text === undefined) continue;
      found.push(...(await keep([one], () => text)));
      break;
    }
  }
  return found;
}

// Withholds texts that ask for something harmful.

/** Without entries that ask for something harmful. */
export async function withoutTaint(
  db: Db,
  { text: asked }: Moment,
  { exact, ranked, seen }: Known,
): Promise<Known> {
  const keep = keepClean(db, asked);
  const textOf = ({ kind, text }: RecallItem): string => (kind === 'entry' ? text : '');
  return { exact: await keep(exact, textOf), ranked: await keep(ranked, textOf), seen };
}

/** Keeps the items whose text may be shown. */
export type KeepClean = <T>(all: readonly T[], textOf: (one: T) => string) => Promise<T[]>;

/**
 * Checks each text like an agent's, with the least trust. The person's prompts are read only if a
 * text needs them to pass.
 * @param asked text of the question or moment, which a text may repeat
 */
export function keepClean(db: Db, asked = ''): KeepClean {
  let typed: Promise<string> | null = null;
  const here = nameKey(asked);
  const isClean = (text: string, typed: string): boolean =>
    whyLesson({ text, said_by: 'agent' }, { typed: typed, packages: new Set() }) === null;
  return async (all, textOf) => {
    const kept: (typeof all)[number][] = [];
    for (const one of all)
      if (isClean(textOf(one), here) || isClean(textOf(one), await (typed ??= typedText(db))))
        kept.push(one);
    return kept;
  };
}

// What an earlier session did between a failure and the next success, as one line. Pure.

/** Number of calls after a failure in which its cure is searched. */
const CALLS = 14;
const MOST_SENTENCE = 240;
const MOST_COMMAND = 90;

interface WhatFollowed {
  text: string;
  /** Commands that ran until the failed one passed. */
  ran: readonly string[];
  path: string;
  line: number;
  /** Files that were edited until the command passed. */
  files: readonly string[];
}

/** The part before an instant (ISO 8601; absent: all); rows without a time count as later. */
export function untilThen(after: Aftermath, asOf?: string): Aftermath {
  if (asOf === undefined) return after;
  const isKnown = ({ time }: { time: string | null }): boolean => time !== null && time < asOf;
  const [steps, edits, texts] = [
    after.steps.filter(isKnown),
    after.edits.filter(isKnown),
    after.texts.filter(isKnown),
  ];
  return { ...after, steps, edits, texts };
}

/**
 * @param command that fails now, which is never its own cure
 * @returns null if the session did not solve the error, or nothing shows how
 */
export function whatFollowed(
  failure: EarlierFailure,
  after: Aftermath,
  command: string,
  error: string,
): WhatFollowed | null {
  const { failed } = after;
  if (failed === null) return null;
  const passed = after.steps.find((step) => isSuccess(step, failed));
  if (passed === undefined) return null;
  const ran = after.steps
    .filter(
      (step) => step.seq <= passed.seq && step.outcome === 'ok' && isCure(step, failed, command),
    )
    .map(({ words }) => words.join(' '));
  const edited = [
    ...new Set(after.edits.filter(({ seq }) => seq < passed.seq).map(({ file }) => file)),
  ];
  const explained = explanationOf(after, passed.seq, `${failed.words.join(' ')} ${error}`);
  const cures = [
    ...[...new Set(ran)].slice(-2).map((text) => `ran \`${clipped(text, MOST_COMMAND)}\``),
    ...(edited.length === 0
      ? []
      : [
          `edited ${edited
            .slice(0, 2)
            .map((file) => `\`${file}\``)
            .join(', ')}`,
        ]),
  ];
  if (cures.length === 0 && explained === null) return null;
  const day = failure.time === null ? '' : ` on ${failure.time.slice(0, 10)}`;
  const what = `\`${clipped(failed.words.join(' '), MOST_COMMAND)}\` failed so${day}`;
  const then = cures.length === 0 ? '' : `; then ${cures.join(', ')}, and it passed`;
  const place = explained ?? failure;
  const text = `${what}${then}${explained === null ? '' : `: "${explained.sentence}"`}`;
  return { text, ran, path: place.path, line: place.line, files: edited };
}

function isSuccess(step: NextStep, failed: NextStep): boolean {
  return (
    step.outcome === 'ok' &&
    step.at - failed.at <= CALLS &&
    step.at > failed.at &&
    step.form === failed.form
  );
}

function isCure(step: NextStep, failed: NextStep, command: string): boolean {
  const text = step.words.join(' ');
  return (
    step.shown &&
    step.form !== failed.form &&
    !['read', 'search'].includes(step.class) &&
    !OF_SHELL.includes(step.program) &&
    !command.includes(text)
  );
}

/** Least number of new words in an explanation, so that it does not only repeat the failure. */
const LEAST_ADDED = 2;

/** Whether a sentence adds words to those of a failure. */
export function addsTo(about: string, sentence: string): boolean {
  const known = new Set(contentWords(about));
  return contentWords(sentence).filter((word) => !known.has(word)).length >= LEAST_ADDED;
}

/** The agent's sentence after the failure that shares most of its words, or null. */
function explanationOf(after: Aftermath, until: number, about: string) {
  const wanted = termsOf(about);
  let best: { sentence: string; path: string; line: number; common: number } | null = null;
  for (const { seq, role, text, path, line } of after.texts) {
    if (seq > until || role !== 'assistant') continue;
    for (const sentence of splitSentences(text)) {
      if (sentence.length > MOST_SENTENCE || sentence.endsWith(':') || announces(sentence))
        continue;
      const common = [...termsOf(sentence).keys()].filter((term) => wanted.has(term)).length;
      if (common >= 2 && common > (best?.common ?? 0) && addsTo(about, sentence))
        best = { sentence, path, line, common };
    }
  }
  return best;
}
