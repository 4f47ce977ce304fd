import { type Db, columnsOf, first } from '../db.js';

/** A short id that an agent wrote in an answer, e.g. `^k3f`. */
interface Cited {
  short: string;
  agent: string;
  session: string;
  project: string | null;
  time: string | null;
}

/** The running number of the newest entry, up to which citations can have been looked for. */
export async function newestEntry(db: Db): Promise<number> {
  return (await first<{ n: number | null }>(db, 'SELECT max(n) AS n FROM own.entries'))?.n ?? 0;
}

/**
 * Lessons that agents cite in entries newer than `after` up to `upTo`, once a session. A short id counts when exactly one lesson
 * begins with it. The texts are scanned, not joined: what is kept of them are the few that hold a caret.
 * @returns uses that are not known yet
 */
export async function findCitations(db: Db, after: number, upTo: number): Promise<Use[]> {
  const cited = await db.all<Cited>(
    `WITH found AS MATERIALIZED (
       SELECT n, regexp_extract_all(text, '(?:^|[\\s(\\[,;])\\^([a-z0-9]{3,16})\\b', 1) AS shorts FROM own.texts
       WHERE n > $after AND n <= $upTo AND contains(text, '^'))
     SELECT DISTINCT c.short, e.agent, e.session, e.project, min(e.time) OVER (PARTITION BY e.agent, e.session, c.short) AS time
     FROM (SELECT n, unnest(shorts) AS short FROM found) c JOIN own.current_entries e ON e.n = c.n
     WHERE e.n > $after AND e.n <= $upTo AND e.role = 'assistant' AND e.origin = 'agent' ORDER BY ALL`,
    { after, upTo },
  );
  if (cited.length === 0) return [];
  const ids = (await db.all<{ id: string }>('SELECT DISTINCT id FROM own.lessons ORDER BY id')).map(({ id }) => id);
  const known = new Set(
    (await db.all<{ id: string; session: string }>(`SELECT id, session FROM own.uses WHERE door = 'cited'`)).map(
      ({ id, session }) => `${id} ${session}`,
    ),
  );
  return cited.flatMap(({ short, agent, session, project, time }) => {
    const [id, other] = ids.filter((each) => each.startsWith(short));
    if (id === undefined || other !== undefined || time === null || known.has(`${id} ${session}`)) return [];
    known.add(`${id} ${session}`);
    return [{ time, type: 'lesson' as const, id, door: 'cited', agent, session, project }];
  });
}

/** Something remembered was shown or cited. */
export interface Use {
  time: string;
  type: 'lesson' | 'entry' | 'episode' | 'note';
  id: string;
  /** Where: `search`, `show`, `recall`, `cited` … */
  door: string;
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
}

export function addUses(db: Db, uses: Use[]): Promise<void> {
  return db.append('own.uses', columnsOf(uses, 'time', 'type', 'id', 'door', 'agent', 'session', 'project'));
}
