/** The API: each path with its fields and the function that answers it. docs/cli.md lists it. */
import { z } from 'zod';
import type { App } from '../app.js';
import { refuseAgents } from '../caller.js';
import type { Io } from '../io.js';
import { AppError, EXIT } from '../errors.js';
import {
  adding,
  forgetting,
  keepingApart,
  pinning,
  rewording,
  undoing,
  type TypedEdit,
} from '../jobs/learning/typed-edit.js';
import { gatherStatus } from '../jobs/upkeep/status.js';
import { answerQuestion } from '../recall/answer/answer.js';
import { chooseProject } from '../recall/projects.js';
import { findHits, prepareSearch, readSearch, searchJson } from '../recall/search-for.js';
import { readUsage, USAGE_KEYS, usageOf } from '../recall/usage.js';
import {
  LESSON_KINDS,
  MOST_LESSON_CHARS,
  SEARCH_MODES,
  type LessonKind,
  type Project,
} from '../types.js';
import { context, lesson, review, session, sessions, start } from './views.js';
import { lessonsOf, oneLesson, ownProject } from '../recall/lessons.js';
import { guardRule } from '../recall/moments/guard.js';
import { prefixOf, show } from '../recall/show.js';
import { noteReviewed, noteWish } from '../store/index.js';
import { editJson, makeEdit, type LessonEdited } from '../work.js';

interface RouteOf<Takes extends z.ZodObject> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** The path; `{id}` is a variable part. */
  path: string;
  /** Fields of the query (GET, DELETE) or body (POST, PATCH), and variable parts of the path. */
  takes: Takes;
  /** The route also answers without a store and with a broken config.yaml. */
  storeless?: true;
  /** The fields of the answer. @param io names the caller */
  answer(app: App, wanted: z.infer<Takes>, io: Io): Promise<object>;
}

type Route = RouteOf<z.ZodObject>;

/** Makes a route; `answer` receives only values of its own `takes`. */
function route<Takes extends z.ZodObject>(of: RouteOf<Takes>): Route {
  return of as unknown as Route;
}

const id = z.string().regex(/^[a-z0-9:_.-]{3,80}$/i, 'at least three characters of an id');
const project = z
  .string()
  .regex(/^[^/\\]{1,200}$/, 'a slug or a name, not a folder')
  .optional();
const kind = z.enum(LESSON_KINDS).optional();
const flag = z
  .enum(['1', 'true', '0', 'false'])
  .transform((text) => text === '1' || text === 'true')
  .optional();
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/)
    .refine((text) => Number(text) >= least && Number(text) <= most, `from ${least} to ${most}`)
    .transform(Number)
    .optional();
const day = z.string().max(12).optional();
const sentence = z.string().trim().min(1).max(MOST_LESSON_CHARS);

/** No folder: the server's own folder must not decide the project of a request. */
const NOWHERE = '/';

function projectOf(app: App, spec: string | undefined): Promise<Project | null> {
  return chooseProject(app, spec ?? 'all', NOWHERE);
}

const READING = [
  route({
    method: 'get',
    path: '/start',
    takes: z.object({}),
    storeless: true,
    answer: (app, _, io) => start(app, io),
  }),
  route({
    method: 'get',
    path: '/search',
    takes: z.object({
      // The command reads standard input for `-`, which would never end here.
      q: z
        .string()
        .max(2000)
        .refine((q) => !['', '-'].includes(q.trim()), 'some words'),
      project,
      limit: whole(1, 200),
      mode: z.enum(SEARCH_MODES).optional(),
      agent: z.string().max(60).optional(),
      kind: z.string().max(20).optional(),
      role: z.string().max(20).optional(),
      file: z.string().max(500).optional(),
      since: day,
      until: day,
      context: whole(0, 20),
    }),
    async answer(app, { q, project = 'all', limit = 10, context = 0, ...typed }) {
      const wanted = { ...readSearch(typed, app.clock.now()), limit };
      const { base } = await prepareSearch(app, wanted, { spec: project, cwd: NOWHERE });
      return searchJson(await findHits(app, { ...base, query: q.trim() }, context));
    },
  }),
  route({
    method: 'get',
    path: '/recall',
    takes: z.object({ q: z.string().trim().min(1).max(4000), project }),
    answer: async (app, { q, project }) =>
      answerQuestion(app, await projectOf(app, project), { type: null, text: q, output: null }),
  }),
  route({
    method: 'get',
    path: '/show/{id}',
    takes: z.object({ id, around: whole(0, 50) }),
    answer: async (app, { id, around = 2 }) => (await show(app, prefixOf(id), around)).json,
  }),
  route({
    method: 'get',
    path: '/sessions',
    takes: z.object({
      project,
      automated: flag,
      before: z.string().max(600).optional(),
      limit: whole(1, 500),
    }),
    answer: async (app, { project, automated = false, before, limit = 50 }) =>
      sessions(app, await projectOf(app, project), { automated, before, limit }),
  }),
  route({
    method: 'get',
    path: '/session',
    takes: z.object({
      agent: z.string().min(1).max(300),
      session: z.string().min(1).max(300),
      entry: z.string().min(1).max(300).optional(),
      from: whole(0, 99_999),
    }),
    answer: (app, { agent, session: id, entry = null, from = 0 }) =>
      session(app, { agent, session: id }, { entry, from }),
  }),
  route({
    method: 'get',
    path: '/context',
    takes: z.object({ project }),
    answer: async (app, { project }) => context(app, await projectOf(app, project)),
  }),
  route({
    method: 'get',
    path: '/lessons',
    takes: z.object({ project, kind, all: flag, withheld: flag }),
    answer: async (app, { project, kind = null, all = false, withheld = false }) => ({
      lessons: await lessonsOf(app, {
        project: await projectOf(app, project),
        kind,
        all,
        withheld,
      }),
    }),
  }),
  route({
    method: 'get',
    path: '/lessons/{id}',
    takes: z.object({ id }),
    answer: (app, { id }) => lesson(app, id),
  }),
  route({
    method: 'get',
    path: '/review',
    takes: z.object({ project }),
    answer: async (app, { project }) => review(app, await projectOf(app, project)),
  }),
  route({
    method: 'get',
    path: '/status',
    takes: z.object({}),
    storeless: true,
    answer: gatherStatus,
  }),
  route({
    method: 'get',
    path: '/usage',
    takes: z.object({ by: z.enum(USAGE_KEYS).optional(), since: day, project }),
    async answer(app, { by = null, since = null, project }) {
      const [key, from] = readUsage(by, since, app.clock.now());
      return usageOf(app, key, {
        since: from,
        project: (await projectOf(app, project))?.slug ?? null,
      });
    },
  }),
];

async function made(app: App, io: Io, edit: TypedEdit): Promise<object> {
  return editJson(await makeEdit(app, io, edit));
}

async function changeLesson(
  app: App,
  { id, text, kind, pinned }: { id: string; text?: string; kind?: LessonKind; pinned?: boolean },
  io: Io,
): Promise<object> {
  if (text === undefined && (pinned === undefined || kind !== undefined))
    throw new AppError('USAGE', 'nothing to change, or a kind without its text', {
      hint: 'send `text` (with `kind`), `pinned`, or both',
      exitCode: EXIT.usage,
    });
  let edited: LessonEdited | null = null;
  const caller = io.caller();
  if (text !== undefined) {
    const reworded = { text, kind: kind ?? null };
    edited = await makeEdit(
      app,
      io,
      await rewording(app, caller, await oneLesson(app, id), reworded),
    );
  }
  if (pinned !== undefined)
    edited = await makeEdit(app, io, pinning(app, caller, await oneLesson(app, id), pinned));
  return editJson(edited!);
}

const WRITING = [
  route({
    method: 'post',
    path: '/lessons',
    takes: z
      .object({ text: sentence, kind, project, global: z.boolean().optional() })
      .refine(
        (wanted) => (wanted.project === undefined) === (wanted.global === true),
        'name a `project`, or set `global`',
      ),
    async answer(app, { text, kind = 'preference', project, global = false }, io) {
      const owner = global ? null : await ownProject(app, project ?? null, NOWHERE);
      return made(app, io, await adding(app, { text, kind, project: owner }));
    },
  }),
  route({
    method: 'patch',
    path: '/lessons/{id}',
    takes: z.object({ id, text: sentence.optional(), kind, pinned: z.boolean().optional() }),
    answer: changeLesson,
  }),
  route({
    method: 'post',
    path: '/lessons/{id}/apart',
    takes: z.object({ id, other: id }),
    answer: async (app, { id, other }, io) => {
      const [lesson, beside] = [await oneLesson(app, id), await oneLesson(app, other)];
      return made(app, io, keepingApart(app, io.caller(), lesson, beside));
    },
  }),
  route({
    method: 'delete',
    path: '/lessons/{id}',
    takes: z.object({ id }),
    answer: async (app, { id }, io) =>
      made(app, io, forgetting(app, io.caller(), await oneLesson(app, id))),
  }),
  route({
    method: 'post',
    path: '/undo',
    takes: z.object({ id: id.optional() }),
    answer: async (app, { id = null }, io) => made(app, io, await undoing(app, io.caller(), id)),
  }),
  route({
    method: 'post',
    path: '/rules/{id}/guard',
    takes: z.object({ id, guard: z.enum(['warn', 'deny']) }),
    async answer(app, { id, guard }, io) {
      refuseAgents(io.caller(), 'a guard');
      const rule = await oneLesson(app, id);
      await guardRule(app.paths, app.clock, rule.id, guard);
      return { id: rule.id, guard };
    },
  }),
  route({
    method: 'post',
    path: '/review/{id}',
    takes: z.object({ id, keep: z.boolean(), wish: z.boolean().optional() }),
    storeless: true,
    answer(app, { id, keep, wish = false }, io) {
      refuseAgents(io.caller(), 'looking through what is new');
      const { reviewed } = app.paths;
      if (wish && keep) noteWish(reviewed, id, app.clock.now());
      else noteReviewed(reviewed, id, keep);
      return Promise.resolve({ id, kept: keep });
    },
  }),
];

export const ROUTES: readonly Route[] = [...READING, ...WRITING];
