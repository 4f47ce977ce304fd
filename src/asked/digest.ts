/**
 * Selects the parts of a session for a model: typed prompts, questions with answers, turning points
 * (a failure, the changes, the run that passed), conclusions. No file content and no foreign text.
 */
import type { Entry } from '../types.js';
import { pairsOf } from '../parse/calls.js';
import { judgeSteps, isQuiet } from '../parse/outcome.js';
import { errorLines, namesError, outputLines } from '../text/errors.js';
import { dayOf } from '../parse/session.js';
import {
  formOf,
  isAbsolute,
  isProbe,
  placeIn,
  slashed,
  type Step,
  splitShell,
} from '../shell/index.js';
import { hasPolarity } from '../text/words.js';
import { clipEnd, clipMiddle } from './clip.js';
import {
  type DigestLine,
  LEAST_TYPED_TOKENS,
  type Rank,
  type RankedLine,
  choose,
  tokensOf,
} from './fit.js';
import { seenBefore, talkOf, typedOf } from './talk.js';
import { verbatim } from '../text/verbatim.js';

/** A session in the form for a prompt. */
export interface Digest {
  lines: DigestLine[];
  /** `seq` of the last entry in the digest. */
  upTo: number;
}

type LineText = { text: string; rank: Rank; failed?: boolean } | null;

const PROMPT_CHARS = 4000;
const PLAN_CHARS = 1200;
const QUESTION_CHARS = 300;
const FINAL_CHARS = 3000;
const TALK_CHARS = 220;
const COMMAND_CHARS = 200;
/** A command that failed, or worked after a failure: the model finds the cure in it. */
const TURNING_POINT_CHARS = 400;
/** Longest error; nothing else of a result is shown. */
const ERROR_CHARS = 300;
/** Longest text of changed lines, for an edit between a failure and its cure. */
const CHANGE_CHARS = 200;
/** Number of last steps between a failure and its cure that rank high. */
const MOST_BETWEEN = 4;
/** Longest first line of a here-document. */
const HEREDOC_CHARS = 100;
/** Most files that are named for consecutive edits. */
const MOST_FILES = 6;

/**
 * @param entries entries of one session, in order; copies from another session are left out
 * @param most tokens
 * @param after only entries with a higher `seq`
 */
export function planDigest(entries: readonly Entry[], most: number, after = -1): Digest {
  const tokens = Math.max(most, 2 * LEAST_TYPED_TOKENS);
  const all = entries.filter((entry) => entry.seq > after && !entry.copied);
  const fresh = stretchOf(all, Math.floor(tokens / LEAST_TYPED_TOKENS));
  const results = resultsOf(entries);
  const around: Around = {
    ...results,
    ...turningPoints(entries, results),
    conclusions: conclusionsIn(fresh),
    isRepeated: seenBefore(true),
    isTypedBefore: seenBefore(false),
  };
  const lines = joined(fresh.flatMap((entry) => toLine(entry, around)));
  return { lines: choose(lines, tokens), upTo: fresh.at(-1)?.seq ?? after };
}

/**
 * The text of a digest: a line with the day where a day begins, then `[3] user: …`, one line or
 * block for each entry.
 * @param before number of lines of other sessions before this one in the prompt
 */
export function renderDigest(shown: readonly DigestLine[], before = 0): string {
  let day = '';
  return shown
    .flatMap(({ entry, text, skipped }, index) => {
      const number = `[${before + index + 1}] ${text}`;
      const lines = skipped === 0 ? [number] : [`[… ${skipped} lines]`, number];
      if (entry.time === null || dayOf(entry) === day) return lines;
      day = dayOf(entry);
      return [`-- ${day}`, ...lines];
    })
    .join('\n');
}

/** Whether a session has a failure, or a question, correction, answer or wish of the person. */
export function isWorthAsking({ lines }: Pick<Digest, 'lines'>): boolean {
  const typed = lines.map(({ entry }) => entry).filter(isTyped);
  return (
    lines.some(({ failed }) => failed) ||
    typed.some(
      ({ text, marks }, at) =>
        marks.some((mark) => ANSWERS.has(mark)) ||
        hasPolarity(text) ||
        ASKS.test(text) ||
        errorLines(text, 1) !== '' ||
        (at > 0 && (CORRECTS.test(text) || OTHER_LETTERS.test(text))),
    )
  );
}
const ANSWERS: ReadonlySet<string> = new Set(['rejection', 'question']);
const ASKS = /[?？]|^remember\s*:/imu;
const CORRECTS = /^\W*(?:no|nope|wrong|actually|revert|undo|restore|stop|wait|but)\b/i;
/** Our word lists do not contain words in these letters. */
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}{4}/u;

/** Whether a person typed the entry; entries with marks are answers to the agent. */
function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && entry.text.trim() !== '';
}

/**
 * The entries up to the last typed prompt that fits. A session with more prompts is divided over
 * several questions, so that no prompt is lost.
 */
function stretchOf(entries: readonly Entry[], most: number): readonly Entry[] {
  let typed = 0;
  const over = entries.findIndex((entry) => isTyped(entry) && ++typed > most);
  return over < 0 ? entries : entries.slice(0, over);
}

interface Results {
  /** By call: the last result with an outcome, else the last; also results of polls. */
  byCall: ReadonlyMap<Entry, Entry>;
  /** The agent's questions, by the line of the log that has the answer. */
  questions: ReadonlyMap<string, string>;
}

interface Around extends Results {
  /** Entry ids of calls that worked after the same command, or one of its class, failed. */
  cures: ReadonlySet<string>;
  /** The last edits and commands between such a failure and its cure. */
  between: ReadonlySet<string>;
  /** The agent's last words before the person typed again. */
  conclusions: ReadonlySet<Entry>;
  /** Whether the agent said the line before. */
  isRepeated: (line: string) => boolean;
  isTypedBefore: (line: string) => boolean;
}

/** In these classes, one command may cure the failure of another. */
const CHECKS: ReadonlySet<string> = new Set(['test', 'build', 'lint', 'format', 'typecheck']);

function turningPoints(
  entries: readonly Entry[],
  { byCall }: Results,
): Pick<Around, 'cures' | 'between'> {
  const failedAt = new Map<string, number>();
  const cures = new Set<string>();
  const between = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    const outcome = entry.command === null ? null : byCall.get(entry)?.outcome;
    if (outcome == null) continue;
    const keys = splitShell(entry.command!).flatMap(keysOf);
    if (outcome !== 'ok') for (const key of keys) failedAt.set(key, at);
    const from = failedAt.get(keys.find((key) => failedAt.has(key)) ?? '');
    if (outcome !== 'ok' || from === undefined) continue;
    for (const [key, place] of failedAt) if (place === from) failedAt.delete(key);
    cures.add(entry.id);
    const steps = entries.slice(from + 1, at).filter(isStep);
    for (const step of steps.slice(-MOST_BETWEEN)) between.add(step.id);
  }
  return { cures, between };
}

/** Keys by which a later command counts as another try: the first words, and the class. */
function keysOf(step: Step): string[] {
  const [program = '', ...rest] = step.words;
  if (isQuiet(step) || isProbe(program)) return [];
  const options = rest.findIndex((word) => /^-|[./=]/.test(word));
  const verbs = (options < 0 ? rest : rest.slice(0, options)).slice(0, rest[0] === 'run' ? 2 : 1);
  const kind = formOf(step, null, [])?.class ?? '';
  return [[program, ...verbs].join(' '), ...(CHECKS.has(kind) ? [`class ${kind}`] : [])];
}

/** Whether the entry is an edit, or a command that does more than read. */
function isStep({ role, command, files }: Entry): boolean {
  if (role !== 'tool_call') return false;
  return command === null ? files.length > 0 : !splitShell(command).every(isLook);
}

/** The agent's last words before the person types again, and those marked as final. */
function conclusionsIn(entries: readonly Entry[]): Set<Entry> {
  const found = new Set<Entry>();
  let last: Entry | null = null;
  for (const entry of [...entries, null]) {
    if (entry === null || isTyped(entry)) {
      if (last) found.add(last);
      last = null;
    } else if (entry.role === 'assistant' && entry.origin === 'agent') {
      last = entry;
      if (entry.marks.includes('final')) found.add(entry);
    }
  }
  return found;
}

/**
 * Joins consecutive edits into one line. Repeated commands with the same outcome, mostly polls,
 * become one line with a count. Of a prompt that was stopped and sent again, the last form is kept.
 */
function joined(lines: readonly RankedLine[]): RankedLine[] {
  const kept: (RankedLine & { times: number })[] = [];
  const calls = new Map<string, number>();
  let typedAt = -1;
  for (const line of lines) {
    const { role } = line.entry;
    const last = kept.at(-1);
    if (isEdit(line) && last && isEdit(last)) {
      const files = new Set([...filesIn(last), ...filesIn(line)]);
      kept[kept.length - 1] = { ...last, text: EDITED + [...files].join(', ') };
      continue;
    }
    const same = role === 'tool_call' && line.rank > 1 ? calls.get(line.text) : undefined;
    if (same !== undefined || (role === 'tool_call' && last?.text === line.text)) {
      kept[same ?? kept.length - 1]!.times += 1;
      continue;
    }
    if (role === 'tool_call') calls.set(line.text, kept.length);
    if (line.rank === 0) {
      const earlier = kept[typedAt];
      const isAgain = (text: string): boolean =>
        line.text === text || (text.length >= SHORTEST_SENT && line.text.startsWith(text));
      if (earlier && typedAt === kept.length - 1 && isAgain(earlier.text)) {
        kept[typedAt] = { ...line, times: 1 };
        continue;
      }
      typedAt = kept.length;
    }
    kept.push({ ...line, times: 1 });
  }
  return kept.map(({ times, ...line }) => {
    const files = isEdit(line) ? filesIn(line) : [];
    const more = files.length - MOST_FILES;
    const short =
      more > 0 ? `${EDITED}${files.slice(0, MOST_FILES).join(', ')} and ${more} more` : line.text;
    const text = times > 1 ? `${short} (${times} times)` : short;
    return { ...line, text, tokens: tokensOf(text) };
  });
}

/** A shorter prompt may be the beginning of another one by chance. */
const SHORTEST_SENT = 40;
const EDITED = 'edited: ';
/** Whether the line is an edit without changed lines. */
function isEdit({ text, rank }: RankedLine): boolean {
  return rank === 4 && text.startsWith(EDITED);
}
function filesIn({ text }: RankedLine): string[] {
  return text.slice(EDITED.length).split(', ');
}

function resultsOf(entries: readonly Entry[]): Results {
  const { results, calls } = pairsOf(entries);
  const byCall = new Map(
    [...results].map(([call, all]) => [
      call,
      all.findLast(({ outcome }) => outcome !== null) ?? all.at(-1)!,
    ]),
  );
  const questions = new Map([...calls].map(([result, call]) => [placeOf(result), call.text]));
  return { byCall, questions };
}

function placeOf({ path, line }: Entry): string {
  return `${path}\0${line}`;
}

function toLine(entry: Entry, around: Around): RankedLine[] {
  const line = describe(entry, around);
  return line === null
    ? []
    : [{ entry, failed: false, skipped: 0, ...line, tokens: tokensOf(line.text) }];
}

function describe(entry: Entry, around: Around): LineText {
  if (isTyped(entry)) return { text: describeTyped(entry, around), rank: 0 };
  // A plan in the agent's words that the person approved: the session makes no sense without it.
  if (entry.role === 'user' && entry.origin === 'agent' && entry.marks.includes('plan')) {
    const plan = talkOf(entry.text, around.isRepeated);
    return { text: `plan that the user approved: ${clipEnd(plan, PLAN_CHARS)}`, rank: 1 };
  }
  if (entry.role === 'assistant' && entry.origin === 'agent') return describeTalk(entry, around);
  if (entry.role === 'tool_call') return describeCall(entry, around);
  return null;
}

function describeTyped(entry: Entry, { questions, isTypedBefore }: Around): string {
  const text = clipMiddle(typedOf(entry.text, isTypedBefore), PROMPT_CHARS);
  if (entry.marks.includes('rejection')) return `user, refusing the call: ${text}`;
  const question = entry.marks.includes('question')
    ? verbatim(questions.get(placeOf(entry)) ?? '')
    : '';
  return question === ''
    ? `user: ${text}`
    : `agent asked: ${clipEnd(question, QUESTION_CHARS)} user answered: ${text}`;
}

/** A shorter remark has no content. */
const LEAST_TALK = 20;

function describeTalk(entry: Entry, { conclusions, isRepeated }: Around): LineText {
  const talk = talkOf(entry.text, isRepeated);
  if (talk.length < LEAST_TALK) return null;
  // The end of a conclusion has the result or the proposal.
  return conclusions.has(entry)
    ? { text: `agent: ${clipMiddle(talk, FINAL_CHARS)}`, rank: 2 }
    : { text: `agent: ${clipEnd(talk, TALK_CHARS)}`, rank: 4 };
}

function describeEdit({ files, text, cwd }: Entry, isBetween: boolean): LineText {
  if (files.length === 0 || !/^[+-]/m.test(text)) return null;
  const edited = EDITED + files.map(belowFolder(cwd)).join(', ');
  if (!isBetween) return { text: edited, rank: 4 };
  const changed = text.split('\n').filter((line) => /^(?:\+(?!\+\+)|-(?!--))\s*\S/.test(line));
  return { text: `${edited}: ${clipEnd(verbatim(changed.join(' ')), CHANGE_CHARS)}`, rank: 1 };
}

function describeCall(entry: Entry, { byCall, cures, between }: Around): LineText {
  const isBetween = between.has(entry.id);
  if (entry.command === null) return describeEdit(entry, isBetween);
  const result = byCall.get(entry);
  const steps = splitShell(entry.command);
  const outcome = result === undefined ? null : outcomeOf(steps, result);
  const isTurningPoint = outcome?.isFailure === true || isBetween || cures.has(entry.id);
  // A command that only reads is left out, since its output is not shown either.
  if (!isTurningPoint && steps.length > 0 && steps.every(isLook)) return null;
  const command = verbatim(belowItsFolder(withoutHeredocs(entry.command), entry.cwd));
  const ran = `ran: ${clipEnd(command, isTurningPoint ? TURNING_POINT_CHARS : COMMAND_CHARS)}`;
  if (result === undefined || outcome === null) return { text: ran, rank: isBetween ? 1 : 4 };
  if (!outcome.isFailure)
    return { text: `${ran} -> ${outcome.text}`, rank: isTurningPoint ? 1 : 3 };
  const why = errorOf(steps, result);
  return {
    text: `${ran} -> ${outcome.text}${why === '' ? '' : `: ${why}`}`,
    rank: 1,
    failed: true,
  };
}

/** Shortens here-documents: the first line of a script or a message is enough. */
function withoutHeredocs(command: string): string {
  return command.replace(
    /<<-?\s*(['"]?)(\w+)\1([^\n]*)\n([\s\S]*?)\n\s*\2\b/g,
    (_, __, mark: string, rest: string, body: string) =>
      `<<${mark}${rest} ${clipEnd(body.trim().split('\n')[0]!, HEREDOC_CHARS)} …`,
  );
}

function isLook(step: Step, at: number, steps: Step[]): boolean {
  return isQuiet(step) || showsFiles(step, at, steps) || steps[at - 1]?.joint === '|';
}

/** Removes `cd` to the session's folder, since some agents write it before each command. */
function belowItsFolder(command: string, folder: string | null): string {
  const [, into, rest] = /^cd "?([^\s"]+?)\/?"? ?(?:&&|;) ([\s\S]*)$/.exec(command) ?? [];
  return rest !== undefined && folder !== null && placeIn([slashed(folder)], into!) === ''
    ? rest
    : command;
}

/** The path relative to the session's folder, if the file is below it. */
function belowFolder(folder: string | null): (path: string) => string {
  return (path) =>
    (folder !== null && isAbsolute(path) && placeIn([slashed(folder)], path)) || path;
}

/** The outcome in the log; without a status, the outcome that the output suggests. */
function outcomeOf(steps: Step[], result: Entry): { text: string; isFailure: boolean } | null {
  const { outcome, exit, origin } = result;
  if (outcome === 'ok') return { text: 'ok', isFailure: false };
  if (outcome !== null)
    return { text: `${outcome}${exit === null ? '' : ` (exit ${exit})`}`, isFailure: true };
  if (origin !== 'tool' || steps.some(showsFiles)) return null;
  const verdicts = judgeSteps(steps, result).filter((_, at) => !isQuiet(steps[at]!));
  if (verdicts.includes('failed')) return { text: 'seems to have failed', isFailure: true };
  return verdicts.includes('ok') ? { text: 'seems ok', isFailure: false } : null;
}

/** Whether a step prints files, so that an error in its output may be text of a file. */
function showsFiles(step: Step, at: number, steps: Step[]): boolean {
  const [program = '', verb = ''] = step.words;
  const isReader = isProbe(program) ? !isQuiet(step) : program === 'git' && GIT_READERS.has(verb);
  return isReader && steps[at - 1]?.joint !== '|';
}

const GIT_READERS = new Set(['diff', 'show', 'log', 'blame', 'grep', 'cat-file']);

/**
 * The lines of a result that name the error, else the signature, else the first and last lines. If
 * the command prints files, only a signature; for text from outside, nothing.
 */
function errorOf(steps: Step[], { origin, text, error }: Entry): string {
  if (origin !== 'tool') return '';
  const signature = verbatim(error ?? '');
  if (steps.some(showsFiles)) return namesError(signature) ? clipEnd(signature, ERROR_CHARS) : '';
  return errorLines(text, ERROR_CHARS) || clipEnd(aroundIn(text) || signature, ERROR_CHARS);
}

/** Two lines after a heading like "Error:", which names no error itself, and the last line. */
function aroundIn(output: string): string {
  const lines = outputLines(output).filter((line) => /\p{L}{2}/u.test(line) && !STATUS.test(line));
  const heading = lines.findIndex((line) => /^\W*(?:\w*error|failed|failure)\W*$/i.test(line));
  const from = heading < 0 ? 0 : heading + 1;
  return verbatim([...new Set([...lines.slice(from, from + 2), ...lines.slice(-1)])].join(' | '));
}

/** These lines only repeat the outcome. */
const STATUS = /^\W*(?:(?:command )?exit(?:ed)?(?: with)?[ _](?:code|status)\W+\w+|no output)\W*$/i;
