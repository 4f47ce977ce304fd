/** From entries to lessons: what each session shows is replaced whole, then the lessons of every touched project are computed anew. */
import {
  entriesOfSessions,
  loadExtraction,
  loadProjects,
  pendingSessions,
  replaceExtractions,
  type PendingSession,
  type Yield,
} from '../store/index.js';
import { sessionKey } from '../types.js';
import { textsOfSessions } from './archived-texts.js';
import { keepLearnt } from './keep-learnt.js';
import { settleAuthors } from './edit-authors.js';
import { asTrusted, followTrust } from './inbox-trust.js';
import { extractorVersion } from './judge-weights.js';
import { SLICE_MS, type Job, type JobContext, type JobResult } from './job.js';
import { learnAll } from './learn.js';
import { noteCitations } from './note-citations.js';
import { takeRememberedEdits } from './remembered-edits.js';
import { learnOrPassOver, takeUpAgain } from './passed-over.js';
import { settleProjects, type Settled } from './settle-projects.js';
import { think } from './think.js';
import { addUnlearnt, loadUnlearnt } from './unlearnt.js';

/** No extraction has this version: every session is read again. */
const REBUILD = 0;

/** A commit, and each statement, costs the same for many sessions as for one; their entries wait in memory together. */
const SESSIONS_PER_COMMIT = 25;
const ENTRIES_PER_COMMIT = 4000;
const BYTES_PER_COMMIT = 16 * 2 ** 20;
/** Head and tail of a tool's output that the extractor sees; error lines and summaries stand there. */
const CLIP_CHARS = 4000;

export const extractJob: Job = {
  name: 'extract',
  after: { ingest: 'changed' },
  due: 'always',
  async run(context, nudge): Promise<JobResult> {
    const idleBefore = context.hurry
      ? null
      : new Date(context.clock.now().getTime() - context.config.extract.idle_minutes * 60_000).toISOString();
    const extractor = nudge.rebuild === true ? REBUILD : extractorVersion();
    await takeRememberedEdits(context);
    await followTrust(context);
    if (context.hurry) await takeUpAgain(context);
    const pending = await context.store.read((db) => pendingSessions(db, { idleBefore, extractor }));
    const settled = await settleProjects(context, pending);
    let done = 0;
    const until = context.hurry ? Number.POSITIVE_INFINITY : context.clock.mono() + SLICE_MS;
    for (const [index, group] of inGroups(pending).entries()) {
      if (context.signal.aborted) break;
      // Lessons are computed when the last session was taken: what waits for it is kept in the store.
      if (index > 0 && context.clock.mono() >= until) return { done, counts: { sessions: done }, more: true };
      done += await learnOrPassOver(context, group, (some) => extractGroup(context, some, settled));
      context.progress({ job: 'extract', done, total: pending.length, unit: 'sessions' });
    }
    await noteCitations(context);
    await settleAuthors(context);
    const { all, touched } = await context.store.read(async (db) => ({
      all: await loadProjects(db),
      touched: await loadUnlearnt(db),
    }));
    const changed =
      touched.size === 0
        ? []
        : await learnAll(
            context,
            all.filter((project) => touched.has(project.id)),
            all,
          );
    return { done, counts: { sessions: done, projects: changed.length }, changed: changed.length > 0 };
  },
};

/** Sessions that are read, thought about and saved together, in the order given. */
const inGroups = (pending: readonly PendingSession[]): PendingSession[][] => {
  const groups: PendingSession[][] = [];
  let [entries, bytes] = [0, 0];
  for (const session of pending) {
    const last = groups.at(-1);
    entries += session.entries;
    bytes += session.bytes;
    if (last && last.length < SESSIONS_PER_COMMIT && entries <= ENTRIES_PER_COMMIT && bytes <= BYTES_PER_COMMIT)
      last.push(session);
    else {
      groups.push([session]);
      [entries, bytes] = [session.entries, session.bytes];
    }
  }
  return groups;
};

const extractGroup = async (context: JobContext, group: readonly PendingSession[], settled: Settled): Promise<void> => {
  const told = await context.store.read((db) => entriesOfSessions(db, group, { clip: CLIP_CHARS }));
  const archived = await textsOfSessions(context, group, { clip: CLIP_CHARS });
  const yields: Yield[] = [];
  for (const { agent, session, facts, lastN } of group) {
    const project = settled.get(sessionKey(agent, session));
    if (!project) throw new Error(`session ${session} of ${agent} has no project`);
    const { id, name, roots } = project;
    const entries = asTrusted(told.get(sessionKey(agent, session)) ?? [], context.config.inbox.trusted).map((entry) => {
      const text = archived.texts.get(entry.id);
      return text === undefined ? entry : { ...entry, text };
    });
    const extraction = await think('extract', { agent, session, facts, entries, project: { id, name, folders: roots } });
    const lost = (facts.machine === true ? undefined : archived.lost.get(sessionKey(agent, session))) ?? new Set<string>();
    const before = lost.size === 0 ? null : await context.store.read((db) => loadExtraction(db, agent, session));
    yields.push({ agent, session, project: id, extraction: keepLearnt(before, extraction, lost), upTo: lastN, lost: lost.size });
    // What a line that comes meanwhile adds to a session of this group lies above its `lastN`: it stays pending.
    await context.breathe?.();
  }
  await context.store.write(async (db) =>
    addUnlearnt(
      db,
      await replaceExtractions(db, yields, { extractor: extractorVersion(), now: context.clock.now().toISOString() }),
    ),
  );
};
