/** Facts of made sessions, asked from a real database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askFacts, openStore, type Store } from '../../src/store/index.js';
import { appendRows } from '../../src/store/db.js';
import type { FactEvent, FactFields, ParsedRows } from '../../src/types.js';
import { copyEmptyStore, testClock } from '../stage.js';

export interface RowsOf {
  project: string;
  session: string;
  /** When the session began, ISO 8601. */
  began: string;
  rows: ParsedRows;
  machine?: boolean;
}

/** A rule of a project, said at an instant. */
export interface RuleSaid {
  project: string;
  /** ISO 8601. */
  said: string;
  text: string;
  fields: { polarity: 'never'; commands: string[]; paths: string[]; instead: string | null };
}

/** Puts rules into a store as claims that a person added by hand. */
async function saveRules(store: Store, rules: readonly RuleSaid[]): Promise<void> {
  await store.write(async (db) => {
    const rows = rules.map(({ project, text, said, fields }, n) => ({
      id: `rule${n}`,
      project,
      text,
      said,
      fields,
    }));
    await appendRows(
      db,
      'own.lessons',
      rows.map(({ id, project, text, fields }) => ({
        ...{
          id,
          owner: project,
          kind: 'preference',
          scope: 'project',
          text,
          key: id,
          importance: 5,
          said_by: 'user',
        },
        ...{
          pinned: false,
          status: 'live',
          tags: [],
          files: [],
          worth: 1,
          confidence: 1,
          sessions: 1,
          supersedes: [],
        },
        ...{ extractor: 1, fields: JSON.stringify(fields) },
      })),
    );
    await appendRows(
      db,
      'own.edits',
      rows.map(({ id, project, text, said }, n) => ({
        n,
        owner: project,
        lesson: id,
        action: 'add',
        text,
        time: said,
      })),
    );
  });
}

/** Puts the rows of sessions into a store; entries of two projects never meet. */
export async function saveRows(store: Store, sessions: readonly RowsOf[]): Promise<void> {
  await store.write(async (db) => {
    await appendRows(
      db,
      'own.sessions',
      sessions.map(({ project, session, began, machine = false }) => ({
        ...{
          agent: 'made',
          session: `${project}/${session}`,
          project,
          oldest: began,
          newest: began,
          machine,
        },
        ...{ last_n: 1, entries: 1 },
      })),
    );
    const tables = { steps: 'own.steps', edits: 'own.file_edits', prompts: 'own.prompts' } as const;
    for (const [name, table] of Object.entries(tables) as [keyof ParsedRows, string][])
      await appendRows(
        db,
        table,
        sessions.flatMap(({ project, session, rows }) =>
          (rows[name] as { entry: string }[]).map((row) => ({
            ...row,
            ...{
              agent: 'made',
              session: `${project}/${session}`,
              project,
              entry: `${project}/${row.entry}`,
            },
          })),
        ),
      );
  });
}

/**
 * Events by project, sessions and entries under their own names again.
 * @param groups ids of projects that are asked for together; null: all
 */
export async function factEvents(
  sessions: readonly RowsOf[],
  asOf = '2030-01-01T00:00:00.000Z',
  rules: readonly RuleSaid[] = [],
  groups: readonly (readonly string[] | null)[] = [null],
): Promise<Map<string, FactEvent[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'dripstone-facts-'));
  const path = join(folder, 'memory.duckdb');
  await copyEmptyStore(path);
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  await saveRows(store, sessions);
  await saveRules(store, rules);
  const events = [];
  for (const group of groups) events.push(...(await store.read((db) => askFacts(db, group, asOf))));
  await store.close();
  await rm(folder, { recursive: true });
  const found = new Map<string, FactEvent[]>(sessions.map(({ project }) => [project, []]));
  const bare = (name: string, project: string): string => name.slice(project.length + 1);
  for (const { project, fields, session, entry, ...event } of events)
    found
      .get(project)!
      .push({
        ...event,
        ...{
          fields: JSON.parse(fields) as FactFields,
          session: bare(session, project),
          entry: bare(entry, project),
        },
      });
  return found;
}
