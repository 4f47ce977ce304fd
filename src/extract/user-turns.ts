import type { Entry } from '../types.js';
import { AGREE, ASKS, PICK, REQUEST } from './language-turns.js';
import { withoutOwnNotes } from './own-notes.js';
import { splitSentences, type Sentence } from './sentences-split.js';
import { typedPart } from './user-paste.js';

export type TurnType = 'task' | 'question' | 'pasted' | 'approval' | 'pick';

/** One message that a person typed, and what stood around it. */
export interface Turn {
  entry: Entry;
  type: TurnType;
  /** What the person typed in it; pasted parts are gone. */
  typed: string;
  sentences: Sentence[];
  /** The person stopped the agent or refused a call just before. */
  pushedBack: boolean;
}

/** Whether the person typed this entry. */
function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && !entry.copied && entry.text.trim() !== '';
}

/** What kind of message a typed text is. */
function typeTurn(text: string, typed: string, sentences: Sentence[]): TurnType {
  if (typed === '' || (text.length > 400 && typed.length * 5 < text.length)) return 'pasted';
  if (typed.length < 60 && AGREE.test(typed)) return 'approval';
  if (typed.length < 80 && PICK.test(typed)) return 'pick';
  const asks = sentences.filter((one) => isQuestion(one.text)).length;
  return asks > 0 && asks === sentences.length ? 'question' : 'task';
}

/** A sentence that wants to know something, not a request in question form. */
export function isQuestion(text: string): boolean {
  const mark = /[?？]["')\s]*$/u.test(text);
  if (REQUEST.test(text.replace(/^[¿¡]\s*/u, ''))) return false;
  return mark || (ASKS.test(text) && !/[.!]$/.test(text) && text.length < 160);
}

/** All turns of a session that a person typed, in order. Entries must be in order. */
export function readTurns(entries: Entry[]): Turn[] {
  const turns: Turn[] = [];
  let pushedBack = false;
  for (const entry of entries) {
    if (
      entry.marks.includes('interrupt') ||
      entry.marks.includes('rejection') ||
      entry.outcome === 'rejected' ||
      entry.outcome === 'interrupted'
    )
      pushedBack = true;
    if (!isTyped(entry)) {
      if (entry.role === 'assistant') pushedBack = entry.marks.includes('interrupt');
      continue;
    }
    const typed = typedPart(withoutOwnNotes(entry.text));
    const sentences = splitSentences(typed);
    turns.push({ entry, type: typeTurn(entry.text, typed, sentences), typed, sentences, pushedBack });
    pushedBack = false;
  }
  return turns;
}
