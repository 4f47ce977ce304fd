/** Correcting lessons: add, edit, pin, forget, undo. Each rewrites context, detail and crystal before it ends. */
import { createApp, type App } from '../app.js';
import { refuseAgents } from '../caller.js';
import { editBy, isOpenToAgents, newestEdit, planAdd, planForget, planPin, planReword, planUndo } from '../distill/index.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import { applyEdit } from '../jobs/edit.js';
import { maskText } from '../jobs/mask.js';
import { chooseProject } from '../recall/projects.js';
import { loadEdits, loadProjects } from '../store/index.js';
import { signature } from '../jobs/requests.js';
import type { Caller, Edit, Lesson, Project } from '../types.js';
import { askDaemon } from './delegate.js';
import { printJson, usage, type Arguments, type Io } from './command.js';
import { kindOf, lessonJson, oneLesson, slugsOf } from './lessons-read.js';

const now = (app: App): string => app.clock.now().toISOString();

export const addLesson = async (io: Io, args: Arguments, words: string[]): Promise<ExitCode> => {
  const text = words.join(' ').trim();
  if (text === '') throw usage('a lesson needs words', 'type `dripstone lessons add "…"`');
  if (args.flag('global') && args.text('project') !== null)
    throw usage('a lesson is global or of one project', 'leave --global or --project out');
  const kind = kindOf(args) ?? 'preference';
  await using app = await createApp({ ...io, access: 'read' });
  const project = args.flag('global') ? null : await ownProject(app, args, io.cwd);
  return await finish(
    io,
    args,
    app,
    planAdd(project?.id ?? null, kind, await maskText(app, text), now(app)),
    project?.id ?? null,
    'added',
  );
};

const ownProject = async (app: App, args: Arguments, cwd: string): Promise<Project> => {
  const project = await chooseProject(app, args.text('project'), cwd);
  if (project) return project;
  const known = await app.store.read((db) => loadProjects(db));
  throw usage(
    'no project is known for this folder',
    known.length === 0 ? 'run `dripstone run` first, or add --global' : 'name one with --project, or add --global',
  );
};

export const rewordLesson = async (io: Io, args: Arguments, [meant, ...words]: string[]): Promise<ExitCode> => {
  const kind = kindOf(args);
  const text = words.join(' ').trim();
  if (text === '') throw usage('a lesson needs words', 'type `dripstone lessons edit ID "…"`, or `lessons forget ID`');
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await openLesson(io, app, meant!, 'edit');
  return await finish(io, args, app, planReword(lesson.id, await maskText(app, text), kind, now(app)), lesson.project, 'changed');
};

/** An agent corrects what agents said, and forgets what nobody typed; a person's words are the person's to change. */
const openLesson = async (io: Io, app: App, meant: string, action: 'edit' | 'forget'): Promise<Lesson> => {
  const lesson = await oneLesson(app, meant);
  if (!isOpenToAgents(lesson, action))
    refuseAgents(
      io.caller(),
      lesson.saidBy === 'user' || lesson.pinned ? 'a lesson that the user said or pinned' : 'the wording of what was observed',
    );
  return lesson;
};

export const pinLesson = async (io: Io, args: Arguments, words: string[]): Promise<ExitCode> => {
  refuseAgents(io.caller(), 'pinning');
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await oneLesson(app, words.join(' '));
  const pinned = !args.flag('off');
  return await finish(io, args, app, planPin(lesson.id, pinned, now(app)), lesson.project, pinned ? 'pinned' : 'unpinned');
};

export const forgetLesson = async (io: Io, args: Arguments, words: string[]): Promise<ExitCode> => {
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await openLesson(io, app, words.join(' '), 'forget');
  return await finish(io, args, app, planForget(lesson.id, now(app)), lesson.project, 'forgotten');
};

export const undoEdit = async (io: Io, args: Arguments): Promise<ExitCode> => {
  await using app = await createApp({ ...io, access: 'read' });
  const edits = await ownedEdits(app);
  if (newestEdit(edits.map((owned) => owned.edit))?.author === undefined) refuseAgents(io.caller(), 'the newest edit');
  const undo = planUndo(
    edits.map((owned) => owned.edit),
    now(app),
  );
  if (undo === null)
    throw new AppError('NOTHING_TO_UNDO', 'there is no edit to take back', {
      hint: 'see `dripstone lessons list`',
      exitCode: EXIT.usage,
    });
  const project = edits.find((owned) => owned.edit.lesson === undo.lesson)?.project ?? null;
  return await finish(io, args, app, undo, project, 'taken back');
};

/** Every edit with the project that it belongs to, null for the person. */
const ownedEdits = (app: App): Promise<{ edit: Edit; project: string | null }[]> =>
  app.store.read(async (db) => {
    const owners = [null, ...(await loadProjects(db)).map((project) => project.id)];
    const all = [];
    for (const project of owners) for (const edit of await loadEdits(db, project)) all.push({ edit, project });
    return all;
  });

/** The plan was made on a read-only look; the daemon applies it when one runs, else this process does. */
const finish = async (io: Io, args: Arguments, app: App, plan: Edit, owner: string | null, verb: string): Promise<ExitCode> => {
  const slugs = await slugsOf(app);
  await app.store.close();
  const caller = io.caller();
  const edit = editBy(plan, caller);
  const lesson = await apply(io, edit, owner, caller);
  if (caller.kind === 'agent')
    io.err(
      `this runs inside an agent: it counts as ${caller.name}'s, not as the user's. The person can type it in a terminal of their own\n`,
    );
  if (args.flag('json'))
    printJson(io, {
      action: edit.action,
      by: signature(caller),
      id: edit.lesson,
      lesson: lesson === null ? null : lessonJson(lesson, slugs),
    });
  else io.out(`${verb}: ${lesson?.text ?? edit.lesson}  ^${edit.lesson}\n`);
  return EXIT.done;
};

const apply = async (io: Io, edit: Edit, owner: string | null, caller: Caller): Promise<Lesson | null> => {
  const answer = await askDaemon(io, { version: 1, kind: 'edit', edit, owner, by: signature(caller) });
  if (answer?.kind === 'edit') return answer.lesson;
  await using writer = await createApp({ ...io, access: 'write' });
  return await applyEdit(writer, edit, owner);
};
