/**
 * Which lines of a prompt its person typed, by structure alone. Each doubt is decided against a
 * line: a pasted one would become a false claim of the person.
 */
import { inFence } from './code.js';

/** People type less than this into one prompt; more is mostly pasted. */
const MOST = { characters: 900, lines: 20 } as const;
/** Of longer prompts nothing is read. */
const LONGEST = 60_000;

/** Ends of a block of markup: `</tag>` on the same line or a later one. */
const OPENING_TAG = /^\s*<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>/;

/**
 * Lines that are in documents, mails, commits, tickets and outputs, and that nobody types into a
 * prompt.
 */
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
 * `From: …` and `Subject: …`: two such lines, one below the other, are the head of a mail, a commit
 * or a form.
 */
/** Of these, what nobody types around a `Remember:` line; headings, links and rules do not matter. */
const PASTED = [DOCUMENT[2]!, DOCUMENT[4]!, DOCUMENT[5]!];
const INDENTED = /^(?: {4}|\t)/;
const FIELD = /^\p{L}[\p{L}\d-]{1,30}:\s+\S/u;
const OWN_FIELD = /^remember\s*:/i;

/**
 * Fences, quotations and tagged spans blanked, line by line. An open fence or tag reaches to the
 * end.
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
    // A quotation goes on over lines without the sign until a blank one.
    quoted = /^\s{0,3}>/.test(line) || (quoted && line.trim() !== '');
    return quoted ? '' : line;
  });
}

/** Characters that open and close a quotation; of `"` and backticks each second one closes. */
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
/** "Fix what the ticket says:" ends in a colon, and what follows is not the person's. */
const INTRODUCES = /[:：]\s*$/u;

/**
 * What is before the first line that introduces something, and outside quotation marks; each
 * block as its lines.
 * @param afterLists whether what follows a list that was introduced is the person's again
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
    // The list ends at a blank line that no further item of it follows.
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
 * The blocks of lines that a person typed; none when the prompt as a whole looks pasted. It cannot
 * see a short plain paragraph that was pasted without any mark.
 * @param isForClaims a `Remember:` line counts in a prompt of any length, unless it is a mail, a
 * commit, a change or a form
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

/** The same as one text, blocks apart. */
export function typedText(text: string): string {
  return typedBlocks(text)
    .map((block) => block.join('\n'))
    .join('\n\n');
}

const CLAIM =
  /^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\*\*|__)?remember(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*(\S.*)$/iu;
/** A heading or an address alone goes on into no line. */
const HEADS = /^\s{0,3}#{1,6}\s|^\s*https?:\/\/\S+\s*$/;
/** The line before it ends a sentence: "It is wrong to" goes on into the next line. */
const ENDS = /[.!?…。！？]["'”’)\]]*\s*$/u;

/**
 * What is typed beside `Remember:` lines; a sentence behind a colon ("Translate: Always …") may be
 * somebody else's.
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
 * What a person told to remember: the words behind `Remember:` at the start of a line that they
 * typed, as they typed them. A line that goes on in small letters belongs to it.
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
