/**
 * Logs and how far they were read. A log keeps its row (`log`) if its file moves, so entries always
 * have its present path.
 */
import type { BadLine, Checkpoint } from '../../types.js';
import { type Db, type Params, appendRows, columnsOf, fieldsOf } from '../db.js';

/** Bad lines to store per log; the checkpoint counts all. */
const BAD_LINES_KEPT = 100;

/** Fields that `own.sources` stores unchanged. */
const FIELDS = [
  ...([
    'log',
    'agent',
    'path',
    'device',
    'inode',
    'offset',
    'line',
    'head_length',
    'head_hash',
    'tail_length',
  ] as const),
  ...(['tail_hash', 'size', 'mtime_ms', 'state', 'bad_lines', 'session', 'last_read'] as const),
];

/** Fields that identify the log of a checkpoint. */
type Seen = Pick<
  Checkpoint,
  'agent' | 'path' | 'device' | 'inode' | 'head_length' | 'head_hash' | 'session'
> & { log: number };

/** A log's place in the file system. */
type Located = Pick<Checkpoint, 'path' | 'device' | 'inode'>;

/** Condition for checkpoints with one of the paths or files of `located`. */
const LOCATED = `path IN (SELECT unnest($paths)) OR device || ':' || inode IN (SELECT unnest($files))`;

function located(logs: readonly Located[]): Params {
  return {
    paths: logs.map(({ path }) => path),
    files: logs.map(({ device, inode }) => `${device}:${inode}`),
  };
}

/**
 * Checkpoints, the last read one last.
 * @param of logs whose path or file a checkpoint has; default: all checkpoints
 */
export async function loadCheckpoints(
  db: Db,
  of?: readonly Located[],
): Promise<(Checkpoint & { log: number })[]> {
  const rows = await db.all<Checkpoint & { log: number; types: string; last_read: string | null }>(
    `SELECT ${fieldsOf('s', FIELDS)}, s.unknown_types AS types FROM own.sources s
     WHERE ${of ? LOCATED : 'true'} ORDER BY s.last_read, s.log`,
    of && located(of),
  );
  return rows.map(({ types, ...row }) => ({
    ...row,
    unknown_types: JSON.parse(types) as Record<string, number>,
    last_read: row.last_read ?? '',
  }));
}

/**
 * Saves how far logs were read; call it in the transaction that stores the entries. The last of
 * several checkpoints of a log counts.
 *
 * @returns the row number of each log, unchanged if the file only moved or grew
 */
export async function saveCheckpoints(db: Db, checkpoints: Checkpoint[]): Promise<number[]> {
  if (checkpoints.length === 0) return [];
  const near = await db.all<Seen>(
    `SELECT log, agent, path, device, inode, head_length, head_hash, session FROM own.sources
     WHERE ${LOCATED} ORDER BY log DESC`,
    located(checkpoints),
  );
  const [top] = await db.all<{ log: number }>(
    'SELECT coalesce(max(log), 0) AS log FROM own.sources',
  );
  const rows = new Map<number, Checkpoint & { log: number }>();
  const seen = [...near];
  let next = (top?.log ?? 0) + 1;
  const logs = checkpoints.map((checkpoint) => {
    const log =
      planSource(
        checkpoint,
        seen.filter(({ agent }) => agent === checkpoint.agent),
      ) ?? next++;
    const at = seen.findIndex((row) => row.log === log);
    const session = checkpoint.session ?? seen[at]?.session ?? null;
    if (at >= 0) seen.splice(at, 1);
    seen.unshift({ ...checkpoint, log, session });
    rows.set(log, { ...checkpoint, log, session });
    return log;
  });
  const changed = [...new Set(logs)];
  await db.run('DELETE FROM own.sources WHERE log IN (SELECT unnest($logs::BIGINT[]))', {
    logs: changed.map(BigInt),
  });
  const saved = changed.map((log) => rows.get(log)!);
  await db.append('own.sources', {
    ...columnsOf(saved, ...FIELDS),
    unknown_types: saved.map(({ unknown_types }) => JSON.stringify(unknown_types)),
  });
  return logs;
}

/** Stores unreadable lines that are not stored yet. */
export async function saveBadLines(db: Db, log: number, bad: BadLine[]): Promise<void> {
  if (bad.length === 0) return;
  await db.run(
    'DELETE FROM own.bad_lines WHERE log = $log AND "offset" IN (SELECT unnest($offsets::BIGINT[]))',
    { log, offsets: bad.map((line) => BigInt(line.offset)) },
  );
  const [{ kept }] = (await db.all<{ kept: number }>(
    'SELECT count(*) AS kept FROM own.bad_lines WHERE log = $log',
    { log },
  )) as [{ kept: number }];
  const room = bad.slice(0, Math.max(0, BAD_LINES_KEPT - kept));
  await appendRows(
    db,
    'own.bad_lines',
    room.map(({ path, line, offset, reason }) => ({ log, path, line, offset, reason })),
  );
}

/** Bad lines of all logs under their present paths, at most `limit`. */
export function loadBadLines(db: Db, limit: number): Promise<BadLine[]> {
  return db.all(
    `SELECT coalesce(s.path, b.path) AS path, b.line, b."offset", b.reason FROM own.bad_lines b LEFT
      JOIN own.sources s ON s.log = b.log
     ORDER BY 1, 3 LIMIT $limit`,
    { limit },
  );
}

/** Logs with their sessions, without automated ones. */
export function logsOfSessions(
  db: Db,
): Promise<{ path: string; agent: string; session: string }[]> {
  return db.all(
    `SELECT s.path, s.agent, s.session FROM own.sources s
     JOIN own.session_facts f ON f.agent = s.agent AND f.session = s.session AND NOT f.is_machine`,
  );
}

interface SourceStats {
  agent: string;
  files: number;
  entries: number;
  bad_lines: number;
  last_read: string | null;
  /** Record types that the adapter does not know, with their number of occurrences. */
  unknown_types: Record<string, number>;
}

/** Statistics of the logs per agent. */
export async function sourceStats(db: Db): Promise<SourceStats[]> {
  const rows = await db.all<Omit<SourceStats, 'unknown_types'> & { types: string[] | null }>(
    `SELECT s.agent, count(*) AS files, coalesce(any_value(e.entries), 0) AS entries, sum(s.bad_lines)::BIGINT AS bad_lines,
       max(s.last_read) AS last_read, list(s.unknown_types) FILTER (s.unknown_types <> '{}') AS types
     FROM own.sources s LEFT JOIN (SELECT agent, count(*) AS entries FROM own.entries WHERE rev = 1
       GROUP BY agent) e ON e.agent = s.agent
     GROUP BY s.agent ORDER BY s.agent`,
  );
  return rows.map(({ types, ...row }) => ({ ...row, unknown_types: sumCounts(types ?? []) }));
}

/** @param list counts by name, as JSON */
function sumCounts(list: readonly string[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const counts of list)
    for (const [name, count] of Object.entries(JSON.parse(counts) as Record<string, number>))
      sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Stored = Pick<Checkpoint, 'path' | 'device' | 'inode' | 'head_length' | 'head_hash'> & {
  log: number;
};

/**
 * Which stored log a checkpoint belongs to; null = a log never seen before. `near` are the stored
 * logs with the same path or the same device and inode, newest first.
 *
 * - same file (device, inode) at the same path: grown, truncated or rewritten in place;
 * - same file with the same head at another path: moved;
 * - another file at the same path with the same head: rewritten by rename;
 * - another file at the same path with another head: rotation. The old row keeps its entries and
 *   follows the old file.
 */
export function planSource(checkpoint: Checkpoint, near: Stored[]): number | null {
  const sameFile = (row: Stored) =>
    row.device === checkpoint.device && row.inode === checkpoint.inode;
  const sameHead = (row: Stored) =>
    row.head_hash === checkpoint.head_hash && row.head_length === checkpoint.head_length;
  const samePath = (row: Stored) => row.path === checkpoint.path;
  const found =
    near.find((row) => sameFile(row) && samePath(row)) ??
    near.find((row) => sameFile(row) && sameHead(row)) ??
    near.find((row) => samePath(row) && sameHead(row));
  return found?.log ?? null;
}
