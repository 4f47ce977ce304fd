/** What the pages show beside the commands' answers; shapes in wire.ts. */
import { z } from 'zod';
import type { App } from '../app.js';
import { explainLesson, lessonJson, oneLesson, slugsOf } from '../commands/lessons/read.js';
import { waitingFor } from '../jobs/learning/reviewed.js';
import { pageLines } from '../jobs/publishing/context.js';
import { signature } from '../jobs/requests.js';
import { readContext } from '../recall/context-file.js';
import {
  editsOf,
  lessonByPrefix,
  newestRuns,
  projectWeeks,
  reviewableLessons,
  sessionTitles,
} from '../store/index.js';
import { outside, type Lesson } from '../types.js';
import { projectOf, type Route } from './routes.js';
import { SESSION_VIEWS } from './session-views.js';
import { number, project, text, view } from './view.js';
import type { ContextView, LessonView, NightsView, StartView } from './wire.js';
import type { Io } from '../io.js';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Lessons that are named as having just missed the page. */
const MOST_MISSED = 10;

async function start(app: App, _: unknown, io: Io): Promise<StartView> {
  const now = app.clock.now();
  const since = new Date(now.getTime() - WEEK_DAYS * DAY_MS).toISOString();
  const { rows, ids } = await app.store.read(async (db) => ({
    rows: await projectWeeks(db, since),
    ids: await reviewableLessons(db),
  }));
  return {
    now: now.toISOString(),
    by: signature(io.caller()),
    waiting: waitingFor(app.paths.reviewed, ids).length,
    projects: rows.map(
      ({
        week_sessions: sessions,
        week_entries: entries,
        week_lessons: lessons,
        last_agent,
        last_session,
        last_title,
        ...row
      }) => ({
        ...row,
        week: { sessions, entries, lessons },
        last:
          last_agent === null
            ? null
            : { agent: last_agent, session: last_session!, title: last_title },
      }),
    ),
  };
}

async function context(app: App, wanted: { project?: string }): Promise<ContextView> {
  const project = await projectOf(app, wanted.project);
  const page = await pageLines(app, project, MOST_MISSED);
  return { project: project?.slug ?? null, path: readContext(app.paths, project).path, ...page };
}

async function lesson(app: App, { id }: { id: string }): Promise<LessonView> {
  const found = await oneLesson(app, id);
  const slugs = await slugsOf(app);
  const { lines } = await explainLesson(app, found);
  const linked = [
    ...found.conflictsWith,
    ...found.supersedes,
    ...(found.supersededBy === null ? [] : [found.supersededBy]),
  ];
  const { related, titles, edits } = await app.store.read(async (db) => {
    const lessons: Lesson[] = [];
    for (const id of new Set(linked)) lessons.push(...(await lessonByPrefix(db, id)));
    return {
      related: lessons,
      titles: await sessionTitles(db, found.evidence),
      edits: await editsOf(db, found.id),
    };
  });
  return {
    lesson: { ...lessonJson(found, slugs), ...outside(found, ['supersedes', 'conflictsWith']) },
    evidence: found.evidence.map((event) => ({
      ...event,
      title: titles.get(`${event.agent}\0${event.session}`) ?? null,
    })),
    why: lines,
    related: related.map((each) => lessonJson(each, slugs)),
    edits,
  };
}

async function nights(app: App, { limit }: { limit: number }): Promise<NightsView> {
  return { runs: await app.store.read((db) => newestRuns(db, limit)) };
}

export const VIEWS: readonly Route[] = [
  view('start', 'Every project with what its week brought', z.object({}), start),
  ...SESSION_VIEWS,
  view(
    'context',
    'context.md line by line, and what just missed it',
    z.object({ project }),
    context,
  ),
  view('lesson', 'A lesson with its places and its arithmetic', z.object({ id: text }), lesson),
  view('nights', 'Runs of background jobs', z.object({ limit: number(14, 500) }), nights),
];
