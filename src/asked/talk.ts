/** Removes announcements, repeated lines, listings and host blocks from a model's input. */
import { announces } from '../text/announcement.js';
import { withoutBlocks } from '../text/code.js';
import { typedText } from '../text/typed-lines.js';
import { wordsIn } from '../text/words.js';
import { clipMiddle } from './clip.js';

/** A shorter sentence without a name has no content: "All tests pass." */
const LEAST_WORDS = 5;
const NAMES = /[`\d/_]|\p{Ll}\p{Lu}|\w\.\w|-\w/u;
/** Orders of an agent to its host, and text that a host adds to a plan. */
const OF_HOST =
  /^(?:::[\w-]+\{[^\n]*\}|If you need specific details from before exiting plan mode.*)[^\S\n]*$/gm;
/** Horizontal rules in tables and between parts of a text. */
const RULE = /^[\s|:*_=-]*[-*_=]{2,}[\s|:*_=-]*$/;

/**
 * An agent's text without sentences that only announce or wait, orders to the host, long code, and
 * repeated lines.
 * @param isRepeated whether the agent said the line before
 */
export function talkOf(text: string, isRepeated: (line: string) => boolean): string {
  return withoutBlocks(text.replace(OF_HOST, ''), shortBlock)
    .replace(/\[([^\]\n]+)\]\(https?:[^\s)]*\)/g, '$1')
    .replace(/\*\*(\S[^*\n]*)\*\*/g, '$1')
    .split('\n')
    .map((line) => (/^\s*[-*+#>|\d]/.test(line) ? line.trimEnd() : withoutNarration(line)))
    .filter((line) => line.trim() !== '' && !RULE.test(line) && !isRepeated(line))
    .join('\n')
    .trim();
}

/** "…, but the seal is worn — let me look": only the announcement is removed. */
const ENDS_SO = /\s[—–-]+ (?:so |but |and )?(?:let me|i(?:'|’)ll) [^.!?]*[.!?:]*$/i;

function withoutNarration(line: string): string {
  const sentences = line
    .replace(ENDS_SO, '')
    .trim()
    .split(/(?<=[.!?:…])\s+(?=[\p{Lu}`"'(])/u);
  return sentences.filter((each) => !isNarration(each)).join(' ');
}

function isNarration(sentence: string): boolean {
  return (
    announces(sentence) || (!NAMES.test(sentence) && sentence.split(/\s+/).length < LEAST_WORDS)
  );
}

/** Shorter lines may occur twice by chance. */
const SHORTEST_REPEAT = 40;
/** With this share of common words, a line is a new draft of one of the last lines. */
const SAME_WORDS = 0.8;
const LAST_LINES = 40;

/**
 * The returned function tells whether it got the line before.
 * @param nearly whether nearly equal lines count, too
 */
export function seenBefore(nearly: boolean): (line: string) => boolean {
  const all = new Set<string>();
  const last: Set<string>[] = [];
  return (line) => {
    if (line.trim().length < SHORTEST_REPEAT) return false;
    const words = wordsIn(line);
    const key = words.join(' ');
    const own = new Set(words);
    const isNear = (other: Set<string>): boolean =>
      [...own].filter((word) => other.has(word)).length >=
      SAME_WORDS * Math.max(own.size, other.size);
    if (all.has(key) || (nearly && own.size > LEAST_WORDS && last.some(isNear))) return true;
    all.add(key);
    last.push(own);
    if (last.length > LAST_LINES) last.shift();
    return false;
  };
}

/** A longer block of code is a file or a listing. */
const BLOCK_LINES = 5;
const BLOCK_CHARS = 300;

function shortBlock(code: string): string {
  const { length } = code.split('\n');
  return length <= BLOCK_LINES && code.length <= BLOCK_CHARS ? code : `[code, ${length} lines]`;
}

/** Text that an editor's panel adds before the typed sentence. */
const HOST_BLOCK = /^# Context from my IDE setup:[\s\S]*?^## My request for [^\n]*\n+/m;
/** Least lines of a prompt with pasted text. */
const PASTED_LINES = 3;
const PASTED_CHARS = 1500;

/**
 * The typed text of a prompt. Each run of pasted lines gets a mark and is shortened if it is long;
 * lines of an earlier prompt are left out.
 * @param isRepeated whether an earlier prompt has the line
 */
export function typedOf(prompt: string, isRepeated: (line: string) => boolean): string {
  const text = prompt
    .trim()
    .replace(HOST_BLOCK, '')
    .replace(/[^\S\n]+$/gm, '');
  const lines = text.split('\n');
  const isSpoken = lines.map(isRepeated);
  if (lines.length < PASTED_LINES) return text;
  const own = new Set(
    typedText(prompt)
      .split('\n')
      .map((line) => line.trimEnd()),
  );
  const runs: { isPasted: boolean; lines: string[] }[] = [];
  for (const [at, line] of lines.entries()) {
    const isPasted = line === '' ? (runs.at(-1)?.isPasted ?? false) : !own.has(line);
    if (runs.at(-1)?.isPasted !== isPasted) runs.push({ isPasted, lines: [] });
    const run = runs.at(-1)!.lines;
    if (!isSpoken[at]) run.push(line);
    else if (run.at(-1) !== BEFORE) run.push(BEFORE);
  }
  return runs
    .map((run) =>
      run.isPasted
        ? `[pasted] ${clipMiddle(run.lines.join('\n'), PASTED_CHARS)}`
        : run.lines.join('\n'),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}
const BEFORE = '[as before]';
