/**
 * Decides which project each session belongs to: reads the folders in logs while they still exist,
 * and stores the facts.
 */
import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { adoptCrystal, formatCrystal, joinCrystals, lessonId } from '../../lessons/index.js';
import { keyOfText } from '../../text/fingerprint.js';
import {
  type Db,
  type PendingSession,
  copyEdits,
  loadFolders,
  loadProjects,
  moveEdits,
  moveYields,
  publishFile,
  saveFolders,
  saveProjects,
  sessionsOfProjects,
  setSessionProjects,
  touchedFiles,
  markDirty,
} from '../../store/index.js';
import { type LessonKind, type Project, sessionKey } from '../../types.js';
import { folderKey, isHomeFolder, isWithin } from '../../projects/folder-path.js';
import {
  type FolderFacts,
  lookAtFolder,
  mergeFacts,
  rememberTops,
} from '../../projects/folder-project.js';
import { absorbed, planProjects } from '../../projects/plan-projects.js';
import { normaliseRemote } from '../../projects/remote.js';
import { readCrystal } from '../publishing/crystal-file.js';
import { takeHandEdits } from './hand-edits.js';
import type { JobContext } from '../job.js';

/** A project with its root folders; a home folder is a root only if it has a `.git`. */
interface SettledProject extends Project {
  roots: string[];
}

/** Session -> its project, by `agent\0session`. */
export type Settled = Map<string, SettledProject>;

/** Settles projects for sessions, and again for those of projects that lost a folder thereby. */
export async function settleProjects(
  context: JobContext,
  given: readonly PendingSession[],
): Promise<Settled> {
  const [rows, known] = await context.store.read(
    async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const,
  );
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  const pending = await fromHome(context, given, [...facts.keys()]);
  for (const seen of factsOf(pending, context.userHome))
    facts.set(seen.folder, mergeFacts(facts.get(seen.folder) ?? null, seen));
  const plan = planProjects([...facts.values()], known, context.config.projects, context.userHome);
  const byId = new Map(
    plan.projects.map((project): [string, SettledProject] => [
      project.id,
      {
        ...project,
        roots: project.folders.filter((folder) => isRoot(facts.get(folder)!, context.userHome)),
      },
    ]),
  );
  const sessions = [...pending, ...(await displaced(context, rows, plan.folderToProject, pending))];
  const settled: Settled = new Map();
  for (const session of sessions) {
    const id = foldersOf(session, context.userHome)
      .map((folder) => plan.folderToProject.get(folder))
      .find((found) => found !== undefined);
    if (id !== undefined) settled.set(sessionKey(session.agent, session.session), byId.get(id)!);
  }
  const joined = absorbed(known, byId, plan.folderToProject);
  for (const [from, into] of joined) await joinCrystalFiles(context, from, into);
  await context.store.write(async (db) => {
    await saveProjects(db, plan.projects);
    await saveFolders(
      db,
      [...facts.values()].map((each) => ({
        cwd: each.folder,
        project: plan.folderToProject.get(each.folder)!,
        facts: each,
      })),
      rows,
    );
    await moveSessions(
      db,
      sessions.flatMap(({ agent, session, project: before }) => {
        const project = settled.get(sessionKey(agent, session));
        return project ? [{ agent, session, project: project.id, before }] : [];
      }),
      joined,
    );
  });
  return settled;
}

function isRoot({ folder, top }: FolderFacts, userHome: string): boolean {
  const key = folderKey(folder);
  return !isHomeFolder(key, folderKey(userHome)) || (top !== null && folderKey(top) === key);
}

/** Sessions of projects that lost a folder: it was renamed, or the config joined it. */
async function displaced(
  context: JobContext,
  rows: readonly { cwd: string; project: string }[],
  now: ReadonlyMap<string, string>,
  pending: readonly PendingSession[],
): Promise<readonly PendingSession[]> {
  const left = new Set(
    rows.filter(({ cwd, project }) => now.get(cwd) !== project).map(({ project }) => project),
  );
  if (left.size === 0) return [];
  const known = new Set(pending.map(({ agent, session }) => sessionKey(agent, session)));
  const all = await context.store.read((db) => sessionsOfProjects(db, [...left]));
  return fromHome(
    context,
    all.filter(({ agent, session }) => !known.has(sessionKey(agent, session))),
    rows.map(({ cwd }) => cwd),
  );
}

/**
 * Gives sessions that stayed in the home the folder of the files that they touched. The others stay
 * as they are.
 */
async function fromHome(
  { store, userHome }: JobContext,
  sessions: readonly PendingSession[],
  known: readonly string[],
): Promise<readonly PendingSession[]> {
  const home = folderKey(userHome);
  const stayed = sessions.filter((session) =>
    foldersOf(session, userHome).every((folder) => folderKey(folder) === home),
  );
  if (stayed.length === 0) return sessions;
  const touched = await store.read((db) => touchedFiles(db, stayed));
  const topOf = rememberTops();
  const folders = [...known, ...sessions.flatMap((session) => foldersOf(session, userHome))];
  return sessions.map((session) => {
    if (!stayed.includes(session)) return session;
    const folder = touchedFolder(
      touched.get(sessionKey(session.agent, session.session)) ?? [],
      userHome,
      topOf,
      folders,
    );
    return folder === null
      ? session
      : { ...session, folders: [{ cwd: folder, entries: session.entries }] };
  });
}

/** Folders of a session, the most used first and the home last; never empty. */
function foldersOf(session: PendingSession, userHome: string): string[] {
  const used = session.folders.map(({ cwd }) => cwd);
  const all = [...used, ...(session.facts.cwd ? [session.facts.cwd] : [])];
  const isHome = (folder: string): boolean => isHomeFolder(folderKey(folder), folderKey(userHome));
  return all.length > 0
    ? [...all.filter((folder) => !isHome(folder)), ...all.filter(isHome)]
    : [userHome];
}

/** Facts about each folder, from the disk and the logs. */
function factsOf(sessions: readonly PendingSession[], userHome: string): FolderFacts[] {
  const seen = new Map<string, FolderFacts>();
  for (const session of sessions) {
    const folders = foldersOf(session, userHome);
    for (const folder of folders) if (!seen.has(folder)) seen.set(folder, lookAtFolder(folder));
    noteOrigins(session, folders, seen);
  }
  return [...seen.values()];
}

function noteOrigins(
  session: PendingSession,
  folders: string[],
  seen: ReadonlyMap<string, FolderFacts>,
): void {
  const { remote, original_cwd, cwd } = session.facts;
  const named = remote ? normaliseRemote(remote) : null;
  const main = seen.get(folders[0]!)!;
  if (named) main.loggedRemotes[named] = (main.loggedRemotes[named] ?? 0) + 1;
  if (original_cwd && cwd && original_cwd !== cwd) add(seen.get(cwd), original_cwd);
  // A sub-folder of a session belongs to a folder above it that the session also used.
  for (const folder of folders) {
    const above = folders.find(
      (other) => other !== folder && isWithin(folderKey(folder), folderKey(other)),
    );
    if (above) add(seen.get(folder), above);
  }
}

function add(facts: FolderFacts | undefined, origin: string): void {
  if (facts && !facts.belongsTo.includes(origin))
    facts.belongsTo = [...facts.belongsTo, origin].sort();
}

// For a session that stayed in the person's home: the repository, or else the known folder, whose
// files it touched most. Pure.

/** A file in calls of a session, absolute or relative to the home. */
interface TouchedFile {
  path: string;
  touches: number;
}

/**
 * @param home the person's home, which is never the result
 * @param topOf top of the repository of a folder, or null
 * @param known folders of other sessions, for files outside any repository
 * @returns null if the files are in no repository or known folder
 */
function touchedFolder(
  files: readonly TouchedFile[],
  home: string,
  topOf: (folder: string) => string | null,
  known: readonly string[],
): string | null {
  const own = folderKey(home);
  const others = known
    .filter((folder) => !isWithin(own, folderKey(folder)))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const touches = new Map<string, number>();
  for (const file of files) {
    const folder = dirname(
      file.path.startsWith('~/') ? join(home, file.path.slice(2)) : resolve(home, file.path),
    );
    const top = topOf(folder);
    const root =
      top !== null && folderKey(top) !== own
        ? top
        : others.find((other) => isWithin(folderKey(folder), folderKey(other)));
    if (root !== undefined) touches.set(root, (touches.get(root) ?? 0) + file.touches);
  }
  return [...touches].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? null;
}

// Moves the results of sessions whose folder now belongs to another project. A project without
// folders becomes part of that project.

/**
 * Joins the crystal of one project into another's. A kill is harmless: the joined file is complete
 * before the old one is removed.
 */
async function joinCrystalFiles(context: JobContext, from: Project, into: Project): Promise<void> {
  await takeHandEdits(context, [from, into]);
  const old = readCrystal(context.paths, from);
  if (old.crystal === null) return;
  const here = readCrystal(context.paths, into);
  await publishFile(
    here.path,
    formatCrystal(joinCrystals(here.crystal, adoptCrystal(old.crystal, into))),
  );
  if (existsSync(old.path)) await unlink(old.path);
}

/** Call it in the transaction that settles the sessions. */
async function moveSessions(
  db: Db,
  rows: readonly { agent: string; session: string; project: string; before: string | null }[],
  joined: readonly (readonly [Project, Project])[],
): Promise<void> {
  const moved = rows.filter(({ project, before }) => before !== null && before !== project);
  await setSessionProjects(db, rows);
  if (moved.length > 0) await moveYields(db, moved);
  const idIn = (id: string) => (lesson: { kind: string; key: string | null; text: string }) =>
    lessonId(id, lesson.kind as LessonKind, lesson.key ?? keyOfText(lesson.text));
  for (const [from, into] of joined) await moveEdits(db, from.id, into.id, idIn(into.id));
  for (const { from, into, sessions } of partings(moved, joined))
    await copyEdits(db, from, into, sessions, idIn(into));
  const touched = [
    ...moved.flatMap(({ project, before }) => [project, before!]),
    ...joined.flatMap(([from, into]) => [from.id, into.id]),
  ];
  if (touched.length > 0) await markDirty(db, new Set(touched));
}

/** Sessions that moved to another project while the old project still exists. Pure. */
function partings<S extends { project: string; before: string | null }>(
  moved: readonly S[],
  joined: readonly (readonly [Project, Project])[],
): { from: string; into: string; sessions: S[] }[] {
  const out = new Map<string, { from: string; into: string; sessions: S[] }>();
  for (const session of moved) {
    const { before, project: into } = session;
    if (before === null || joined.some(([old, heir]) => old.id === before && heir.id === into))
      continue;
    const key = `${before} ${into}`;
    const parting = out.get(key) ?? { from: before, into, sessions: [] };
    parting.sessions.push(session);
    out.set(key, parting);
  }
  return [...out.values()];
}
