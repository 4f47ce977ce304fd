import { plain, polish, tighten, unframe } from '../wording.js';
import type { SessionInput } from '../session.js';
import type { Turn } from '../user-turns.js';

const LONGEST = 100;
const EMPTY = /^(?:continue|go on|go ahead|proceed|resume|next|start|hi|hello|hey|test|ok(?:ay)?|yes|no|thanks?|help|ping|weiter|continuer|continuar|继续|続けて|계속)[.!\s]*$/i;

/** A text of at most 100 characters that ends at a clause. */
function shorten(text: string): string {
  if (text.length <= LONGEST) return text;
  const parts = text.slice(0, LONGEST + 1);
  const cut = Math.max(parts.lastIndexOf('. '), parts.lastIndexOf('; '), parts.lastIndexOf(', '), parts.lastIndexOf(': '), parts.lastIndexOf(' - '), parts.lastIndexOf('。'), parts.lastIndexOf('，'));
  const end = cut >= 30 ? cut : parts.lastIndexOf(' ');
  const short = parts.slice(0, end > 20 ? end : LONGEST).trim();
  return (short.match(/`/g) ?? []).length % 2 === 1 ? short.replace(/`/g, '') : short;
}

/** Heading of a plan or document that the person handed over. */
function headingOf(text: string): string | null {
  const heading = /^\s{0,3}#{1,3}\s+(.{6,140})$/m.exec(text)?.[1];
  return heading === undefined ? null : heading.replace(/^(?:plan|task|implementation plan|spec)\s*[:–-]\s*/i, '');
}

function titleOf(turn: Turn): string | null {
  const first = turn.sentences.map((s) => polish(tighten(unframe(plain(s.text))))).find((s) => s.length >= 8 && !EMPTY.test(s));
  const handed = turn.type === 'pasted' || /^(?:implement|execute|follow|here is|use) (?:the |this )?(?:following )?plan\b/i.test(first ?? '') ? headingOf(turn.entry.text) : null;
  const text = handed ?? first ?? null;
  return text === null ? null : shorten(text.replace(/\s+/g, ' ').replace(/https?:\/\/\S{30,}/g, '').replace(/[:\s]+$/, ''));
}

/** The first real request: its title and turn. A greeting, a bare "continue" or a pasted text without a heading is none. */
export function findRequest(session: SessionInput, turns: Turn[]): { title: string; turn: Turn } | null {
  for (const turn of turns) {
    if (turn.type === 'approval' || turn.type === 'pick' || EMPTY.test(turn.entry.text.trim())) continue;
    const title = titleOf(turn);
    if (title !== null && title.length >= 8) return { title, turn };
  }
  const named = session.facts.title;
  const first = turns[0];
  return first !== undefined && named !== null && named !== undefined && named.trim().length >= 8 ? { title: shorten(named.trim()), turn: first } : null;
}
