import { IS_MASKED, type RawEntry, type SessionFacts } from '../types.js';
import type { Redactor } from './redactor.js';

const MASKED = (Object.keys(IS_MASKED) as (keyof typeof IS_MASKED)[]).filter(
  (field) => IS_MASKED[field],
);

/**
 * Masks secrets in every text of the raw entries.
 * @param open lines of a private key that the earlier raw entries left open
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
  const namesOf = rawEntries.map(namesIn);
  const names = maskedNames(namesOf.flat(), redactor);
  const masked = rawEntries.map((raw, i): RawEntry => {
    const text = stream.texts[i] as string;
    if (text === raw.text && namesOf[i]!.every((name) => names.get(name) === name)) return raw;
    return {
      ...raw,
      text,
      ...Object.fromEntries(MASKED.map((field) => [field, maskedValue(raw[field], names)])),
    };
  });
  return { rawEntries: masked, open: stream.open };
}

function namesIn(raw: RawEntry): string[] {
  return MASKED.flatMap((field) => raw[field]).filter((value) => typeof value === 'string');
}

function maskedValue(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => maskedValue(each, names));
  return typeof value === 'string' ? names.get(value) : value;
}

const NAMED = ['title', 'version', 'cwd', 'branch', 'remote', 'originalCwd'] as const;

/**
 * What logs say about their sessions, masked: title, folders, branch, remote. An absent fact stays
 * absent.
 */
export function redactFacts(facts: readonly SessionFacts[], redactor: Redactor): SessionFacts[] {
  const names = maskedNames(
    facts.flatMap((fact) => NAMED.map((name) => fact[name])),
    redactor,
  );
  return facts.map((fact) => {
    const masked: SessionFacts = { ...fact };
    for (const name of NAMED) {
      const value = fact[name];
      if (typeof value === 'string') masked[name] = names.get(value) as string;
    }
    return masked;
  });
}

/** Each different value once: commands, folders and branches repeat from raw entry to raw entry. */
function maskedNames(
  values: readonly (string | null | undefined)[],
  redactor: Redactor,
): Map<string, string> {
  const names = [...new Set(values.filter((value) => typeof value === 'string'))];
  const masked = redactor.redact(names);
  return new Map(names.map((name, i) => [name, masked[i] as string]));
}

// The ways in which a text may stand in a file: as it is, escaped in JSON, in a URL, in base64 or
// in hexadecimal.

/** Shorter pieces of an encoding are found by chance. */
const LEAST_ENCODED = 8;

/**
 * Base64 of the text wherever it may begin in a longer run: the characters that do not depend on
 * its neighbours.
 */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
    const head = [0, 2, 3][shift] as number;
    const tail = [0, 3, 2][whole.length % 3] as number;
    const encoded = whole.toString('base64');
    return encoded.slice(head, encoded.length - tail);
  });
}

function jsonOf(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As many encoders write it that escape everything beyond ASCII. */
function asciiJsonOf(text: string): string {
  return jsonOf(text).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Every usual spelling of a text, the plain one first, each once. What does not stand here
 * (encryption, compression, a text cut in two) is not found.
 */
export function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const url = encodeURIComponent(bytes.toString('utf8'));
  const base64 = base64Of(bytes);
  const encoded = [
    ...base64,
    ...base64.map((each) => each.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  const all = [
    text,
    jsonOf(text),
    jsonOf(jsonOf(text)),
    asciiJsonOf(text),
    url,
    url.replaceAll('%20', '+'),
    url.replace(/%../g, (code) => code.toLowerCase()),
    ...encoded.filter((each) => each.length >= LEAST_ENCODED),
  ];
  return [...new Set(all)];
}
