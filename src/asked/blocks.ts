/**
 * Code blocks of what an agent says: short ones stay, files and listings leave a mark.
 * Pure.
 */
import type { Entry } from '../types.js';

/** A longer block is a file or a listing. */
const BLOCK_LINES = 5;
const BLOCK_CHARS = 300;
/** A shorter line (`}`, `end`) stands in any file. */
const SHORTEST_LINE = 6;
const COMMANDS = /^\s*(?:ba|z|fi)?sh(?:ell)?|^\s*console/i;
/** What readers of files put before a line. */
const LINE_NUMBER = /^\s*\d+\s*[\t→|:]/;

/**
 * Whether a line stands in what a tool or a page printed in this session; the lines are collected
 * at the first question.
 */
export function printedIn(entries: readonly Entry[]): (line: string) => boolean {
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

/**
 * A text with its short blocks whole, if no line of them was printed; a mark stands for any other.
 */
export function shortened(text: string, isPrinted: (line: string) => boolean): string {
  return text
    .replace(/```([^\n]*)\n?([\s\S]*?)(?:```|$)/g, (_, language: string, code: string) =>
      // A command is the agent's advice, though a tool printed it, too.
      blockText(code.trimEnd(), COMMANDS.test(language) ? () => false : isPrinted),
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
