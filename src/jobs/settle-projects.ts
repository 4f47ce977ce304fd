/** Which project each session belongs to: looks at the folders that logs name while they still exist, and remembers what it saw. */
import { loadFolders, loadProjects, saveFolders, saveProjects, setSessionProjects, touchedFiles, type PendingSession } from '../store/index.js';
import { sessionKey, type Project } from '../types.js';
import { folderKey, isWithin } from '../watchers/folder-path.js';
import { lookAtFolder, mergeFacts, rememberTops, type FolderFacts } from '../watchers/folder-project.js';
import { planProjects } from '../watchers/plan-projects.js';
import { normaliseRemote } from '../watchers/remote.js';
import type { JobContext } from './job.js';
import { touchedFolder } from './touched-folder.js';

/** Session -> its project, by `agent\0session`. */
export type Settled = Map<string, Project>;

/** Settles projects for sessions, and anew for every folder that is joined by what they show. */
export const settleProjects = async (context: JobContext, given: readonly PendingSession[]): Promise<Settled> => {
  const [rows, known] = await context.store.read(async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const);
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  const sessions = await fromHome(context, given, [...facts.keys()]);
  for (const seen of factsOf(sessions, context.userHome)) facts.set(seen.folder, mergeFacts(facts.get(seen.folder) ?? null, seen));
  const plan = planProjects([...facts.values()], known, context.config.projects, context.userHome);
  const byId = new Map(plan.projects.map((project) => [project.id, project]));
  const settled: Settled = new Map();
  for (const session of sessions) {
    const id = foldersOf(session, context.userHome).map((folder) => plan.folderToProject.get(folder)).find((found) => found !== undefined);
    if (id !== undefined) settled.set(sessionKey(session.agent, session.session), byId.get(id)!);
  }
  await context.store.write(async (db) => {
    await saveProjects(db, plan.projects);
    await saveFolders(db, [...facts.values()].map((each) => ({ cwd: each.folder, project: plan.folderToProject.get(each.folder)!, facts: each })));
    await setSessionProjects(db, sessions.flatMap(({ agent, session }) => {
      const project = settled.get(sessionKey(agent, session));
      return project ? [{ agent, session, project: project.id }] : [];
    }));
  });
  return settled;
};

/**
 * A session that was started in the home and stayed there worked where the files lie that it touched: that folder then counts as its own.
 * The others stay as they are.
 */
const fromHome = async ({ store, userHome }: JobContext, sessions: readonly PendingSession[], known: readonly string[]): Promise<readonly PendingSession[]> => {
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
export const foreseeProject = async (context: Pick<JobContext, 'store' | 'config' | 'userHome'> & { storeExists: boolean }, folder: string): Promise<Project> => {
  const [rows, known] = context.storeExists ? await context.store.read(async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const) : [[], []];
  const facts = [...rows.filter((row) => row.cwd !== folder).map((row) => row.facts), mergeFacts(rows.find((row) => row.cwd === folder)?.facts ?? null, lookAtFolder(folder))];
  const plan = planProjects(facts, known, context.config.projects, context.userHome);
  return plan.projects.find((project) => project.id === plan.folderToProject.get(folder))!;
};

/** Folders of a session, the most used first and the home last; a session that names none counts under the person's home. */
const foldersOf = (session: PendingSession, userHome: string): string[] => {
  const used = session.folders.map(({ cwd }) => cwd);
  const all = [...used, ...(session.facts.cwd ? [session.facts.cwd] : [])];
  const isHome = (folder: string): boolean => folderKey(folder) === folderKey(userHome);
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
