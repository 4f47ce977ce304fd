/** Values of foreign JSON and texts: every getter returns a usable value or null; none throws. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty object for anything else. */
export function object(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty list for anything else. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value of a JSON text, null if it is incomplete; any other value unchanged. */
export function parseAny(json: unknown): unknown {
  if (typeof json !== 'string') return json;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

/** The object of a JSON text; an empty object if it is missing or incomplete. */
export function parse(json: unknown): Json {
  return object(parseAny(json));
}

/** A non-empty string, else null. */
export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A name or path of reasonable length, else null: a stored state must stay small. */
export function short(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 1024 ? value : null;
}

/** The path of a `file://` URL. */
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

/** The lines of a text, also with the line ends of Windows. */
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
 * A log's time as ISO 8601 UTC with milliseconds, or null. Numbers over 1e14 are microseconds, over
 * 1e11 milliseconds, else seconds. A string without a zone gives null.
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
 * A time without zone, to the millisecond, or null; a time with a zone is returned as by `isoTime`.
 */
export function zonelessTime(value: unknown): string | null {
  const found = typeof value === 'string' ? LOCAL.exec(value) : null;
  if (!found) return isoTime(value);
  const local = `${found[1]}T${found[2]}.${(found[3] ?? '').slice(0, 3).padEnd(3, '0')}`;
  return Number.isNaN(Date.parse(`${local}Z`)) ? null : local;
}

/**
 * The trimmed text between two marks, else null. A pattern is slower: it tries each opening mark.
 */
export function between(text: string, open: string, close: string): string | null {
  const from = text.indexOf(open) + open.length;
  const to = from < open.length ? -1 : text.indexOf(close, from);
  return to < 0 ? null : text.slice(from, to).trim();
}

/** Accepts only years that ISO writes with four digits. */
function fromMs(ms: number): string | null {
  return ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : null;
}

/** Whether a value nests deeper than `most`. The check itself never recurses deeper. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  for (const key in value) if (isDeeper((value as Json)[key], most - 1)) return true;
  return false;
}
