/** Reading foreign JSON without trust: every getter gives a usable value or null, and none throws. */

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as an object; anything else is an empty one. */
export const object = (value: unknown): Json => (isObject(value) ? value : {});

/** The value as a list; anything else is an empty one. */
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A non-empty string, else null. */
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A name or path of sane length, else null: what is kept in a state must be small. */
export const short = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 1024 ? value : null;

/** The text without embedded pictures and files (`data:…;base64,…`). */
export const dropBinary = (value: string): string =>
  value.includes(';base64,') ? value.replace(/data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z\d+/=]{64,}/g, '[binary]') : value;

/** A whole number, else null. */
export const whole = (value: unknown): number | null => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null);

const UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/;

/**
 * A time of a log as ISO 8601 UTC with milliseconds, or null.
 * Numbers: over 1e14 microseconds, over 1e11 milliseconds, else seconds. A string without a zone is not believed.
 */
export function isoTime(value: unknown): string | null {
  if (typeof value === 'string') {
    const utc = UTC.exec(value);
    if (utc && !Number.isNaN(Date.parse(value))) return `${utc[1]}.${(utc[2] ?? '').slice(0, 3).padEnd(3, '0')}Z`;
    return /T.*(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? fromMs(Date.parse(value)) : null;
  }
  if (typeof value !== 'number' || !(value > 0)) return null;
  return fromMs(value > 1e14 ? value / 1000 : value > 1e11 ? value : value * 1000);
}

/** Dates that a log can hold; ISO years outside 1-9999 have another shape. */
function fromMs(ms: number): string | null {
  return ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : null;
}
