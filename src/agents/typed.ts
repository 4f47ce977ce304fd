/** Texts in the user's channel: the person's words, pasted text, and texts of programs. */
import type { RawEntry, Origin } from '../types.js';
import { rawEntryOf } from './calls.js';
import { dropBinary, isObject, list, text as textOf } from '../text/fields.js';

/** Text of a message's content: a string, or the texts of its blocks. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (isObject(content)) return textOf(content.text) ?? '';
  return list(content)
    .map((block) =>
      isObject(block) ? (block.type === 'tool_reference' ? block.tool_name : block.text) : block,
    )
    .filter((text) => typeof text === 'string' && text !== '')
    .join('\n');
}

/** Where and when a record was written. */
export type Base = Pick<RawEntry, 'native' | 'time'> &
  Partial<Pick<RawEntry, 'cwd' | 'branch' | 'marks' | 'bySession' | 'order' | 'copied'>>;

/** A part of a text of the user's channel. */
export interface PromptPiece {
  origin: Origin;
  text: string;
  marks: string[];
}

/**
 * Splits a text of the user's channel into texts of programs (in tags at the start of a line),
 * pasted printed lines, and the person's words.
 * @param tags names of such tags, as the source of a regular expression; null: there are none
 * @param typist origin of the words
 */
export function readPieces(
  text: string,
  tags: string | null,
  typist: Origin = 'user',
): PromptPiece[] {
  const { rest, injected } =
    tags === null ? { rest: text.trim(), injected: [] } : withoutTags(text, tags);
  const { words, pasted } = typist === 'user' ? splitPasted(rest) : { words: rest, pasted: '' };
  return [
    ...(words.trim() === '' ? [] : [{ origin: typist, text: dropBinary(words.trim()), marks: [] }]),
    ...(pasted === ''
      ? []
      : [{ origin: 'injected' as const, text: dropBinary(pasted), marks: ['pasted'] }]),
    ...injected,
  ];
}

/**
 * The content of tags, and the rest. A tag extends to the last closing tag of its name, since a
 * file inside may contain a closing tag.
 */
function withoutTags(text: string, tags: string): { rest: string; injected: PromptPiece[] } {
  const injected: PromptPiece[] = [];
  const between: string[] = [];
  const add = (body: string): void => {
    if (body.trim() !== '') injected.push({ origin: 'injected', text: body.trim(), marks: [] });
  };
  const ends = new Map<string, number>();
  let rest = '';
  let last = 0;
  let reach = 0;
  for (const found of text.matchAll(wrapperOf(tags))) {
    const [whole, name, body] = found as unknown as [string, string, string];
    if (!ends.has(name)) ends.set(name, endOf(text, `</${name}>`));
    const gap = text.slice(last, found.index);
    if (last < reach) between.push(gap);
    else rest += gap;
    add(body);
    last = found.index + whole.length;
    reach = Math.max(reach, ends.get(name)!);
  }
  if (last < reach) between.push(text.slice(last, reach));
  rest += text.slice(Math.max(last, reach));
  between.forEach((body) => add(body.replace(/<\/[\w-]+>\s*$/, '')));
  return { rest: rest.trim(), injected };
}

function endOf(text: string, close: string): number {
  const at = text.lastIndexOf(close);
  return at < 0 ? 0 : at + close.length;
}

function wrapperOf(tags: string): RegExp {
  return new RegExp(
    String.raw`(?<=^|\n|>)[ \t]*<(${tags})(?:\s[^<>]*)?>([\s\S]*?)(?:<\/\1>|$)`,
    'g',
  );
}

/** Raw entries of such parts; the words get the block's plain id, other parts an added number. */
export function promptEntries(
  base: Base,
  pieces: readonly PromptPiece[],
  marks: string[] = [],
): RawEntry[] {
  return pieces.map(({ origin, text, marks: own }, at) =>
    rawEntryOf({
      ...base,
      native: base.native === null || at === 0 ? base.native : `${base.native}:${at}`,
      role: 'user',
      origin,
      text,
      marks: [...marks, ...own],
    }),
  );
}

/** Lines that programs print and people hardly type. */
const PRINTED = [
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // log with a date
  /^\s*\[?\d\d:\d\d:\d\d[\].,\s]/, // log with a time
  /^\s+at \S.*[(:]\d+/, // JavaScript and Java stack
  /^Traceback \(most recent call last\)|^\s+File ".+", line \d+/, // Python stack
  /^\s*-->\s\S+:\d+|^\s*\d+\s+\|\s|^\s*[\^~]+\s*$|^\s*\|\s*[\^~-]*\s*$/, // code frames
  /^\s*\S+\.\w{1,5}:\d+(?::\d+)?[:\s]|^\s*\S+\.\w{1,5}\(\d+,\d+\):/, // file:line:column
  /^\s*(?:\S+\s)?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[:\s\]]/,
  /^\s*(?:npm|yarn|pnpm) (?:ERR!|error|warn)\b|^error\[E\d+\]|^error TS\d+/i,
  /^\s*(?:--- (?:PASS|FAIL|SKIP)|=== (?:RUN|PAUSE|CONT)|ok\s+\S+\s+[\d.(]|(?:PASS|FAIL)\s+\S+|==> |FAILED \S+::|E {3,}\S)/,
  /^(?:diff --git |@@ -\d|(?:\+\+\+|---) [ab]\/|index [\da-f]{7,})/,
  /^\s*[✓✗✔✖×⎿●]\s|[│├└┌┐┤┬┴┼]|[─═]{4,}/,
  /^(?:❯|➜|➤)\s|^\S*\w+@[\w.-]+[:\s][~/].*[$#%]\s|^\$ \S/, // shell prompts
];

const MIN_LINES = 3;
/** Blank, indented or odd lines between two printed ones belong to them. */
const MAX_GAP = 2;

function isPrinted(line: string): boolean {
  return line.length < 2000 && PRINTED.some((shape) => shape.test(line));
}

/**
 * Splits a prompt into the person's words and pasted lines: runs of three or more clear lines of
 * logs, traces, diffs or shell sessions.
 */
export function splitPasted(text: string): { words: string; pasted: string } {
  const lines = text.split('\n');
  if (lines.length < MIN_LINES) return { words: text, pasted: '' };
  const taken = new Set<number>();
  let run: number[] = [];
  lines.forEach((line, at) => {
    if (!isPrinted(line)) return;
    const last = run.at(-1);
    if (last !== undefined && at - last - 1 > gapAllowed(lines, last, at)) {
      addRun(run, taken);
      run = [];
    }
    run.push(at);
  });
  addRun(run, taken);
  if (taken.size === 0) return { words: text, pasted: '' };
  const pick = (wanted: boolean) =>
    lines
      .filter((_, at) => taken.has(at) === wanted)
      .join('\n')
      .trim();
  return { words: pick(false).replace(/\n{3,}/g, '\n\n'), pasted: pick(true) };
}

/** Printed lines may have any number of blank or indented lines between them, but few others. */
function gapAllowed(lines: string[], from: number, to: number): number {
  const others = lines
    .slice(from + 1, to)
    .filter((line) => line.trim() !== '' && !/^\s{2,}/.test(line)).length;
  return others <= MAX_GAP ? Infinity : -1;
}

function addRun(run: number[], taken: Set<number>): void {
  if (run.length < MIN_LINES) return;
  for (let at = run[0]!; at <= run.at(-1)!; at++) taken.add(at);
}
