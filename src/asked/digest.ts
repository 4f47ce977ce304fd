/**
 * What a model is shown of a session: typed prompts, what was asked and answered, commands with
 * their outcome and the lines that name an error, conclusions. No file content, nothing foreign.
 */
import type { Entry } from '../types.js';
import { pairsOf } from '../parse/calls.js';
import { judgeSteps, isQuiet } from '../parse/outcome.js';
import { errorLines, namesError } from '../text/errors.js';
import { dayOf } from '../parse/session.js';
import { isAbsolute, isProbe, placeIn, slashed, type Step, splitShell } from '../shell/index.js';
import { hasPolarity } from '../text/words.js';
import { withoutBlocks } from '../text/code.js';
import { typedText } from '../text/typed-lines.js';
import { clipEnd, clipMiddle } from './clip.js';
import {
  type DigestLine,
  LEAST_TYPED_TOKENS,
  type Rank,
  type Ranked,
  choose,
  fitShared,
  split,
  tokensOf,
} from './fit.js';
import { withoutRepeats } from './repeats.js';
import { verbatim } from '../text/verbatim.js';

/** A part of a session that fits one call. */
export interface DigestPart {
  lines: DigestLine[];
  /** `seq` of the session's last entry that this part and those before it cover. */
  upTo: number;
}

interface DigestLimits {
  /** Most tokens of the whole digest. */
  sessionTokens: number;
  /** Most tokens of one part. */
  partTokens: number;
  /** Whether earlier sessions of the project have a stretch of a prompt; see `stretchesOf`. */
  isRepeated?: (stretch: string) => boolean;
}

type LineText = { text: string; rank: Rank; failed?: boolean } | null;

const PROMPT_CHARS = 6000;
const PLAN_CHARS = 1500;
const QUESTION_CHARS = 300;
const FINAL_CHARS = 4500;
const TALK_CHARS = 400;
const COMMAND_CHARS = 300;
/** A command that failed, or that worked after it had failed, is what a cure is read from. */
const TURNING_POINT_CHARS = 400;
/** Of a result, nothing else is shown. */
const ERROR_CHARS = 300;
/** Of the lines that an edit between a failure and its cure changes. */
const CHANGE_CHARS = 200;
/** How many of the last steps between a failure and its cure are shown first. */
const MOST_BETWEEN = 4;

/**
 * Parts of a session in the order of the log.
 * @param entries of one session, in order; copies from another session are left out
 * @param after only entries with a higher `seq`
 */
export function planDigest(
  entries: readonly Entry[],
  limits: DigestLimits,
  after = -1,
): DigestPart[] {
  const sessionTokens = Math.max(limits.sessionTokens, 2 * LEAST_TYPED_TOKENS);
  const all = entries.filter((entry) => entry.seq > after && !entry.copied);
  const fresh = stretchOf(all, Math.floor(sessionTokens / LEAST_TYPED_TOKENS));
  const end = fresh.at(-1)?.seq ?? after;
  const results = resultsOf(entries);
  const around: Around = {
    ...results,
    ...turningPoints(entries, results),
    isRepeated: limits.isRepeated ?? (() => false),
    isPrinted: printedIn(entries),
  };
  const lines = withoutRepeated(fresh.flatMap((entry) => toLine(entry, around)));
  const parts = split(
    choose(fitShared(lines, sessionTokens, limits.partTokens), sessionTokens),
    limits.partTokens,
  );
  return parts.map((part, index) => ({
    lines: part,
    upTo: index === parts.length - 1 ? end : part.at(-1)!.entry.seq,
  }));
}

/**
 * How a part is written into a prompt: the day where it begins, then `[3] user: …`, one line or
 * block each.
 */
export function renderDigest(part: Pick<DigestPart, 'lines'>): string {
  let day = '';
  return part.lines
    .flatMap(({ entry, text, skipped }, index) => {
      const lines = [...(skipped === 0 ? [] : [`[… ${skipped} lines]`]), `[${index + 1}] ${text}`];
      if (entry.time === null || dayOf(entry) === day) return lines;
      day = dayOf(entry);
      return [`-- ${day}`, ...lines];
    })
    .join('\n');
}

/** Whether a session shows a failure, or the person asks, refuses, answers, or says always or never. */
export function isWorthAsking(parts: readonly DigestPart[]): boolean {
  return parts.some(({ lines }) =>
    lines.some(({ entry, failed }) => {
      if (failed || (isTyped(entry) && entry.marks.some((mark) => ANSWERS.has(mark)))) return true;
      return (
        isTyped(entry) && (hasPolarity(entry.text) || /[?？]|^remember\s*:/imu.test(entry.text))
      );
    }),
  );
}
const ANSWERS: ReadonlySet<string> = new Set(['rejection', 'question']);

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
  /** Calls that worked after the same program had failed, by entry id. */
  cures: ReadonlySet<string>;
  /** The last edits and commands between such a failure and its cure. */
  between: ReadonlySet<string>;
  isRepeated: (stretch: string) => boolean;
  isPrinted: (line: string) => boolean;
}

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
    for (const { words } of splitShell(entry.command!)) {
      const program = words[0] ?? '';
      const from = failedAt.get(program);
      if (outcome !== 'ok') failedAt.set(program, at);
      else if (from !== undefined) {
        failedAt.delete(program);
        cures.add(entry.id);
        const steps = entries.slice(from + 1, at).filter(isStep);
        for (const step of steps.slice(-MOST_BETWEEN)) between.add(step.id);
      }
    }
  }
  return { cures, between };
}

/** An edit, or a command that does more than look. */
function isStep({ role, command, files }: Entry): boolean {
  if (role !== 'tool_call') return false;
  return command === null ? files.length > 0 : !splitShell(command).every(isLook);
}

/** A shorter text may occur twice by chance. */
const SHORTEST_PRINTING = 60;

/**
 * Without second printings of an answer. A command that is repeated with the same outcome, a poll
 * mostly, is one line with its count; a prompt that was stopped and sent again is shown once.
 */
function withoutRepeated(lines: readonly Ranked[]): Ranked[] {
  const answers = new Set<string>();
  const kept: Ranked[] = [];
  let last: { line: Ranked; at: number; times: number } | null = null;
  for (const line of lines) {
    if (line.entry.role === 'assistant') {
      if (answers.has(line.text)) continue;
      if (line.text.length >= SHORTEST_PRINTING) answers.add(line.text);
    } else if (last?.line.text === line.text) {
      last.times += 1;
      const text =
        line.entry.role === 'tool_call' ? `${line.text} (${last.times} times)` : line.text;
      kept[last.at] = { ...last.line, text, tokens: tokensOf(text) };
      continue;
    } else last = { line, at: kept.length, times: 1 };
    kept.push(line);
  }
  return kept;
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

function toLine(entry: Entry, around: Around): Ranked[] {
  const line = describe(entry, around);
  return line === null
    ? []
    : [{ entry, failed: false, skipped: 0, ...line, tokens: tokensOf(line.text) }];
}

function describe(entry: Entry, around: Around): LineText {
  if (isTyped(entry)) return { text: describeTyped(entry, around), rank: 0 };
  // Approved by the person and worded by the agent: the session makes no sense without it.
  if (entry.role === 'user' && entry.origin === 'agent' && entry.marks.includes('plan'))
    return {
      text: `plan that the user approved: ${clipEnd(shortened(entry.text, around.isPrinted), PLAN_CHARS)}`,
      rank: 1,
    };
  if (entry.role === 'assistant' && entry.origin === 'agent') return describeTalk(entry, around);
  if (entry.role === 'tool_call') return describeCall(entry, around);
  return null;
}

function describeTyped(entry: Entry, { questions, isRepeated }: Around): string {
  const typed = withoutRepeats(entry.text.trim().replace(HOST_BLOCK, ''), isRepeated);
  const text = clipMiddle(markPasted(typed), PROMPT_CHARS);
  if (entry.marks.includes('rejection')) return `user, refusing the call: ${text}`;
  const question = entry.marks.includes('question')
    ? verbatim(questions.get(placeOf(entry)) ?? '')
    : '';
  return question === ''
    ? `user: ${text}`
    : `agent asked: ${clipEnd(question, QUESTION_CHARS)} user answered: ${text}`;
}

/** What an editor's panel writes before the sentence that the person typed there. */
const HOST_BLOCK = /^# Context from my IDE setup:[\s\S]*?^## My request for [^\n]*\n+/m;
/** The fewest lines of a paste. */
const PASTED_LINES = 3;

/** A mark before each run of lines that the person pasted. */
function markPasted(text: string): string {
  const lines = text.split('\n');
  if (lines.length < PASTED_LINES) return text;
  const own = new Set(typedText(text).split('\n'));
  let isInside = false;
  return lines
    .map((line) => {
      if (line.trim() === '') return line;
      const wasInside = isInside;
      isInside = !own.has(line);
      return isInside && !wasInside ? `[pasted] ${line}` : line;
    })
    .join('\n');
}

/** A sentence that only announces the next step or waits. */
const NARRATION = new RegExp(
  String.raw`^(?:(?:ok(?:ay)?|great|good|perfect|done|now|next|first|then|so|and)\b[,.!]*\s+)*` +
    String.raw`(?:let me|let's|i(?:'|’)?(?:ll| will|m| am| need to)\b|still |waiting |checking |running |looking )` +
    String.raw`[^.!?]{0,200}[.!?:…]*$`,
  'i',
);
/** Orders of an agent to its host: `::git-stage{…}`. */
const DIRECTIVE = /^::[\w-]+\{[^\n]*\}[^\S\n]*$/gm;

function describeTalk(entry: Entry, { isPrinted }: Around): LineText {
  const isFinal = entry.marks.includes('final');
  const answer = shortened(entry.text.replace(DIRECTIVE, ''), isPrinted);
  // A final answer has its result or proposal at its end.
  const text = isFinal ? clipMiddle(answer, FINAL_CHARS) : clipEnd(answer, TALK_CHARS);
  if (text.length < 20 || (!isFinal && NARRATION.test(answer))) return null;
  return { text: `agent: ${text}`, rank: isFinal ? 2 : 4 };
}

function describeEdit({ files, text, cwd }: Entry, isBetween: boolean): LineText {
  if (files.length === 0 || !/^[+-]/m.test(text)) return null;
  const edited = `edited: ${files.slice(0, 3).map(belowFolder(cwd)).join(', ')}`;
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
  const command = belowItsFolder(verbatim(entry.command), entry.cwd);
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

function isLook(step: Step, at: number, steps: Step[]): boolean {
  return isQuiet(step) || showsFiles(step, at, steps) || steps[at - 1]?.joint === '|';
}

/** Some agents change into the session's own folder before each command. */
function belowItsFolder(command: string, folder: string | null): string {
  const [, into, rest] = /^cd "?([^\s"]+?)\/?"? ?(?:&&|;) (.*)$/.exec(command) ?? [];
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
 * The lines of a result that name its error, else its signature. Beside files only a signature that
 * names an error: the line that it was made of may be the file's. Of what strangers wrote nothing.
 */
function errorOf(steps: Step[], { origin, text, error }: Entry): string {
  if (origin !== 'tool') return '';
  const signature = verbatim(error ?? '');
  if (steps.some(showsFiles)) return namesError(signature) ? clipEnd(signature, ERROR_CHARS) : '';
  return (
    errorLines(text, ERROR_CHARS) || (STATUS.test(signature) ? '' : clipEnd(signature, ERROR_CHARS))
  );
}

/** The outcome already says this. */
const STATUS = /^Exit code <n>$/i;

// Code blocks of what an agent says: short ones stay, files and listings leave a mark.

/** A longer block is a file or a listing. */
const BLOCK_LINES = 5;
const BLOCK_CHARS = 300;
/** A shorter line (`}`, `end`) occurs in any file. */
const SHORTEST_LINE = 6;
const COMMANDS = /^\s*(?:ba|z|fi)?sh(?:ell)?|^\s*console/i;
/** What readers of files put before a line. */
const LINE_NUMBER = /^\s*\d+\s*[\t→|:]/;

/** Whether a tool printed a line in this session; the lines are collected at the first call. */
function printedIn(entries: readonly Entry[]): (line: string) => boolean {
  let printed: Set<string> | null = null;
  return (line) => {
    printed ??= new Set(
      entries
        .filter(({ role }) => role === 'tool_result')
        .flatMap(({ text }) =>
          text.split('\n').map((each) => each.replace(LINE_NUMBER, '').trim()),
        ),
    );
    return printed.has(line.trim());
  };
}

/** A text with marks in place of its code blocks, but short ones that no tool printed. */
function shortened(text: string, isPrinted: (line: string) => boolean): string {
  return withoutBlocks(text, (code, language) =>
    // A command is the agent's advice, though a tool printed it, too.
    blockText(code, COMMANDS.test(language) ? () => false : isPrinted),
  )
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function blockText(code: string, isPrinted: (line: string) => boolean): string {
  if (code === '') return '';
  const lines = code.split('\n');
  const isShort = lines.length <= BLOCK_LINES && code.length <= BLOCK_CHARS;
  if (isShort && !lines.some((line) => line.trim().length >= SHORTEST_LINE && isPrinted(line)))
    return code;
  return `[code, ${lines.length} line${lines.length === 1 ? '' : 's'}]`;
}
