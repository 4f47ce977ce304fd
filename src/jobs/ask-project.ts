/** The lessons of a project as a whole, asked about at most once a day and only when they changed. */
import { createHash } from 'node:crypto';
import { loadLessons, loadProjects, markConsolidated, openProject, type Db, type ProjectPurpose } from '../store/index.js';
import type { Lesson, Project } from '../types.js';
import { ID_CHARS, type Passed } from './ask-question.js';
import type { JobContext } from './job.js';

/** A night may come a little early. */
const AGAIN_MS = 20 * 3_600_000;

export interface ProjectQuestion {
  project: Project;
  lessons: Lesson[];
  /** Of what is shown now; the same as last time means that there is nothing new to ask. */
  mark(db: Db, fingerprint: string, time: string): Promise<void>;
  /** What was shown when it was asked last. */
  before: string | null;
}

/** The next project that may be asked about; null when every one was today. */
export const nextProject = async (
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  purpose: ProjectPurpose,
): Promise<ProjectQuestion | null> =>
  store.read(async (db) => {
    const open = await openProject(db, purpose, new Date(clock.now().getTime() - AGAIN_MS).toISOString());
    const project = open && (await loadProjects(db)).find(({ id }) => id === open.project);
    if (!open || !project) return null;
    const mark = (write: Db, fingerprint: string, time: string) =>
      markConsolidated(write, project.id, purpose, fingerprint, time);
    return {
      project,
      lessons: await loadLessons(db, { owner: project.id, statuses: ['live', 'conflict'] }),
      mark,
      before: open.fingerprint,
    };
  });

export const fingerprintOf = (shown: unknown): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 16);

/** Nothing to ask today; what was shown last stays known. */
export const passProject = ({ mark, before }: ProjectQuestion, fingerprint = before ?? ''): Passed => ({
  pass: (db, time) => mark(db, fingerprint, time),
});

export const shortId = (lesson: Lesson): string => lesson.id.slice(0, ID_CHARS);

/** By the id that a model is shown. */
export const byShortId = (lessons: readonly Lesson[]): Map<string, Lesson> =>
  new Map(lessons.map((lesson) => [shortId(lesson), lesson]));
