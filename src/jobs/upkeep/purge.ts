/**
 * Takes out of the whole home what a person wants gone, and proves it. Every step may be done
 * again: a purge that was killed is simply asked for once more; once the rows are gone, the next
 * start finishes it by itself.
 */
import { basename } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { AppError, EXIT } from '../../errors.js';
import { spellingsOf } from '../../redact/index.js';
import {
  type Found,
  type PurgeTarget,
  type Removed,
  addPurged,
  compactStates,
  dropLessons,
  dropMarkedEdits,
  dropMeta,
  dropStrays,
  emptiedBy,
  findMarked,
  findPurged,
  loadProjects,
  loadPurged,
  projectsOf,
  publishFile,
  removePurged,
  setMeta,
} from '../../store/index.js';
import { type Project, sessionKey } from '../../types.js';
import { contextJob } from '../publishing/context.js';
import { takeHandEdits } from '../learning/hand-edits.js';
import { extractJob } from '../learning/extract.js';
import type { JobContext } from '../job.js';
import { stepOfAll } from '../learning/passed-over.js';
import {
  type OwnLine,
  dropLinks,
  dropProjectFolder,
  dropEpisodes,
  idsInTiers,
  ownLines,
  purgeAside,
  purgeCrystals,
  purgeLines,
  purgeNotes,
  purgeTiers,
  quotedIn,
} from './purge-files.js';
import { CUT, type Proof, choosePassages, cutOf, cutPurge, proveGone } from './purge-proof.js';
import { renewOwnFiles } from '../sharing/folder.js';
import { markDirty } from '../learning/dirty-projects.js';
import { writeCrystals } from '../publishing/write-crystal.js';

/** Exactly one of match, session, project and before is set. */
export interface PurgeRequest {
  match: string | null;
  session: { agent: string; session: string } | null;
  /** Project id. */
  project: string | null;
  /** ISO time. */
  before: string | null;
  /** The person's notes lose the matching lines too. */
  notes: boolean;
}

/** What a purge is about, counted before anything is touched. */
export interface PurgePlan {
  entries: number;
  sessions: number;
  /** Slugs of projects that go whole. */
  projects: string[];
  /** The person's own lines that hold the text; they stay unless notes are to go too. */
  own: OwnLine[];
}

export interface PurgeReport extends PurgePlan {
  removed: Removed & { tier_rows: number; lines: number; lessons: number };
  /** Quarantined files and half-served requests, removed whole. */
  files: string[];
  /** Bytes of the database file before and after it was rewritten. */
  store: { before: number; after: number };
  proof: Proof;
}

function targetOf({ match, session, project, before }: PurgeRequest): PurgeTarget {
  return { needles: match === null ? [] : spellingsOf(match), session, project, before };
}

function holder(needles: readonly string[]) {
  return (text: string): boolean => needles.some((needle) => text.includes(needle));
}

/** Reads only. */
export async function planPurge(
  context: Pick<JobContext, 'store' | 'paths'>,
  request: PurgeRequest,
): Promise<PurgePlan> {
  return planOf(context, request, await find(context, request));
}

async function find(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  request: PurgeRequest,
): Promise<{ found: Found; projects: Project[] }> {
  const target = targetOf(request);
  const more = target.needles.length === 0 ? [] : await idsInTiers(paths, holder(target.needles));
  return store.read(async (db) => ({
    found: await findPurged(db, target, more),
    projects: await loadProjects(db),
  }));
}

function planOf(
  { paths }: Pick<JobContext, 'paths'>,
  request: PurgeRequest,
  { found, projects }: Awaited<ReturnType<typeof find>>,
): PurgePlan {
  return {
    entries: found.ids.length,
    sessions: found.sessions.length,
    projects: projects.filter(({ id }) => found.projects.includes(id)).map(({ slug }) => slug),
    own: request.match === null ? [] : ownLines(paths, holder(targetOf(request).needles)),
  };
}

export async function purge(context: JobContext, request: PurgeRequest): Promise<PurgeReport> {
  const { store, paths } = context;
  refuseAgents(context.caller?.(), 'a purge');
  // What a person changed in them counts first: the files are rewritten below.
  await takeHandEdits(context, [null, ...(await store.read((db) => loadProjects(db)))]);
  const { needles } = targetOf(request);
  const holds = holder(needles);
  const { found, projects } = await find(context, request);
  const plan = planOf(context, request, { found, projects });
  const passages =
    needles.length > 0
      ? []
      : [...(await choosePassages(context, found.ids)), ...(await passagesOfCut(context, request))];
  const whole = projects.filter(({ id }) => found.projects.includes(id));
  const kept = projects.filter((project) => !whole.includes(project));
  // Before anything goes: a crystal that was cleaned tells no more what it quoted.
  const quoted = quotedIn(paths, projects, holds);
  await store.write((db) => addPurged(db, quoted));
  const { marks, emptied } = await store.read(async (db) => ({
    marks: await loadPurged(db),
    emptied: await emptiedBy(db, found.ids, found.sessions),
  }));
  const purged = {
    ids: new Set([...marks, ...found.ids]),
    sessions: new Set(emptied.map(({ agent, session }) => sessionKey(agent, session))),
    holds,
  };
  // Files first: while the database has the rows, a purge that was killed finds all of it again.
  for (const project of whole) await dropProjectFolder(paths, project, request.notes);
  const tierRows = await purgeTiers(context, purged);
  const lessons = await purgeCrystals(context, kept, purged);
  const losing = await store.read((db) => projectsOf(db, found.ids));
  await dropEpisodes(paths, kept, losing, holds);
  const lines = await purgeLines(paths, purged);
  const files = await purgeAside(paths, purged);
  // Looked for again: the folder of a project that went whole is gone with its notes.
  if (request.notes) await purgeNotes(ownLines(paths, holds));
  const linked = await dropLinks(
    paths,
    whole.map(({ slug }) => slug),
  );
  const removed = await removeRows(context, request, { found, whole, kept, passages, lessons });
  const rebuilt = await finish(context);
  const own = [...(request.match === null ? [] : ownLines(paths, holds)), ...linked];
  const proof = await proveGone(context, {
    needles,
    passages,
    whole: emptied,
    projects: found.projects,
  });
  return {
    ...plan,
    own,
    removed: { ...removed, tier_rows: tierRows, lines, lessons: lessons.length },
    files: files.map((file) => basename(file)),
    store: rebuilt,
    proof,
  };
}

/**
 * What another machine purged goes here too: its entries, wherever both have read them, with all
 * that was made of them, and the bytes that it leaves in the database.
 * @param marks that came from there; hashes, so nothing is said of what they stand for
 * @param crystals what is left of those that rested on them
 * @param words passages that went from those
 * @returns null when nothing had to go
 */
export async function purgeMarked(
  context: JobContext,
  marks: readonly string[],
  crystals: readonly { path: string; text: string; removed: readonly string[] }[],
  words: readonly string[],
): Promise<{ entries: number; passages: string[] } | null> {
  const { store, paths } = context;
  const found = await store.read((db) => findMarked(db, marks));
  const passages = [...(await choosePassages(context, found.ids)), ...words];
  const request = { match: null, session: null, project: null, before: null, notes: false };
  const isAny = await store.write(async (db) => {
    const edits = await dropMarkedEdits(db, new Set(marks));
    if (edits + found.ids.length + crystals.length === 0) return false;
    await setMeta(db, CUT, JSON.stringify(cutOf(request, [], passages)));
    return true;
  });
  if (!isAny) {
    await keepMarks(context);
    await finishPurge(context); // one that was cut after its rows had gone
    return null;
  }
  for (const { path, text } of crystals) await publishFile(path, text);
  const lessons = crystals.flatMap(({ removed }) => removed);
  const emptied = await store.read((db) => emptiedBy(db, found.ids, found.sessions));
  const sessions = new Set(emptied.map(({ agent, session }) => sessionKey(agent, session)));
  const purged = { ids: new Set([...marks, ...found.ids]), sessions, holds: () => false };
  await purgeTiers(context, purged);
  const { kept, losing } = await store.read(async (db) => ({
    kept: await loadProjects(db),
    losing: await projectsOf(db, found.ids),
  }));
  await dropEpisodes(paths, kept, losing, () => false);
  await purgeLines(paths, purged);
  await purgeAside(paths, purged);
  await removeRows(context, request, { found, whole: [], kept, passages, lessons });
  await finish(context);
  return { entries: found.ids.length, passages };
}

interface Going {
  found: Found;
  /** Projects that go whole, and those that stay. */
  whole: readonly Project[];
  kept: readonly Project[];
  passages: readonly string[];
  /** Ids of the lessons that went from crystals. */
  lessons: readonly string[];
}

/** In one go with the note that the rest is still to be done. */
function removeRows(
  { store }: JobContext,
  request: PurgeRequest,
  { found, whole, kept, passages, lessons }: Going,
): Promise<Removed> {
  const unlearnt = kept.map(({ id }) => id);
  return store.write(async (db) => {
    const counts = await removePurged(db, found, targetOf(request).needles, [
      ...passages,
      ...whole.map(({ slug }) => slug),
    ]);
    await dropLessons(db, lessons);
    await markDirty(db, unlearnt);
    await setMeta(db, CUT, JSON.stringify(cutOf(request, whole, passages)));
    return counts;
  });
}

/** The part that follows once the rows are gone; it needs no knowledge of what was purged. */
async function finish(context: JobContext): Promise<PurgeReport['store']> {
  const { store } = context;
  await keepMarks(context);
  await learnAnew(context);
  // Jobs end early then, and not every file was rewritten: the next start has to do it.
  if (context.signal.aborted)
    throw new AppError(
      'INTERRUPTED',
      'interrupted: the rows are gone, files that were made of them may still hold it',
      {
        hint: 'any `dripstone run` finishes it, and so does the same command',
        exitCode: EXIT.interrupted,
      },
    );
  await renewOwnFiles(context);
  // What search kept of its words goes with it.
  await store.write((db) => compactStates(db, context.paths.vectors));
  // Its passages go before the file is rewritten.
  await store.write((db) => setMeta(db, CUT, '{}'));
  const rebuilt = await store.rebuild();
  await store.write((db) => dropMeta(db, CUT));
  return rebuilt;
}

/**
 * Ends a purge that was killed after its rows had gone: published files and freed pages of the
 * database still hold it.
 */
export async function finishPurge(context: JobContext): Promise<void> {
  if ((await context.store.read((db) => cutPurge(db))) !== null) {
    context.log.info({}, 'a purge was cut short; it is finished now');
    await finish(context);
  }
}

async function passagesOfCut(
  { store }: JobContext,
  { session, project, before }: PurgeRequest,
): Promise<string[]> {
  const cut = await store.read((db) => cutPurge(db));
  const isSame =
    JSON.stringify([cut?.session, cut?.project?.id ?? null, cut?.before]) ===
    JSON.stringify([session, project, before]);
  return isSame ? (cut?.passages ?? []) : [];
}

/**
 * All ids that were ever purged, also beside the database: a lost database must not bring them back
 * from the logs.
 */
async function keepMarks({ store, paths }: JobContext): Promise<void> {
  const marks = await store.read((db) => loadPurged(db));
  await publishFile(paths.purged, marks.map((mark) => `${mark}\n`).join(''));
}

/** Lessons from what is left, then every file that is made of them. */
async function learnAnew(context: JobContext): Promise<void> {
  const { store } = context;
  await extractJob.run({ ...context, mode: 'once' }, { job: 'extract' });
  await store.write((db) => dropStrays(db));
  await contextJob.run(context, { job: 'context' });
  // Purged lessons left the crystals before the rows went: one that cannot be written here stops
  // nothing else, nor a later start.
  await stepOfAll(
    context,
    'crystal',
    [null, ...(await store.read((db) => loadProjects(db)))],
    (group) => writeCrystals(context, group),
  );
}
