/** Lessons as they are listed, and the arithmetic behind one. */
import { type App } from '../app.js';
import { explain, projectClockOf, type ProjectClock } from '../lessons/index.js';
import { explainPlace } from '../jobs/publishing/context.js';
import { readCrystal } from '../jobs/publishing/crystal-file.js';
import { withheldFrom } from '../jobs/learning/material.js';
import { activeDays, loadProjects, projectClock } from '../store/index.js';
import { isShown, type Lesson, type LessonKind, type Project } from '../types.js';
import { byWeight, lessonJson, lessonsSeenIn, oneLesson, slugsOf } from '../recall/lessons.js';
import type { LessonJson } from '../types/answers.js';

/** Which lessons are listed. */
interface LessonsWanted {
  /** null: of every project. */
  project: Project | null;
  kind: LessonKind | null;
  /** Faded, superseded and forgotten ones, too. */
  all: boolean;
  conflicts: boolean;
  /** What taint keeps out, and nothing else. */
  withheld: boolean;
}

/** Lessons as `lessons list --json` prints them, the weightiest first. */
export async function lessonsOf(
  app: App,
  { project, kind, all, conflicts, withheld }: LessonsWanted,
): Promise<LessonJson[]> {
  const slugs = await slugsOf(app);
  const rows: LessonJson[] = [];
  if (withheld) {
    const owners =
      project === null
        ? [null, ...(await app.store.read((db) => loadProjects(db)))]
        : [project, null];
    for (const owner of owners)
      for (const { lesson, reason } of await withheldFrom(app, owner))
        rows.push({ ...lessonJson(lesson, slugs), status: 'withheld', reason });
  } else {
    const known = await app.store.read((db) => lessonsSeenIn(db, project?.id ?? null));
    const isListed = (lesson: Lesson): boolean =>
      conflicts ? lesson.status === 'conflict' : all || isShown(lesson);
    rows.push(...known.filter(isListed).map((lesson) => lessonJson(lesson, slugs)));
  }
  return rows.filter((lesson) => kind === null || lesson.kind === kind).sort(byWeight);
}

/** As `lessons why --json` prints it. */
export async function lessonWhy(app: App, meant: string) {
  const lesson = await oneLesson(app, meant);
  const { clock, lines } = await explainLesson(app, lesson);
  const { id, text, confidence } = lesson;
  return { id, text, day: clock.day, active_days: clock.activeDays.length, confidence, lines };
}

/**
 * The arithmetic behind a lesson, line by line, on the clock of its project, and its place on the
 * page.
 */
export async function explainLesson(
  app: App,
  lesson: Lesson,
): Promise<{ clock: ProjectClock; lines: string[] }> {
  const project =
    (await app.store.read((db) => loadProjects(db))).find(({ id }) => id === lesson.project) ??
    null;
  const clock = await clockOf(app, project);
  const place = await explainPlace(app, lesson, project);
  return { clock, lines: [...explain(lesson, clock), ...place] };
}

/** The clock that the lessons of a project (null: the person's) were last computed with. */
async function clockOf(app: App, project: Project | null): Promise<ProjectClock> {
  const now = app.clock.now().toISOString();
  const { crystal } = readCrystal(app.paths, project);
  const [day, days] = await app.store.read(
    async (db) =>
      [
        await projectClock(db, project?.id ?? null, now),
        await activeDays(db, project?.id ?? null, now),
      ] as const,
  );
  return projectClockOf({ day, activeDays: days }, crystal, now);
}
