/**
 * The fact queries (src/facts/*.sql) as macros of the database, and the events that they returned
 * when a project was learnt.
 */
import { readFileSync } from 'node:fs';
import { shippedFile } from '../place.js';
import { FACT_COLUMNS, FACT_NAMES, type FactEvent, type FactName } from '../types.js';
import {
  type Db,
  type Owners,
  type Params,
  among,
  appendRows,
  byOwner,
  first,
  fromRow,
  listed,
} from './db.js';

/**
 * The queries by name, as JSON. bundle.js defines this, since a package has no src/; undefined when
 * the program runs from source.
 */
declare const FACT_QUERIES: string | undefined;

/**
 * Statements that create the macros. The other macros use `steps`, `edits`, `rules` and `breaks`;
 * `came_back` lists failures whose cure was already a fact.
 */
export function factStatements(): string[] {
  const packed =
    typeof FACT_QUERIES === 'undefined' ? {} : (JSON.parse(FACT_QUERIES) as Record<string, string>);
  return ['steps', 'edits', 'rules', 'breaks', ...FACT_NAMES, 'came_back'].map(
    (name) => packed[name] ?? readFileSync(shippedFile(`src/facts/${name}.sql`), 'utf8'),
  );
}

/** An event with the id of its project. */
type PlacedEvent = FactEvent & { project: string };

/** The event as a table row; query results are stored unchanged. */
type EventRow = Omit<PlacedEvent, 'fields'> & { fields: string };

/**
 * The rows that a kind of fact needs instead of `steps`. Without such rows the query would find
 * nothing, so it does not run.
 */
const ASKED_FROM: Partial<Record<FactName, keyof Rows>> = {
  changed: 'failures',
  before: 'failures',
  absent: 'failures',
  edited: 'failures',
};

interface Rows {
  steps: boolean;
  failures: boolean;
  edits: boolean;
}

/**
 * Which rows these projects (null: any) have. Most small projects need no fact query, and planning
 * one takes time.
 */
export async function rowsOf(db: Db, owners: Owners): Promise<Rows> {
  const { where, params } = among(owners, 'project');
  const has = (table: string, which = 'true'): string =>
    `EXISTS (FROM own.${table} WHERE ${where} AND ${which})`;
  const sql = `SELECT ${has('steps')} AS steps, ${has('steps', `(outcome = 'failed' OR absent)`)} AS failures,
    ${has('file_edits')} AS edits`;
  return (await first<Rows>(db, sql, params))!;
}

const COLUMNS = `${listed('f', FACT_COLUMNS)}, f.project`;

/** The results of the fact queries for these projects (null: all) at a point in time. */
export async function askFacts(
  db: Db,
  owners: Owners,
  asOf: string,
  names: readonly FactName[] = FACT_NAMES,
): Promise<EventRow[]> {
  const events: EventRow[] = [];
  const rows = await rowsOf(db, owners);
  const projects = owners?.join(' ') ?? null;
  const isAsked = (fact: FactName): boolean =>
    fact === 'broken' ? rows.steps || rows.edits : rows[ASKED_FROM[fact] ?? 'steps'];
  for (const fact of names.filter(isAsked)) {
    const macro = `main.fact_${fact}($asOf::TIMESTAMP, of_project := $projects::VARCHAR)`;
    const sql = `SELECT ${COLUMNS} FROM ${macro} f WHERE entry IS NOT NULL`;
    events.push(...(await db.all<EventRow>(sql, { asOf, projects })));
  }
  return events;
}

/** Replaces these projects' events of the queried kinds; call it inside `store.write`. */
export async function saveFactEvents(
  db: Db,
  owners: readonly string[],
  events: readonly EventRow[],
  asked: readonly FactName[] = FACT_NAMES,
): Promise<void> {
  await db.run(
    'DELETE FROM own.fact_events WHERE project IN (SELECT unnest($owners::VARCHAR[])) AND list_contains($asked, fact)',
    { owners, asked },
  );
  await appendRows(
    db,
    'own.fact_events',
    events.map((row) => ({ ...row })),
  );
}

async function storedEvents(db: Db, where: string, params: Params = {}): Promise<PlacedEvent[]> {
  const rows = await db.all<PlacedEvent>(
    `SELECT ${COLUMNS} FROM own.fact_events f WHERE ${where}`,
    params,
  );
  return rows.map(fromRow(FACT_COLUMNS));
}

/** The stored events of one project, or of all (null). */
export function allFactEvents(db: Db, project: string | null): Promise<PlacedEvent[]> {
  return storedEvents(db, '$project::VARCHAR IS NULL OR project = $project', { project });
}

/** The stored events of each of these projects. */
export async function factEventsOf(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => FactEvent[]> {
  const found = await byOwner<FactEvent>(
    db,
    `SELECT f.project AS of, ${COLUMNS} FROM own.fact_events f WHERE f.project IN (SELECT unnest($owners::VARCHAR[]))
     ORDER BY fact, key, known_at, agent, session, entry, supports`,
    { owners },
  );
  return (owner) => found(owner).map(fromRow(FACT_COLUMNS));
}
