/** What of a text is shown to a model: no announcements, second printings, listings or host blocks. */
import { withoutBlocks } from '../text/code.js';
import { typedText } from '../text/typed-lines.js';
import { wordsIn } from '../text/words.js';
import { clipMiddle } from './clip.js';

/** How a sentence begins that announces the next step, or waits. */
const ANNOUNCES = new RegExp(
  String.raw`^(?:(?:ok(?:ay)?|great|good|perfect|done|now|next|first|then|so|and|but|also|right|yes|hmm)\b[,.!:—-]*\s+)*` +
    String.raw`(?:let me|let(?:'|’)s|i(?:'|’)(?:ll|m going to|m now)\b|i (?:will|am going to|need to|should|have to) ` +
    String.raw`|still (?:waiting|running)|waiting |checking |running |looking |proceeding|moving on|time to |check (?:if|whether|that) )`,
  'i',
);
/** A sentence so short that names nothing: "All tests pass." */
const LEAST_WORDS = 5;
const NAMES = /[`\d/_]|\p{Ll}\p{Lu}|\w\.\w|-\w/u;
/** Orders of an agent to its host, and what a host adds to a plan. */
const OF_HOST =
  /^(?:::[\w-]+\{[^\n]*\}|If you need specific details from before exiting plan mode.*)[^\S\n]*$/gm;
/** Rules between the rows of a table, and between parts of a text. */
const RULE = /^[\s|:*_=-]*[-*_=]{2,}[\s|:*_=-]*$/;

/**
 * What an agent said, shortened: sentences that only announce or wait, orders to the host, long
 * code, and lines that it said before are left out.
 * @param isSaid whether the agent said a line before
 */
export function talkOf(text: string, isSaid: (line: string) => boolean): string {
  return withoutBlocks(text.replace(OF_HOST, ''), shortBlock)
    .replace(/\[([^\]\n]+)\]\(https?:[^\s)]*\)/g, '$1')
    .replace(/\*\*(\S[^*\n]*)\*\*/g, '$1')
    .split('\n')
    .map((line) => (/^\s*[-*+#>|\d]/.test(line) ? line.trimEnd() : withoutNarration(line)))
    .filter((line) => line.trim() !== '' && !RULE.test(line) && !isSaid(line))
    .join('\n')
    .trim();
}

/** "…, but the seal is worn — let me look": the announcement alone goes. */
const ENDS_SO = /\s[—–-]+ (?:so |but |and )?(?:let me|i(?:'|’)ll) [^.!?]*[.!?:]*$/i;

function withoutNarration(line: string): string {
  const sentences = line
    .replace(ENDS_SO, '')
    .trim()
    .split(/(?<=[.!?:…])\s+(?=[\p{Lu}`"'(])/u);
  return sentences.filter((each) => !isNarration(each)).join(' ');
}

/** A condition, a reason or a wish says more than what comes next. */
const SAYS_WHY =
  /\b(?:because|since|instead|never|always|must|only|without|unless|otherwise|so that)\b/i;

function isNarration(sentence: string): boolean {
  if (ANNOUNCES.test(sentence)) return !SAYS_WHY.test(sentence);
  return !NAMES.test(sentence) && sentence.split(/\s+/).length < LEAST_WORDS;
}

/** A shorter line may occur twice by chance. */
const SHORTEST_SAID = 40;
/** Of a line's words in one of the last lines: a new draft of the same text. */
const SAME_WORDS = 0.8;
const LAST_LINES = 40;

/**
 * Whether a line came before in the lines that it was called with.
 * @param nearly whether nearly the same words count
 */
export function saidBefore(nearly: boolean): (line: string) => boolean {
  const all = new Set<string>();
  const last: Set<string>[] = [];
  return (line) => {
    if (line.trim().length < SHORTEST_SAID) return false;
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

/** A longer block is a file or a listing. */
const BLOCK_LINES = 5;
const BLOCK_CHARS = 300;

function shortBlock(code: string): string {
  const { length } = code.split('\n');
  return length <= BLOCK_LINES && code.length <= BLOCK_CHARS ? code : `[code, ${length} lines]`;
}

/** What an editor's panel writes before the sentence that the person typed there. */
const HOST_BLOCK = /^# Context from my IDE setup:[\s\S]*?^## My request for [^\n]*\n+/m;
/** The fewest lines of a paste. */
const PASTED_LINES = 3;
const PASTED_CHARS = 1500;

/**
 * What the person typed. A mark is before each run of lines that they pasted, and long ones are
 * shortened; lines of an earlier prompt are not shown again.
 * @param isSaid whether an earlier prompt has a line
 */
export function typedOf(prompt: string, isSaid: (line: string) => boolean): string {
  const text = prompt
    .trim()
    .replace(HOST_BLOCK, '')
    .replace(/[^\S\n]+$/gm, '');
  const lines = text.split('\n');
  const isSpoken = lines.map(isSaid);
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
