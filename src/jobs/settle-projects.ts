/** Which project each session belongs to: looks at the folders that logs name while they still exist, and remembers what it saw. */
import {
  loadFolders,
  loadProjects,
  saveFolders,
  saveProjects,
  sessionsOfProjects,
  touchedFiles,
  type PendingSession,
} from '../store/index.js';
import { sessionKey, type Project } from '../types.js';
import { folderKey, isHomeFolder, isWithin } from '../watchers/folder-path.js';
import { lookAtFolder, mergeFacts, rememberTops, type FolderFacts } from '../watchers/folder-project.js';
import { absorbed, planProjects } from '../watchers/plan-projects.js';
import { normaliseRemote } from '../watchers/remote.js';
import type { JobContext } from './job.js';
import { joinCrystalFiles, moveSessions } from './join-projects.js';
import { touchedFolder } from './touched-folder.js';

/** A project and the folders of it that are roots: a home is one only when it holds `.git` itself. */
export interface SettledProject extends Project {
  roots: string[];
}

/** Session -> its project, by `agent\0session`. */
export type Settled = Map<string, SettledProject>;

/** Settles projects for sessions, and anew for every folder that is joined by what they show. */
export const settleProjects = async (context: JobContext, given: readonly PendingSession[]): Promise<Settled> => {
  const [rows, known] = await context.store.read(
    async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const,
  );
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  const pending = await fromHome(context, given, [...facts.keys()]);
  for (const seen of factsOf(pending, context.userHome)) facts.set(seen.folder, mergeFacts(facts.get(seen.folder) ?? null, seen));
  lookAgain(facts);
  const plan = planProjects([...facts.values()], known, context.config.projects, context.userHome);
  const byId = new Map(
    plan.projects.map((project): [string, SettledProject] => [
      project.id,
      { ...project, roots: project.folders.filter((folder) => isRoot(facts.get(folder)!, context.userHome)) },
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
      [...facts.values()].map((each) => ({ cwd: each.folder, project: plan.folderToProject.get(each.folder)!, facts: each })),
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
};

const isRoot = ({ folder, top }: FolderFacts, userHome: string): boolean => {
  const key = folderKey(folder);
  return !isHomeFolder(key, folderKey(userHome)) || (top !== null && folderKey(top) === key);
};

/** Two folders with one history: one of them may have been renamed to the other since it was looked at. */
const lookAgain = (facts: Map<string, FolderFacts>): void => {
  const holders = new Map<string, FolderFacts[]>();
  for (const each of facts.values()) for (const mark of each.born ?? []) holders.set(mark, [...(holders.get(mark) ?? []), each]);
  for (const same of holders.values()) {
    if (new Set(same.map((each) => each.top)).size < 2) continue;
    for (const each of same) facts.set(each.folder, mergeFacts(facts.get(each.folder)!, lookAtFolder(each.folder)));
  }
};

/** Sessions of projects that lost a folder since they were settled: renamed, or joined by the config. */
const displaced = async (
  context: JobContext,
  rows: readonly { cwd: string; project: string }[],
  now: ReadonlyMap<string, string>,
  pending: readonly PendingSession[],
): Promise<readonly PendingSession[]> => {
  const left = new Set(rows.filter(({ cwd, project }) => now.get(cwd) !== project).map(({ project }) => project));
  if (left.size === 0) return [];
  const known = new Set(pending.map(({ agent, session }) => sessionKey(agent, session)));
  const all = await context.store.read((db) => sessionsOfProjects(db, [...left]));
  return fromHome(
    context,
    all.filter(({ agent, session }) => !known.has(sessionKey(agent, session))),
    rows.map(({ cwd }) => cwd),
  );
};

/**
 * A session that was started in the home and stayed there worked where the files lie that it touched: that folder then counts as its own.
 * The others stay as they are.
 */
const fromHome = async (
  { store, userHome }: JobContext,
  sessions: readonly PendingSession[],
  known: readonly string[],
): Promise<readonly PendingSession[]> => {
  const home = folderKey(userHome);
  const stayed = sessions.filter((session) => foldersOf(session, userHome).every((folder) => folderKey(folder) === home));
  if (stayed.length === 0) return sessions;
  const touched = await store.read((db) => touchedFiles(db, stayed));
  const topOf = rememberTops();
  const folders = [...known, ...sessions.flatMap((session) => foldersOf(session, userHome))];
  return sessions.map((session) => {
    if (!stayed.includes(session)) return session;
    const folder = touchedFolder(touched.get(sessionKey(session.agent, session.session)) ?? [], userHome, topOf, folders);
    return folder === null ? session : { ...session, folders: [{ cwd: folder, entries: session.entries }] };
  });
};

/** The project that a folder is, or will be when its first session is read; nothing is written. */
export const foreseeProject = async (
  context: Pick<JobContext, 'store' | 'config' | 'userHome'> & { storeExists: boolean },
  folder: string,
): Promise<Project> => {
  const [rows, known] = context.storeExists
    ? await context.store.read(async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const)
    : [[], []];
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  facts.set(folder, mergeFacts(facts.get(folder) ?? null, lookAtFolder(folder)));
  lookAgain(facts);
  const plan = planProjects([...facts.values()], known, context.config.projects, context.userHome);
  return plan.projects.find((project) => project.id === plan.folderToProject.get(folder))!;
};

/** Folders of a session, the most used first and the home last; a session that names none counts under the person's home. */
const foldersOf = (session: PendingSession, userHome: string): string[] => {
  const used = session.folders.map(({ cwd }) => cwd);
  const all = [...used, ...(session.facts.cwd ? [session.facts.cwd] : [])];
  const isHome = (folder: string): boolean => isHomeFolder(folderKey(folder), folderKey(userHome));
  return all.length > 0 ? [...all.filter((folder) => !isHome(folder)), ...all.filter(isHome)] : [userHome];
};

/** What the disk and the logs say about each folder. */
const factsOf = (sessions: readonly PendingSession[], userHome: string): FolderFacts[] => {
  const seen = new Map<string, FolderFacts>();
  for (const session of sessions) {
    const folders = foldersOf(session, userHome);
    for (const folder of folders) if (!seen.has(folder)) seen.set(folder, lookAtFolder(folder));
    noteOrigins(session, folders, seen);
  }
  return [...seen.values()];
};

const noteOrigins = (session: PendingSession, folders: string[], seen: ReadonlyMap<string, FolderFacts>): void => {
  const { remote, originalCwd, cwd } = session.facts;
  const named = remote ? normaliseRemote(remote) : null;
  const main = seen.get(folders[0]!)!;
  if (named) main.loggedRemotes[named] = (main.loggedRemotes[named] ?? 0) + 1;
  if (originalCwd && cwd && originalCwd !== cwd) add(seen.get(cwd), originalCwd);
  // A sub-folder that the session went into belongs to the folder above it that the session used too.
  for (const folder of folders) {
    const above = folders.find((other) => other !== folder && isWithin(folderKey(folder), folderKey(other)));
    if (above) add(seen.get(folder), above);
  }
};

const add = (facts: FolderFacts | undefined, origin: string): void => {
  if (facts && !facts.belongsTo.includes(origin)) facts.belongsTo = [...facts.belongsTo, origin].sort();
};
