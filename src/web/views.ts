/** What the pages show beside the commands' answers; shapes in wire.ts. */
import { z } from 'zod';
import type { App } from '../app.js';
import type { Io } from '../commands/command.js';
import { explainLesson, lessonJson, oneLesson, slugsOf } from '../commands/lessons/read.js';
import { afterText, loadReceipts } from '../commands/moments/receipts.js';
import { guardOffers, offerJson } from '../commands/proof/offer.js';
import { replay, replayJson, replayLines } from '../commands/proof/replay.js';
import { waitingFor } from '../jobs/learning/reviewed.js';
import { pageLines } from '../jobs/publishing/context.js';
import { signature } from '../jobs/requests.js';
import { readContext } from '../recall/context-file.js';
import {
  editsOf,
  isQuicklyJudged,
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
import type {
  ContextView,
  LessonView,
  NightsView,
  ProofView,
  StartView,
} from './wire.js';

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

const MOST_PROVEN = 30;

/** A history that takes longer than about two seconds is left to the command. */
async function proof(
  app: App,
  { project, days }: { project?: string; days: number },
): Promise<ProofView> {
  const since = new Date(app.clock.now().getTime() - days * DAY_MS).toISOString().slice(0, 10);
  const of = await projectOf(app, project);
  const id = of?.id ?? null;
  const { isQuick, receipts } = await app.store.read(async (db) => ({
    isQuick: await isQuicklyJudged(db, id),
    receipts: await loadReceipts(db, since, id),
  }));
  const repeats = isQuick ? await replay(app, { project: id, since }) : [];
  const json = replayJson(repeats);
  return {
    replay: isQuick
      ? { lines: replayLines(json.totals, since), repeats: json.repeats.slice(0, MOST_PROVEN) }
      : null,
    receipts: receipts
      .slice(0, MOST_PROVEN)
      .map(({ followed, ...receipt }) => ({ ...receipt, then: followed && afterText(followed) })),
    guards: (await guardOffers(app, of)).map(offerJson),
  };
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
  view(
    'lesson',
    'A lesson with its places and its arithmetic',
    z.object({ id: text }),
    lesson,
  ),
  view(
    'proof',
    'What came back although it was known, what was told inside sessions, and rules that agents go on breaking',
    z.object({ project, days: number(90, 3660) }),
    proof,
  ),
  view('nights', 'Runs of background jobs', z.object({ limit: number(14, 500) }), nights),
];
