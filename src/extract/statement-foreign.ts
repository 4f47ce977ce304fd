import type { Entry } from '../types.js';

/** An agent's sentence that repeats this many foreign words in a row is not its own. */
const RUN = 8;

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? [];
}

/** Runs of eight foreign words, each with the place (`seq`) where it first stood. */
export type ForeignRuns = ReadonlyMap<string, number>;

/** All runs of eight words in texts that are neither the user's nor the agent's: web pages, MCP answers, injected instructions. Entries must be in order. */
export function foreignRuns(entries: Entry[]): ForeignRuns {
  const runs = new Map<string, number>();
  for (const entry of entries) {
    if (entry.origin !== 'external' && entry.origin !== 'injected') continue;
    const words = wordsOf(entry.text);
    for (let i = 0; i + RUN <= words.length; i += 1) {
      const run = words.slice(i, i + RUN).join(' ');
      if (!runs.has(run)) runs.set(run, entry.seq);
    }
  }
  return runs;
}

/** Whether a sentence said at `seq` repeats eight foreign words in a row that were seen before it. */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  const words = wordsOf(text);
  for (let i = 0; i + RUN <= words.length; i += 1) if ((runs.get(words.slice(i, i + RUN).join(' ')) ?? Infinity) < seq) return true;
  return false;
}
