/** Answers for the page besides those of commands; wire.ts has their types. */
import { z } from 'zod';
import type { App } from '../app.js';
import type { Io } from '../io.js';
import { AppError, EXIT } from '../errors.js';
import { explainLesson, pageLines } from '../jobs/publishing/context.js';
import { nameOfCaller } from '../jobs/requests.js';
import { readContext } from '../recall/context-file.js';
import {
  editsOf,
  lessonByPrefix,
  loadLessons,
  offeredWishes,
  projectNames,
  placeInSession,
  reviewableLessons,
  sessionHead,
  sessionLine,
  sessionLines,
  sessionTitles,
  sessionWindow,
  storedRules,
  storedWishes,
  waitingFor,
} from '../store/index.js';
import { isShown, type Lesson, type Project } from '../types.js';
import type {
  ContextAnswer,
  LessonAnswer,
  Review,
  SessionAnswer,
  Sessions,
  Start,
} from './wire.js';
import { byWeight, lessonJson, oneLesson, slugsOf } from '../recall/lessons.js';
import { toReview, reviewJson, ruleJson } from '../recall/review.js';
import { resumeLine } from '../recall/sessions.js';

export async function start(app: App, io: Io): Promise<Start> {
  const now = app.clock.now();
  const by = nameOfCaller(io.caller());
  if (!app.storeExists) return { now: now.toISOString(), by, waiting: 0, projects: [] };
  return await app.store.read(async (db) => {
    const lessons = waitingFor(app.paths.reviewed, await reviewableLessons(db));
    const wishes = offeredWishes(app.paths.reviewed, await storedWishes(db), now);
    return {
      now: now.toISOString(),
      by,
      waiting: lessons.length + wishes.length,
      projects: await projectNames(db),
    };
  });
}

export async function sessions(
  app: App,
  project: Project | null,
  { automated, before, limit }: { automated: boolean; before: string | undefined; limit: number },
): Promise<Sessions> {
  const rows = await app.store.read((db) =>
    sessionLines(db, {
      project: project?.slug ?? null,
      automated,
      before: before === undefined ? null : parseMark(before),
      limit: limit + 1,
    }),
  );
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return {
    sessions: rows.slice(0, limit),
    next: last && JSON.stringify([last.ended, last.agent, last.session]),
  };
}

const Mark = z.tuple([z.iso.datetime().nullable(), z.string(), z.string()]);

/** The end of a part of the list, from its `next`. */
function parseMark(mark: string): { ended: string | null; agent: string; session: string } {
  try {
    const [ended, agent, session] = Mark.parse(JSON.parse(mark));
    return { ended, agent, session };
  } catch {
    throw new AppError('USAGE', '`before` is not a mark of a list', {
      hint: 'pass what `next` named',
      exitCode: EXIT.usage,
    });
  }
}

/** Most characters of an entry in the reader. */
const CLIP = 30_000;
/** Most entries of one answer, which a browser can still show and search. */
const MOST_ENTRIES = 5000;

export async function session(
  app: App,
  of: { agent: string; session: string },
  { entry, from: wanted }: { entry: string | null; from: number },
): Promise<SessionAnswer> {
  const { line, head, total, from, entries, lessons } = await app.store.read(async (db) => {
    const { total, place } = await placeInSession(db, { ...of, entry });
    const from =
      place === null ? Math.min(wanted, total) : Math.floor(place / MOST_ENTRIES) * MOST_ENTRIES;
    return {
      line: await sessionLine(db, of.agent, of.session),
      head: await sessionHead(db, of.agent, of.session),
      total,
      from,
      entries: await sessionWindow(db, { ...of, from, limit: MOST_ENTRIES, clip: CLIP }),
      lessons: (await loadLessons(db, { from: of })).filter(isShown),
    };
  });
  if (line === null)
    throw new AppError('NOT_FOUND', `there is no session ${of.session} of ${of.agent}`, {
      hint: 'see /sessions',
      exitCode: EXIT.usage,
    });
  const slugs = await slugsOf(app);
  return {
    ...{ session: line, total, from, entries },
    resume: resumeLine(of.agent, of.session),
    folder: typeof head['cwd'] === 'string' ? head['cwd'] : null,
    lessons: lessons.map((lesson) => lessonJson(lesson, slugs)).sort(byWeight),
  };
}

/** Most lessons that are named as the next ones. */
const MOST_MISSED = 10;

export async function context(app: App, project: Project | null): Promise<ContextAnswer> {
  const page = await pageLines(app, project, MOST_MISSED);
  return { project: project?.slug ?? null, path: readContext(app.paths, project).path, ...page };
}

export async function lesson(app: App, id: string): Promise<LessonAnswer> {
  const found = await oneLesson(app, id);
  const slugs = await slugsOf(app);
  const { lines } = await explainLesson(app, found);
  const linked = [
    ...found.supersedes,
    ...(found.superseded_by === null ? [] : [found.superseded_by]),
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
    lesson: { ...lessonJson(found, slugs), supersedes: found.supersedes },
    evidence: found.evidence.map((event) => ({
      ...event,
      title: titles.get(`${event.agent}\0${event.session}`) ?? null,
    })),
    why: lines,
    related: related.map((each) => lessonJson(each, slugs)),
    edits,
  };
}

export async function review(app: App, project: Project | null): Promise<Review> {
  const { wishes, waiting } = reviewJson(await toReview(app, project));
  const now = app.clock.now().toISOString();
  const rules = await app.store.read((db) => storedRules(db, project?.id ?? null, now));
  return {
    wishes,
    waiting,
    rules: rules
      .map((rule) => ruleJson(rule, app.config.hooks.guard))
      .sort((a, b) => b.broken - a.broken || b.told - a.told || (a.id < b.id ? -1 : 1)),
  };
}
