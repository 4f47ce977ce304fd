/** Words of a sentence; what only its project has (code, paths, numbers, hashes, addresses) is replaced by its kind. */

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
