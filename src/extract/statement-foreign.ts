import type { Entry } from '../types.js';
import { ownNotesIn } from './own-notes.js';

/** An agent's sentence that repeats this many foreign words in a row is not its own. */
const RUN = 8;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
}

/** Runs of eight foreign words, each with the place (`seq`) where it first stood. */
export type ForeignRuns = ReadonlyMap<string, number>;

/**
 * All runs of eight words in texts that are neither the user's nor the agent's: web pages, MCP answers, injected instructions; and our own notes
 * however they were read, each of their lines whole, since an agent that repeats them has learnt nothing. Entries must be in order.
 */
export function foreignRuns(entries: Entry[]): ForeignRuns {
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const own = entry.origin === 'agent' ? [] : ownNotesIn(entry.text);
    const foreign = entry.origin === 'external' || entry.origin === 'injected' ? [entry.text] : [];
    for (const run of [
      ...foreign.flatMap((text) => runsOf(wordsOf(text))),
      ...own.flatMap((line) => wholeOrRuns(wordsOf(line))),
    ]) {
      if (!runs.has(run)) runs.set(run, entry.seq);
    }
  }
  return runs;
}

const runsOf = (words: string[]): string[] =>
  Array.from({ length: Math.max(0, words.length - RUN + 1) }, (_, i) => words.slice(i, i + RUN).join(' '));
const wholeOrRuns = (words: string[]): string[] => (words.length < RUN ? [words.join(' ')] : runsOf(words));

/** Whether a sentence said at `seq` repeats eight foreign words in a row that were seen before it. */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  return wholeOrRuns(wordsOf(text)).some((run) => (runs.get(run) ?? Infinity) < seq);
}
