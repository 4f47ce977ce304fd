/**
 * Finds the lines of a prompt that its person typed, by structure alone. A doubtful line counts as
 * pasted, because a pasted line would become a false claim of the person.
 */
import { inFence } from './code.js';

/** People seldom type more into one prompt; a longer one is mostly pasted. */
const MOST = { characters: 900, lines: 20 } as const;
/** A longer prompt is not read at all. */
const LONGEST = 60_000;

/** Start of a block of markup, which ends at `</tag>` on the same line or a later one. */
const OPENING_TAG = /^\s*<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>/;

/** Lines of documents, mails, commits, tickets and outputs. Nobody types them into a prompt. */
const DOCUMENT: readonly RegExp[] = [
  /^\s{0,3}#{1,6}\s/, // heading
  /^\s*https?:\/\/\S+\s*$/, // a link alone
  /^\s*(?:commit\s+)?[0-9a-f]{40}\s*$/, // a commit
  /^\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$/, // a rule or an underlined heading
  /^(?:diff --git |@@ -\d|(?:\+\+\+|---) \S)/, // a change
  /^\s*[-*+]\s+\[[ xX]\]\s/, // a form that is ticked off
  /^\s*\|.*\|\s*$/, // a table
  /^\s*<\/?[A-Za-z!][^<>]*>/, // markup
  /^(?: {4}|\t)\s*\S/, // indented as code, or below the head of a commit
  /^\s*(?:\*\*|__)[^*_]+(?:\*\*|__)\s*$/, // a heading in bold
];
/**
 * The kinds of lines that nobody types around a `Remember:` line. Headings, links and rules may be
 * there.
 */
const PASTED = [DOCUMENT[2]!, DOCUMENT[4]!, DOCUMENT[5]!];
const INDENTED = /^(?: {4}|\t)/;
const FIELD = /^\p{L}[\p{L}\d-]{1,30}:\s+\S/u;
const OWN_FIELD = /^remember\s*:/i;

/**
 * Blanks fences, quotations and tagged spans, line by line. An open fence or tag ends with the
 * text.
 */
function unquoted(lines: readonly string[]): string[] {
  const fenced = inFence(lines);
  let tag: string | null = null;
  let quoted = false;
  return lines.map((line, at) => {
    if (fenced[at]) return '';
    if (tag !== null) {
      if (line.includes(`</${tag}>`)) tag = null;
      return '';
    }
    const opened = OPENING_TAG.exec(line)?.[1];
    if (opened !== undefined && !line.includes(`</${opened}>`)) {
      tag = opened;
      return '';
    }
    // A quotation continues over lines without `>` up to a blank line.
    quoted = /^\s{0,3}>/.test(line) || (quoted && line.trim() !== '');
    return quoted ? '' : line;
  });
}

/** Whether a quotation is open after the text; of `"` and backticks every second one closes. */
function isOpenAfter(text: string): boolean {
  const count = (sign: RegExp): number => (text.match(sign) ?? []).length;
  return (
    count(/["＂]/g) % 2 === 1 ||
    count(/`/g) % 2 === 1 ||
    count(/[“„]/g) > count(/”/g) + Math.min(count(/„/g), count(/“/g)) ||
    count(/«/g) > count(/»/g) ||
    count(/「/g) > count(/」/g)
  );
}

const LISTED = /^\s*(?:[-*+]|\d+[.)])\s+\S/;
/** After a line like "Fix what the ticket says:" the text may be somebody else's. */
const INTRODUCES = /[:：]\s*$/u;

/**
 * The text before the first line that introduces something, and outside quotation marks, as lines
 * by block.
 * @param afterLists whether text after an introduced list counts as the person's
 */
function blocksOf(lines: readonly string[], afterLists: boolean): string[][] {
  const blocks: string[][] = [[]];
  let before = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (line.trim() === '') blocks.push([]);
    else if (!isOpenAfter(before)) blocks.at(-1)!.push(line);
    before += `${line}\n`;
    if (!INTRODUCES.test(line)) continue;
    const next = lines.findIndex((each, i) => i > at && each.trim() !== '');
    if (!afterLists || next < 0 || !LISTED.test(lines[next]!)) break;
    // The list ends at a blank line without another item after it.
    at = next;
    while (
      at + 1 < lines.length &&
      (lines[at + 1]!.trim() !== '' || LISTED.test(lines[at + 2] ?? ''))
    )
      at += 1;
  }
  return blocks.filter((block) => block.length > 0);
}

/**
 * The blocks of lines that a person typed; none if the whole prompt looks pasted. A short plain
 * paragraph that was pasted without any mark counts as typed.
 * @param isForClaims a `Remember:` line counts in a prompt of any length, unless the prompt is a
 * mail, a commit, a change or a form
 */
function typedBlocks(text: string, isForClaims = false): string[][] {
  if (text.length > LONGEST) return [];
  const lines = unquoted(text.replace(/\r\n?/g, '\n').split('\n'));
  const left = lines.filter((line) => line.trim() !== '');
  const isLong = left.length > MOST.lines || left.join('\n').length > MOST.characters;
  if (isLong && !isForClaims) return [];
  const isField = (line: string | undefined): boolean =>
    line !== undefined && FIELD.test(line) && !OWN_FIELD.test(line);
  const isForeign = lines.some(
    (line, at) =>
      (isForClaims ? PASTED : DOCUMENT).some((sign) => sign.test(line)) ||
      (isField(line) && isField(lines[at + 1])),
  );
  const isCode = (line: string): boolean => INDENTED.test(line) && !LISTED.test(line);
  return isForeign
    ? []
    : blocksOf(
        lines.map((line) => (isCode(line) ? '' : line)),
        isForClaims,
      );
}

/** The typed blocks as one text, with blank lines between. */
export function typedText(text: string): string {
  return typedBlocks(text)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

const CLAIM =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\*\*|__)?remember(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*(\S.*)$/iu;
/** No sentence continues after a heading or a URL on its own line. */
const HEADS = /^\s{0,3}#{1,6}\s|^\s*https?:\/\/\S+\s*$/;
/** End of a sentence; "It is wrong to" continues in the next line. */
const ENDS = /[.!?…。！？]["'”’)\]]*\s*$/u;

/**
 * The typed text without `Remember:` lines. A sentence after a colon ("Translate: Always …") is
 * left out, since it may be somebody else's.
 */
export function typedFreely(text: string): string {
  return typedBlocks(text)
    .map((block) =>
      block
        .map((line) => (CLAIM.test(line) ? '' : line.replace(/[:：]\s+["'“„«\p{Lu}].*$/u, ':')))
        .join('\n'),
    )
    .join('\n\n');
}

/**
 * The person's words after `Remember:` at the start of a typed line. A next line in small letters
 * belongs to them.
 */
export function typedClaims(text: string): string[] {
  return typedBlocks(text, true).flatMap((block) => {
    const claims: string[] = [];
    let open = false;
    block.forEach((line, at) => {
      const words = CLAIM.exec(line)?.[1];
      const isFree =
        at === 0 ||
        open ||
        LISTED.test(line) ||
        HEADS.test(block[at - 1]!) ||
        ENDS.test(block[at - 1]!);
      if (words !== undefined && isFree) claims.push(words);
      else if (open && /^\s*\p{Ll}/u.test(line)) claims.push(`${claims.pop()!} ${line}`);
      else open = false;
      if (words !== undefined) open = isFree;
    });
    return claims.map((words) => words.replace(/\s+/gu, ' ').trim());
  });
}
