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
  const ofPerson = { kind: 'preference', scope: 'project', importance: 5, said_by: 'user' };
  const plain = { pinned: false, status: 'live', tags: [], files: [], supersedes: [] };
  const counted = { worth: 1, confidence: 1, sessions: 1, extractor: 1 };
  const claims = rules.map(({ project, text, fields }, n) => ({
    ...{ id: `rule${n}`, owner: project, text, key: `rule${n}`, fields: JSON.stringify(fields) },
    ...{ ...ofPerson, ...plain, ...counted },
  }));
  const edits = rules.map(({ project, text, said }, n) => ({
    ...{ n, owner: project, lesson: `rule${n}`, action: 'add', text, time: said },
  }));
  await store.write(async (db) => {
    await appendRows(db, 'own.lessons', claims);
    await appendRows(db, 'own.edits', edits);
  });
}

const TABLES = { steps: 'own.steps', edits: 'own.file_edits', prompts: 'own.prompts' } as const;

/** Puts the rows of sessions into a store; entries of two projects never meet. */
export async function saveRows(store: Store, sessions: readonly RowsOf[]): Promise<void> {
  const placed = ({ project, session }: RowsOf) => ({
    ...{ agent: 'made', session: `${project}/${session}`, project },
  });
  const whole = sessions.map((each) => ({
    ...{ ...placed(each), oldest: each.began, newest: each.began, machine: each.machine ?? false },
    ...{ last_n: 1, entries: 1 },
  }));
  await store.write(async (db) => {
    await appendRows(db, 'own.sessions', whole);
    for (const [name, table] of Object.entries(TABLES) as [keyof ParsedRows, string][]) {
      const rows = sessions.flatMap((each) =>
        (each.rows[name] as { entry: string }[]).map((row) => ({
          ...{ ...row, ...placed(each), entry: `${each.project}/${row.entry}` },
        })),
      );
      await appendRows(db, table, rows);
    }
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
  for (const { project, fields, session, entry, ...event } of events) {
    const own = { session: bare(session, project), entry: bare(entry, project) };
    found.get(project)!.push({ ...event, ...own, fields: JSON.parse(fields) as FactFields });
  }
  return found;
}
