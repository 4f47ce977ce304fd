/** Which project a reading command is about, also in a repository without any session yet. */
import type { App } from '../../app.js';
import { folderKey, isHomeFolder } from '../../projects/folder-path.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { chooseProject } from '../../recall/projects.js';
import { loadProjects } from '../../store/index.js';
import type { Project } from '../../types.js';

/**
 * As `chooseProject`, except that a repository without a session is its own future project, not all
 * projects: what other projects know says nothing about it.
 */
export async function projectHere(
  app: App,
  spec: string | null,
  cwd: string,
): Promise<Project | null> {
  const known = app.storeExists ? await chooseProject(app, spec, cwd) : null;
  const top = known === null && spec === null ? lookAtFolder(cwd).top : null;
  if (top === null || isHomeFolder(folderKey(top), folderKey(app.userHome))) return known;
  return (await import('../../jobs/learning/settle-projects.js')).foreseeProject(app, cwd);
}

/** Whether no session of it was read. */
export async function isUnknown(app: App, { id }: Project): Promise<boolean> {
  return !(await app.store.read((db) => loadProjects(db))).some((project) => project.id === id);
}
