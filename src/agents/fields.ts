/** Reads untrusted JSON: every getter returns a usable value or null, and none throws. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; anything else is an empty one. */
export function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value as a list; anything else is an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value of a JSON text, null if it is torn; any other value as it is. */
export function parseAny(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

/** The object of a JSON text; an empty one if it is not there, or half written. */
export function parse(json: unknown): Json {
  return object(parseAny(json));
}

/** A non-empty string, else null. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A name or path of reasonable length, else null: what a state keeps must be small. */
export function short(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 1024 ? value : null;
}

/** The path of a `file://` address. */
export function pathOf(uri: unknown): string | null {
  const path = short(uri)?.replace(/^file:\/\//, '') ?? null;
  try {
    return path === null ? null : decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The text without embedded pictures and files (`data:…;base64,…`). */
export function dropBinary(value: string): string {
  return value.includes(';base64,')
    ? value.replace(/data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z\d+/=]{64,}/g, '[binary]')
    : value;
}

/** The lines of a text; Windows ends them with two characters. */
export function linesOf(value: string): string[] {
  return value.split(/\r?\n/);
}

/** A whole number, else null. */
export function whole(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** A number of tokens; 0 for anything else. */
export function count(value: unknown): number {
  return Math.max(0, whole(value) ?? 0);
}

const UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/**
 * A time of a log as ISO 8601 UTC with milliseconds, or null. Numbers over 1e14 are microseconds,
 * over 1e11 milliseconds, else seconds. A string without a zone gives null.
 */
export function isoTime(value: unknown): string | null {
  if (typeof value === 'string') {
    const utc = UTC.exec(value);
    if (utc && !Number.isNaN(Date.parse(value)))
      return utc[2]?.length === 3
        ? value
        : `${utc[1]}.${(utc[2] ?? '').slice(0, 3).padEnd(3, '0')}Z`;
    return value.length < 64 && /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value)
      ? fromMs(Date.parse(value))
      : null;
  }
  if (typeof value !== 'number' || !(value > 0)) return null;
  return fromMs(value > 1e14 ? value / 1000 : value > 1e11 ? value : value * 1000);
}

const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?$/;

/**
 * A time without a zone, to the millisecond and still without one, or null; a time with a zone as
 * `isoTime` returns it.
 */
export function zonelessTime(value: unknown): string | null {
  const found = typeof value === 'string' ? LOCAL.exec(value) : null;
  if (!found) return isoTime(value);
  const local = `${found[1]}T${found[2]}.${(found[3] ?? '').slice(0, 3).padEnd(3, '0')}`;
  return Number.isNaN(Date.parse(`${local}Z`)) ? null : local;
}

/** The trimmed text between two marks, else null; a pattern would try each opening mark again. */
export function between(text: string, open: string, close: string): string | null {
  const from = text.indexOf(open) + open.length;
  const to = from < open.length ? -1 : text.indexOf(close, from);
  return to < 0 ? null : text.slice(from, to).trim();
}

/** Dates that a log can contain; ISO years outside 1-9999 have another shape. */
function fromMs(ms: number): string | null {
  return ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : null;
}

/**
 * 64 bits of FNV-1a over UTF-16 units as 16 hex characters: enough to recognise a text, but no
 * protection against an adversary.
 */
export function textHash(value: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ ((unit << 7) | (unit >> 3)), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, '0') + (high >>> 0).toString(16).padStart(8, '0');
}

const lengths = new WeakMap<object, number>();

/** Length of an object as JSON, computed once: for one that never changes. */
export function jsonLength(value: object): number {
  let length = lengths.get(value);
  if (length === undefined) lengths.set(value, (length = JSON.stringify(value).length));
  return length;
}

// What an adapter's state may keep of a command: the state is stored before redaction.

const SECRET =
  /pass|secret|token|api[-_]?key|bearer|authori[sz]ation|credential|private|-----BEGIN|:\/\/[^\s/]*@|\w@[a-z][\w-]*\.[a-z]|\s-[up]\s?\S|\d{7,}/i;
const RANDOM = /(?<![A-Za-z\d_+=-])(?=[A-Za-z_+=-]*\d)(?=[\d_+=-]*[A-Za-z])[A-Za-z\d_+=-]{20,}/;

/**
 * A command that writes a file contains the content, which may belong to a file that must not be
 * stored.
 */
const WRITES = /<<|(?:^|[^\d&>=-])\d?>{1,2}\s*(?!\/dev\/null)[^&\s>]|\btee\b/;

/** Words of a name are parted by hyphens and underscores, those of a key are not. */
const KEY = /(?<![A-Za-z\d])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{20,}/;

/** Whether a path is short and no part of it looks like a key. */
export function isPlainPath(path: string): boolean {
  return path.length <= 300 && !KEY.test(path);
}

/** The command if it is short and cannot contain a secret; else null. */
export function plainCommand(command: string | null): string | null {
  return command === null ||
    command.length > 1000 ||
    SECRET.test(command) ||
    RANDOM.test(command) ||
    WRITES.test(command)
    ? null
    : command;
}
