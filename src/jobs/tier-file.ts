/** A tier on disk: entries of one session and UTC day, one JSON object a line, gzipped. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gunzipSync, gzipSync } from 'node:zlib';
import type { TierKey } from '../store/index.js';
import { sessionKey } from '../types.js';

/** A gzip bomb among the tiers must not fill the memory. */
const LARGEST_BYTES = 512 * 1024 * 1024;

export type TierRow = Record<string, unknown> & { id: string; rev?: number; text?: string | null };

/** First 8 hex of our hash of agent and session. */
const session8 = (agent: string, session: string): string => createHash('sha256').update(sessionKey(agent, session)).digest('hex').slice(0, 8);

/** `2026-11-20-a3f29c01.jsonl.gz`; the day has been checked to be a date. */
export const tierName = ({ agent, session, day }: TierKey): string => `${day}-${session8(agent, session)}.jsonl.gz`;

/** ISO week of a UTC day, e.g. `2026-W46`; the week belongs to the year of its Thursday. */
const isoWeek = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`);
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((thursday.getTime() - first) / 86_400_000 + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
};

export const recentPath = (folder: string, key: TierKey): string => join(folder, 'recent', tierName(key));
export const archivePath = (folder: string, key: TierKey): string => join(folder, 'archive', isoWeek(key.day), tierName(key));

/** The same rows always give the same bytes. */
export const packTier = (rows: readonly TierRow[]): Buffer => gzipSync(rows.map((row) => `${JSON.stringify(row, bigintAsNumber)}\n`).join(''), { level: 6 });

const bigintAsNumber = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

export interface Unpacked {
  rows: TierRow[];
  /** Lines or bytes that could not be read; the rest was. */
  damaged: boolean;
}

/** Reads a tier as far as it can be read: a torn end costs only what was torn; of one that unpacks to more than `largest` bytes nothing is read. */
export const unpackTier = (bytes: Buffer, largest = LARGEST_BYTES): Unpacked => {
  let text: string;
  let damaged = false;
  try {
    text = gunzipSync(bytes, { maxOutputLength: largest }).toString('utf8');
  } catch {
    damaged = true;
    try {
      text = gunzipSync(bytes, { maxOutputLength: largest, finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
    } catch {
      return { rows: [], damaged };
    }
  }
  const rows: TierRow[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    try {
      const row: unknown = JSON.parse(line);
      if (typeof row === 'object' && row !== null && typeof (row as TierRow).id === 'string') rows.push(row as TierRow);
      else damaged = true;
    } catch {
      damaged = true;
    }
  }
  return { rows, damaged };
};

export const readTier = (path: string): Unpacked | null => (existsSync(path) ? unpackTier(readFileSync(path)) : null);

/**
 * What a rewritten tier holds: the rows of the database, and what only the old file still has: text that left the database, rows that were lost with it.
 * In the order of path, seq, id, as the database gives them.
 */
export const mergeTier = (fresh: readonly TierRow[], old: readonly TierRow[]): TierRow[] => {
  const before = new Map(old.map((row) => [row.id, row]));
  const merged = fresh.map((row) => {
    const known = before.get(row.id);
    before.delete(row.id);
    return row.text == null && known?.text != null && (known.rev === row.rev || known['hash'] === row['hash']) ? { ...row, text: known.text } : row;
  });
  return [...merged, ...before.values()].sort(inOrder);
};

const inOrder = (a: TierRow, b: TierRow): number => {
  const [x, y] = [a, b].map((row) => [String(row['path']), Number(row['seq']), row.id] as const) as [readonly [string, number, string], readonly [string, number, string]];
  return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] - y[1] || (x[2] < y[2] ? -1 : x[2] > y[2] ? 1 : 0);
};

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
