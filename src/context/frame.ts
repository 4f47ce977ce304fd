/** The fixed part of context.md: head, headings, index and the line that asks for notes; at most 100 tokens together. */
import type { Lesson } from '../types.js';
import { indexLines } from './index-line.js';
import { nameOf } from './neutralise.js';
import { countLine } from './tokens.js';

/** Tokens that the fixed part may take. */
const FRAME_TOKENS = 100;

export const USER_HEADING = '## The user said (follow unless this task says otherwise)';
export const LEARNT_HEADING = '## Learnt here (check before relying on it)';
export const RECENT_HEADING = '## Recent work';
export const GLOBAL_HEADING = '## Everywhere';
const ASK = 'Learnt something lasting? End with `Remember: …`.';

export interface Frame {
  head: string;
  /** Last lines of the file, may be empty. */
  foot: string[];
}

/** Head line: whose notes, newest day, who wins. */
export function headLine(name: string | null, day: string): string {
  const shown = name === null ? null : nameOf(name);
  const whose = name === null ? 'every project' : (shown ?? 'this project');
  return (
    `Notes from earlier sessions in ${whose}${day === '' ? '' : `, newest ${day}`}; the repository and the user win ` +
    'over them.'
  );
}

interface FrameInput {
  /** Project name; null for the global file. */
  name: string | null;
  /** Project clock, `YYYY-MM-DD`. */
  day: string;
  lessons: readonly Lesson[];
  headings: readonly string[];
  askForNotes: boolean;
}

/** The longest fixed part that stays within its share of the budget. */
export function planFrame(input: FrameInput, budget: number): Frame {
  const limit = Math.min(FRAME_TOKENS, budget);
  const ask = input.askForNotes ? [ASK] : [];
  const index = indexLines(input.lessons);
  const feet = [...index.map((line) => [line, ...ask]), ask, []];
  for (const head of [headLine(input.name, input.day), headLine(input.name === null ? null : '', input.day)])
    for (const foot of feet) {
      const fixed = [head, ...input.headings, ...foot];
      if (fixed.reduce((sum, l) => sum + countLine(l), 0) <= limit) return { head, foot };
    }
  return { head: '', foot: [] };
}

// A valid context.md when nothing is known yet.

/** @param project null for the global file */
export function emptyContext(project: { name: string } | null, askForNotes = true): string {
  return (
    `${headLine(project?.name ?? null, '')}\nNothing is known yet: context.md fills as sessions are ` +
    `read.\n${askForNotes ? `\n${ASK}\n` : ''}`
  );
}

// notes.md: the person's and agents' own page; only its head is ours, written once.

/** @param project null for the global notes */
export function renderNotesHead(project: { name: string } | null): string {
  const whose = project === null ? 'every project' : (nameOf(project.name) ?? 'this project');
  return (
    `> Summary: own notes on ${whose}, written by people and agents; dripstone reads this file and never rewrites ` +
    `it.\n> Keywords: notes\n\n`
  );
}
