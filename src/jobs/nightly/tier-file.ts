/** A tier on disk: entries of one session and UTC day, one JSON object a line, gzipped. */
import { join } from 'node:path';
import type { TierKey } from '../../store/index.js';
import { hashedTermsOf } from '../../terms/index.js';
import { entryOfRow, type PreparedEntry, sessionKey } from '../../types.js';
import { storedText } from '../reading/text-cap.js';
import { shortHash } from '../../text/fingerprint.js';

export type TierRow = Record<string, unknown> & { id: string; rev?: number; text?: string | null };

/** First 8 hex of our hash of agent and session. */
function session8(agent: string, session: string): string {
  return shortHash(sessionKey(agent, session), 8);
}

/** `2026-11-20-a3f29c01.jsonl.gz`; the day has been checked to be a date. */
export function tierName({ agent, session, day }: TierKey): string {
  return `${day}-${session8(agent, session)}.jsonl.gz`;
}

/** ISO week of a UTC day, e.g. `2026-W46`; the week belongs to the year of its Thursday. */
function isoWeek(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const thursday = new Date(date.getTime() + (4 - (date.getUTCDay() || 7)) * 86_400_000);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.ceil(((thursday.getTime() - first) / 86_400_000 + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}

export function recentPath(folder: string, key: TierKey): string {
  return join(folder, 'recent', tierName(key));
}
export function archivePath(folder: string, key: TierKey): string {
  return join(folder, 'archive', isoWeek(key.day), tierName(key));
}

/** A row as its line, with the line's end. */
export function tierLine(row: TierRow): string {
  return `${JSON.stringify(row, bigintAsNumber)}\n`;
}

function bigintAsNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/**
 * A tier's line as an entry again, with its search terms; null for a line that is no entry or has
 * no text. Pure.
 */
export function rowToEntry(row: TierRow): PreparedEntry | null {
  const entry = typeof row.text === 'string' ? entryOfRow(row) : null;
  return entry && { ...entry, text: storedText(entry.text), ...hashedTermsOf(entry.text) };
}
