/**
 * A person's own facts: the files of `~/.dripstone/facts` are asked again when one of them changed,
 * or when something was learnt. A file that fails is named by `status` and keeps its last events.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../errors.js';
import { pathsOf } from '../../config.js';
import {
  askOwnFact,
  dropMeta,
  loadOwnEvents,
  loadProjects,
  metaValue,
  saveOwnEvents,
  setMeta,
  type OwnRow,
  type PlacedEvent,
} from '../../store/index.js';
import type { Project } from '../../types.js';
import { factEventShape, fieldsShape } from '../../types/shapes.js';
import type { JobContext } from '../job.js';
import { maskValue, redactorOf } from '../upkeep/mask.js';
import { loadDirtyProjects, markDirty } from './dirty-projects.js';
import { noteOwnFaults } from './passed-over.js';

/** Hash of the files that were asked last. */
const KEY = 'own_facts';
const MOST_BYTES = 64 * 1024;

const rowShape = factEventShape
  .omit({ fact: true })
  .extend({
    text: z.string().nullable(),
    project: z.string(),
    day: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'is no day, like 2026-11-20'),
    fields: z
      .string()
      .nullable()
      .transform((json) => JSON.parse(json ?? '{}') as unknown)
      .pipe(fieldsShape),
  })
  // Its line is made from its fields, as for any fact.
  .transform(({ text, fields, ...row }) => ({
    ...row,
    fact: 'own' as const,
    fields: { ...fields, text },
  }));

interface QueryFile {
  name: string;
  sql: string;
}

/** Asks what has to be asked; projects whose events changed are to be learnt again. */
export async function refreshOwnFacts(context: JobContext, now: string): Promise<void> {
  const { store, paths } = context;
  const { files, faults } = readQueries(paths.facts);
  const { asked, isDirty, stored, projects } = await store.read(async (db) => ({
    asked: await metaValue(db, KEY),
    isDirty: (await loadDirtyProjects(db)).size > 0,
    stored: await loadOwnEvents(db),
    projects: await loadProjects(db),
  }));
  const hash =
    files.length + faults.length === 0
      ? null
      : createHash('sha256')
          .update(JSON.stringify([files, faults]))
          .digest('hex');
  if (hash === asked && (hash === null || !isDirty)) return;
  const redact = await redactorOf(context);
  const events: PlacedEvent[] = [];
  for (const { name, sql } of files) {
    try {
      const question = { path: paths.store, named: pathsOf(paths.home).store, sql, asOf: now };
      const rows = await store.withClosed(() => askOwnFact(question, context.signal));
      events.push(...(maskValue(eventsOf(rows, name, projects), redact) as PlacedEvent[]));
    } catch (error) {
      if (context.signal.aborted) return;
      faults.push({ name, error: messageOf(error) });
    }
  }
  const kept = stored.filter(({ key }) => faults.some(({ name }) => key.startsWith(`${name}:`)));
  await noteOwnFaults(context, faults);
  await store.write(async (db) => {
    const changed = changedProjects(stored, [...events, ...kept]);
    await markDirty(db, changed);
    if (changed.length > 0) await saveOwnEvents(db, [...events, ...kept]);
    // One that failed is asked again with the next learning: another program may have held the
    // file.
    await (hash === null || faults.length > 0 ? dropMeta(db, KEY) : setMeta(db, KEY, hash));
  });
}

function readQueries(folder: string): {
  files: QueryFile[];
  faults: { name: string; error: string }[];
} {
  const files: QueryFile[] = [];
  const faults: { name: string; error: string }[] = [];
  for (const name of namesIn(folder)) {
    try {
      const path = join(folder, name);
      const stat = lstatSync(path);
      if (!stat.isFile()) throw new Error('it is no file');
      if (stat.size > MOST_BYTES) throw new Error('it is larger than 64 KiB');
      files.push({ name, sql: readFileSync(path, 'utf8') });
    } catch (error) {
      faults.push({ name, error: messageOf(error) });
    }
  }
  return { files, faults };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[\w-]+\.sql$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Rows of projects that there are, named by slug or id. */
function eventsOf(
  rows: readonly OwnRow[],
  file: string,
  projects: readonly Project[],
): PlacedEvent[] {
  const idOf = new Map(
    projects.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]),
  );
  return rows.map(checked).flatMap((row): PlacedEvent[] => {
    const project = idOf.get(row.project);
    return project === undefined ? [] : [{ ...row, key: `${file}:${row.key}`, project }];
  });
}

/** @throws Error that names the row, counted from 1, and the column */
function checked(row: OwnRow, index: number): z.infer<typeof rowShape> {
  const parsed = rowShape.safeParse(row);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(
    `row ${index + 1}, column ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong'}`,
  );
}

function changedProjects(before: readonly PlacedEvent[], after: readonly PlacedEvent[]): string[] {
  const of = (events: readonly PlacedEvent[], project: string): string[] =>
    events
      .filter((event) => event.project === project)
      .map((event) =>
        JSON.stringify(Object.entries({ ...event, fields: sorted(event.fields) }).sort()),
      )
      .sort();
  const projects = new Set([...before, ...after].map(({ project }) => project));
  return [...projects].filter(
    (project) => !isDeepStrictEqual(of(before, project), of(after, project)),
  );
}

function sorted(fields: PlacedEvent['fields']): unknown[] {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}
