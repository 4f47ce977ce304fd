import type { Db } from './db.js';
import { first } from './db.js';
import type { Use } from './uses.js';

/** A short id that an agent wrote in an answer, e.g. `^k3f`. */
interface Cited {
  short: string;
  agent: string;
  session: string;
  project: string | null;
  time: string | null;
}

/** The running number of the newest entry, up to which citations can have been looked for. */
export const newestEntry = async (db: Db): Promise<number> => (await first<{ n: number | null }>(db, 'SELECT max(n) AS n FROM own.entries'))?.n ?? 0;

/**
 * Lessons that agents cite in entries newer than `after`, once a session. A short id counts when exactly one lesson begins with it.
 * @returns uses that are not known yet
 */
export async function findCitations(db: Db, after: number): Promise<Use[]> {
  const cited = await db.all<Cited>(
    `SELECT DISTINCT c.short, e.agent, e.session, e.project, min(e.time) OVER (PARTITION BY e.agent, e.session, c.short) AS time
     FROM own.current_entries e JOIN own.texts t ON t.n = e.n, unnest(regexp_extract_all(t.text, '(?:^|[\\s(\\[,;])\\^([a-z0-9]{3,16})\\b', 1)) AS c(short)
     WHERE e.n > $after AND e.role = 'assistant' AND e.origin = 'agent' AND contains(t.text, '^')
     ORDER BY ALL`,
    { after },
  );
  if (cited.length === 0) return [];
  const ids = (await db.all<{ id: string }>('SELECT DISTINCT id FROM own.lessons ORDER BY id')).map(({ id }) => id);
  const known = new Set((await db.all<{ id: string; session: string }>(`SELECT id, session FROM own.uses WHERE door = 'cited'`)).map(({ id, session }) => `${id} ${session}`));
  return cited.flatMap(({ short, agent, session, project, time }) => {
    const [id, other] = ids.filter((each) => each.startsWith(short));
    if (id === undefined || other !== undefined || time === null || known.has(`${id} ${session}`)) return [];
    known.add(`${id} ${session}`);
    return [{ time, type: 'lesson' as const, id, door: 'cited', agent, session, project }];
  });
}
