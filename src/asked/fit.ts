/** Selects the lines of a digest that fit. Pure. */
import type { Entry } from '../types.js';
import { clipMiddle } from './clip.js';
import { countTokens } from '../text/tokens.js';

/** One line of a digest, with its entry. */
export interface DigestLine {
  entry: Entry;
  text: string;
  /** The line is a failed command. */
  failed: boolean;
  /** Number of lines left out before this line. */
  skipped: number;
}

/** Order of lines if not all fit: typed words, then failures, then the agent's conclusions. */
export type Rank = 0 | 1 | 2 | 3 | 4;

export interface RankedLine extends DigestLine {
  rank: Rank;
  tokens: number;
}

/** Tokens of number, brackets and line end. */
const FRAME_TOKENS = 4;
/** Tokens of the mark with the number of left out lines. */
const MARK_TOKENS = 6;
/** Least tokens of a typed prompt in the digest: its first and last words. */
export const LEAST_TYPED_TOKENS = 16;

export function tokensOf(text: string): number {
  return countTokens(text) + FRAME_TOKENS;
}

/** Cuts until the estimate fits, since letters of other scripts take more tokens. */
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
 * agent's conclusions in the free tokens, since a person's next words often answer one.
 */
function fitShared(lines: readonly RankedLine[], tokens: number): RankedLine[] {
  const typed = clipped(lines, 0, shareOf(lines, 0, tokens));
  const left =
    tokens - typed.filter(({ rank }) => rank <= 1).reduce((sum, line) => sum + line.tokens, 0);
  return clipped(typed, 2, Math.max(LEAST_SHARED_TOKENS, shareOf(typed, 2, left)));
}

/** A shorter conclusion has too little content: then only later ones are kept, uncut. */
const LEAST_SHARED_TOKENS = 120;

/** The length to which lines of a rank must be clipped, so that all fit in `left` tokens. */
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
 * The best lines that fit, in their order. In one rank later lines are preferred, since they show
 * the end of the session. A mark gives the number of lines left out.
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

/** Lines that a person typed are always kept: they are clipped before. */
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
