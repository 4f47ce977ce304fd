/**
 * Turns entries into lessons: replaces the results of each session, then computes the lessons of
 * every changed project again.
 */
import {
  type PendingSession,
  type Yield,
  entriesOfSessions,
  loadProjects,
  pendingSessions,
  replaceExtractions,
  markDirty,
  loadDirtyProjects,
} from '../../store/index.js';
import { sessionKey, type Entry } from '../../types.js';
import { settleAuthors } from './edit-authors.js';
import { asTrusted, followTrust } from './inbox-trust.js';
import { inGroups } from '../in-groups.js';
import type { Job, JobContext, JobResult } from '../job.js';
import { EXTRACTOR_VERSION } from '../../parse/index.js';
import { learnAll } from './learn.js';
import { eachOrPassOver } from './passed-over.js';
import { takeAllHandEdits } from './hand-edits.js';
import { type Settled, settleProjects } from './settle-projects.js';

/**
 * Sessions per commit: many sessions cost no more statements than one, but their entries, and those
 * of the next group, are in memory together.
 */
const PER_COMMIT = { items: 100, rows: 1000, bytes: 4 * 2 ** 20 };
/** Sessions per call of the thread; another job may run between two calls. */
const PER_CALL = { items: 50, rows: 400, bytes: 2 * 2 ** 20 };
/** The daemon learns from a session without new lines for this long. */
export const SILENT_MS = 600_000;
/** Most characters of a tool's output: head and tail have the error lines and summaries. */
const CLIP_CHARS = 4000;

export const extractJob: Job = {
  name: 'extract',
  after: { ingest: 'changed', ask: 'changed' },
  due: 'always',
  async run(context, { from }): Promise<JobResult> {
    const sessions =
      from === undefined ? await extractPending(context) : { done: 0, isWhole: true };
    // Lessons are computed after the last session; the store has the projects that wait for it.
    if (!sessions.isWhole)
      return { done: sessions.done, counts: { sessions: sessions.done }, more: true };
    const { changed, next } = await learnTouched(context, from);
    return {
      done: sessions.done,
      counts: { sessions: sessions.done, projects: changed.length },
      changed: changed.length > 0,
      ...(next === undefined ? {} : { more: true, next }),
    };
  },
};

/** Extracts pending sessions, until another job takes over. */
async function extractPending(context: JobContext): Promise<{ done: number; isWhole: boolean }> {
  const now = context.clock.now();
  const idleBefore =
    context.mode === 'once' ? null : new Date(now.getTime() - SILENT_MS).toISOString();
  await takeAllHandEdits(context);
  await followTrust(context);
  const pending = await context.store.read((db) =>
    pendingSessions(db, { idleBefore, extractor: EXTRACTOR_VERSION }),
  );
  const settled = await settleProjects(context, pending);
  let done = 0;
  const read = readerOf(context);
  const groups = inGroups(pending, sizeOf, PER_COMMIT);
  let ahead = read(groups[0] ?? []);
  for (const [at, group] of groups.entries()) {
    if (context.signal.aborted || !(await context.turn())) break;
    // The next group is read while the thread works on this one.
    const reading = ahead;
    ahead = read(groups[at + 1] ?? []);
    const learnt = await eachOrPassOver(context, 'session', group, async (some) =>
      extractGroup(context, some, {
        bySession: await (some === group ? reading : read(some)),
        settled,
      }),
    );
    done += learnt.filter((each) => each !== null).length;
    context.progress({ job: 'extract', done, total: pending.length, unit: 'sessions' });
  }
  if (!context.signal.aborted && pending.length > 0 && !(await context.turn()))
    return { done, isWhole: false };
  await settleAuthors(context);
  return { done, isWhole: true };
}

/** Learns pending projects, until another job takes over. */
async function learnTouched(context: JobContext, from?: string): ReturnType<typeof learnAll> {
  const { all, touched } = await context.store.read(async (db) => ({
    all: await loadProjects(db),
    touched: await loadDirtyProjects(db),
  }));
  const wanted = all.filter(({ id }) => touched.has(id));
  if (wanted.length === 0 && from === undefined) return { changed: [] };
  return learnAll(context, wanted, all, from);
}

/** Entries by session. */
type SessionEntries = ReadonlyMap<string, Entry[]>;

/** Reads the entries of sessions ahead; an error reaches only the caller that awaits them. */
function readerOf({
  store,
}: JobContext): (group: readonly PendingSession[]) => Promise<SessionEntries> {
  return (group) => {
    const reading = store.read((db) => entriesOfSessions(db, group, { clip: CLIP_CHARS }), {
      isLong: true,
    });
    reading.catch(() => undefined);
    return reading;
  };
}

const sizeOf = ({ entries: rows, bytes }: PendingSession): { rows: number; bytes: number } => ({
  rows,
  bytes,
});

/** @returns the results of the first sessions, until another job takes over */
async function extractGroup(
  context: JobContext,
  group: readonly PendingSession[],
  { bySession, settled }: { bySession: SessionEntries; settled: Settled },
): Promise<Yield[]> {
  const yields: Yield[] = [];
  for (const some of inGroups(group, sizeOf, PER_CALL)) {
    const inputs = some.map(({ agent, session, facts }) => {
      const project = settled.get(sessionKey(agent, session));
      if (!project) throw new Error(`session ${session} of ${agent} has no project`);
      const { id, name, roots } = project;
      const entries = asTrusted(
        bySession.get(sessionKey(agent, session)) ?? [],
        context.config.inbox.trusted,
      );
      return { agent, session, facts, entries, project: { id, name, folders: roots } };
    });
    const extracted = await context.compute.run('extract', inputs);
    for (const [at, { agent, session, last_n }] of some.entries())
      yields.push({
        ...{ agent, session, project: inputs[at]!.project.id, upTo: last_n },
        ...extracted[at]!,
      });
    if (!(await context.turn())) break;
  }
  // A line that was added meanwhile has a number above `last_n`, so its session stays pending.
  await context.store.write(async (db) =>
    markDirty(
      db,
      await replaceExtractions(db, yields, {
        extractor: EXTRACTOR_VERSION,
        now: context.clock.now().toISOString(),
      }),
    ),
  );
  return yields;
}
