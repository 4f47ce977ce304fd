/**
 * Deletes what a person names from the whole home, and proves it. A killed purge must be started
 * again; once the rows are deleted, the next start finishes it.
 */
import { basename } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { AppError, EXIT } from '../../errors.js';
import { spellingsOf } from '../../redact/index.js';
import {
  type Found,
  type Removed,
  addPurged,
  compactStates,
  dropLessons,
  dropMarkedEdits,
  dropStrays,
  findPurged,
  loadProjects,
  loadPurged,
  isPurgeOpen,
  publishFile,
  removePurged,
  setPurgeOpen,
  markDirty,
} from '../../store/index.js';
import { type Project, sessionKey } from '../../types.js';
import { contextJob } from '../publishing/context.js';
import { takeHandEdits } from '../learning/hand-edits.js';
import { extractJob } from '../learning/extract.js';
import type { JobContext } from '../job.js';
import { rollupJob } from '../nightly/rollup.js';
import {
  type OwnLine,
  dropLinks,
  dropProjectFolder,
  dropEpisodes,
  dropTiers,
  ownLines,
  purgeAside,
  purgeLines,
  purgeNotes,
} from './purge-files.js';
import { type Proof, choosePassages, passagesIn, proveGone } from './purge-proof.js';
import { leftCrystals, quotedIn, wordsOf } from './purge-crystals.js';
import { readCrystal } from '../publishing/crystal-file.js';
import { formatCrystal, type Crystal } from '../../lessons/index.js';
import { renewOwnFiles } from '../sharing/folder.js';
import { writeAllCrystals } from '../publishing/write-crystal.js';

/** Exactly one of match, session, project and before is set. */
export interface PurgeRequest {
  match: string | null;
  session: { agent: string; session: string } | null;
  /** Project id. */
  project: string | null;
  /** ISO time. */
  before: string | null;
  /** True: matching lines of the person's notes are deleted, too. */
  notes: boolean;
}

/** The counts of a purge, before it deletes anything. */
export interface PurgePlan {
  entries: number;
  sessions: number;
  /** Slugs of projects that are deleted whole. */
  projects: string[];
  /** The person's own lines with the text; they stay, except in notes with `--notes`. */
  own: OwnLine[];
}

export interface PurgeReport extends PurgePlan {
  removed: Removed & { lines: number };
  /** Quarantined files that were removed. */
  files: string[];
  /** Bytes of the database file before and after it was rewritten. */
  store: { before: number; after: number };
  proof: Proof;
}

/** The request with all spellings; `hasPurged` finds them in a text. */
function targetOf({ match, ...request }: PurgeRequest, marks: readonly string[] = []) {
  const needles = match === null ? [] : spellingsOf(match);
  const hasPurged = (text: string): boolean => needles.some((needle) => text.includes(needle));
  return { ...request, needles, marks, hasPurged };
}

/** Reads only. */
export async function planPurge(
  context: Pick<JobContext, 'store' | 'paths'>,
  request: PurgeRequest,
): Promise<PurgePlan> {
  const target = targetOf(request);
  const projects = await context.store.read((db) => loadProjects(db));
  const found = await lookFor(context, target, projects);
  return { ...planOf(found, projects), own: ownLines(context.paths, target.hasPurged) };
}

/** Finds the rows, also of entries that only a crystal quotes. */
function lookFor(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  target: ReturnType<typeof targetOf>,
  projects: readonly Project[],
): Promise<Found> {
  const crystals = [null, ...projects].map((project) => readCrystal(paths, project));
  const quoted = quotedIn(crystals, target.hasPurged);
  return store.read((db) => findPurged(db, target, quoted));
}

function planOf(found: Found, projects: readonly Project[]): Omit<PurgePlan, 'own'> {
  return {
    entries: found.ids.length,
    sessions: found.sessions.length,
    projects: projects.filter(({ id }) => found.projects.includes(id)).map(({ slug }) => slug),
  };
}

export async function purge(context: JobContext, request: PurgeRequest): Promise<PurgeReport> {
  refuseAgents(context.caller?.(), 'a purge');
  // Reads entries that only a tier has into the database.
  await rollupJob.run(context, { job: 'rollup' });
  const target = targetOf(request);
  const { needles, hasPurged } = target;
  const whole = (await takeOut(context, target))!;
  const { found, projects, passages, linked, crystals: _, ...report } = whole;
  return {
    ...planOf(found, projects),
    ...report,
    own: [...ownLines(context.paths, hasPurged), ...linked],
    proof: await proveGone(context, { needles, passages, found }),
  };
}

/** What was deleted because another machine purged it. */
export interface PurgedElsewhere {
  entries: number;
  lessons: number;
  proof: Proof;
}

/**
 * Deletes entries that another machine purged, with all data derived from them. A known mark does
 * not prove that this was done, because a killed import stores marks first.
 * @param marks hashes from that machine, which do not reveal the texts
 * @returns data for a proof after the import has joined crystals; null if nothing was deleted
 */
export async function purgeMarked(
  context: JobContext,
  marks: readonly string[],
): Promise<((joined: readonly Crystal[]) => Promise<PurgedElsewhere>) | null> {
  if (marks.length === 0) return null;
  const nothing = { match: null, session: null, project: null, before: null, notes: false };
  const taken = await takeOut(context, targetOf(nothing, marks));
  if (taken === null) return null;
  const { found, passages, crystals, removed } = taken;
  return async (joined) => {
    const says = [...crystals.map(({ left }) => left), ...joined].flatMap(wordsOf);
    const gone = passages.filter((passage) => !says.some((text) => text.includes(passage)));
    const proof = await proveGone(context, { needles: [], passages: gone, found });
    return { entries: found.ids.length, lessons: removed.lessons ?? 0, proof };
  };
}

/** @returns null if another machine's marks match nothing */
async function takeOut(context: JobContext, target: ReturnType<typeof targetOf>) {
  const { store, paths } = context;
  const { needles, marks, notes, hasPurged } = target;
  const projects = await store.read((db) => loadProjects(db));
  // Reads a person's changes first, because the files are rewritten below.
  await takeHandEdits(context, [null, ...projects]);
  const found = await lookFor(context, target, projects);
  const whole = projects.filter(({ id }) => found.projects.includes(id));
  const kept = projects.filter((project) => !whole.includes(project));
  // Before any deletion, because a cleaned crystal no longer has the quotes.
  await store.write((db) => addPurged(db, [...found.ids, ...marks]));
  const purged = {
    ids: new Set(await store.read((db) => loadPurged(db))),
    sessions: new Set(found.emptied.map(({ agent, session }) => sessionKey(agent, session))),
    hasPurged,
  };
  const crystals = await leftCrystals(context, kept, purged);
  const lessons = crystals.flatMap(({ removed }) => removed);
  const passages = needles.length > 0 ? [] : await choosePassages(context, found.ids);
  if (marks.length > 0) {
    const changed = crystals.filter(({ was, left }) => was !== left);
    passages.push(...passagesIn(changed.flatMap(({ was }) => wordsOf(was))));
    const isAny = await store.write(async (db) => {
      const edits = await dropMarkedEdits(db, new Set(marks));
      const some = edits + found.ids.length + changed.length > 0;
      if (some) await setPurgeOpen(db, true);
      return some;
    });
    if (!isAny) {
      await keepMarks(context);
      await finishPurge(context); // a purge that was killed after it deleted the rows
      return null;
    }
  }
  // Files before rows: after a kill, a new purge needs the rows to find everything again.
  for (const project of whole) await dropProjectFolder(paths, project, notes);
  await dropTiers(context, purged.sessions);
  for (const { path, was, left } of crystals)
    if (left !== was) await publishFile(path, formatCrystal(left));
  await dropEpisodes(paths, kept, found.losing, hasPurged);
  const lines = await purgeLines(paths, purged);
  const files = await purgeAside(paths, purged);
  // Searches again, because the folder of a deleted project was removed with its notes.
  if (notes) await purgeNotes(paths, hasPurged);
  const slugs = whole.map(({ slug }) => slug);
  const linked = await dropLinks(paths, slugs);
  // Stored in the same transaction: the purge is not finished yet.
  const removed = await store.write(async (db) => {
    const traces = [...passages.flatMap(spellingsOf), ...slugs];
    const counts = await removePurged(db, found, needles, traces);
    await dropLessons(db, lessons);
    await markDirty(
      db,
      kept.map(({ id }) => id),
    );
    await setPurgeOpen(db, true);
    return counts;
  });
  return {
    ...{ found, projects, crystals },
    /** Texts for the proof if no text was named. */
    passages,
    /** Our lines in agents' instruction files. */
    linked,
    removed: { ...removed, lines, lessons: lessons.length },
    files: files.map((file) => basename(file)),
    store: await finish(context),
  };
}

/** The part after the rows are deleted; it needs no data about the purge. */
async function finish(context: JobContext): Promise<PurgeReport['store']> {
  const { store } = context;
  await keepMarks(context);
  await learnAnew(context);
  await rollupJob.run(context, { job: 'rollup' });
  // After a stop, jobs end early, so the next start must rewrite the other files.
  if (context.signal.aborted)
    throw new AppError(
      'INTERRUPTED',
      'interrupted: the rows are gone, files that were made of them may still contain it',
      { hint: '`dripstone run` finishes it', exitCode: EXIT.interrupted },
    );
  await renewOwnFiles(context);
  // Search data of deleted words.
  await store.write((db) => compactStates(db, context.paths.vectors));
  const rebuilt = await store.rebuild();
  await store.write((db) => setPurgeOpen(db, false));
  return rebuilt;
}

/**
 * Finishes a purge that was killed after it deleted the rows: published files and free pages of the
 * database still have the text.
 */
export async function finishPurge(context: JobContext): Promise<void> {
  if (await context.store.read(isPurgeOpen)) {
    context.log.info({}, 'a purge was cut short; it is finished now');
    await finish(context);
  }
}

/**
 * Stores the ids of all purged entries also outside the database, so that they do not come back
 * from the logs after a loss of the database.
 */
async function keepMarks({ store, paths }: JobContext): Promise<void> {
  const marks = await store.read((db) => loadPurged(db));
  await publishFile(paths.purged, marks.map((mark) => `${mark}\n`).join(''));
}

/** Forms lessons from the remaining data, then writes every file again. */
async function learnAnew(context: JobContext): Promise<void> {
  const { store } = context;
  await extractJob.run({ ...context, mode: 'once' }, { job: 'extract' });
  await store.write((db) => dropStrays(db));
  await contextJob.run(context, { job: 'context' });
  // The crystals were cleaned before the rows were deleted, so an error here is harmless.
  await writeAllCrystals(context, await store.read((db) => loadProjects(db)));
}
