/**
 * What the page shows of sessions: the list, a window of one, what is found in it, and all of it as
 * Markdown.
 */
import { z } from 'zod';
import type { App } from '../app.js';
import { byWeight, lessonJson, slugsOf } from '../commands/lessons/read.js';
import { resumeLine, sessionMarkdown } from '../commands/moments/sessions.js';
import { AppError, EXIT } from '../errors.js';
import {
  findInSession,
  loadLessons,
  placeInSession,
  sessionHead,
  sessionLine,
  sessionLines,
  sessionWindow,
} from '../store/index.js';
import { isShown } from '../types.js';
import type { Route } from './routes.js';
import { number, project, slugOf, text, view } from './view.js';
import type { FoundView, LearntView, MarkdownView, SessionsView, SessionView } from './wire.js';

/** Characters of an entry in the reader; `/show/{id}` has the whole. */
const CLIP = 8000;
const MOST_WORDS = 10;

async function sessions(
  app: App,
  wanted: { project?: string; before?: string; limit: number },
): Promise<SessionsView> {
  const { limit } = wanted;
  const before = wanted.before === undefined ? null : parseMark(wanted.before);
  const slug = await slugOf(app, wanted.project);
  const rows = await app.store.read((db) =>
    sessionLines(db, { project: slug, before, limit: limit + 1 }),
  );
  const last = rows.length > limit ? rows[limit - 1]! : null;
  return {
    sessions: rows.slice(0, limit),
    next: last && JSON.stringify([last.ended, last.agent, last.session]),
  };
}

const Mark = z.tuple([z.iso.datetime().nullable(), z.string(), z.string()]);

/** The place where a page ended, as `next` named it. */
function parseMark(mark: string): { ended: string | null; agent: string; session: string } {
  const parsed = Mark.safeParse(parseJson(mark));
  if (!parsed.success)
    throw new AppError('USAGE', '`before` is no mark of a page', {
      hint: 'pass what `next` named',
      exitCode: EXIT.usage,
    });
  const [ended, agent, session] = parsed.data;
  return { ended, agent, session };
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return null;
  }
}

const WindowWanted = z.object({
  agent: text,
  session: text,
  entry: text.optional(),
  from: number(0, 10_000_000),
  limit: number(200, 500),
});

async function session(app: App, wanted: z.infer<typeof WindowWanted>): Promise<SessionView> {
  const { agent, session: id, entry = null, limit } = wanted;
  const { line, head, total, from, entries } = await app.store.read(async (db) => {
    const [line, head] = [await sessionLine(db, agent, id), await sessionHead(db, agent, id)];
    const { total, place } = await placeInSession(db, { agent, session: id, entry });
    const from = place === null ? wanted.from : Math.max(0, place - Math.floor(limit / 4));
    return {
      line,
      head,
      total,
      from,
      entries: await sessionWindow(db, { agent, session: id, from, limit, clip: CLIP }),
    };
  });
  if (line === null) throw unknownSession(agent, id);
  const folder = typeof head['cwd'] === 'string' ? head['cwd'] : null;
  return { session: line, total, from, entries, resume: resumeLine(agent, id), folder };
}

function unknownSession(agent: string, session: string): AppError {
  return new AppError('NOT_FOUND', `there is no session ${session} of ${agent}`, {
    hint: 'see /view/sessions',
    exitCode: EXIT.usage,
  });
}

async function found(
  app: App,
  { words, ...of }: { agent: string; session: string; words: string },
): Promise<FoundView> {
  const wanted = words.trim().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  return {
    entries:
      wanted.length === 0
        ? []
        : await app.store.read((db) => findInSession(db, { ...of, words: wanted })),
  };
}

async function markdown(app: App, of: { agent: string; session: string }): Promise<MarkdownView> {
  if ((await app.store.read((db) => sessionLine(db, of.agent, of.session))) === null)
    throw unknownSession(of.agent, of.session);
  return { text: await sessionMarkdown(app, of) };
}

/** Lessons that are shown and rest on this session, the weightiest first. */
async function learnt(app: App, from: { agent: string; session: string }): Promise<LearntView> {
  const slugs = await slugsOf(app);
  const lessons = (await app.store.read((db) => loadLessons(db, { from }))).filter(isShown);
  return { lessons: lessons.map((lesson) => lessonJson(lesson, slugs)).sort(byWeight) };
}

export const SESSION_VIEWS: readonly Route[] = [
  view(
    'sessions',
    'Sessions, the newest first',
    z.object({ project, before: z.string().max(600).optional(), limit: number(50, 500) }),
    sessions,
  ),
  view('session', 'A window of one session', WindowWanted, session),
  view(
    'found',
    'Where a session has these words',
    z.object({ agent: text, session: text, words: text }),
    found,
  ),
  view(
    'learnt',
    'Lessons that rest on a session',
    z.object({ agent: text, session: text }),
    learnt,
  ),
  view('markdown', 'A session as Markdown', z.object({ agent: text, session: text }), markdown),
];
