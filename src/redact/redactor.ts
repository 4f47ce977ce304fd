import { createHmac } from 'node:crypto';
import { dropBlobs } from './blobs.js';
import { type Findings, type Looking, detect } from './detect.js';
import { INVISIBLE_CLASS } from '../text/signs.js';
import { keyContinuation, keyLinesLeft } from './pem.js';
import { type Span, longRuns, mergeSpans, replaceSpans } from './span.js';

interface RedactOptions {
  /** The home's secret key for marks, so that nobody can guess a short secret from its mark. */
  key: string | Uint8Array;
  /** Monotonic milliseconds; absent: no deadline. */
  mono?: () => number;
  /**
   * Milliseconds of processor time of this process. With it a deadline passes only on both clocks,
   * because on a busy machine wall time passes without work on the text.
   */
  cpu?: () => number;
  /** E-mail addresses are masked unless switched off. */
  emails?: boolean;
}

export interface Redactor {
  /**
   * Masks texts: drops private parts and blobs, and replaces secrets by `[REDACTED:kind:6 hex]`.
   * Keeps the order. Each text is separate, so the same text always gives the same result. A text
   * that takes too long becomes `[REDACTED:timeout]`.
   */
  redact(texts: readonly string[]): string[];
  /**
   * Masks consecutive texts of a log, where a private key may continue in the next text.
   * @param open lines of a key that may still follow from before
   */
  redactStream(texts: readonly string[], open: number): { texts: string[]; open: number };
}

class DeadlinePassed extends Error {}

type Mark = (kind: string, secret: string) => string;

export function createRedactor(options: RedactOptions): Redactor {
  // Equal secrets get equal marks, and nobody can guess a secret from its mark.
  const mark: Mark = (kind, secret) => {
    const hash = createHmac('sha256', options.key).update(secret).digest('hex');
    return `[REDACTED:${kind}:${hash.slice(0, 6)}]`;
  };
  const redactStream: Redactor['redactStream'] = (texts, open) => {
    let left = open;
    const masked = texts.map((text) => {
      const result = maskOne(text, lookingOf(options, text.length), left, mark);
      left = result.open;
      return result.text;
    });
    return { texts: masked, open: left };
  };
  return {
    redact: (texts) => texts.map((text) => redactStream([text], 0).texts[0]!),
    redactStream,
  };
}

/** The mark of a text that could not be checked in time; the whole text is dropped. */
const TIMEOUT_MARK = '[REDACTED:timeout]';

function maskOne(
  raw: string,
  looking: Looking,
  open: number,
  mark: Mark,
): { text: string; open: number } {
  if (raw.length < 5 && open === 0) return { text: raw, open };
  try {
    const { text, findings } = withoutStructure(raw, looking);
    const before = keyContinuation(text, open);
    const spans = before === null ? findings.spans : [...findings.spans, before];
    return {
      text: spans.length === 0 ? text : applied(text, spans, mark),
      open: open > 0 || findings.isKey ? keyLinesLeft(text, open) : 0,
    };
  } catch (error) {
    if (error instanceof DeadlinePassed) return { text: TIMEOUT_MARK, open: 0 };
    throw error;
  }
}

/** The text without blobs and private parts, and the findings in it. */
function withoutStructure(raw: string, looking: Looking): { text: string; findings: Findings } {
  let [text, runs] = [raw, longRuns(raw)];
  if (runs.length > 0) text = dropBlobs(raw, runs);
  if (text !== raw) runs = longRuns(text);
  const findings = detect(text, runs, looking);
  const open = findings.isPrivate ? dropPrivate(text) : text;
  return open === text ? { text, findings } : withoutStructure(open, looking);
}

/** Removes blobs and private parts before a text is cut, because a cut could leave half of one. */
export function dropStructure(text: string): string {
  const open = MAYBE_PRIVATE.test(text) ? dropPrivate(text) : text;
  return dropBlobs(open, longRuns(open));
}

/** Milliseconds for one text of up to a megabyte, and for each further megabyte. */
const DEADLINE_MS = 1000;
/** Before this, the processor time is not read: reading takes as long as masking a short text. */
const FIRST_MS = 100;

function lookingOf({ mono, cpu, emails = true }: RedactOptions, length: number): Looking {
  const allowed = DEADLINE_MS * (1 + Math.floor(length / 1_000_000));
  const begun = mono?.() ?? 0;
  let used: number | null = null;
  return {
    emails,
    check() {
      const passed = (mono?.() ?? 0) - begun;
      if (passed <= FIRST_MS) return;
      used ??= (cpu?.() ?? 0) - FIRST_MS;
      if (passed > allowed && (cpu === undefined || cpu() - used > allowed))
        throw new DeadlinePassed();
    },
  };
}

/** Shortest secret that is searched for elsewhere in the text. */
const REPEATED = 8;

function applied(text: string, spans: Span[], mark: Mark): string {
  const merged = mergeSpans([...spans, ...repeats(text, spans)]);
  return replaceSpans(text, merged, ({ start, end, kind }) => mark(kind, text.slice(start, end)));
}

function repeats(text: string, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  const kinds = new Map(spans.map(({ start, end, kind }) => [text.slice(start, end), kind]));
  for (const [secret, kind] of kinds) {
    if (secret.length < REPEATED || secret.length > 400 || found.length > 10_000) continue;
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
      found.push({ start: at, end: at + secret.length, kind });
  }
  return found;
}

const MAYBE_PRIVATE = new RegExp(`private|[${INVISIBLE_CLASS}\\uff01-\\uff5e]`, 'iu');
const HIDDEN = `[${INVISIBLE_CLASS}\\s]{0,8}`;
const wide = (char: string): string => String.fromCharCode(char.charCodeAt(0) + 0xfee0);
const NAME = [...'private']
  .map((char) => `[${char}${char.toUpperCase()}${wide(char)}${wide(char.toUpperCase())}]`)
  .join(HIDDEN);
const TAG = new RegExp(
  `(?:[<＜]|&lt;|\\\\u003c)${HIDDEN}([/／]?)${HIDDEN}${NAME}` +
    '(?![a-zA-Z0-9-])[^>＞<\\n]{0,200}?(?:[>＞]|&gt;|\\\\u003e)',
  'gu',
);

/**
 * Drops `<private>…</private>`: any case, nested, unclosed (to the end), and with invisible or
 * full-width characters inside the tags.
 */
function dropPrivate(text: string): string {
  const kept: string[] = [];
  let depth = 0;
  let at = 0;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] !== '';
    if (depth === 0 && closes) continue;
    if (depth === 0) kept.push(text.slice(at, tag.index));
    depth += closes ? -1 : 1;
    at = tag.index + tag[0].length;
  }
  if (depth === 0) kept.push(text.slice(at));
  return kept.join('');
}

/** Marks of redaction: `[REDACTED:github-token:1f3a9c]`, `[REDACTED:timeout]`. */
const MARK = /\[REDACTED:([a-z0-9-]{1,40}):[0-9a-f]{6}\]/g;

/** Reduces marks to their kind, because keys of marks differ. Ids and content hashes use this. */
export function reduceMarks(text: string): string {
  return text.includes('[REDACTED:') ? text.replace(MARK, '[REDACTED:$1]') : text;
}
