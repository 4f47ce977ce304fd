import { buildAutomaton, scan } from './automaton.js';
import { decodeBase64 } from './encoded.js';
import { KEY_WORDS } from './key-names.js';
import { keyedAt, nameAt, type Bare } from './keyed.js';
import { longRuns } from './long-runs.js';
import { keyBlockAt, keyTailAt } from './pem.js';
import { bracketPhoneAt, emailAt, ibansIn, phoneAt } from './personal.js';
import { discordAt, endOfPart, PLACES, storageKeyAt, type Place } from './places.js';
import { PREFIXES } from './prefixes.js';
import { isDoubtful, PRESET_WORDS } from './preset.js';
import type { Span } from './span.js';
import { jwtAt, prefixedAt, Runs } from './tokens.js';
import { decodedView, ESCAPE_WORDS, mapSpans } from './views.js';

/** What a look at one text brings: spans, and places that the preset must judge. */
export interface Findings {
  spans: Span[];
  /** Starts of words that the preset knows and our own rules did not take. */
  doubtful: number[];
  /** The text may hold parts marked as private, or escapes. */
  isPrivate: boolean;
  isEscaped: boolean;
  /** The beginning of a private key was seen. */
  isKey: boolean;
}

/** What is looked for beside secrets, and when to give up. */
export interface Looking {
  emails: boolean;
  phones: boolean;
  ibans: boolean;
  /** Throws when the deadline of the text has passed; called at least every few thousand steps. */
  check(): void;
}

type Handler = (text: string, start: number, state: State) => void;

interface State {
  findings: Findings;
  looking: Looking;
  runs: Runs;
  /** End of the last name that was judged: several words may stand in one name. */
  named: number;
  /** Nothing that ends before this needs to be looked at again. */
  taken: number;
  steps: number;
  /** Up to where a place with a long reach has been looked at. */
  covered: Map<Place, number>;
  bare: Bare;
}

const words: string[] = [];
const handlers: Handler[] = [];

function on(triggers: readonly string[], handler: Handler): void {
  for (const trigger of triggers) {
    words.push(trigger);
    handlers.push(handler);
  }
}

function take(state: State, span: Span | null): void {
  if (span === null) return;
  state.findings.spans.push(span);
  state.taken = Math.max(state.taken, span.end);
}

for (const prefix of PREFIXES)
  on(prefix.words, (text, start, state) => (start >= state.taken ? take(state, prefixedAt(text, start, prefix)) : undefined));
on(['eyj'], (text, start, state) => (start >= state.taken ? take(state, jwtAt(text, start, state.runs)) : undefined));
for (const place of PLACES) {
  on(place.words, (text, start, state) => {
    if (start < (state.covered.get(place) ?? 0)) return;
    if (place.covers !== undefined) state.covered.set(place, endOfPart(text, start, place.covers));
    for (const span of place.find(text, start)) state.findings.spans.push(span);
  });
}
on(['-----begin', '---- begin'], (text, start, state) => {
  state.findings.isKey = true;
  if (start >= state.taken) take(state, keyBlockAt(text, start));
});
on(['-----end', '---- end'], (text, start, state) => (start >= state.taken ? take(state, keyTailAt(text, start)) : undefined));
on(PRESET_WORDS, (text, start, state) => void (isDoubtful(text, start) && state.findings.doubtful.push(start)));
on(['private'], (_text, _start, state) => void (state.findings.isPrivate = true));
on(ESCAPE_WORDS, (_text, _start, state) => void (state.findings.isEscaped = true));
for (const word of KEY_WORDS) {
  on([word], (text, start, state) => {
    if (start < state.named || start < state.bare.until) return;
    if (isInMark(text, start)) return;
    const name = nameAt(text, start, start + (/\W$/.test(word) ? word.length - 1 : word.length));
    state.named = name.end;
    const span = keyedAt(text, name, state.bare);
    if (span !== null && (span.kind !== 'phone' || state.looking.phones)) state.findings.spans.push(span);
  });
}
on(['@'], (text, start, state) => (state.looking.emails ? take(state, emailAt(text, start)) : undefined));
for (let digit = 1; digit <= 9; digit++) {
  on([`+${digit}`], (text, start, state) =>
    state.looking.phones && start >= state.taken ? take(state, phoneAt(text, start)) : undefined,
  );
  on([` 00${digit}`], (text, start, state) =>
    state.looking.phones && start >= state.taken ? take(state, phoneAt(text, start + 1)) : undefined,
  );
  on([`) ${digit}`, `)${digit}`], (text, start, state) =>
    state.looking.phones && start >= state.taken ? take(state, bracketPhoneAt(text, start)) : undefined,
  );
}

const automaton = buildAutomaton(words);

/** The name of a mark that an earlier run left is no key: `[REDACTED:url-password:…]`. */
function isInMark(text: string, at: number): boolean {
  let from = at;
  while (from > 0 && at - from < 40 && isMarkUnit(text.charCodeAt(from - 1))) from--;
  return text.startsWith('[REDACTED:', from - 10) && from >= 10;
}

/** Small letters, digits, dash. */
const isMarkUnit = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit === 45;

/** Base64 in base64 is opened twice, escapes in escapes as well. */
const DEPTH = 2;

/**
 * Everything in a text that must not be stored.
 * @param runs starts and ends of its long runs
 */
export function detect(text: string, runs: readonly number[], looking: Looking, depth = 0): Findings {
  const findings: Findings = { spans: [], doubtful: [], isPrivate: false, isEscaped: false, isKey: false };
  const state: State = {
    findings,
    looking,
    runs: new Runs(text),
    named: -1,
    taken: -1,
    steps: 0,
    covered: new Map(),
    bare: { until: -1 },
  };
  const odd = scan(automaton, text, (word, start) => {
    if ((++state.steps & 1023) === 0) looking.check();
    (handlers[word] as Handler)(text, start, state);
  });
  findings.isPrivate ||= odd;
  if (looking.ibans) findings.spans.push(...ibansIn(text));
  for (let i = 0; i < runs.length; i += 2) {
    if ((++state.steps & 1023) === 0) looking.check();
    const span = inRun(text, runs[i] as number, runs[i + 1] as number, looking, depth);
    if (span !== null) findings.spans.push(span);
  }
  if ((findings.isEscaped || odd) && depth < DEPTH) {
    looking.check();
    const view = decodedView(text);
    if (view !== null) findings.spans.push(...mapSpans(view, detect(view.text, longRuns(view.text), looking, depth + 1).spans));
  }
  return findings;
}

/** Where the last word of a run begins: the sign of a diff or a slash may stand before it. */
const wordIn = (text: string, start: number, end: number): number => {
  const run = text.slice(Math.max(start, end - LONGEST_WORD), end);
  return end - run.length + Math.max(run.lastIndexOf('/'), run.lastIndexOf('+'), run.startsWith('-') ? 0 : -1) + 1;
};
const LONGEST_WORD = 40;

const DOT = 46;
const EQUALS = 61;
const PERCENT = 37;

/** A run of base64 characters is as secret as what it decodes to. */
function inRun(text: string, start: number, end: number, looking: Looking, depth: number): Span | null {
  const next = text.charCodeAt(end);
  const own =
    next === DOT
      ? discordAt(text, wordIn(text, start, end))
      : next === EQUALS || next === PERCENT
        ? storageKeyAt(text, start, end)
        : null;
  if (own !== null || depth >= DEPTH) return own;
  const plain = decodeBase64(text, start, end);
  if (plain === null) return null;
  const inner = detect(plain, longRuns(plain), { ...looking, emails: false, phones: false, ibans: false }, depth + 1).spans[0];
  return inner === undefined ? null : { start, end, kind: inner.kind };
}
