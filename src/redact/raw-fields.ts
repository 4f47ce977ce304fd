/** Masks fields besides an entry's text: names, facts of sessions, saved states. */
import { IS_MASKED, type RawEntry, type SessionFacts } from '../types.js';
import type { Redactor } from './redactor.js';

type Masks = Pick<Redactor, 'redact'>;

/** Values that masking changes. Each is masked once, because folders and branches repeat. */
function maskedNames(values: readonly unknown[], redactor: Masks): Map<unknown, string> {
  const names = [...new Set(values)].filter((value) => typeof value === 'string');
  const changed = new Map<unknown, string>();
  redactor.redact(names).forEach((masked, i) => {
    if (masked !== names[i]) changed.set(names[i], masked);
  });
  return changed;
}

/** A record with these fields masked; a field without text or list of texts is unchanged. */
function withNames<T extends object>(
  record: T,
  fields: readonly (keyof T)[],
  names: ReadonlyMap<unknown, string>,
): T {
  if (names.size === 0) return record;
  const masked = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(masked) : (names.get(value) ?? value);
  const present = fields.filter((field) => record[field] !== undefined);
  return { ...record, ...Object.fromEntries(present.map((each) => [each, masked(record[each])])) };
}

const MASKED = (Object.keys(IS_MASKED) as (keyof typeof IS_MASKED)[]).filter(
  (field) => IS_MASKED[field],
);

/** Only an id that looks like a text is masked, because a random id would look like a key. */
const IS_TEXT = /\s|\w=\w/;

/**
 * Masks secrets in every text of the raw entries, and in an id that is a text.
 * @param open lines of a private key that earlier raw entries left open
 * @returns the raw entries, and how many lines of the key may follow in the next ones
 */
export function redactRawEntries(
  rawEntries: readonly RawEntry[],
  redactor: Redactor,
  open: number,
): { rawEntries: RawEntry[]; open: number } {
  const stream = redactor.redactStream(
    rawEntries.map(({ text }) => text),
    open,
  );
  const named = rawEntries.flatMap((raw) => MASKED.flatMap((field) => raw[field] ?? []));
  const names = maskedNames(named, redactor);
  const masked = rawEntries.map((raw, i) => {
    const text = stream.texts[i]!;
    const isText = raw.native !== null && IS_TEXT.test(raw.native);
    const native = isText ? redactor.redact([raw.native!])[0]! : raw.native;
    const other = withNames(raw, MASKED, names);
    const isSame = text === raw.text && native === raw.native;
    return isSame ? other : Object.assign({}, other, { text, native });
  });
  return { rawEntries: masked, open: stream.open };
}

const NAMED = ['title', 'version', 'cwd', 'branch', 'remote', 'original_cwd'] as const;

/** Masks the facts of sessions from logs. An absent fact stays absent. */
export function redactFacts(facts: readonly SessionFacts[], redactor: Redactor): SessionFacts[] {
  const named = facts.flatMap((fact) => NAMED.map((name) => fact[name]));
  const names = maskedNames(named, redactor);
  return facts.map((fact) => withNames(fact, NAMED, names));
}

/** Fields with ids, hashes, counts or times, which must stay unchanged. */
const JOINS =
  /^(?:id|native|session|parent|telling|turn|call|polls|process|bang|task|hash|time|file|said|seen|queued|uuid)$|(?:Id|_id|Hash)$/;

/**
 * Masks every name in the saved state of a log's reading (folders, branches, files, tools,
 * commands, kinds of records) as in the entries. A second masking changes nothing.
 * @param state plain JSON
 */
export function redactState(state: unknown, redactor: Masks): unknown {
  const found: string[] = [];
  map(state, (text) => {
    found.push(text);
    return text;
  });
  const names = maskedNames(found, redactor);
  return names.size === 0 ? state : map(state, (text) => names.get(text) ?? text);
}

function map(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => map(each, change));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [
    key,
    JOINS.test(key) ? inner : map(inner, change),
  ]);
  return Object.fromEntries(fields) as unknown;
}

/** Shorter pieces of an encoding occur by chance. */
const LEAST_ENCODED = 8;

/** Base64 of the text at each offset in a longer run, without characters of the neighbours. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
    const encoded = whole.toString('base64');
    return encoded.slice([0, 2, 3][shift], encoded.length - [0, 3, 2][whole.length % 3]!);
  });
}

function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Usual spellings of a text, each once, the plain one first: escaped in JSON, in a URL, in base64
 * or hexadecimal. Encrypted, compressed or divided text is not found.
 */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const url = encodeURIComponent(bytes.toString('utf8'));
  const base64 = base64Of(bytes);
  const hex = bytes.toString('hex');
  const encoded = [
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    ...[hex, hex.toUpperCase()],
  ];
  const all = [
    ...[text, jsonOf(text), jsonOf(jsonOf(text))],
    // Many encoders escape every character beyond ASCII.
    jsonOf(text).replace(
      /[\u0080-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
    ...[url, url.replaceAll('%20', '+'), url.replace(/%../g, (code) => code.toLowerCase())],
    ...encoded.filter((each) => each.length >= LEAST_ENCODED),
  ];
  return [...new Set(all)];
}
