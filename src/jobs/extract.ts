/** From entries to lessons: what each session shows is replaced whole, then the lessons of every touched project are computed anew. */
import { EXTRACTOR_VERSION } from '../extract/index.js';
import { loadProjects, pendingSessions, replaceExtraction, sessionEntries, type PendingSession } from '../store/index.js';
import type { Extraction, Project } from '../types.js';
import { SLICE_MS, type Job, type JobContext, type JobResult } from './job.js';
import { learnAll } from './learn.js';
import { noteCitations } from './note-citations.js';
import { placeOf, settleProjects } from './settle-projects.js';
import { think } from './think.js';
import { addUnlearnt, loadUnlearnt } from './unlearnt.js';

/** A commit costs about 20 ms whatever its size. */
const SESSIONS_PER_COMMIT = 25;
/** Head and tail of a tool's output that the extractor sees; error lines and summaries stand there. */
const CLIP_CHARS = 4000;

export const extractJob: Job = {
  name: 'extract',
  async run(context, nudge): Promise<JobResult> {
    const idleBefore = context.hurry ? null : new Date(context.clock.now().getTime() - context.config.extract.idle_minutes * 60_000).toISOString();
    const extractor = nudge.rebuild === true ? Number.MAX_SAFE_INTEGER : EXTRACTOR_VERSION;
    const pending = await context.store.read((db) => pendingSessions(db, { idleBefore, extractor }));
    const settled = await settleProjects(context, pending);
    let done = 0;
    const until = context.hurry ? Number.POSITIVE_INFINITY : context.clock.mono() + SLICE_MS;
    for (let from = 0; from < pending.length && !context.signal.aborted; from += SESSIONS_PER_COMMIT) {
      // Lessons are computed when the last session was taken: what waits for it is kept in the store.
      if (from > 0 && context.clock.mono() >= until) return { done, counts: { sessions: done }, more: true };
      const slice = pending.slice(from, from + SESSIONS_PER_COMMIT);
      const made: Made[] = [];
      for (const session of slice) {
        made.push(await extractOne(context, session, settled.get(placeOf(session.agent, session.session))));
        await context.breathe?.();
      }
      await saveAll(context, made);
      done += slice.length;
      context.progress({ job: 'extract', done, total: pending.length, unit: 'sessions' });
    }
    await noteCitations(context);
    const { all, touched } = await context.store.read(async (db) => ({ all: await loadProjects(db), touched: await loadUnlearnt(db) }));
    const changed = touched.size === 0 ? [] : await learnAll(context, all.filter((project) => touched.has(project.id)), all);
    return { done, counts: { sessions: done, projects: changed.length }, wakes: changed.length > 0 ? ['context'] : [] };
  },
};

interface Made {
  session: PendingSession;
  project: Project;
  extraction: Extraction;
}

const extractOne = async (context: JobContext, session: PendingSession, project: Project | undefined): Promise<Made> => {
  if (!project) throw new Error(`session ${session.session} of ${session.agent} has no project`);
  const entries = await context.store.read((db) => sessionEntries(db, session.agent, session.session, { clip: CLIP_CHARS }));
  const extraction = await think('extract', {
    agent: session.agent,
    session: session.session,
    facts: session.facts,
    entries,
    project: { id: project.id, name: project.name, folders: project.folders },
  });
  return { session, project, extraction };
};

const saveAll = (context: JobContext, made: readonly Made[]): Promise<void> =>
  context.store.write(async (db) => {
    const touched: string[] = [];
    const now = context.clock.now().toISOString();
    for (const { session, project, extraction } of made) {
      const mark = { upTo: session.lastN, extractor: EXTRACTOR_VERSION, now };
      touched.push(...(await replaceExtraction(db, session.agent, session.session, project.id, extraction, mark)));
    }
    await addUnlearnt(db, touched);
  });
