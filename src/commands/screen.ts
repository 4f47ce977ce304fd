/**
 * Text for a person's terminal: lines that fit its width, few colours, and paths and times in local
 * form. Pure.
 */
import type { Environment } from '../config.js';

export interface Screen {
  columns: number;
  rows: number;
}

/** Below this width the terminal breaks lines itself. */
const LEAST_COLUMNS = 20;

/** Replaces a blank where a line should not break; `visible` removes this sign from texts. */
const KEPT_BLANK = '\u0000';

/** Keeps code spans and the text after a bare `--` on one line, since people copy them. */
function withKeptBlanks(line: string): string {
  return line
    .replace(/`[^`]+`/g, (span) => span.replaceAll(' ', KEPT_BLANK))
    .replace(/(?<=^| )(\S+ )?-- (?=\S)/g, (words) => words.replaceAll(' ', KEPT_BLANK));
}

/**
 * Breaks lines at blanks so that they fit; words stay whole. Continuation lines are indented to the
 * second column of a row, or by two blanks more than the line.
 */
export function wrapped(text: string, columns: number): string {
  if (columns < LEAST_COLUMNS) return text;
  return text
    .split('\n')
    .flatMap((line) => (line.length <= columns ? [line] : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string[] {
  const [row = ''] = /^ *\S+(?: \S+)* {2,}/.exec(line) ?? [];
  const [indent = ''] = /^ */.exec(line)!;
  const hang = ' '.repeat(
    row !== '' && row.length <= columns / 2 ? row.length : Math.min(indent.length + 2, columns / 2),
  );
  const lines: string[] = [];
  let rest = withKeptBlanks(line);
  while (rest.length > columns) {
    const start =
      lines.length === 0
        ? Math.max(row.length <= columns / 2 ? row.length : 0, indent.length)
        : hang.length;
    const at = breakOf(rest, start, columns);
    if (at < 0) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = hang + rest.slice(at + 1).trimStart();
  }
  return [...lines, rest].map((each) => each.replaceAll(KEPT_BLANK, ' '));
}

/**
 * Where to break a line: at the last blank that fits, else inside a span, else after the word that
 * is too long. -1: nowhere.
 */
function breakOf(line: string, start: number, columns: number): number {
  const fitting = [' ', KEPT_BLANK]
    .map((blank) => line.lastIndexOf(blank, columns))
    .find((at) => at > start);
  if (fitting !== undefined) return fitting;
  const later = [' ', KEPT_BLANK]
    .map((blank) => line.indexOf(blank, columns))
    .filter((at) => at >= 0);
  return later.length === 0 ? -1 : Math.min(...later);
}

/**
 * Rows as lines with columns of equal width; null if wider than the screen.
 * @param isRight whether a column is aligned to the right
 */
export function aligned(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
  screen: number,
): string[] | null {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  if (widths.reduce((sum, width) => sum + width + 2, -2) > screen) return null;
  const padded = (cell: string, column: number): string =>
    isRight(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!);
  return rows.map((row) => row.map(padded).join('  ').trimEnd());
}

const [BOLD, RED, GREEN, YELLOW, PLAIN] = ['1', '31', '32', '33', '0'].map(
  (code) => `\u001b[${code}m`,
) as [string, string, string, string, string];

/** Colours failures, successes and headings; nothing else. */
export function coloured(text: string): string {
  return text
    .replace(/^(FAIL)(?= )/gm, `${RED}$1${PLAIN}`)
    .replace(/^(ok)(?= {2})/gm, `${GREEN}$1${PLAIN}`)
    .replace(/^(needs attention)$/gm, `${YELLOW}$1${PLAIN}`)
    .replace(/^(usage|options|exit codes|examples)(?=:)/gm, `${BOLD}$1${PLAIN}`);
}

/** Whether a terminal shows colours: not with NO_COLOR (no-color.org), and not a dumb one. */
export function showsColour({ NO_COLOR: plain, TERM: terminal }: Environment): boolean {
  return (plain ?? '') === '' && terminal !== 'dumb';
}

/** `2026-11-20 13:05 GMT+1`: local time with its zone. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const zone = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' })
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())} ${zone ?? 'local time'}`;
}
