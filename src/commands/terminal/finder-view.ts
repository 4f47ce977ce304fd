/**
 * What `dripstone search` shows while a query is typed: a line, the hits, and the passage of the
 * chosen one. Pure.
 */
import { visible } from '../../errors.js';
import { shortPath } from '../../links/line.js';
import { cellsOf, cellWidth, cut, cutBefore, padded } from '../../text/cells.js';
import type { Hit } from '../../types.js';
import type { Screen } from './screen.js';

/** What is typed, and what was found for it. */
export interface Finding {
  line: string;
  /** Place of the cursor in the line, in UTF-16 units. */
  at: number;
  hits: readonly Hit[];
  chosen: number;
  /** What the second line tells. */
  note: string;
}

export interface FinderLook {
  userHome: string;
  colour: boolean;
}

const PROMPT = '> ';
const KEYS = '↑↓ choose · Enter prints · Esc ends';
/** The line that is typed, and the note. */
const HEAD_ROWS = 2;
/** From this width on, list and passage stand side by side. */
const BESIDE = 100;
/** Below this width the list has short days, and long names of agents are cut. */
const NARROW = 60;
const SHORT_AGENT = 11;
const SHORT_PROJECT = 14;

const [MATCH, CHOSEN, PLAIN] = ['\u001b[1;33m', '\u001b[7m', '\u001b[0m'];

/**
 * The rows of the screen, none wider than it, and the column of the cursor in the first one (from
 * 0).
 */
export function renderFinder(
  finding: Finding,
  { columns, rows }: Screen,
  look: FinderLook,
): { lines: string[]; cursor: number } {
  const { at, hits, chosen, note } = finding;
  const line = finding.line.replaceAll(/\s/g, ' ');
  const before = cutBefore(visible(line.slice(0, at)), columns - PROMPT.length - 1);
  const cursor = PROMPT.length + cellWidth(before);
  const typed = PROMPT + before + cut(visible(line.slice(at)), columns - cursor);
  const keys = cellWidth(note) + KEYS.length + 2 <= columns ? KEYS : '';
  const head = [typed, `${padded(oneLine(note), columns - keys.length)}${keys}`];
  const room = Math.max(0, rows - HEAD_ROWS);
  const hit = hits[chosen];
  if (hit === undefined) return { lines: head.slice(0, rows), cursor };
  if (columns >= BESIDE) {
    const left = Math.min(80, Math.floor(columns * 0.45));
    const list = listLines(finding, { columns: left, rows: room }, look);
    const passage = passageLines(hit, columns - left - 3, look);
    const body = Array.from(
      { length: Math.min(room, Math.max(list.length, passage.length)) },
      (_, row) => `${list[row] ?? ' '.repeat(left)} │ ${passage[row] ?? ''}`.trimEnd(),
    );
    return { lines: [...head, ...body].slice(0, rows), cursor };
  }
  const list = listLines(
    finding,
    { columns, rows: Math.max(1, Math.min(hits.length, Math.floor(room / 2))) },
    look,
  );
  const below = ['─'.repeat(columns), ...passageLines(hit, columns, look)];
  return { lines: [...head, ...list, ...below].slice(0, rows), cursor };
}

/** One row for each hit, the chosen one among them; with its project where there are several. */
function listLines(
  { hits, chosen }: Finding,
  { columns, rows }: Screen,
  { colour }: FinderLook,
): string[] {
  const first = Math.max(0, Math.min(chosen - Math.floor(rows / 2), hits.length - rows));
  const ofSeveral = columns >= NARROW && new Set(hits.map(({ project }) => project)).size > 1;
  return hits.slice(first, first + rows).map((hit, row) => {
    const isChosen = first + row === chosen;
    const day = hit.at?.slice(columns < NARROW ? 5 : 0, 10) ?? '';
    const agent = hit.agent ?? hit.type;
    const project =
      ofSeveral && hit.project !== null ? ` ${cut(oneLine(hit.project), SHORT_PROJECT)}` : '';
    const end = `${project} ${columns < NARROW ? cut(agent, SHORT_AGENT) : agent} ${day}`;
    const text = `${isChosen ? '>' : ' '} ${padded(oneLine(hit.text), columns - 2 - cellWidth(end))}${end}`;
    return isChosen && colour ? `${CHOSEN}${text}${PLAIN}` : text;
  });
}

/** What others wrote, without line ends and with its control characters visible. */
function oneLine(text: string): string {
  return visible(text.replaceAll(/\s+/g, ' ').trim());
}

/** Where the hit stands, what was asked before it, and its text with the matches. */
function passageLines(hit: Hit, width: number, { userHome, colour }: FinderLook): string[] {
  const what = [
    hit.type,
    hit.role,
    hit.tool,
    hit.agent,
    hit.project,
    hit.at?.replace('T', ' ').slice(0, 16),
  ];
  const place =
    hit.path === null
      ? []
      : [cutBefore(oneLine(`${shortPath(hit.path, userHome)}:${hit.line}`), width)];
  return [
    cut(oneLine(what.filter((part) => part != null).join(' · ')), width),
    ...place,
    ...(hit.question === null ? [] : [cut(`> ${oneLine(hit.question)}`, width)]),
    '',
    ...wrappedText(hit, width, colour),
  ];
}

interface Sign {
  text: string;
  width: number;
  isMatch: boolean;
}

/** The text in lines that fit, broken at blanks where a line has one. */
function wrappedText({ text, matches }: Hit, width: number, colour: boolean): string[] {
  const lines: Sign[][] = [];
  let line: Sign[] = [];
  for (const cell of cellsOf(text.replaceAll('\r\n', '\n').replaceAll('\t', ' '))) {
    const isMatch = colour && matches.some(([start, end]) => cell.at >= start && cell.at < end);
    if (cell.text === '\n') {
      lines.push(line);
      line = [];
      continue;
    }
    // A control character is spelled out in several signs.
    for (const sign of cellsOf(visible(cell.text))) {
      if (line.reduce((sum, each) => sum + each.width, sign.width) > width) {
        const blank =
          sign.text === ' ' ? line.length : line.findLastIndex((each) => each.text === ' ');
        const rest = blank > 0 ? line.splice(blank).slice(1) : [];
        lines.push(line);
        line = rest;
        if (sign.text === ' ') continue;
      }
      line.push({ ...sign, isMatch });
    }
  }
  return [...lines, line].map(painted);
}

function painted(signs: readonly Sign[]): string {
  let [out, isOn] = ['', false];
  for (const { text, isMatch } of signs) {
    if (isMatch !== isOn) out += isMatch ? MATCH : PLAIN;
    isOn = isMatch;
    out += text;
  }
  return isOn ? out + PLAIN : out;
}
