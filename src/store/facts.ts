/**
 * The fact queries (src/facts/*.sql) as macros of the database, and the events that they gave when
 * a project was learnt.
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
 * The queries by their names, as JSON: bundle.js defines it, since a package has no src/. It is
 * undefined when the program runs from source.
 */
declare const FACT_QUERIES: string | undefined;

/**
 * Statements that create the macros. The others use `steps`, `edits`, `rules` and `breaks`;
 * `came_back` lists failures whose cure was already a fact.
 */
export function factStatements(): string[] {
  const packed =
    typeof FACT_QUERIES === 'undefined' ? {} : (JSON.parse(FACT_QUERIES) as Record<string, string>);
  return ['steps', 'edits', 'rules', 'breaks', ...FACT_NAMES, 'came_back'].map(
    (name) => packed[name] ?? readFileSync(shippedFile(`src/facts/${name}.sql`), 'utf8'),
  );
}

/** An event of a project, by its id. */
type PlacedEvent = FactEvent & { project: string };

/** The same as a row of the table; results of the queries are stored unchanged. */
type EventRow = Omit<PlacedEvent, 'fields'> & { fields: string };

/**
 * The rows that a kind of fact needs, if not `steps`. Without such rows its query returns nothing,
 * so it is not run.
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
 * Whether these projects (null: any) have rows at all: most small projects need no fact query, and
 * planning one takes time.
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

/** Replaces these projects' events of the kinds that were asked; call it inside `store.write`. */
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

/** The events of all projects, or of one, as they were stored last. */
export function allFactEvents(db: Db, project: string | null): Promise<PlacedEvent[]> {
  return storedEvents(db, '$project::VARCHAR IS NULL OR project = $project', { project });
}

/** The events of each of these projects as they were stored last. */
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
