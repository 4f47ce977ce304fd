import { buildAutomaton, scan } from './automaton.js';
import { KEY_WORDS, OTHER_LETTERS, OTHER_WORDS, otherNames } from './key-names.js';
import { type Seen, keyedAt, nameAt } from './keyed.js';
import { linesView } from './lines.js';
import { longRuns } from './span.js';
import { keyBlockAt, keyTailAt } from './pem.js';
import { PLACES, type SecretPlace, discordAt, endOfPart, storageKeyAt } from './places.js';
import { PREFIXES } from './prefixes.js';
import type { Span } from './span.js';
import { isAlphanumeric, jwtAt, prefixedAt } from './tokens.js';
import { ESCAPE_WORDS, type View, decodedView, mapSpans } from './views.js';

/** The result for one text: spans to mask, and which further checks it needs. */
export interface Findings {
  spans: Span[];
  /** The text may contain parts marked as private, or escapes. */
  isPrivate: boolean;
  isEscaped: boolean;
  /** The text contains the beginning of a private key. */
  isKey: boolean;
}

/** Whether to search for e-mail addresses, and the check of the deadline. */
export interface Looking {
  emails: boolean;
  /** Throws when the deadline of the text has passed; called at least every few thousand steps. */
  check(): void;
}

type Handler = (text: string, start: number, state: DetectState) => void;

interface DetectState {
  findings: Findings;
  looking: Looking;
  run: { from: number; to: number };
  /** End of the last name that was checked: one name may contain several trigger words. */
  named: number;
  /** Everything that ends before this index is done. */
  taken: number;
  /** How far each place with a long reach has been checked. */
  covered: Map<SecretPlace, number>;
  seen: Seen;
  /** The text may name a secret in another language. */
  isOther: boolean;
}

const words: string[] = [];
const handlers: Handler[] = [];

function on(triggers: readonly string[], handler: Handler): void {
  for (const trigger of triggers) handlers[words.push(trigger) - 1] = handler;
}

/** Like `on`, for patterns with one span that never overlaps an earlier one. */
function onFree(
  triggers: readonly string[],
  find: (text: string, start: number, state: DetectState) => Span | null,
): void {
  on(triggers, (text, start, state) => {
    const span = start < state.taken ? null : find(text, start, state);
    if (span === null) return;
    state.findings.spans.push(span);
    state.taken = Math.max(state.taken, span.end);
  });
}

for (const prefix of PREFIXES)
  onFree(prefix.words, (text, start) => prefixedAt(text, start, prefix));
onFree(['eyj'], (text, start, { run }) => jwtAt(text, start, run));
for (const place of PLACES) {
  on(place.words, (text, start, state) => {
    if (start < (state.covered.get(place) ?? 0)) return;
    if (place.covers !== undefined) state.covered.set(place, endOfPart(text, start, place.covers));
    const spans = place.find(text, start);
    state.seen.isDoubted ||= spans.length === 0 && place.covers !== undefined;
    state.findings.spans.push(...spans);
  });
}
on(['-----begin', '---- begin'], (_text, _start, state) => void (state.findings.isKey = true));
onFree(['-----begin', '---- begin'], (text, start, state) => {
  const span = keyBlockAt(text, start);
  state.seen.isDoubted ||= span === null;
  return span;
});
onFree(['-----end', '---- end'], keyTailAt);
on(OTHER_WORDS, (_text, _start, state) => void (state.isOther = true));
on(['private'], (_text, _start, state) => void (state.findings.isPrivate = true));
on(ESCAPE_WORDS, (_text, _start, state) => void (state.findings.isEscaped = true));
for (const word of KEY_WORDS) {
  on([word], (text, start, state) => {
    if (start < state.named || start < state.seen.bareUntil || isInMark(text, start)) return;
    const name = nameAt(text, start, start + (/\W$/.test(word) ? word.length - 1 : word.length));
    state.named = name.end;
    const span = keyedAt(text, name, state.seen);
    if (span !== null) state.findings.spans.push(span);
  });
}
onFree(['@'], (text, start, { looking }) => (looking.emails ? emailAt(text, start) : null));
const automaton = buildAutomaton(words, OTHER_LETTERS);

/** Whether the name is in a mark of an earlier run, and so no key: `[REDACTED:url-password:…]`. */
function isInMark(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && at - from < 40 && /[a-z0-9-]/.test(text[from - 1]!)) from--;
  return text.startsWith('[REDACTED:', from - 10) && from >= 10;
}

/**
 * Finds everything in a text that must not be stored.
 * @param runs starts and ends of the text's long runs
 * @param isDecoded the text was decoded from base64 or escapes; it is not decoded again
 * @param isContent the text has only the content of its lines, without prefixes of a tool
 */
export function detect(
  text: string,
  runs: readonly number[],
  looking: Looking,
  isDecoded = false,
  isContent = false,
): Findings {
  const findings: Findings = { spans: [], isPrivate: false, isEscaped: false, isKey: false };
  const state: DetectState = {
    findings,
    looking,
    run: { from: -1, to: -1 },
    covered: new Map(),
    named: -1,
    taken: -1,
    seen: { bareUntil: -1, isDoubted: false },
    isOther: false,
  };
  let steps = 0;
  const add = (span: Span | null): void => {
    if (span !== null) findings.spans.push(span);
  };
  const { odd, letters } = scan(automaton, text, (word, start) => {
    if ((++steps & 1023) === 0) looking.check();
    handlers[word]!(text, start, state);
  });
  findings.isPrivate ||= odd;
  if (letters || state.isOther)
    for (const { kind, ...name } of otherNames(text)) add(keyedAt(text, name, state.seen, kind));
  for (let i = 0; i < runs.length; i += 2) {
    if ((++steps & 1023) === 0) looking.check();
    add(inRun(text, runs[i]!, runs[i + 1]!, looking, isDecoded));
  }
  if ((findings.isEscaped || odd) && !isDecoded) lookInto(decodedView(text), findings, looking);
  if (state.seen.isDoubted && !isContent) lookInto(linesView(text), findings, looking, true);
  return findings;
}

function lookInto(
  view: View | null,
  findings: Findings,
  looking: Looking,
  isContent = false,
): void {
  looking.check();
  if (view === null) return;
  const runs = isContent ? [] : longRuns(view.text);
  const inner = detect(view.text, runs, looking, true, isContent);
  findings.spans.push(...mapSpans(view, inner.spans));
}

const LONGEST_WORD = 40;

/** Start of the last word of a run, after a diff sign or a slash. */
function wordIn(text: string, start: number, end: number): number {
  const run = text.slice(Math.max(start, end - LONGEST_WORD), end);
  const sign = Math.max(run.lastIndexOf('/'), run.lastIndexOf('+'), run.startsWith('-') ? 0 : -1);
  return end - run.length + sign + 1;
}

/** A run of base64 characters is a secret if its decoded text contains one. */
function inRun(
  text: string,
  start: number,
  end: number,
  looking: Looking,
  isDecoded: boolean,
): Span | null {
  const next = text[end];
  const own =
    next === '.'
      ? discordAt(text, wordIn(text, start, end))
      : next === '=' || next === '%'
        ? storageKeyAt(text, start, end)
        : null;
  const plain = own === null && !isDecoded ? decodeBase64(text, start, end) : null;
  if (plain === null) return own;
  const inner = detect(plain, longRuns(plain), { ...looking, emails: false }, true).spans[0];
  return inner === undefined ? null : { start, end, kind: inner.kind };
}

/** Decodes a run of base64 characters; null if the bytes are not text. */
function decodeBase64(text: string, runStart: number, end: number): string | null {
  // A diff sign or slash at the start is no part of the run: no encoded text starts with one.
  const start = /[+/-]/.test(text[runStart] ?? '') ? runStart + 1 : runStart;
  const begin = text.slice(start, start + 16);
  if (!/[A-Z]/.test(begin) || !/[a-z0-9]/.test(begin) || /^[a-z]*[A-Z]?[a-z]*$/.test(begin))
    return null;
  const isText = (of: string, most: number): Buffer | null => {
    const bytes = Buffer.from(of, 'base64');
    let odd = 0;
    for (const byte of bytes) if (!isPrintable(byte)) odd++;
    return odd > bytes.length * most ? null : bytes;
  };
  if (isText(begin, 0) === null) return null;
  return isText(text.slice(start, end), 0.05)?.toString('utf8') ?? null;
}

function isPrintable(byte: number): boolean {
  return (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9 || byte >= 0xc2;
}

// E-mail addresses

/** Endings of files, not of domains: `icon@2x.png`, `getty@tty1.service`. */
const FILES = new Set(
  (
    'png jpg jpeg gif svg webp ico ts tsx js jsx mjs cjs json yml yaml service socket timer target html css scss vue lock whl ' +
    'tgz zip md5'
  ).split(' '),
);
/** Addresses of programs, which are common in commit trailers and remotes. */
const PROGRAMS = /^(?:git|noreply|no-reply|donotreply)$/i;
const LOCAL = /[A-Za-z0-9._%+'-]/;
const DOMAIN =
  /@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}([A-Za-z]{2,24}))(?![A-Za-z0-9_@(])/y;

function emailAt(text: string, at: number): Span | null {
  DOMAIN.lastIndex = at;
  const domain = DOMAIN.exec(text);
  if (domain === null || FILES.has((domain[2] as string).toLowerCase())) return null;
  let start = at;
  while (
    start > 0 &&
    at - start < 64 &&
    (LOCAL.test(text[start - 1] as string) || isAlphanumeric(text.charCodeAt(start - 1)))
  )
    start--;
  while (start < at && /[.'%+-]/.test(text[start] as string)) start++;
  if (start > 0 && text[start - 1] === '\\' && 'nrt'.includes(text[start] as string)) start++;
  const local = text.slice(start, at);
  if (local === '' || PROGRAMS.test(local) || isInAuthority(text, start)) return null;
  return { start, end: at + domain[0].length, kind: 'email' };
}

/**
 * Whether the place is inside `scheme://user:password@host`, which has its own rule, or a path
 * `…/pkg@host`.
 */
function isInAuthority(text: string, start: number): boolean {
  return /:\/\/[^\s/@]{0,80}$/.test(text.slice(Math.max(0, start - 84), start));
}
