/**
 * What a model is shown of a session: typed prompts, what was asked and answered, turning points
 * (a failure, what changed, the run that passed), conclusions. No file content, nothing foreign.
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
import { saidBefore, talkOf, typedOf } from './talk.js';
import { verbatim } from '../text/verbatim.js';

/** A session as a prompt shows it. */
export interface Digest {
  lines: DigestLine[];
  /** `seq` of the session's last entry that it covers. */
  upTo: number;
}

type LineText = { text: string; rank: Rank; failed?: boolean } | null;

const PROMPT_CHARS = 4000;
const PLAN_CHARS = 1200;
const QUESTION_CHARS = 300;
const FINAL_CHARS = 3000;
const TALK_CHARS = 220;
const COMMAND_CHARS = 200;
/** A command that failed, or that worked after it had failed, is what a cure is read from. */
const TURNING_POINT_CHARS = 400;
/** Of a result, nothing else is shown. */
const ERROR_CHARS = 300;
/** Of the lines that an edit between a failure and its cure changes. */
const CHANGE_CHARS = 200;
/** How many of the last steps between a failure and its cure are shown first. */
const MOST_BETWEEN = 4;
/** Of the first line of a text that a command reads from itself. */
const HEREDOC_CHARS = 100;
/** Files of edits in a row that are named. */
const MOST_FILES = 6;

/**
 * @param entries of one session, in order; copies from another session are left out
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
    isSaid: saidBefore(true),
    isTypedBefore: saidBefore(false),
  };
  const lines = joined(fresh.flatMap((entry) => toLine(entry, around)));
  return { lines: choose(lines, tokens), upTo: fresh.at(-1)?.seq ?? after };
}

/**
 * How a digest is written into a prompt: the day where it begins, then `[3] user: …`, one line or
 * block each.
 * @param before how many lines of other sessions come before it in the prompt
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

/** Whether a session shows a failure, or the person asks, corrects, answers or wants something kept. */
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
/** What is said in these is not known by its words. */
const OTHER_LETTERS = /(?!\p{Script=Latin})\p{L}{4}/u;

/** What a person typed; marked lines are answers to the agent. */
function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && entry.text.trim() !== '';
}

/**
 * The entries up to the last typed prompt that fits: a session of more prompts is shown in several
 * questions, so that no prompt is lost.
 */
function stretchOf(entries: readonly Entry[], most: number): readonly Entry[] {
  let typed = 0;
  const over = entries.findIndex((entry) => isTyped(entry) && ++typed > most);
  return over < 0 ? entries : entries.slice(0, over);
}

interface Results {
  /**
   * By call: the last result that has an outcome, else the last one. A poll's result belongs to the
   * call that it polls.
   */
  byCall: ReadonlyMap<Entry, Entry>;
  /** What the agent asked, by the line of the log that has the answer. */
  questions: ReadonlyMap<string, string>;
}

interface Around extends Results {
  /** Calls that worked after the same command, or one of its class, had failed, by entry id. */
  cures: ReadonlySet<string>;
  /** The last edits and commands between such a failure and its cure. */
  between: ReadonlySet<string>;
  /** What an agent said last before the person typed again. */
  conclusions: ReadonlySet<Entry>;
  /** Whether the agent said a line before. */
  isSaid: (line: string) => boolean;
  isTypedBefore: (line: string) => boolean;
}

/** Classes of which one command may cure the failure of another one. */
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

/** By what a later command is known as another try: its first words, and its class. */
function keysOf(step: Step): string[] {
  const [program = '', ...rest] = step.words;
  if (isQuiet(step) || isProbe(program)) return [];
  const options = rest.findIndex((word) => /^-|[./=]/.test(word));
  const verbs = (options < 0 ? rest : rest.slice(0, options)).slice(0, rest[0] === 'run' ? 2 : 1);
  const kind = formOf(step, null, [])?.class ?? '';
  return [[program, ...verbs].join(' '), ...(CHECKS.has(kind) ? [`class ${kind}`] : [])];
}

/** An edit, or a command that does more than look. */
function isStep({ role, command, files }: Entry): boolean {
  if (role !== 'tool_call') return false;
  return command === null ? files.length > 0 : !splitShell(command).every(isLook);
}

/** The agent's last words before the person types again, and those that the log marks as final. */
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
 * Edits in a row are one line. A command that comes back with the same outcome, a poll mostly, is
 * one line with its count, and a prompt that the person stopped and sent again is its last form.
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

/** A shorter prompt may begin another one by chance. */
const SHORTEST_SENT = 40;
const EDITED = 'edited: ';
/** An edit that shows no changed line. */
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
  // Approved by the person and worded by the agent: the session makes no sense without it.
  if (entry.role === 'user' && entry.origin === 'agent' && entry.marks.includes('plan')) {
    const plan = talkOf(entry.text, around.isSaid);
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

/** A remark that is shorter says nothing. */
const LEAST_TALK = 20;

function describeTalk(entry: Entry, { conclusions, isSaid }: Around): LineText {
  const talk = talkOf(entry.text, isSaid);
  if (talk.length < LEAST_TALK) return null;
  // A conclusion has its result or proposal at its end.
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

/** Of a text that a command reads from itself, a script or a message, the first line is enough. */
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

/** Some agents change into the session's own folder before each command. */
function belowItsFolder(command: string, folder: string | null): string {
  const [, into, rest] = /^cd "?([^\s"]+?)\/?"? ?(?:&&|;) ([\s\S]*)$/.exec(command) ?? [];
  return rest !== undefined && folder !== null && placeIn([slashed(folder)], into!) === ''
    ? rest
    : command;
}

/** A file's path as below the session's folder, when it lies there. */
function belowFolder(folder: string | null): (path: string) => string {
  return (path) =>
    (folder !== null && isAbsolute(path) && placeIn([slashed(folder)], path)) || path;
}

/**
 * As the log says; where it has no status (scripts of code mode print only what they choose) by
 * what the output says, as lessons by rule do.
 */
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

/** Whether a step prints files: an error in its output may be text of a file. */
function showsFiles(step: Step, at: number, steps: Step[]): boolean {
  const [program = '', verb = ''] = step.words;
  const isReader = isProbe(program) ? !isQuiet(step) : program === 'git' && GIT_READERS.has(verb);
  return isReader && steps[at - 1]?.joint !== '|';
}

const GIT_READERS = new Set(['diff', 'show', 'log', 'blame', 'grep', 'cat-file']);

/**
 * The lines of a result that name its error; without one its signature, or the first and last
 * lines. Beside files only a signature, and nothing of text from outside.
 */
function errorOf(steps: Step[], { origin, text, error }: Entry): string {
  if (origin !== 'tool') return '';
  const signature = verbatim(error ?? '');
  if (steps.some(showsFiles)) return namesError(signature) ? clipEnd(signature, ERROR_CHARS) : '';
  return errorLines(text, ERROR_CHARS) || clipEnd(aroundIn(text) || signature, ERROR_CHARS);
}

/** "Error:" and "Found 12 errors": the lines beside them say which. */
function aroundIn(output: string): string {
  const lines = outputLines(output).filter((line) => /\p{L}{2}/u.test(line) && !STATUS.test(line));
  const heading = lines.findIndex((line) => /^\W*(?:\w*error|failed|failure)\W*$/i.test(line));
  const from = heading < 0 ? 0 : heading + 1;
  return verbatim([...new Set([...lines.slice(from, from + 2), ...lines.slice(-1)])].join(' | '));
}

/** The outcome already says this. */
const STATUS = /^\W*(?:(?:command )?exit(?:ed)?(?: with)?[ _](?:code|status)\W+\w+|no output)\W*$/i;
