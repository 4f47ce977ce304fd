/** Parses one line of a log into records, or reports it as bad, so that reading goes on. */
import { splitGlued } from '../agents/glued.js';
import type { Line } from './split-lines.js';
import { isDeeper, isObject } from '../text/fields.js';

/** Deeper values are bad lines: adapters walk values by recursion, and no agent nests this deep. */
const DEPTH_CAP = 256;

export interface ParsedLine {
  /** JSON objects, in order. More than one when records were joined without a newline. */
  values: object[];
  /** Why part of the line was left out, or null. */
  bad: string | null;
}

const NOTHING: ParsedLine = { values: [], bad: null };

/** Shorter lines are parsed without counting. */
const LOOKED_INTO_BYTES = 1024 * 1024;
/** Largest weight of a line; parsing more would exhaust the memory. A number in a list weighs 1. */
const MOST_WEIGHT = 4_000_000;
const KEY_WEIGHT = 8;
const LIST_WEIGHT = 4;

/**
 * Whether JSON contains so many small values that parsing it would take many times its size.
 * Strings are skipped, whatever their length.
 */
export function isOverfull(bytes: Buffer): boolean {
  if (bytes.length < LOOKED_INTO_BYTES) return false;
  let weight = 0;
  for (let at = 0; at < bytes.length && weight <= MOST_WEIGHT; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = stringEnd(bytes, at);
    else if (byte === 0x2c) weight += 1;
    else if (byte === 0x3a) weight += KEY_WEIGHT;
    else if (byte === 0x7b || byte === 0x5b) weight += LIST_WEIGHT;
  }
  return weight > MOST_WEIGHT;
}

/** The index of the quote that closes the string at `start`. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(0x22, start + 1); end >= 0; end = bytes.indexOf(0x22, end + 1)) {
    let slash = end;
    while (bytes[slash - 1] === 0x5c) slash--;
    if ((end - slash) % 2 === 0) return end;
  }
  return bytes.length;
}

/** Parses the content of a line; a blank line gives nothing. */
export function parseLine(line: Line): ParsedLine {
  if (isOverfull(line.bytes))
    return { values: [], bad: `too many values in ${line.bytes.length} bytes` };
  if (line.lost !== null)
    return {
      values: [],
      bad: `longer than the limit: ${line.lost.size} bytes, sha256:${line.lost.hash}`,
    };
  const bytes =
    line.offset === 0 && line.bytes.subarray(0, 3).equals(BOM)
      ? line.bytes.subarray(3)
      : line.bytes;
  if (line.nuls === 0) return parseText(bytes.toString('utf8'));
  const parts = bytes.toString('utf8').split('\0').map(parseText);
  return {
    values: parts.flatMap((part) => part.values),
    bad: [`${line.nuls} NUL bytes`, ...parts.flatMap((part) => part.bad ?? [])].join('; '),
  };
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function parseText(text: string): ParsedLine {
  if (text.length < 3 && text.trim() === '') return NOTHING;
  try {
    return accept([JSON.parse(text)]);
  } catch (error) {
    if (text.trim() === '') return NOTHING;
    const values = splitGlued(text);
    if (values !== null) return accept(values);
    const bad = describeFault(error as Error);
    return { values: accept(afterTorn(text)).values, bad };
  }
}

function accept(all: unknown[]): ParsedLine {
  const values: object[] = [];
  let bad: string | null = null;
  for (const value of all) {
    if (!isObject(value)) bad = 'JSON, but no record';
    else if (isDeeper(value, DEPTH_CAP)) bad = `nested deeper than ${DEPTH_CAP}`;
    else values.push(value);
  }
  return { values, bad };
}

/** The parser's own message quotes the text, which is not masked yet. */
function describeFault(error: Error): string {
  return /end of JSON|Unterminated/.test(error.message)
    ? 'not JSON: it ends too early'
    : 'not JSON';
}

/** Most suffixes that are tried, because each one is parsed. */
const TRIES = 16;

/**
 * The record that a restarted agent appended to a line that its crash left incomplete. Inside a
 * record `{"` follows `:`, `,`, `[` or a space, and inside a string the quote is escaped. Anywhere
 * else a new record starts, if the rest of the line is a complete record.
 */
function afterTorn(text: string): unknown[] {
  let tries = 0;
  for (let at = text.indexOf('{"', 1); at > 0 && tries < TRIES; at = text.indexOf('{"', at + 1)) {
    if (':,[ '.includes(text[at - 1]!)) continue;
    tries += 1;
    try {
      return [JSON.parse(text.slice(at))];
    } catch {
      const glued = splitGlued(text.slice(at));
      if (glued !== null) return glued;
    }
  }
  return [];
}
