/** What the judge sees of a sentence. Training and running use this one function, so a weight means the same in both. */
import { conceptsOf } from './concepts.js';

/** A sentence with its surroundings; null is unknown. */
export interface Said {
  role: 'user' | 'assistant';
  text: string;
  /** Place in its message, from 0, and how many sentences that has. */
  position: number;
  of: number;
  /** In the agent's last message before the person spoke or the log ended. */
  lastOfTurn: boolean;
  /** How the person's answer to that message begins. */
  reply: string | null;
  /** Role of what stood before the message: tool_result, user, … */
  after: string | null;
  /** Place of the message in its session, 0..1. */
  place: number | null;
}

/** Named numbers between 0 and 1, and the words that are counted by their hash. */
export interface Features {
  dense: readonly (readonly [string, number])[];
  words: readonly string[];
}

const MOST_TOKENS = 120;

/** Runs of one to `longest` words in a row, each once. */
function addGrams(tokens: readonly string[], longest: number, mark: string, out: Set<string>): void {
  for (let at = 0; at < tokens.length; at += 1) {
    let gram = mark;
    for (let end = at; end < Math.min(tokens.length, at + longest); end += 1) {
      gram += ` ${tokens[end]!}`;
      out.add(gram);
    }
  }
}

function log(count: number, most: number): number {
  return Math.min(1, Math.log2(1 + count) / Math.log2(1 + most));
}
function yes(value: boolean): number {
  return value ? 1 : 0;
}

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['ends as a question', /[?？]["')\s]*$/u],
  ['ends in a colon', /[:：]\s*$/u],
  ['opens with a capital', /^\p{Lu}/u],
  ['opens with a pronoun', /^(?:it|this|that|these|those|they|he|she|there|here)\b/i],
  ['opens with a mark', /^[-*+•\d(]/],
  ['opens with a report', /^(?:\*\*)?[A-Z][a-z]+(?:ed|ing|s)\b/],
  ['tells how it must be', /\b(?:must|should|always|only|needs?|require[sd]?|cannot|can['’]t|have to)\b/i],
  ['denies', /\b(?:never|don['’]t|do not|doesn['’]t|not|no|avoid|without)\b/i],
  ['past tense', /\b\w+ed\b/],
  ['first person', /\b(?:I|I['’]\w+|we|let me|my)\b/],
  ['second person', /\b(?:you|your)\b/i],
  ['a flag', /(?:^|[\s`])--?[a-z]/],
  ['a path', /\w\/\w|\.\w{2,4}\b/],
  ['a call', /\w\(/],
  ['a digit', /\d/],
  ['a bracket', /\(/],
  ['an arrow', /→|->|=>/],
  ['a dash', /—|–| - /],
  ['a quotation', /["“«]/],
  ['a comma', /,/],
  ['bold', /\*\*/],
  ['a script without spaces', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
];

function shapeOf(said: Said, tokens: readonly string[]): [string, number][] {
  const spans = said.text.match(/`[^`]+`/g)?.length ?? 0;
  const bare = said.text.replace(/`[^`]*`/g, 'x');
  const length = log(tokens.length, 63);
  return [
    ['length', length],
    ['length squared', length * length],
    ['over 35 words', yes(tokens.length > 35)],
    ['under 7 words', yes(tokens.length < 7)],
    ['code spans', Math.min(1, spans / 4)],
    ['no code span', yes(spans === 0)],
    ['one code span', yes(spans === 1)],
    ...SHAPES.map(([name, shape]): [string, number] => [
      name,
      yes(shape.test(name === 'a flag' || name === 'a path' || name === 'a call' ? said.text : bare)),
    ]),
  ];
}

const AGREES =
  /^(?:y(?:es|ep|eah)?|ok(?:ay)?|sure|lgtm|sounds good|perfect|great|nice|cool|good|thanks?|go(?: ahead)?|do it|please|proceed|continue|correct|right|commit|push|merge|ship)\b|^(?:对|好|可以|はい)/i;
const DENIES =
  /^(?:no|nope|wrong|not|don['’]t|but|why|that['’]s not|this is not|are you sure|still|hmm?|wait|actually|revert|undo)\b|^(?:不|いや|違)/i;

/** Numbers of a message's surroundings; what is unknown counts as 0, or as the middle of its range. */
function surroundingsOf(said: Said): [string, number][] {
  const place = said.place ?? 0.5;
  const reply = said.reply ?? '';
  return [
    ['place in its message', log(said.position, 31)],
    ['first of its message', yes(said.position === 0)],
    ['last of its message', yes(said.position === said.of - 1)],
    ['length of its message', log(said.of, 63)],
    ['alone in its message', yes(said.of === 1)],
    ['place in the session', place],
    ['place in the session squared', place * place],
    ['after a tool', yes(said.after === 'tool_result')],
    ['after the user', yes(said.after === 'user')],
    ['after the agent', yes(said.after === 'assistant')],
    ['last message of the turn', yes(said.lastOfTurn)],
    ['answered', yes(reply !== '')],
    ['the answer agrees', yes(AGREES.test(reply))],
    ['the answer denies', yes(DENIES.test(reply))],
    ['the answer is long', yes(reply.length > 120)],
    ['the answer asks', yes(reply.includes('?'))],
  ];
}

/** Everything that is weighed; the same order for every sentence. */
export function featuresOf(said: Said): Features {
  const tokens = tokensOf(said.text).slice(0, MOST_TOKENS);
  const words = new Set<string>();
  addGrams(['^', ...tokens, '$'], 3, 'w', words);
  const concepts = conceptsOf(tokens);
  const means = new Set<string>();
  addGrams(['^', ...concepts], 2, 'means', means);
  return { dense: [...shapeOf(said, tokens), ...surroundingsOf(said)], words: [...words, ...means] };
}

// Words of a sentence; what only its project has (code, paths, numbers, hashes, addresses) is replaced by its kind.

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const TOKEN = /`[^`\n]+`|https?:\/\/[^\s)]+|[\p{L}\p{N}_$~.@/\\:*#-]*[\p{L}\p{N}_$)](?:['’]\p{L}+)?|[^\s\p{L}\p{N}]/gu;
const PLAIN = /^\p{L}+(?:['’]\p{L}+)?$/u;
const PART = /\p{L}+(?:['’]\p{L}+)?|\p{N}+|[^\s\p{L}\p{N}]/gu;

/** The first kind that fits; the same for code spans and bare words. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['<url>', /^https?:/],
  ['<number>', /^[#v]?\d[\d.,:%x]*$/],
  ['<hash>', /^(?=.*\d)[0-9a-f]{7,40}$/],
  ['<flag>', /^--?[a-z]/i],
  ['<setting>', /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/],
  ['<path>', /^(?=.{3})(?:.*[/\\].*|[.\w-]+\.[a-z]{1,5})$/i],
  ['<name>', /[_$]|\(\)$|::|^[a-z]+[A-Z]|^[A-Z]+[a-z]+[A-Z]/],
];

/** What is in a code span. */
function kindOfCode(code: string): string {
  if (/\s/.test(code)) return /^[a-z][\w.-]*\s/.test(code) && !/[={};]/.test(code) ? '<command>' : '<code>';
  if (/\w\(.*\)?$/.test(code)) return '<call>';
  if (/^[A-Z][A-Z0-9_]+$/.test(code)) return '<setting>';
  return KINDS.find(([, shape]) => shape.test(code))?.[0] ?? (/[=:{}<>]/.test(code) ? '<code>' : '<name>');
}

function addWord(word: string, out: string[]): void {
  if (WIDE.test(word)) out.push(...word);
  else out.push(word.toLowerCase().replace('’', "'"));
}

function addBare(raw: string, out: string[]): void {
  const kind = KINDS.find(([, shape]) => shape.test(raw))?.[0];
  if (kind !== undefined) out.push(kind);
  else if (PLAIN.test(raw)) addWord(raw, out);
  else for (const part of raw.match(PART) ?? []) addWord(part, out);
}

/** In lower case; signs of scripts without spaces one by one, marks as words of their own. */
export function tokensOf(text: string): string[] {
  const out: string[] = [];
  for (const raw of text.match(TOKEN) ?? []) {
    if (raw.length > 2 && raw.startsWith('`')) out.push(kindOfCode(raw.slice(1, -1).trim()));
    else addBare(raw, out);
  }
  return out;
}
