/**
 * Entries whose text left the database: looked for in the archive's files, which are read whole, so only when it is asked for.
 */
import type { Role } from '../../types.js';
import type { Db } from '../db.js';
import type { EntryHit } from './search-words.js';

interface ArchiveQuery {
  /** Any of these, in lower case, has to stand in the text; or `exact` as it is written. */
  words: string[];
  exact: string | null;
  /** Slugs. */
  projects?: string[];
  agents?: string[];
  roles?: Role[];
  /** Entry times, inclusive and exclusive, ISO 8601. */
  from?: string;
  until?: string;
  /** As of `EntryFilter`. */
  tool?: string;
  file?: string;
  limit: number;
}

/** Most words that are looked for: each costs a pass over every text. */
const MOST_WORDS = 24;

/** Once a text, not once a word: that took four fifths of the time. Accents cost more than all else, and most texts have none. */
const FOLDED = 'CASE WHEN strlen(a.text) = length(a.text) THEN lower(a.text) ELSE strip_accents(lower(a.text)) END';

/**
 * Archived entries that hold most of the weight of the words (rare ones weigh more), what a program put in last, then the newest.
 * Entries whose text the database still has are left out: the search of the log finds them. `score` is 0; scoring whole terms is
 * the caller's.
 */
export async function searchArchive(db: Db, { words, exact, limit, ...filter }: ArchiveQuery): Promise<EntryHit[]> {
  const needles = exact === null ? [...new Set(words)].slice(0, MOST_WORDS) : [exact];
  if (needles.length === 0 || needles.some((needle) => needle === '')) return [];
  const { where, params } = conditionOf(filter);
  const found = await db.all<{ id: string; tier: string }>(
    `WITH folded AS (
       SELECT a.id, a.tier, a.origin, a.time, ${exact === null ? FOLDED : 'a.text'} AS text FROM main.archive_entries a
       WHERE ${where}),
     holding AS (
       SELECT id, tier, origin, time, list_filter($needles::VARCHAR[], lambda needle: contains(text, needle)) AS needles
       FROM folded),
     held AS MATERIALIZED (
       SELECT a.id, a.tier, a.origin, a.time, unnest(a.needles) AS needle FROM holding a WHERE len(a.needles) > 0
         AND NOT EXISTS (FROM own.entries e JOIN own.texts t ON t.n = e.n WHERE e.id = a.id)
         AND NOT EXISTS (FROM own.purged p WHERE p.id = a.id)),
     weights AS (SELECT needle, ln(1e0 + (SELECT count(*) FROM held) / count(*)) AS weight FROM held GROUP BY needle)
     SELECT h.id, max(h.tier) AS tier FROM held h JOIN weights w ON w.needle = h.needle
     GROUP BY h.id ORDER BY round(sum(w.weight), 9) DESC, any_value(h.origin) = 'injected', max(h.time) DESC NULLS LAST, h.id
       LIMIT $limit`,
    { ...params, needles, limit },
  );
  return found.length === 0 ? [] : fetchArchived(db, found);
}

/** The rows themselves, from no more files than hold them, in the order found. */
async function fetchArchived(db: Db, found: { id: string; tier: string }[]): Promise<EntryHit[]> {
  const rows = await db.all<EntryHit>(
    `SELECT DISTINCT ON (id) id, 0e0 AS score, coalesce(text, '') AS text, agent, session, project, time, role, origin, tool,
      path, line
     FROM main.archive_entries WHERE tier IN (SELECT unnest($tiers)) AND id IN (SELECT unnest($ids)) ORDER BY id, rev DESC`,
    { tiers: [...new Set(found.map(({ tier }) => tier))], ids: found.map(({ id }) => id) },
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ id }) => byId.get(id) ?? []);
}

function conditionOf({ projects, agents, roles, from, until, tool, file }: Omit<ArchiveQuery, 'words' | 'exact' | 'limit'>): {
  where: string;
  params: Record<string, string | string[]>;
} {
  const parts: [sql: string, name: string, value: string | string[] | undefined][] = [
    ['a.project IN (SELECT unnest($projects))', 'projects', projects],
    ['a.agent IN (SELECT unnest($agents))', 'agents', agents],
    ['a.role IN (SELECT unnest($roles))', 'roles', roles],
    ['a.time >= $from::TIMESTAMP', 'from', from],
    ['a.time < $until::TIMESTAMP', 'until', until],
    ['lower(a.tool) = lower($tool)', 'tool', tool],
    [
      "(contains(a.command, $file) OR len(list_filter(a.files, lambda f: contains(replace(f, chr(92), '/'), $file))) > 0)",
      'file',
      file,
    ],
  ];
  const given = parts.filter((part): part is [string, string, string | string[]] => part[2] !== undefined);
  return {
    where: ['true', ...given.map(([sql]) => sql)].join(' AND '),
    params: Object.fromEntries(given.map(([, name, value]) => [name, value])),
  };
}
