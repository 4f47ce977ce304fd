/** A tier on disk: entries of one session and UTC day, one JSON object a line, gzipped. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { TierKey } from '../../store/index.js';
import { hashedTermsOf } from '../../terms/index.js';
import { type Origin, type Outcome, type PreparedEntry, type Role, sessionKey } from '../../types.js';
import { storedText } from '../reading/text-cap.js';

export type TierRow = Record<string, unknown> & { id: string; rev?: number; text?: string | null };

/** First 8 hex of our hash of agent and session. */
function session8(agent: string, session: string): string {
  return createHash('sha256').update(sessionKey(agent, session)).digest('hex').slice(0, 8);
}

/** `2026-11-20-a3f29c01.jsonl.gz`; the caller has checked that the day is a date. */
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

/** A row as one line, including the newline. */
export function tierLine(row: TierRow): string {
  return `${JSON.stringify(row, bigintAsNumber)}\n`;
}

function bigintAsNumber(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

// Converts a tier's line back to an entry with its search terms. Pure.

const ROLES: readonly Role[] = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system'];
const ORIGINS: readonly Origin[] = ['user', 'agent', 'tool', 'external', 'injected'];
const OUTCOMES: readonly Outcome[] = ['ok', 'failed', 'rejected', 'interrupted'];

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
function oneOf<T extends string>(known: readonly T[], value: unknown): T | null {
  return known.find((each) => each === value) ?? null;
}

/** Null for a line that is not an entry; the text was redacted before it was written. */
export function rowToEntry(row: TierRow): PreparedEntry | null {
  const { agent, session, role, origin, hash, path } = row as Record<string, unknown>;
  const [knownRole, knownOrigin] = [oneOf(ROLES, role), oneOf(ORIGINS, origin)];
  if (
    !/^[0-9a-f]{32}$/.test(row.id) ||
    typeof agent !== 'string' ||
    typeof session !== 'string' ||
    typeof hash !== 'string' ||
    !knownRole ||
    !knownOrigin
  )
    return null;
  const words = text(row.text) ?? '';
  const { terms, length } = hashedTermsOf(words);
  return {
    id: row.id,
    agent,
    session,
    seq: number(row['seq']) ?? 0,
    time: text(row['time']),
    role: knownRole,
    origin: knownOrigin,
    tool: text(row['tool']),
    text: storedText(words),
    hash,
    call: text(row['call']),
    command: text(row['command']),
    exit: number(row['exit']),
    outcome: oneOf(OUTCOMES, row['outcome']),
    error: text(row['error']),
    files: texts(row['files']),
    cwd: text(row['cwd']),
    branch: text(row['branch']),
    marks: texts(row['marks']),
    copied: row['copied'] === true,
    path: text(path) ?? '',
    line: number(row['line']) ?? 0,
    terms,
    length,
    ...(text(row.text) === null ? { textMissing: true as const } : {}),
  };
}
