/**
 * What a model is shown of a session: typed prompts, what was asked and answered, commands with their outcome and the lines that
 * name an error, conclusions. No file content, nothing foreign.
 */
import type { Entry } from '../../types.js';
import { isProbe } from '../commands/programs.js';
import { isQuiet } from '../blame.js';
import { errorLines, judgeSteps, namesError } from '../outcome.js';
import { dayOf } from '../session.js';
import { type Step, splitShell } from '../shell/steps.js';
import { estimateTokens } from './prompt.js';

/** One line of a digest, and the entry that it shows. */
export interface DigestLine {
  entry: Entry;
  text: string;
}

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
}

/** What a line is worth when not all fit: typed words first, then what failed, then what the agent concluded. */
type Rank = 0 | 1 | 2 | 3 | 4;

interface Ranked extends DigestLine {
  rank: Rank;
  tokens: number;
}

type Told = { text: string; rank: Rank } | null;

const PROMPT_CHARS = 6000;
const PLAN_CHARS = 1500;
const QUESTION_CHARS = 300;
const FINAL_CHARS = 2000;
const TALK_CHARS = 400;
const COMMAND_CHARS = 300;
/** Of a result, nothing else is shown. */
const ERROR_CHARS = 200;
/** Number, brackets and the line's end. */
const FRAME_TOKENS = 4;
/** A typed prompt is never shorter in the digest: its first words and its last. */
const LEAST_TYPED_TOKENS = 16;

/**
 * Parts of a session in the order of the log.
 * @param entries of one session, in order; those that another session said first are left out
 * @param after only entries with a higher `seq`
 */
export function planDigest(entries: readonly Entry[], limits: DigestLimits, after = -1): DigestPart[] {
  const sessionTokens = Math.max(limits.sessionTokens, 2 * LEAST_TYPED_TOKENS);
  const all = entries.filter((entry) => entry.seq > after && !entry.copied);
  const fresh = stretchOf(all, Math.floor(sessionTokens / LEAST_TYPED_TOKENS));
  const end = fresh.at(-1)?.seq ?? after;
  const answered = resultsOf(entries);
  const lines = fresh.flatMap((entry) => toLine(entry, answered));
  const parts = split(choose(fitTyped(lines, sessionTokens, limits.partTokens), sessionTokens), limits.partTokens);
  return parts.map((part, index) => ({ lines: part, upTo: index === parts.length - 1 ? end : part.at(-1)!.entry.seq }));
}

/** How a part is written into a prompt: the day where it begins, then `[3] user: …`, one line or block each. */
export function renderDigest(part: Pick<DigestPart, 'lines'>): string {
  let day = '';
  return part.lines
    .flatMap(({ entry, text }, index) => {
      const line = `[${index + 1}] ${text}`;
      if (entry.time === null || dayOf(entry) === day) return [line];
      day = dayOf(entry);
      return [`-- ${day}`, line];
    })
    .join('\n');
}

/** What a person typed; marked lines are answers to the agent. */
function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && entry.text.trim() !== '';
}

/**
 * The entries up to the last typed prompt that has room: a session of more prompts is shown in several questions, so that none
 * is lost.
 */
function stretchOf(entries: readonly Entry[], most: number): readonly Entry[] {
  let typed = 0;
  const over = entries.findIndex((entry) => isTyped(entry) && ++typed > most);
  return over < 0 ? entries : entries.slice(0, over);
}

interface Results {
  /** By call: the last result that tells an outcome, else the last one. A poll's result belongs to the call that it polls. */
  byCall: ReadonlyMap<string, Entry>;
  /** What the agent asked, by the line of the log that holds the answer. */
  questions: ReadonlyMap<string, string>;
}

function resultsOf(entries: readonly Entry[]): Results {
  const byCall = new Map<string, Entry>();
  const asked = new Map<string, string>();
  const questions = new Map<string, string>();
  for (const entry of entries) {
    if (entry.call === null) continue;
    if (entry.role === 'tool_call') asked.set(entry.call, entry.text);
    if (entry.role !== 'tool_result') continue;
    if (entry.outcome !== null || byCall.get(entry.call)?.outcome == null) byCall.set(entry.call, entry);
    questions.set(placeOf(entry), asked.get(entry.call) ?? '');
  }
  return { byCall, questions };
}

function placeOf({ path, line }: Entry): string {
  return `${path}\0${line}`;
}

function toLine(entry: Entry, results: Results): Ranked[] {
  const line = describe(entry, results);
  return line === null ? [] : [{ entry, ...line, tokens: tokensOf(line.text) }];
}

function tokensOf(text: string): number {
  return estimateTokens(text) + FRAME_TOKENS;
}

function describe(entry: Entry, results: Results): Told {
  if (isTyped(entry)) return { text: describeTyped(entry, results), rank: 0 };
  // Approved by the person and worded by the agent: the session makes no sense without it.
  if (entry.role === 'user' && entry.origin === 'agent' && entry.marks.includes('plan'))
    return { text: `plan that the user approved: ${clip(entry.text.trim(), PLAN_CHARS)}`, rank: 1 };
  if (entry.role === 'assistant' && entry.origin === 'agent') return describeTalk(entry);
  if (entry.role === 'tool_call') return describeCall(entry, results);
  return null;
}

function describeTyped(entry: Entry, { questions }: Results): string {
  const text = clipMiddle(entry.text.trim(), PROMPT_CHARS);
  if (entry.marks.includes('rejection')) return `user, refusing the call: ${text}`;
  const question = entry.marks.includes('question') ? oneLine(questions.get(placeOf(entry)) ?? '') : '';
  return question === '' ? `user: ${text}` : `agent asked: ${clip(question, QUESTION_CHARS)} user answered: ${text}`;
}

function describeTalk(entry: Entry): Told {
  const isFinal = entry.marks.includes('final');
  const text = clip(withoutBlocks(entry.text), isFinal ? FINAL_CHARS : TALK_CHARS);
  return text.length < 20 ? null : { text: `agent: ${text}`, rank: isFinal ? 2 : 4 };
}

function describeCall(entry: Entry, { byCall }: Results): Told {
  if (entry.command === null)
    return entry.files.length > 0 && /^[+-]/m.test(entry.text)
      ? { text: `edited: ${entry.files.slice(0, 3).join(', ')}`, rank: 4 }
      : null;
  const result = entry.call === null ? undefined : byCall.get(entry.call);
  const ran = `ran: ${clip(oneLine(entry.command), COMMAND_CHARS)}`;
  if (result === undefined) return { text: ran, rank: 4 };
  const steps = splitShell(entry.command);
  const outcome = outcomeOf(steps, result);
  if (outcome === null) return { text: ran, rank: 4 };
  if (outcome.isFailure === false) return { text: `${ran} -> ${outcome.said}`, rank: 3 };
  const why = errorOf(steps, result);
  return { text: `${ran} -> ${outcome.said}${why === '' ? '' : `: ${why}`}`, rank: 1 };
}

/**
 * As the log tells it; where it tells no status (scripts of code mode print only what they are told to) by what the output says,
 * as lessons by rule do.
 */
function outcomeOf(steps: Step[], { outcome, exit, origin, text }: Entry): { said: string; isFailure: boolean } | null {
  if (outcome === 'ok') return { said: 'ok', isFailure: false };
  if (outcome !== null) return { said: `${outcome}${exit === null ? '' : ` (exit ${exit})`}`, isFailure: true };
  if (origin !== 'tool' || steps.some(showsFiles)) return null;
  const verdicts = judgeSteps(steps, outcome, exit, text).filter((_, at) => !isQuiet(steps[at]!));
  if (verdicts.includes('failed')) return { said: 'seems to have failed', isFailure: true };
  return verdicts.includes('ok') ? { said: 'seems ok', isFailure: false } : null;
}

/**
 * It prints files, or what others say: an error in its output need not be its own. What filters a pipe shows what it is given.
 */
function showsFiles(step: Step, at: number, steps: Step[]): boolean {
  const [program = '', verb = ''] = step.words;
  const isReader = isProbe(program) ? !isQuiet(step) : program === 'git' && GIT_READERS.has(verb);
  return isReader && steps[at - 1]?.joint !== '|';
}

const GIT_READERS = new Set(['diff', 'show', 'log', 'blame', 'grep', 'cat-file']);

/**
 * The lines of a result that name its error, else its signature. Beside files only a signature that names an error: the line that
 * it was made of may be the file's. Of what strangers wrote nothing.
 */
function errorOf(steps: Step[], { origin, text, error }: Entry): string {
  if (origin !== 'tool') return '';
  const signature = oneLine(error ?? '');
  if (steps.some(showsFiles)) return namesError(signature) ? clip(signature, ERROR_CHARS) : '';
  return errorLines(text, ERROR_CHARS) || (STATUS.test(signature) ? '' : clip(signature, ERROR_CHARS));
}

/** Stands before it already. */
const STATUS = /^Exit code <n>$/i;

/** File contents and long listings stand in code blocks. */
function withoutBlocks(text: string): string {
  return text
    .replace(/```[\s\S]*?(?:```|$)/g, '')
    .replace(/\n{2,}/g, '\n')
    .trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`;
}

/** What a person wants stands before or behind what they pasted. */
function clipMiddle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const tail = Math.floor(chars / 3);
  return `${text.slice(0, Math.max(0, chars - tail - 3))} … ${tail === 0 ? '' : text.slice(-tail)}`;
}

/** Cut until the estimate holds: letters of other scripts take three bytes. */
function clipTokens(text: string, tokens: number): string {
  let chars = text.length;
  for (;;) {
    const cut = clipMiddle(text, chars);
    const over = tokensOf(cut) / tokens;
    if (over <= 1 || chars <= 4) return cut;
    chars = Math.floor(Math.min(chars - 1, chars / over));
  }
}

/** Typed lines share the budget: the longest are clipped, to one length, until all of them fit; none is dropped. */
function fitTyped(lines: readonly Ranked[], sessionTokens: number, partTokens: number): Ranked[] {
  const sizes = lines.filter(({ rank }) => rank === 0).map(({ tokens }) => tokens);
  let most = partTokens;
  let left = sessionTokens;
  sizes
    .sort((a, b) => a - b)
    .forEach((size, index) => {
      const share = Math.floor(left / (sizes.length - index));
      if (size > share) most = Math.min(most, share);
      left -= Math.min(size, share);
    });
  return lines.map((line) => {
    if (line.tokens <= (line.rank === 0 ? most : partTokens)) return line;
    const text = clipTokens(line.text, line.rank === 0 ? most : partTokens);
    return { ...line, text, tokens: tokensOf(text) };
  });
}

/** The most valuable lines that fit, in their order; of one rank later ones are preferred, since they show how it ended. */
function choose(lines: readonly Ranked[], tokens: number): Ranked[] {
  const kept = new Set<Ranked>();
  let left = tokens;
  for (const line of [...lines].sort((a, b) => a.rank - b.rank || b.entry.seq - a.entry.seq)) {
    if (line.tokens > left) continue;
    left -= line.tokens;
    kept.add(line);
  }
  return lines.filter((line) => kept.has(line));
}

/** Parts within the window; a new one begins where the user speaks, when the last is half full. */
function split(lines: readonly Ranked[], tokens: number): Ranked[][] {
  const parts: Ranked[][] = [];
  let used = 0;
  for (const line of lines) {
    const turns = line.rank === 0 && used > tokens / 2;
    if (parts.length === 0 || turns || used + line.tokens > tokens) {
      parts.push([]);
      used = 0;
    }
    parts.at(-1)!.push(line);
    used += line.tokens;
  }
  return parts;
}
