/** The projects that are known, with what they hold. */
import type { Config } from '../config.js';
import { matchFolders } from '../projects/globs.js';
import { loadLessons, loadProjects, projectSessions } from '../store/index.js';
import { isShown, type Project } from '../types.js';
import type { Reader } from './recall.js';

/** Every project, as `projects list --json` prints it. */
export async function listProjects(app: Reader) {
  const rows = await app.store.read(async (db) => {
    const [sessions, lessons] = [await projectSessions(db), await loadLessons(db)];
    return (await loadProjects(db)).map((project) => ({
      slug: project.slug,
      name: project.name,
      remote: project.remote,
      folders: project.folders,
      aliases: project.aliases,
      sessions: sessions.get(project.id) ?? 0,
      lessons: lessons.filter((lesson) => lesson.project === project.id && isShown(lesson)).length,
      in_config: namesOf(app, project).length > 0,
    }));
  });
  // A project without a folder became part of another one, which has its name among its aliases; or
  // it was imported and has no folder here yet.
  const isPart = (slug: string): boolean => rows.some(({ aliases }) => aliases.includes(slug));
  return rows.filter(
    ({ slug, folders, sessions, lessons }) =>
      folders.length + sessions + lessons > 0 || !isPart(slug),
  );
}

/** Names that config.yaml gives to folders of a project. */
export function namesOf(
  { config, userHome }: { config: Config; userHome: string },
  { folders }: Project,
): string[] {
  return Object.keys(config.projects).filter((name) =>
    folders.some(matchFolders(config.projects[name]!, userHome)),
  );
}
