/** What stands around an entry in its session: the prose before and after it, and whether a tool call follows. */
import type { Role } from '../../types.js';
import type { Db } from '../db.js';

/** Rows on each side that are looked at. An entry further off is no neighbour, and rows are stored in the order of their logs. */
const REACH = 8;

export interface Surroundings {
  /** Rows of the nearest messages of the user or the agent. */
  before: number | null;
  after: number | null;
  /** The next entry is a tool call: what the agent said announces it. */
  callFollows: boolean;
}

interface Row {
  n: number;
  agent: string;
  session: string;
  seq: number;
  role: Role;
}

/** Surroundings of these rows of own.entries, by their running number. */
export async function surroundings(db: Db, wanted: readonly number[]): Promise<Map<number, Surroundings>> {
  if (wanted.length === 0) return new Map();
  const near = new Set(wanted.flatMap((n) => Array.from({ length: 2 * REACH + 1 }, (_, i) => n - REACH + i)));
  const rows = await db.all<Row>(
    'SELECT e.n, e.agent, e.session, e.seq, e.role FROM own.entries e WHERE e.n IN (SELECT unnest($near)) ORDER BY e.seq, e.n',
    { near: [...near].map(BigInt) },
  );
  return surroundingsAmong(rows, new Set(wanted));
}

/** @param rows in the order of their sessions. Pure. */
export function surroundingsAmong(rows: readonly Row[], wanted: ReadonlySet<number>): Map<number, Surroundings> {
  const sessions = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.agent}\u0000${row.session}`;
    const known = sessions.get(key);
    if (known) known.push(row);
    else sessions.set(key, [row]);
  }
  const found = new Map<number, Surroundings>();
  for (const session of sessions.values()) {
    session.forEach(({ n }, at) => {
      if (!wanted.has(n)) return;
      const isNear = (row: Row) => isProse(row) && Math.abs(row.n - n) <= REACH;
      found.set(n, {
        before: session.slice(0, at).findLast(isNear)?.n ?? null,
        after: session.slice(at + 1).find(isNear)?.n ?? null,
        callFollows: session[at + 1]?.role === 'tool_call',
      });
    });
  }
  return found;
}

function isProse({ role }: Row): boolean {
  return role === 'user' || role === 'assistant';
}
