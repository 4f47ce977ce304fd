/** Which lines of a digest fit. Pure. */
import type { Entry } from '../types.js';
import { clipMiddle } from './clip.js';
import { countTokens } from '../text/tokens.js';

/** One line of a digest, and the entry that it shows. */
export interface DigestLine {
  entry: Entry;
  text: string;
  /** A command that failed. */
  failed: boolean;
  /** Lines left out since the one before it. */
  skipped: number;
}

/**
 * What a line is worth when not all fit: typed words first, then what failed, then what the agent
 * concluded.
 */
export type Rank = 0 | 1 | 2 | 3 | 4;

export interface RankedLine extends DigestLine {
  rank: Rank;
  tokens: number;
}

/** Number, brackets and the line's end. */
const FRAME_TOKENS = 4;
/** Of the mark that says how many lines were left out. */
const MARK_TOKENS = 6;
/** A typed prompt is never shorter in the digest: its first words and its last. */
export const LEAST_TYPED_TOKENS = 16;

export function tokensOf(text: string): number {
  return countTokens(text) + FRAME_TOKENS;
}

/** Cut until the estimate fits: letters of other scripts take three bytes. */
function clipTokens(text: string, tokens: number): string {
  let chars = text.length;
  for (;;) {
    const cut = clipMiddle(text, chars);
    const over = tokensOf(cut) / tokens;
    if (over <= 1 || chars <= 4) return cut;
    chars = Math.floor(Math.min(chars - 1, chars / over));
  }
}

/**
 * Clips the longest typed lines to one length until all of them fit; then does the same with the
 * agent's conclusions in what is left, since a person's next words often answer one.
 */
function fitShared(lines: readonly RankedLine[], tokens: number): RankedLine[] {
  const typed = clipped(lines, 0, shareOf(lines, 0, tokens));
  const left =
    tokens - typed.filter(({ rank }) => rank <= 1).reduce((sum, line) => sum + line.tokens, 0);
  return clipped(typed, 2, Math.max(LEAST_SHARED_TOKENS, shareOf(typed, 2, left)));
}

/** A conclusion that is shorter says too little: then the later ones are kept whole. */
const LEAST_SHARED_TOKENS = 120;

/**
 * To how many tokens each line of a rank must be clipped so that all of them take no more than
 * `left`.
 */
function shareOf(lines: readonly RankedLine[], rank: Rank, left: number): number {
  const sizes = lines
    .flatMap((line) => (line.rank === rank ? [line.tokens] : []))
    .sort((a, b) => a - b);
  let most = Infinity;
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) most = Math.min(most, share);
    left -= Math.min(size, share);
  }
  return most;
}

function clipped(lines: readonly RankedLine[], rank: Rank, most: number): RankedLine[] {
  return lines.map((line) => {
    if (line.rank !== rank || line.tokens <= most) return line;
    const text = clipTokens(line.text, most);
    return { ...line, text, tokens: tokensOf(text) };
  });
}

/**
 * The most valuable lines that fit, in their order; of one rank later ones are preferred, since
 * they show how it ended. A mark says how many are left out before a line.
 */
export function choose(all: readonly RankedLine[], tokens: number): RankedLine[] {
  const lines = fitShared(all, tokens);
  for (let free = tokens; ;) {
    const kept = marked(lines, fitting(lines, free));
    const over = kept.reduce((sum, line) => sum + line.tokens, 0) - tokens;
    if (over <= 0 || free <= 0) return kept;
    free -= over;
  }
}

/** What a person typed has its share already. */
function fitting(lines: readonly RankedLine[], tokens: number): Set<RankedLine> {
  const kept = new Set<RankedLine>();
  let left = tokens;
  for (const line of [...lines].sort((a, b) => a.rank - b.rank || b.entry.seq - a.entry.seq)) {
    if (line.rank > 0 && line.tokens > left) continue;
    left -= line.tokens;
    kept.add(line);
  }
  return kept;
}

function marked(lines: readonly RankedLine[], kept: ReadonlySet<RankedLine>): RankedLine[] {
  let skipped = 0;
  return lines.flatMap((line) => {
    if (!kept.has(line)) {
      skipped += 1;
      return [];
    }
    const shown = { ...line, skipped, tokens: line.tokens + (skipped === 0 ? 0 : MARK_TOKENS) };
    skipped = 0;
    return [shown];
  });
}
