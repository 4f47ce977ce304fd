/** Which project a reading command is about, also in a repository without any session yet. */
import type { Config } from '../config.js';
import { folderKey, isHomeFolder } from '../projects/folder-path.js';
import { type FolderFacts, lookAtFolder, mergeFacts } from '../projects/folder-project.js';
import { loadFolders, loadProjects, type Store } from '../store/index.js';
import type { Project } from '../types.js';
import { chooseProject } from './projects.js';

interface From {
  store: Store;
  config: Config;
  userHome: string;
  storeExists: boolean;
}

/**
 * The project of a folder, or the one that it will get when its first session is read; nothing is
 * written.
 */
export async function foreseeProject(from: From, folder: string): Promise<Project> {
  const [rows, known] = from.storeExists
    ? await from.store.read(
        async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const,
      )
    : [[], []];
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  facts.set(folder, mergeFacts(facts.get(folder) ?? null, lookAtFolder(folder)));
  // The patterns of `projects:` need a package that most commands do not.
  const { planProjects } = await import('../projects/plan-projects.js');
  const plan = planProjects([...facts.values()], known, from.config.projects, from.userHome);
  return plan.projects.find((project) => project.id === plan.folderToProject.get(folder))!;
}

/**
 * As `chooseProject`, except that a repository without a session is its own future project, not all
 * projects: what other projects know says nothing about it.
 */
export async function projectHere(
  app: From,
  spec: string | null,
  cwd: string,
): Promise<Project | null> {
  const known = app.storeExists ? await chooseProject(app, spec, cwd) : null;
  const top = known === null && spec === null ? lookAtFolder(cwd).top : null;
  if (top === null || isHomeFolder(folderKey(top), folderKey(app.userHome))) return known;
  return foreseeProject(app, cwd);
}

/** Whether no session of it was read. */
export async function isUnknown(from: { store: Store }, { id }: Project): Promise<boolean> {
  return !(await from.store.read((db) => loadProjects(db))).some((project) => project.id === id);
}
