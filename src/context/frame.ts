/**
 * The fixed part of context.md: head, headings, how to ask for more and how to leave a note; at
 * most 200 tokens together.
 */
import { counted } from '../text/amounts.js';
import { nameOf } from './neutralise.js';
import { countTokens } from '../text/tokens.js';

/** Tokens for the fixed part, and its largest share of a small budget. */
const FRAME_TOKENS = 200;
const FRAME_SHARE = 0.3;

export const USER_HEADING = '## The user said (follow unless this task says otherwise)';
export const LEARNT_HEADING = '## Learnt here (check before relying on it)';
export const GLOBAL_HEADING = '## Everywhere';
/** The wording of the last lines: docs/decisions/page.md. */
const RECALL = 'More: `dripstone recall "…"`';
const ASK = 'Learnt something lasting? End with `Remember: …`.';
const SHORT = 'More: `dripstone recall`; for later: `Remember: …`';

/** What an agent can ask about. */
interface Asked {
  /** Sessions of the project that a person began. */
  sessions: number;
  /** Topics that several sessions share. */
  topics: readonly string[];
}

/** Lines about how to ask, the longest first: with topics, and without. */
function recallLines({ sessions, topics }: Asked): string[] {
  if (sessions === 0) return [RECALL];
  const known = `${RECALL} answers from ${counted(sessions, 'session')} here`;
  const about = topics.map((topic) => nameOf(topic) ?? '').filter((topic) => topic !== '');
  return [...(about.length === 0 ? [] : [`${known}: ${about.join(', ')}`]), known, RECALL];
}

export interface Frame {
  head: string;
  /** Last lines of the file; may be empty. */
  foot: string[];
}

/** Head lines, the longest first: project, newest day, and what takes precedence. */
export function headLines(name: string | null, day: string): [long: string, short: string] {
  const whose = name === null ? 'every project' : (nameOf(name) ?? 'this project');
  const head = `Notes from earlier sessions in ${whose}${day === '' ? '' : `, newest ${day}`}`;
  return [`${head}; the repository and the user win over them.`, `${head}.`];
}

interface FrameInput {
  /** Project name; null for the global file. */
  name: string | null;
  /** Project clock, `YYYY-MM-DD`. */
  day: string;
  headings: readonly string[];
  asked: Asked;
  askForNotes: boolean;
}

/** The longest fixed part within its share of the budget; the head does not repeat the headings. */
export function planFrame(
  { name, day, headings, asked, askForNotes }: FrameInput,
  budget: number,
): Frame {
  const limit = Math.min(FRAME_TOKENS, budget * FRAME_SHARE);
  const more = recallLines(asked);
  const feet = askForNotes
    ? [...more.map((line) => `${line}. ${ASK}`), SHORT, ASK, '']
    : [...more, ''];
  const heads = [...headLines(name, day), headLines(name === null ? null : '', day)[1]];
  for (const foot of feet)
    for (const head of heads) {
      const fixed = [head, ...headings, foot];
      if (fixed.reduce((sum, line) => sum + countTokens(`${line}\n`), 0) <= limit)
        return { head, foot: foot === '' ? [] : [foot] };
    }
  return { head: '', foot: [] };
}

/**
 * A valid context.md without lessons.
 * @param project null for the global file
 * @param day of the newest session, '' when none was read
 */
export function emptyContext(
  project: { name: string } | null,
  askForNotes = true,
  day = '',
): string {
  const state =
    day === '' ? 'Nothing is known yet: no session was read.' : `No lesson yet. ${RECALL}.`;
  return `${headLines(project?.name ?? null, day)[0]}\n${state}\n${askForNotes ? `\n${ASK}\n` : ''}`;
}

// notes.md belongs to the person and agents; we write only its head, once.

/** @param project null for the global notes */
export function renderNotesHead(project: { name: string } | null): string {
  const whose = project === null ? 'every project' : (nameOf(project.name) ?? 'this project');
  return (
    `> Summary: own notes on ${whose}, written by people and agents; dripstone reads this file and never rewrites ` +
    `it.\n> Keywords: notes\n\n`
  );
}
