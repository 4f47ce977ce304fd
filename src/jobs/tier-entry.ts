/** A tier's line as an entry again, with its search terms. Pure. */
import { hashedTermsOf } from '../terms/index.js';
import type { Origin, Outcome, PreparedEntry, Role } from '../types.js';
import { storedText } from './text-cap.js';
import type { TierRow } from './tier-file.js';

const ROLES: readonly Role[] = ['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system'];
const ORIGINS: readonly Origin[] = ['user', 'agent', 'tool', 'external', 'injected'];
const OUTCOMES: readonly Outcome[] = ['ok', 'failed', 'rejected', 'interrupted'];

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
const oneOf = <T extends string>(known: readonly T[], value: unknown): T | null => known.find((each) => each === value) ?? null;

/** Null for a line that is no entry; the text was redacted before it was written. */
export const rowToEntry = (row: TierRow): PreparedEntry | null => {
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
};
