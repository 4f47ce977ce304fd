import { outputLines } from '../outcome-lines.js';

/** One finding of a linter or compiler. */
export interface Finding {
  file: string;
  rule: string;
  message: string;
}

/** Shapes of findings; groups: file, message, rule in any order by name. */
const SHAPES: readonly RegExp[] = [
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: (?<message>.{8,240}?) \((?<rule>[a-z][\w-]{2,30})\)$/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: (?<rule>[A-Z]{1,4}\d{2,5}) (?:\[\*\] )?(?<message>.{6,200})$/,
  /^(?<file>[\w./@+-]+\.\w+)[(:]\d+[,:]\d+\)?(?: -)?:? error (?<rule>TS\d{3,5}): (?<message>.{6,300})$/,
  /^(?<file>[\w./@+-]+\.pyi?):\d+: error: (?<message>.{6,240}?) {1,3}\[(?<rule>[a-z-]+)\]$/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+ (?<rule>lint\/\w+\/\w+)(?<message>)/,
  /^(?<file>[\w./@+-]+\.\w+):\d+:\d+: \w: (?:\[\w+\] )?(?<rule>[A-Z]\w+\/\w+): (?<message>.{6,200})$/,
  /^In (?<file>[\w./@+-]+) line \d+:(?<rule>)(?<message>)/,
  /^(?<file>[\w./@+-]+\.md):\d+(?::\d+)? (?<rule>MD\d{3})(?:\/[\w-]+)* (?<message>.{6,200})$/,
];
const ESLINT = /^\s+\d+:\d+\s+(?:error|warning)\s+(?<message>.{6,240}?)\s{2,}(?<rule>(?:@?[\w-]+\/)*[a-z][\w-]+)$/;
const RUSTC = /^(?:error|warning)\[(?<rule>E\d{4})\]: (?<message>.{6,200})$/;

/** The message that some tools print below the place, behind a mark. */
const markedLine = (lines: string[]): string =>
  lines
    .map((l) => /^\s*[×✖!✗⚠] (.{6,200})$/u.exec(l)?.[1])
    .find((m) => m !== undefined)
    ?.trim() ?? '';

/** Findings in an output, at most 60. */
export function findingsIn(output: string): Finding[] {
  const found: Finding[] = [];
  let file = '';
  const lines = outputLines(output);
  for (const [at, line] of lines.entries()) {
    if (found.length >= 60) break;
    if (/^(?:\.{0,2}\/)?[\w./@+-]+\.\w{1,5}$/.test(line.trim())) file = line.trim();
    const hit =
      SHAPES.map((s) => s.exec(line)?.groups).find((g) => g !== undefined) ??
      ESLINT.exec(line)?.groups ??
      RUSTC.exec(line)?.groups;
    if (hit === undefined || (hit.rule ?? '') === '') continue;
    found.push({
      file: hit.file ?? file,
      rule: hit.rule ?? '',
      message: (hit.message ?? '').trim() || markedLine(lines.slice(at + 1, at + 5)),
    });
  }
  return found;
}

/** The changed piece between two lines: what stood there and what stands there now, with the whole words around. */
export function changedPiece(before: string, after: string): { from: string; to: string } | null {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail += 1;
  while (head > 0 && /[\w.]/.test(before[head - 1] ?? '')) head -= 1;
  while (tail > 0 && /\w/.test(before[before.length - tail] ?? '')) tail -= 1;
  const from = before.slice(head, before.length - tail).trim();
  const to = after.slice(head, after.length - tail).trim();
  return from === to || from.length > 60 || to.length > 60 ? null : { from, to };
}
