/**
 * The API: each path with what it takes, the function that answers it, and what it gives. The
 * OpenAPI document is this table.
 */
import { z } from 'zod';
import type { App } from '../app.js';
import { refuseAgents } from '../caller.js';
import { listProjects } from '../commands/config/projects.js';
import { contextJson, contextProject } from '../recall/context-file.js';
import {
  addLesson,
  editJson,
  forgetLesson,
  keepApart,
  pinLesson,
  rewordLesson,
  undoEdit,
  type LessonEdited,
} from '../commands/lessons/edit.js';
import { lessonWhole, lessonWhy, lessonsOf, ownProject } from '../commands/lessons/read.js';
import { reviewJson, toReview } from '../commands/lessons/review.js';
import { prefixOf, show } from '../commands/show.js';
import { packageVersion } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import { noteReviewed, noteWish } from '../jobs/learning/reviewed.js';
import { signature } from '../jobs/requests.js';
import { gatherStatus } from '../jobs/upkeep/status.js';
import { chooseProject } from '../recall/projects.js';
import {
  LESSON_KINDS,
  MOST_LESSON_CHARS,
  SEARCH_MODES,
  type LessonKind,
  type Project,
} from '../types.js';
import { answers } from './answers.js';
import { takeEntries, wantedEntries } from './entries.js';
import type { Io } from '../io.js';
import { readUsage, USAGE_KEYS, usageOf } from '../recall/usage.js';
import { findHits, prepareSearch, readSearch, searchJson } from '../recall/search-for.js';

interface RouteOf<Takes extends z.ZodObject> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{id}` for a part of the path. */
  path: string;
  summary: string;
  /** Query of a GET or DELETE, body of a POST or PATCH, and the parts of the path. */
  takes: Takes;
  gives: z.ZodType;
  /** It answers without a memory and with a broken config.yaml, too. */
  storeless?: true;
  /** The fields of the answer. @param io names the caller */
  answer(app: App, wanted: z.infer<Takes>, io: Io): Promise<object>;
}

export type Route = RouteOf<z.ZodObject>;

/** A route; only its own `takes` is ever handed to `answer`. */
export function route<Takes extends z.ZodObject>(of: RouteOf<Takes>): Route {
  return of as unknown as Route;
}

const id = z.string().regex(/^[a-z0-9:_.-]{3,80}$/i, 'at least three characters of an id');
const project = z
  .string()
  .regex(/^[^/\\]{1,200}$/, 'a slug or a name, not a folder')
  .optional()
  .describe('slug or name; default: all');
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
const day = z.string().max(12).optional().describe('2026-11-20, today, yesterday, 7d, 2w');
const sentence = z.string().trim().min(1).max(MOST_LESSON_CHARS);

/** Of no folder: what a request does not name is not guessed from where the server was started. */
const NOWHERE = '/';

export function projectOf(app: App, spec: string | undefined): Promise<Project | null> {
  return chooseProject(app, spec ?? 'all', NOWHERE);
}

const READING = [
  route({
    method: 'get',
    path: '/search',
    summary: 'Entries, lessons, episodes and notes by words and meaning',
    takes: z.object({
      // The command takes `-` for its standard input, which never ends here.
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
      tool: z.string().max(100).optional(),
      file: z.string().max(500).optional(),
      since: day,
      until: day,
      context: whole(0, 20),
      archive: flag,
    }),
    gives: answers.search,
    async answer(app, { q, project = 'all', limit = 10, context = 0, ...typed }) {
      const wanted = { ...readSearch(typed, app.clock.now()), limit };
      const { base } = await prepareSearch(app, wanted, { spec: project, cwd: NOWHERE });
      return searchJson(await findHits(app, { ...base, query: q.trim() }, context));
    },
  }),
  route({
    method: 'get',
    path: '/context',
    summary: 'context.md as an agent reads it',
    takes: z.object({ project: project.describe('slug or name; default: the global notes') }),
    gives: answers.page,
    storeless: true,
    answer: async (app, { project = null }) =>
      contextJson(app.paths, await contextProject(app, project, NOWHERE)),
  }),
  route({
    method: 'get',
    path: '/lessons',
    summary: 'Live lessons and conflicts; all, withheld or conflicts alone by flags',
    takes: z.object({ project, kind, all: flag, withheld: flag, conflicts: flag }),
    gives: answers.lessons,
    answer: async (
      app,
      { project, kind = null, all = false, withheld = false, conflicts = false },
    ) => ({
      lessons: await lessonsOf(app, {
        project: await projectOf(app, project),
        kind,
        all,
        withheld,
        conflicts,
      }),
    }),
  }),
  route({
    method: 'get',
    path: '/lessons/{id}',
    summary: 'A lesson with its evidence',
    takes: z.object({ id }),
    gives: answers.lesson,
    answer: async (app, { id }) => (await lessonWhole(app, id)).json,
  }),
  route({
    method: 'get',
    path: '/lessons/{id}/why',
    summary: 'The arithmetic behind a lesson',
    takes: z.object({ id }),
    gives: answers.why,
    answer: (app, { id }) => lessonWhy(app, id),
  }),
  route({
    method: 'get',
    path: '/review',
    summary: 'New lessons that the person has not looked at',
    takes: z.object({ project }),
    gives: answers.review,
    answer: async (app, { project }) =>
      reviewJson(await toReview(app, await projectOf(app, project))),
  }),
  route({
    method: 'get',
    path: '/projects',
    summary: 'Every project with its folders',
    takes: z.object({}),
    gives: answers.projects,
    answer: async (app) => ({ projects: await listProjects(app) }),
  }),
  route({
    method: 'get',
    path: '/show/{id}',
    summary: 'An entry with its neighbours, a lesson or a session, whole',
    takes: z.object({ id, around: whole(0, 50) }),
    gives: answers.show,
    answer: async (app, { id, around = 2 }) => (await show(app, prefixOf(id), around)).json,
  }),
  route({
    method: 'get',
    path: '/status',
    summary: 'What was read, what is pending, what failed',
    takes: z.object({}),
    gives: answers.status,
    storeless: true,
    answer: gatherStatus,
  }),
  route({
    method: 'get',
    path: '/usage',
    summary: 'Tokens and cost of models',
    takes: z.object({ by: z.enum(USAGE_KEYS).optional(), since: day, project }),
    gives: answers.usage,
    async answer(app, { by = null, since = null, project }) {
      const [key, from] = readUsage(by, since, app.clock.now());
      return usageOf(app, key, {
        since: from,
        project: (await projectOf(app, project))?.slug ?? null,
      });
    },
  }),
  route({
    method: 'get',
    path: '/health',
    summary: 'The server answers, and for whom',
    takes: z.object({}),
    gives: answers.health,
    storeless: true,
    answer: (app, _, io) =>
      Promise.resolve({
        program: packageVersion(),
        store: app.storeExists,
        by: signature(io.caller()),
      }),
  }),
];

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
  if (text !== undefined)
    edited = await rewordLesson(app, io, { meant: id, text, kind: kind ?? null });
  if (pinned !== undefined) edited = await pinLesson(app, io, id, pinned);
  return editJson(edited!);
}

const WRITING = [
  route({
    method: 'post',
    path: '/lessons',
    summary: 'A lesson in your words',
    takes: z
      .object({ text: sentence, kind, project, global: z.boolean().optional() })
      .refine(
        (wanted) => (wanted.project === undefined) === (wanted.global === true),
        'name a `project`, or set `global`',
      ),
    gives: answers.edit,
    async answer(app, { text, kind = 'preference', project, global = false }, io) {
      const owner = global ? null : await ownProject(app, project ?? null, NOWHERE);
      return editJson(await addLesson(app, io, { text, kind, project: owner }));
    },
  }),
  route({
    method: 'patch',
    path: '/lessons/{id}',
    summary: 'Other words, another kind, pinned or not',
    takes: z.object({ id, text: sentence.optional(), kind, pinned: z.boolean().optional() }),
    gives: answers.edit,
    answer: changeLesson,
  }),
  route({
    method: 'post',
    path: '/lessons/{id}/apart',
    summary: 'Both hold: these two do not contradict each other',
    takes: z.object({ id, other: id }),
    gives: answers.edit,
    answer: async (app, { id, other }, io) => editJson(await keepApart(app, io, id, other)),
  }),
  route({
    method: 'delete',
    path: '/lessons/{id}',
    summary: 'Forget it; /undo takes that back',
    takes: z.object({ id }),
    gives: answers.edit,
    answer: async (app, { id }, io) => editJson(await forgetLesson(app, io, id)),
  }),
  route({
    method: 'post',
    path: '/undo',
    summary: 'Takes the newest edit back; with an id only if it is of that lesson',
    takes: z.object({ id: id.optional() }),
    gives: answers.edit,
    answer: async (app, { id = null }, io) => editJson(await undoEdit(app, io, id)),
  }),
  route({
    method: 'post',
    path: '/review/{id}',
    summary:
      'A new lesson, or a sentence that may become one (`wish`), was looked at, or (keep false) was not after all',
    takes: z.object({ id, keep: z.boolean(), wish: z.boolean().optional() }),
    gives: answers.reviewed,
    storeless: true,
    answer(app, { id, keep, wish = false }, io) {
      refuseAgents(io.caller(), 'looking through what is new');
      const { reviewed } = app.paths;
      if (wish && keep) noteWish(reviewed, id, app.clock.now());
      else noteReviewed(reviewed, id, keep);
      return Promise.resolve({ id, kept: keep });
    },
  }),
  route({
    method: 'post',
    path: '/entries',
    summary: 'Pieces of a conversation of a tool without logs, as the inbox takes them',
    takes: wantedEntries,
    gives: answers.taken,
    storeless: true,
    answer: takeEntries,
  }),
];

export const ROUTES: readonly Route[] = [...READING, ...WRITING];
