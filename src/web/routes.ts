/** The API: each path with what it takes, the command that answers it, and what it gives. The OpenAPI document is this table. */
import { z } from 'zod';
import { contextCommand } from '../commands/context.js';
import type { Command } from '../commands/command.js';
import { projectsCommand } from '../commands/config/projects.js';
import { lessonsCommand } from '../commands/lessons/lessons.js';
import { reviewCommand } from '../commands/lessons/review.js';
import { searchCommand } from '../commands/search.js';
import { showCommand } from '../commands/show.js';
import { statusCommand } from '../commands/status.js';
import { usageCommand } from '../commands/usage/usage.js';
import { refuseAgents } from '../caller.js';
import { packageVersion } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import { noteReviewed, noteWish } from '../jobs/learning/reviewed.js';
import { signature } from '../jobs/requests.js';
import { LESSON_KINDS, MOST_LESSON_CHARS, type Caller } from '../types.js';
import { answers } from './answers.js';
import { takeEntries, wantedEntries } from './entries.js';
import type { Session, Values } from './session.js';

/** A request as its schema read it. */
export type Wanted = Record<string, unknown>;

export interface Route {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{id}` for a part of the path. */
  path: string;
  summary: string;
  /** Query of a GET or DELETE, body of a POST or PATCH, and the parts of the path. */
  takes: z.ZodObject;
  gives: z.ZodType;
  /** @returns an object, or JSON as a command printed it */
  run(session: Session, wanted: Wanted, caller: Caller): Promise<object | string>;
}

const id = z.string().regex(/^[a-z0-9:_.-]{3,80}$/i, 'at least three characters of an id');
const project = z
  .string()
  .regex(/^[^/\\]{1,200}$/, 'a slug or a name, not a folder')
  .optional()
  .describe('slug or name; default: all');
const kind = z.enum(LESSON_KINDS).optional();
const flag = z.enum(['1', 'true', '0', 'false']).optional();
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/)
    .refine((text) => Number(text) >= least && Number(text) <= most, `from ${least} to ${most}`)
    .optional();
const day = z.string().max(12).optional().describe('2026-11-20, today, yesterday, 7d, 2w');
const sentence = z.string().min(1).max(MOST_LESSON_CHARS);

const FLAGS = new Set(['all', 'withheld', 'conflicts', 'archive', 'global']);

/** What was asked, as the options of a command; a flag that is set is true. */
function optionsOf({ id: _, q: __, task: ___, ...rest }: Wanted): Values {
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      FLAGS.has(name) ? value === true || value === '1' || value === 'true' : (value as string | undefined),
    ]),
  );
}

/** A route that a command answers. */
function asks(command: Command, words: (wanted: Wanted) => string[], fixed: Values = {}, write = false): Route['run'] {
  return (session, wanted, caller) => session.run(command, words(wanted), { ...fixed, ...optionsOf(wanted) }, caller, write);
}

const ALL: Values = { project: 'all' };
const named = ({ id: own }: Wanted): string => String(own);

const READING: Route[] = [
  {
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
      mode: z.enum(['hybrid', 'keyword', 'semantic', 'exact']).optional(),
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
    run: asks(searchCommand, ({ q }) => [String(q)], ALL),
  },
  {
    method: 'get',
    path: '/recall',
    summary: 'Lessons about a task; often none, which is normal',
    takes: z.object({ task: z.string().min(1).max(4000), project: project.describe('slug or name; default: what is global') }),
    gives: answers.page,
    run: (session, wanted, caller) =>
      session.run(contextCommand, [], { ...optionsOf(wanted), for: String(wanted['task']) }, caller),
  },
  {
    method: 'get',
    path: '/context',
    summary: 'context.md as an agent reads it',
    takes: z.object({ project: project.describe('slug or name; default: the global notes') }),
    gives: answers.page,
    run: asks(contextCommand, () => []),
  },
  {
    method: 'get',
    path: '/lessons',
    summary: 'Live lessons and conflicts; all, withheld or conflicts alone by flags',
    takes: z.object({ project, kind, all: flag, withheld: flag, conflicts: flag }),
    gives: answers.lessons,
    run: asks(lessonsCommand, () => ['list'], ALL),
  },
  {
    method: 'get',
    path: '/lessons/{id}',
    summary: 'A lesson with its evidence',
    takes: z.object({ id }),
    gives: answers.lesson,
    run: asks(lessonsCommand, (wanted) => ['show', named(wanted)]),
  },
  {
    method: 'get',
    path: '/lessons/{id}/why',
    summary: 'The arithmetic behind a lesson',
    takes: z.object({ id }),
    gives: answers.why,
    run: asks(lessonsCommand, (wanted) => ['why', named(wanted)]),
  },
  {
    method: 'get',
    path: '/review',
    summary: 'New lessons that the person has not looked at',
    takes: z.object({ project }),
    gives: answers.review,
    run: asks(reviewCommand, () => [], ALL),
  },
  {
    method: 'get',
    path: '/projects',
    summary: 'Every project with its folders',
    takes: z.object({}),
    gives: answers.projects,
    run: asks(projectsCommand, () => ['list']),
  },
  {
    method: 'get',
    path: '/show/{id}',
    summary: 'An entry with its neighbours, a lesson or a session, whole',
    takes: z.object({ id, around: whole(0, 50) }),
    gives: answers.show,
    run: asks(showCommand, (wanted) => [named(wanted)]),
  },
  {
    method: 'get',
    path: '/status',
    summary: 'What was read, what is pending, what failed',
    takes: z.object({}),
    gives: answers.status,
    run: asks(statusCommand, () => []),
  },
  {
    method: 'get',
    path: '/usage',
    summary: 'Tokens and cost of models',
    takes: z.object({ by: z.enum(['day', 'project', 'agent', 'model', 'session']).optional(), since: day, project }),
    gives: answers.usage,
    run: asks(usageCommand, () => [], ALL),
  },
  {
    method: 'get',
    path: '/health',
    summary: 'The server answers, and for whom',
    takes: z.object({}),
    gives: answers.health,
    run: (session, _, caller) =>
      session.read(async (app) => ({ version: 1, program: packageVersion(), store: app.storeExists, by: signature(caller) })),
  },
];

async function changeLesson(session: Session, wanted: Wanted, caller: Caller): Promise<string> {
  const { text, kind: asked, pinned } = wanted;
  if (text === undefined && (pinned === undefined || asked !== undefined))
    throw new AppError('USAGE', 'nothing to change, or a kind without its text', {
      hint: 'send `text` (with `kind`), `pinned`, or both',
      exitCode: EXIT.usage,
    });
  let answer = '';
  if (text !== undefined)
    answer = await session.run(lessonsCommand, ['edit', named(wanted), String(text)], { kind: asked as string }, caller, true);
  if (pinned !== undefined)
    answer = await session.run(lessonsCommand, ['pin', named(wanted)], { off: pinned === false }, caller, true);
  return answer;
}

const WRITING: Route[] = [
  {
    method: 'post',
    path: '/lessons',
    summary: 'A lesson in your words',
    takes: z
      .object({ text: sentence, kind, project, global: z.boolean().optional() })
      .refine((wanted) => (wanted.project === undefined) === (wanted.global === true), 'name a `project`, or set `global`'),
    gives: answers.edit,
    run: asks(lessonsCommand, ({ text }) => ['add', String(text)], {}, true),
  },
  {
    method: 'patch',
    path: '/lessons/{id}',
    summary: 'Other words, another kind, pinned or not',
    takes: z.object({ id, text: sentence.optional(), kind, pinned: z.boolean().optional() }),
    gives: answers.edit,
    run: changeLesson,
  },
  {
    method: 'post',
    path: '/lessons/{id}/apart',
    summary: 'Both hold: these two do not contradict each other',
    takes: z.object({ id, other: id }),
    gives: answers.edit,
    run: asks(lessonsCommand, (wanted) => ['apart', named(wanted), String(wanted['other'])], {}, true),
  },
  {
    method: 'delete',
    path: '/lessons/{id}',
    summary: 'Forget it; /undo takes that back',
    takes: z.object({ id }),
    gives: answers.edit,
    run: asks(lessonsCommand, (wanted) => ['forget', named(wanted)], {}, true),
  },
  {
    method: 'post',
    path: '/undo',
    summary: 'Takes the newest edit back; with an id only if it is of that lesson',
    takes: z.object({ id: id.optional() }),
    gives: answers.edit,
    run: asks(lessonsCommand, (wanted) => ['undo', ...(wanted['id'] === undefined ? [] : [named(wanted)])], {}, true),
  },
  {
    method: 'post',
    path: '/review/{id}',
    summary: 'A new lesson, or a sentence that may become one (`wish`), was looked at, or (keep false) was not after all',
    takes: z.object({ id, keep: z.boolean(), wish: z.boolean().optional() }),
    gives: answers.reviewed,
    run: (session, wanted, caller) =>
      session.write(async (app) => {
        refuseAgents(caller, 'looking through what is new');
        const { reviewed } = app.paths;
        if (wanted['wish'] === true && wanted['keep'] === true) noteWish(reviewed, named(wanted), app.clock.now());
        else noteReviewed(reviewed, named(wanted), wanted['keep'] === true);
        return { version: 1, id: named(wanted), kept: wanted['keep'] === true };
      }),
  },
  {
    method: 'post',
    path: '/entries',
    summary: 'Pieces of a conversation of a tool without logs, as the inbox takes them',
    takes: wantedEntries,
    gives: answers.taken,
    run: (session, wanted) => session.write((app) => takeEntries(app, wanted as z.infer<typeof wantedEntries>)),
  },
];

export const ROUTES: readonly Route[] = [...READING, ...WRITING];
