/** A person's edit: stored, distilled and published before the command ends. */
import { addNewEdits, loadLessons, loadProjects } from '../../store/index.js';
import type { Edit, Lesson } from '../../types.js';
import { publishProject } from '../publishing/context.js';
import type { JobContext } from '../job.js';
import { learnProject } from './learn.js';
import { stepOrPassOver } from './passed-over.js';

/**
 * @param owner project id, or null for a global lesson
 * @returns the lesson as it stands afterwards; null when it is gone (an undone addition)
 */
export async function applyEdit(context: JobContext, edit: Edit, owner: string | null): Promise<Lesson | null> {
  // The same edit comes again when the store was lost in the middle of the first time.
  await context.store.write((db) => addNewEdits(db, owner, [edit]));
  const projects = await context.store.read((db) => loadProjects(db));
  const own = projects.find((project) => project.id === owner) ?? null;
  // Global lessons stand in every context.md, and a project does not repeat them.
  const touched = owner === null ? [null, ...projects] : [own];
  for (const project of touched) {
    const learn = () => learnProject(context, project);
    // A failure of the edited lesson's project is thrown; other projects that must be rendered again are passed over.
    await (project === null || project.id === owner ? learn() : stepOrPassOver(context, 'project', project, learn));
  }
  if (own) await publishProject(context, own);
  if (owner === null) {
    for (const project of projects) await stepOrPassOver(context, 'page', project, () => publishProject(context, project));
    await publishProject(context, null);
  }
  const found = await context.store.read((db) => loadLessons(db, { prefix: edit.lesson }));
  return found.find((lesson) => lesson.id === edit.lesson) ?? null;
}
