/** Finds the entries, sessions and projects that a purge deletes. Reads only. */
import { type Db, type Params } from '../db.js';
import { textsOf, type TextKey } from '../rows/texts.js';
import { sessionLists } from '../rows/sessions.js';
import {
  hasOurWords,
  TABLE_NAMES,
  TABLES,
  textsIn,
  type TableName,
  type TablePurge,
} from '../tables.js';

/** What the purge deletes; exactly one field is set. */
export interface PurgeTarget {
  /** Every spelling of a text; empty when no text is purged. */
  needles: string[];
  session: { agent: string; session: string } | null;
  /** Project id. */
  project: string | null;
  /** ISO time: entries older than this. */
  before: string | null;
  /** Ids of entries and other marks that were purged in another home. */
  marks: readonly string[];
}

export interface PlaceKey {
  agent: string;
  session: string;
}

export interface Found {
  ids: string[];
  /** Sessions that lose an entry. */
  sessions: PlaceKey[];
  /** Sessions that lose all entries. */
  emptied: PlaceKey[];
  /**
   * Ids of projects that are deleted whole: the named one, and those whose name, slug or remote has
   * the text.
   */
  projects: string[];
  /** Ids of projects that lose an entry. */
  losing: string[];
}

/** A condition that is true if `expression` contains one of the needles. */
export function containsAny(expression: string, needles: readonly string[]): string {
  return needles.length === 0 ? 'false' : `coalesce(len(${needlesIn(expression)}) > 0, false)`;
}

/** One list for all needles, since a parameter for each would slow down every statement. */
function needlesIn(expression: string): string {
  return `list_filter($needles::VARCHAR[], lambda purged_needle: contains(${expression}, purged_needle))`;
}

export function needleParams(needles: readonly string[]): Params {
  return needles.length === 0 ? {} : { needles: [...needles] };
}

/** A condition that is true if any text column of a row contains one of the needles. */
export function wordsOf(name: TableName, needles: readonly string[]): string {
  // Names of agents whose logs are read are our own words, too; a line of the inbox may have any
  // name.
  const conditions = textsIn(name).map((text) =>
    text === '"agent"' && name !== 'sources'
      ? `(${containsAny(text, needles)}) AND agent NOT IN (SELECT agent FROM own.sources)`
      : containsAny(text, needles),
  );
  return ['false', ...conditions].join(' OR ');
}

/** @param more ids that only crystals have */
export async function findPurged(
  db: Db,
  target: PurgeTarget,
  more: readonly string[],
): Promise<Found> {
  const { needles, session, project, before, marks } = target;
  const named = await db.all<{ id: string }>(
    'SELECT id FROM own.projects WHERE ($project IS NOT NULL AND id = $project) OR ' +
      `${containsAny(`concat_ws(chr(10), name, slug, remote)`, needles)} ORDER BY id`,
    { project, ...needleParams(needles) },
  );
  const projects = named.map(({ id }) => id);
  const rows = await db.all<{ id: string }>(
    `WITH owned AS (SELECT n FROM own.current_entries WHERE project_id IN (SELECT unnest($projects::VARCHAR[]))),
     marked AS MATERIALIZED (SELECT unnest($marks::VARCHAR[]))
     SELECT DISTINCT e.id FROM own.entries e LEFT JOIN own.sources l ON l.log = e.log
       LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
     WHERE e.n IN (FROM owned) OR e.id IN (FROM marked) OR e.n IN (SELECT n FROM own.texts WHERE ${wordsOf('texts', needles)})
       OR e.n IN (SELECT n FROM own.entries WHERE ${wordsOf('entries', needles)})
       OR ${containsAny('l.path', needles)}
       OR ($agent IS NOT NULL AND e.agent = $agent AND e.session = $session)
       OR ($before::TIMESTAMP IS NOT NULL AND coalesce(e.time, s.newest, s.touched) < $before::TIMESTAMP)
     UNION SELECT DISTINCT c.id FROM own.copies c LEFT JOIN own.session_facts f ON f.agent = c.agent AND f.session = c.session
     WHERE ($agent IS NOT NULL AND c.agent = $agent AND c.session = $session)
       OR c.id IN (FROM marked) OR f.project_id IN (SELECT unnest($projects::VARCHAR[]))
       OR c.n IN (SELECT n FROM own.copies WHERE ${wordsOf('copies', needles)})
     ORDER BY 1`,
    {
      projects,
      agent: session?.agent ?? null,
      session: session?.session ?? null,
      before,
      marks: [...marks],
      ...needleParams(needles),
    },
  );
  const ids = [...new Set([...rows.map(({ id }) => id), ...more])];
  return foundOf(db, ids, projects);
}

async function foundOf(db: Db, ids: string[], projects: string[]): Promise<Found> {
  const rows = await db.all<PlaceKey & { project: string | null; left: number }>(
    `WITH gone AS MATERIALIZED (SELECT unnest($ids::VARCHAR[]) AS id),
     here AS (SELECT agent, session, id FROM own.entries UNION ALL SELECT agent, session, id FROM own.copies),
     lose AS (SELECT agent, session FROM here WHERE id IN (FROM gone)
       UNION SELECT agent, session FROM own.session_facts WHERE project_id IN (SELECT unnest($projects::VARCHAR[])))
     SELECT l.agent, l.session, any_value(s.project) AS project, count(h.id) AS left
     FROM lose l LEFT JOIN own.sessions s ON s.agent = l.agent AND s.session = l.session
     LEFT JOIN here h ON h.agent = l.agent AND h.session = l.session AND h.id NOT IN (FROM gone)
     GROUP BY l.agent, l.session ORDER BY l.agent, l.session`,
    { ids, projects },
  );
  const sessions = rows.map(({ agent, session }) => ({ agent, session }));
  return {
    ids,
    sessions,
    emptied: sessions.filter((_, at) => rows[at]!.left === 0),
    projects,
    losing: [...new Set(rows.flatMap(({ project }) => project ?? []))],
  };
}

/**
 * Up to `count` texts of these entries, the longest first. After a purge the proof must not find
 * them.
 */
export async function someTexts(db: Db, ids: readonly string[], count: number): Promise<string[]> {
  const rows = await db.all<TextKey>(
    'SELECT e.n, e.length FROM own.entries e WHERE e.id IN (SELECT unnest($ids::VARCHAR[])) AND e.n IN (SELECT n FROM ' +
      'own.texts) ORDER BY e.length DESC, e.id LIMIT $count',
    { ids, count },
  );
  const texts = await textsOf(db, rows);
  return rows.map(({ n }) => texts.get(n)!.slice(0, 4000));
}

interface Holding {
  table: string;
  column: string;
  rows: number;
}

/** Columns that still contain a text, among all text columns of all tables. */
export async function columnsWith(db: Db, needles: readonly string[]): Promise<Holding[]> {
  const found: Holding[] = [];
  if (needles.length === 0) return found;
  const columns = await textColumns(db);
  for (const table of new Set(columns.map((each) => each.table))) {
    const ofTable = columns.filter((each) => each.table === table);
    const counts = ofTable.map(
      ({ expression }, i) => `count(*) FILTER (WHERE ${containsAny(expression, needles)}) AS c${i}`,
    );
    const [row] = await db.all<Record<string, number>>(
      `SELECT ${counts.join(', ')} FROM ${table}`,
      needleParams(needles),
    );
    ofTable.forEach(({ column }, i) => {
      const rows = row?.[`c${i}`] ?? 0;
      if (rows > 0) found.push({ table, column, rows });
    });
  }
  return found;
}

interface TextColumn {
  /** `schema.table`, quoted. */
  table: string;
  column: string;
  /** SQL of the column as text. */
  expression: string;
}

/** Every column of every table that may contain words, a person's own tables included. */
async function textColumns(db: Db): Promise<TextColumn[]> {
  const rows = await db.all<{ schema: string; table: string; column: string; type: string }>(
    `SELECT c.schema_name AS "schema", c.table_name AS "table", c.column_name AS "column", c.data_type AS "type"
      FROM duckdb_columns() c
     JOIN duckdb_tables() t USING (database_name, schema_name, table_name) WHERE NOT c.internal ORDER BY 1, 2, c.column_index`,
  );
  return rows
    .filter(({ type }) => /VARCHAR|JSON|BLOB|STRUCT|MAP/.test(type))
    .filter(({ schema, table, column }) => schema !== 'own' || !hasOurWords(table, column))
    .map(({ schema, table, column, type }) => {
      const of = `"${schema}"."${table.replaceAll('"', '""')}"`;
      // With the table, since a column of a person's table may have the name that a condition uses
      // for a needle.
      const name = `${of}."${column.replaceAll('"', '""')}"`;
      return {
        table: of,
        column,
        expression:
          type === 'VARCHAR'
            ? name
            : type === 'VARCHAR[]'
              ? `array_to_string(${name}, chr(10))`
              : `${name}::VARCHAR`,
      };
    });
}

/** The `passages` that remaining entries also contain, which the proof must ignore. */
export async function passagesLeft(db: Db, passages: readonly string[]): Promise<Set<string>> {
  if (passages.length === 0) return new Set();
  const rows = await db.all<{ passage: string }>(
    `SELECT DISTINCT unnest(${needlesIn('text')}) AS passage FROM own.texts`,
    needleParams(passages),
  );
  return new Set(rows.map(({ passage }) => passage));
}

/** The condition of rows about purged items. */
export function rowsAbout(
  { entry, session, project, stray }: TablePurge,
  { sessions, emptied, projects }: Pick<Found, 'sessions' | 'emptied' | 'projects'>,
): { where: string; params: Params } {
  const conditions = [
    'false',
    ...(entry === undefined ? [] : [`(${entry}) IN (SELECT id FROM own.purged)`]),
    ...(session === undefined
      ? []
      : ['(agent, session) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]))']),
    ...(project === undefined ? [] : [`${project} IN (SELECT unnest($projects::VARCHAR[]))`]),
    ...(stray === undefined ? [] : [stray]),
  ];
  return {
    where: conditions.join(' OR '),
    params: {
      ...(session === undefined ? {} : sessionLists(session === 'parsed' ? sessions : emptied)),
      ...(project === undefined ? {} : { projects: [...projects] }),
    },
  };
}

/** Tables that still have rows about purged items, with the number of rows. */
export async function rowsLeft(
  db: Db,
  { emptied, projects }: Found,
): Promise<{ table: string; rows: number }[]> {
  const found: { table: string; rows: number }[] = [];
  for (const name of TABLE_NAMES) {
    const { purge } = TABLES[name];
    if (purge === null) continue;
    const { where, params } = rowsAbout(purge, { sessions: emptied, emptied, projects });
    const [row] = await db.all<{ rows: number }>(
      `SELECT count(*) AS rows FROM own.${name} WHERE ${where}`,
      params,
    );
    if (row!.rows > 0) found.push({ table: `own.${name}`, rows: row!.rows });
  }
  return found;
}
