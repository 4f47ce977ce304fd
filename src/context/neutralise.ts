/**
 * Makes foreign text harmless. An agent reads each published line, so no part may act as markup, an
 * import, a chat turn or a hidden message. The words stay.
 */
import { ORDERS, withoutInvisible } from '../text/signs.js';
import { verbatim } from '../text/verbatim.js';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;
/** The length is bounded, since a comment without an end would otherwise search the whole text. */
const COMMENT = /<!--[\s\S]{0,1000}?-->|<!--|-->/g;
const TEMPLATE =
  /<\|[^|<>]{0,80}\|>|<\|im_(?:start|end)\b|\[\/?(?:INST|SYS|SYSTEM_PROMPT)\]|<<\/?SYS>>|<\/?system-reminder\b[^>]*>?/gi;
const CHAT_TAG =
  /<\/?(?:s|system|assistant|user|human|developer|instructions?|context|memory|prompt|thinking|think|function_calls|invoke|parameter|tool_(?:call|use|result|response)s?|antml:\w+)\b[^<>]*>/gi;
const ROLE_LABEL = /^(?:(?:system|assistant|human|developer|user)\s*:\s*)+/i;
const LEADING_MARKUP = /^(?:[#>*+•-]+\s+|\d+[.)]\s+|\[[ xX]\]\s+)+/;
const FAKE_ID = /(?<!\s)(?:\s+\^[a-z0-9]{3,16}){1,20}$/;

const IMAGE_OR_LINK = /!?\[([^[\]]*)\](?:\((?:[^()\s]|\([^()]*\)|\s)*\)|\[[^[\]]*\])/g;
/** Autolinks, bare URLs, HTML tags and words with an @; inside code spans they have no effect. */
const ACTIVE =
  /<(?:https?|ftp|mailto|file|data|javascript):[^<>\s]*>|\b(?:https?|ftp|file|data|javascript):\/\/[^\s`<>]+|(?<!\w)<\/?[a-z][^<>`]*>|(?<![^\s`<>()[\]{}"',;])[^\s`<>()[\]{}"',;]*@[\p{L}\p{N}_./~-][^\s`<>()[\]{}"',;]*/giu;
const TRAILING_POINT = /(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/;

/** Repeats until nothing changes, since a removal may join two halves of another tag. */
function untilStable(text: string, step: (text: string) => string): string {
  for (let i = 0; i < 10; i++) {
    const next = step(text);
    if (next === text) return text;
    text = next;
  }
  return text.replace(/[<>[\]|]/g, ' ');
}

interface TextPart {
  code: boolean;
  text: string;
}

/** Splits at code spans as Markdown does; removes unpaired backticks. */
export function splitCode(text: string): TextPart[] {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({
    index,
    length,
    next: -1,
  }));
  const later = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; later.set(runs[i]!.length, i--))
    runs[i]!.next = later.get(runs[i]!.length) ?? -1;
  const parts: TextPart[] = [];
  let [plain, at] = ['', 0];
  for (let i = 0; i < runs.length; i++) {
    const open = runs[i]!;
    plain += text.slice(at, open.index);
    at = open.index + open.length;
    if (open.next < 0) continue;
    i = open.next;
    const close = runs[i]!;
    parts.push({ code: false, text: plain }, { code: true, text: text.slice(at, close.index) });
    [plain, at] = ['', close.index + close.length];
  }
  return [...parts, { code: false, text: plain + text.slice(at) }].filter((p) => p.text !== '');
}

function bareUrl(word: string): string {
  return /^<[a-z]+:/i.test(word) ? word.slice(1, -1) : word;
}

/** Splits plain text; active words become code parts. */
function splitActive(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(ACTIVE)) {
    const word = bareUrl(match[0]);
    const point = match[0].startsWith('<') ? '' : (TRAILING_POINT.exec(word)?.[0] ?? '');
    parts.push(
      { code: false, text: text.slice(at, match.index) },
      { code: true, text: point ? word.slice(0, -point.length) : word },
      { code: false, text: point },
    );
    at = match.index + match[0].length;
  }
  return [...parts, { code: false, text: text.slice(at) }].filter((p) => p.text !== '');
}

/** Joins parts, with a space between code spans, so that their backticks stay separate. */
function joinParts(parts: readonly TextPart[]): string {
  let text = '';
  let afterCode = false;
  for (const part of parts) {
    const inner = part.code ? part.text.replace(/`+/g, "'").trim() : part.text;
    if (inner === '') continue;
    text += part.code ? `${afterCode ? ' ' : ''}\`${inner}\`` : inner;
    afterCode = part.code;
  }
  return text;
}

function withoutHidden(text: string): string {
  return withoutInvisible(text.replace(LONE_SURROGATE, '').replace(ORDERS, ''))
    .replace(CONTROL, ' ')
    .replace(/[＜﹤]/g, '<')
    .replace(/[＞﹥]/g, '>')
    .replace(/｜/g, '|');
}

function withoutMarkup(text: string): string {
  return untilStable(text, (t) =>
    joinParts(
      splitCode(t.replace(COMMENT, ' ').replace(TEMPLATE, ' ')).map((p) =>
        p.code
          ? p
          : { code: false, text: p.text.replace(CHAT_TAG, ' ').replace(IMAGE_OR_LINK, '$1') },
      ),
    ),
  );
}

function withoutPretence(text: string): string {
  return untilStable(verbatim(text), (t) =>
    t.replace(LEADING_MARKUP, '').replace(ROLE_LABEL, '').replace(FAKE_ID, '').trim(),
  );
}

/** Words, plain punctuation and closed code spans. Most lines match; they need no more work. */
const PLAIN =
  /^(?:[\p{L}\p{N} .,;:!?'"%/=+*_#&$€~()…–—·→≥≤✓-]|`(?! )[\p{L}\p{N} .,;:!?'"%/=+*_#&$@~(){}…-]+(?<! )`(?!`))*$/u;

function isPlain(text: string): boolean {
  // Some letters of Unicode are invisible.
  return PLAIN.test(text) && !text.includes('://') && withoutInvisible(text) === text;
}

/** One harmless line of Markdown with the same words; may be empty. Idempotent. */
export function neutralise(text: string): string {
  return isPlain(text) ? withoutPretence(text) : neutraliseSlowly(text);
}

/** As `neutralise`, without the short cut for plain lines. */
export function neutraliseSlowly(text: string): string {
  return untilStable(withoutHidden(text), (t) =>
    withoutPretence(
      joinParts(splitCode(withoutMarkup(t)).flatMap((p) => (p.code ? [p] : splitActive(p.text)))),
    ),
  );
}

/**
 * Beginnings of chat turns. Case-sensitive, since many files have lines such as `user: postgres`.
 */
const TURN = /^([^\S\n]*)(?:(?:System|Assistant|Human|Developer|User):[^\S\n]*)+/gm;

/**
 * Removes hidden signs, chat tags and chat turns from foreign text (a message, a file); line ends,
 * code and other markup stay. For answers, which print texts as data.
 */
export function withoutChat(text: string): string {
  const shown = text.split('\n').map((line) => line.split('\t').map(withoutHidden).join('\t'));
  return untilStable(shown.join('\n'), (t) =>
    t.replace(TEMPLATE, ' ').replace(CHAT_TAG, ' ').replace(TURN, '$1'),
  );
}

const NAME = /^[\w./@+-]{1,60}$/;

/**
 * A foreign name (folder, branch, file, remote) in a code span; null if it has other characters or
 * more than 60.
 */
export function nameOf(name: string): string | null {
  return NAME.test(name) ? `\`${name}\`` : null;
}
