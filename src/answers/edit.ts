/**
 * Correcting lessons: each edit rewrites its project's page, detail file and crystal before it
 * ends.
 */
import { type App, createApp } from '../app.js';
import { refuseAgents } from '../caller.js';
import { AppError, EXIT, usage } from '../errors.js';
import { whyNoLine } from '../context/index.js';
import { applyEdit } from '../jobs/learning/edit.js';
import { withheldFrom } from '../jobs/learning/material.js';
import { signature } from '../jobs/requests.js';
import { maskText } from '../jobs/upkeep/mask.js';
import {
  editBy,
  isOpenToAgents,
  newestEdit,
  planAdd,
  planApart,
  planForget,
  planPin,
  planReword,
  planUndo,
} from '../lessons/index.js';
import { lessonByPrefix, loadEdits, loadProjects } from '../store/index.js';
import { type Caller, type Edit, type Lesson, type LessonKind, type Project } from '../types.js';
import { askDaemon } from './delegate.js';
import { lessonJson, oneLesson, slugsOf } from '../recall/lessons.js';
import type { Io } from '../io.js';
import type { LessonJson } from '../types/answers.js';

/** An edit that was made. */
export interface LessonEdited {
  plan: Edit;
  /** Who made it, as `signature` names them. */
  by: string;
  /** What was done, for a person: `changed`. */
  verb: string;
  /** As it is now; null when it is gone. */
  lesson: LessonJson | null;
  /** Its words, for a lesson that is gone. */
  before: string | null;
  /** What keeps it out of memory or off the page; null when nothing does. */
  note: string | null;
}

/** As `lessons add --json` and the others print it. */
export function editJson({ plan, by, lesson, note }: LessonEdited) {
  return { action: plan.action, by, id: plan.lesson, lesson, note };
}

/** @param added project null: true of the person everywhere */
export async function addLesson(
  app: App,
  io: Io,
  { text, kind, project }: { text: string; kind: LessonKind; project: Project | null },
): Promise<LessonEdited> {
  const owner = project?.id ?? null;
  return make(app, io, {
    plan: planAdd(owner, kind, await maskText(app, text), now(app)),
    owner,
    verb: 'added',
  });
}

/** @param reworded kind null: as before */
export async function rewordLesson(
  app: App,
  io: Io,
  { meant, text, kind }: { meant: string; text: string; kind: LessonKind | null },
): Promise<LessonEdited> {
  const { id, project } = await openLesson(io, app, meant, 'edit');
  const plan = planReword(id, await maskText(app, text), kind, now(app));
  return make(app, io, { plan, owner: project, verb: 'changed' });
}

export async function pinLesson(
  app: App,
  io: Io,
  meant: string,
  pinned: boolean,
): Promise<LessonEdited> {
  refuseAgents(io.caller(), 'pinning');
  const { id, project } = await oneLesson(app, meant);
  return make(app, io, {
    plan: planPin(id, pinned, now(app)),
    owner: project,
    verb: pinned ? 'pinned' : 'unpinned',
  });
}

export async function forgetLesson(app: App, io: Io, meant: string): Promise<LessonEdited> {
  const { id, project } = await openLesson(io, app, meant, 'forget');
  return make(app, io, { plan: planForget(id, now(app)), owner: project, verb: 'forgotten' });
}

/** Both hold: the two lessons do not contradict each other. */
export async function keepApart(
  app: App,
  io: Io,
  one: string,
  other: string,
): Promise<LessonEdited> {
  refuseAgents(io.caller(), 'saying that both hold');
  const [lesson, beside] = [await oneLesson(app, one), await oneLesson(app, other)];
  if (lesson.id === beside.id || lesson.project !== beside.project)
    throw usage(
      'these are not two lessons of one project',
      '`dripstone lessons list --conflicts` names those that deny each other',
    );
  return make(app, io, {
    plan: planApart(lesson.id, beside.id, now(app)),
    owner: lesson.project,
    verb: 'both hold',
  });
}

/** Takes the newest edit back. @param meant only if it is of this lesson; null: of any */
export async function undoEdit(app: App, io: Io, meant: string | null): Promise<LessonEdited> {
  const edits = await ownedEdits(app);
  const all = edits.map(({ edit }) => edit);
  if (newestEdit(all)?.author === undefined) refuseAgents(io.caller(), 'the newest edit');
  const plan = planUndo(all, now(app));
  if (plan === null)
    throw new AppError('NOTHING_TO_UNDO', 'there is no edit to take back', {
      hint: 'see `dripstone lessons list`',
      exitCode: EXIT.usage,
    });
  const own = edits.filter(({ edit }) => edit.lesson === plan.lesson);
  const [known] = await app.store.read((db) => lessonByPrefix(db, plan.lesson));
  const before = known?.text ?? own.findLast(({ edit }) => edit.text !== null)?.edit.text ?? null;
  if (meant !== null && !plan.lesson.startsWith(meant))
    throw new AppError(
      'NOT_NEWEST',
      `the newest edit is of another lesson: ${before ?? plan.lesson}`,
      { hint: 'take that back first with `dripstone lessons undo`', exitCode: EXIT.usage },
    );
  return make(app, io, { plan, owner: own[0]?.project ?? null, verb: 'taken back', before });
}

function now(app: App): string {
  return app.clock.now().toISOString();
}

/**
 * Finds the lesson to change. An agent may edit or forget only what agents said or tools showed,
 * never a person's words.
 */
async function openLesson(
  io: Io,
  app: App,
  meant: string,
  action: 'edit' | 'forget',
): Promise<Lesson> {
  const lesson = await oneLesson(app, meant);
  if (!isOpenToAgents(lesson, action))
    refuseAgents(
      io.caller(),
      lesson.saidBy === 'user' || lesson.pinned
        ? 'a lesson that the user said or pinned'
        : 'the wording of what was observed',
    );
  return lesson;
}

/** Every edit with the project that it belongs to, null for the person. */
function ownedEdits(app: App): Promise<{ edit: Edit; project: string | null }[]> {
  return app.store.read(async (db) => {
    const owners = [null, ...(await loadProjects(db)).map((project) => project.id)];
    const all = [];
    for (const project of owners)
      for (const edit of await loadEdits(db, project)) all.push({ edit, project });
    return all;
  });
}

/**
 * The plan was made on a read-only look; the daemon applies it when one runs, else this process
 * does.
 */
async function make(
  app: App,
  io: Io,
  {
    plan,
    owner,
    verb,
    before = null,
  }: { plan: Edit; owner: string | null; verb: string; before?: string | null },
): Promise<LessonEdited> {
  const slugs = await slugsOf(app);
  await app.store.close();
  const caller = io.caller();
  const lesson = await makeEdit(io, plan, owner, caller);
  const isKept = plan.text === null || (lesson !== null && lesson.status !== 'forgotten');
  const note = !isKept
    ? await whyWithheld(io, plan, owner)
    : plan.text === null
      ? null
      : whyNoLine(lesson!);
  return {
    ...{ plan, by: signature(caller), verb: isKept ? verb : 'withheld', note },
    ...{ lesson: lesson && lessonJson(lesson, slugs), before: before ?? plan.text },
  };
}

/** Why an agent's words are kept out, now that they are stored. */
async function whyWithheld(io: Io, { lesson: id }: Edit, owner: string | null): Promise<string> {
  await using app = await createApp({ ...io, access: 'read' });
  const project =
    (await app.store.read((db) => loadProjects(db))).find((each) => each.id === owner) ?? null;
  const reason = (await withheldFrom(app, project)).find(({ lesson }) => lesson.id === id)?.reason;
  return `${reason ?? 'a person forgot it'}; a person can say it with \`dripstone lessons add\``;
}

/**
 * Makes an edit in the name of a caller, through the daemon when one runs; the store must not be
 * held open meanwhile.
 * @param owner project id, null for what is the person's
 * @returns the lesson as it is then; null when it is gone
 */
export async function makeEdit(
  io: Io,
  plan: Edit,
  owner: string | null,
  caller: Caller,
): Promise<Lesson | null> {
  const edit = editBy(plan, caller);
  const answer = await askDaemon(io, {
    version: 1,
    kind: 'edit',
    edit,
    owner,
    by: signature(caller),
  });
  if (answer?.kind === 'edit') return answer.lesson;
  await using writer = await createApp({ ...io, access: 'write' });
  return await applyEdit(writer, edit, owner);
}
