/** Makes the edits that a person or an agent asks for, and checks who may ask. */
import { refuseAgents } from '../../caller.js';
import { AppError, EXIT, usage } from '../../errors.js';
import {
  isOpenToAgents,
  newestEdit,
  planAdd,
  planApart,
  planForget,
  planNever,
  planPin,
  planReword,
  planUndo,
} from '../../lessons/index.js';
import { forbiddenBy } from '../../parse/index.js';
import { lessonByPrefix, loadEdits, loadProjects } from '../../store/index.js';
import type { Caller, Edit, Lesson, LessonKind, Project } from '../../types.js';
import type { JobContext } from '../job.js';
import { maskText } from '../upkeep/mask.js';

export interface TypedEdit {
  plan: Edit;
  /** Project id, null for the global lessons. */
  owner: string | null;
  /** Word for the message to the person, such as `changed`. */
  verb: string;
  /** Text of the lesson, if the plan has none. */
  before?: string | null;
}

type Editing = Pick<JobContext, 'store' | 'clock' | 'config' | 'redactKey'>;

function now({ clock }: Editing): string {
  return clock.now().toISOString();
}

/** @param added project null: for all projects */
export async function adding(
  context: Editing,
  { text, kind, project }: { text: string; kind: LessonKind; project: Project | null },
): Promise<TypedEdit> {
  const owner = project?.id ?? null;
  const plan = planAdd(owner, kind, await maskText(context, text), now(context));
  return { plan, owner, verb: 'added' };
}

/** @param kind null: unchanged */
export async function rewording(
  context: Editing,
  caller: Caller,
  lesson: Lesson,
  { text, kind }: { text: string; kind: LessonKind | null },
): Promise<TypedEdit> {
  refuseClosed(caller, lesson, 'edit');
  const plan = planReword(lesson.id, await maskText(context, text), kind, now(context));
  return { plan, owner: lesson.project, verb: 'changed' };
}

export function pinning(
  context: Editing,
  caller: Caller,
  { id, project }: Lesson,
  isPinned: boolean,
): TypedEdit {
  refuseAgents(caller, 'pinning');
  const plan = planPin(id, isPinned, now(context));
  return { plan, owner: project, verb: isPinned ? 'pinned' : 'unpinned' };
}

export function forgetting(context: Editing, caller: Caller, lesson: Lesson): TypedEdit {
  refuseClosed(caller, lesson, 'forget');
  const plan = planForget(lesson.id, now(context));
  return { plan, owner: lesson.project, verb: 'forgotten' };
}

/** Separates two lessons again, because both are true; neither replaces the other. */
export function keepingApart(
  context: Editing,
  caller: Caller,
  lesson: Lesson,
  other: Lesson,
): TypedEdit {
  refuseAgents(caller, 'saying that both hold');
  if (lesson.id === other.id || lesson.project !== other.project)
    throw usage(
      'these are not two lessons of one project',
      '`dripstone lessons list --all` names those that are superseded',
    );
  const plan = planApart(lesson.id, other.id, now(context));
  return { plan, owner: lesson.project, verb: 'both hold' };
}

/** Sets what a rule of the person forbids. @throws AppError exit 2 when it is no command or path */
export async function forbidding(
  context: Editing,
  caller: Caller,
  { id, project, text, said_by }: Lesson,
  form: string,
): Promise<TypedEdit> {
  refuseAgents(caller, 'a rule');
  if (said_by !== 'user')
    throw usage(`these are not your words: ${text}`, 'say it first: `dripstone lessons add "…"`');
  if (forbiddenBy(form) === null)
    throw usage(
      `this is not a single command or path: ${form}`,
      "type it as an agent would: 'git push --force'",
    );
  const plan = planNever(id, await maskText(context, form), now(context));
  return { plan, owner: project, verb: 'forbids' };
}

/** Undoes the newest edit. @param meant only if it changed this lesson; null: any */
export async function undoing(
  context: Editing,
  caller: Caller,
  meant: string | null,
): Promise<TypedEdit> {
  const edits = await ownedEdits(context);
  const all = edits.map(({ edit }) => edit);
  const isOwn = caller.kind === 'agent' && newestEdit(all)?.author === caller.name;
  if (!isOwn) refuseAgents(caller, 'the newest edit');
  const plan = planUndo(all, now(context));
  if (plan === null)
    throw new AppError('NOTHING_TO_UNDO', 'there is no edit to take back', {
      hint: 'see `dripstone lessons list`',
      exitCode: EXIT.usage,
    });
  const own = edits.filter(({ edit }) => edit.lesson === plan.lesson);
  const [known] = await context.store.read((db) => lessonByPrefix(db, plan.lesson));
  const before = known?.text ?? own.findLast(({ edit }) => edit.text !== null)?.edit.text ?? null;
  if (meant !== null && !plan.lesson.startsWith(meant))
    throw new AppError(
      'NOT_NEWEST',
      `the newest edit is of another lesson: ${before ?? plan.lesson}`,
      { hint: 'take that back first with `dripstone lessons undo`', exitCode: EXIT.usage },
    );
  return { plan, owner: own[0]?.project ?? null, verb: 'taken back', before };
}

/** An agent may edit or forget only lessons from agents and tools, never a person's words. */
function refuseClosed(caller: Caller, lesson: Lesson, action: 'edit' | 'forget'): void {
  if (!isOpenToAgents(lesson, action))
    refuseAgents(
      caller,
      lesson.said_by === 'user' || lesson.pinned
        ? 'a lesson that the user said or pinned'
        : 'the wording of what was observed',
    );
}

/** Every edit with its project; null: the person. */
function ownedEdits({ store }: Editing): Promise<{ edit: Edit; project: string | null }[]> {
  return store.read(async (db) => {
    const owners = [null, ...(await loadProjects(db)).map((project) => project.id)];
    const all = [];
    for (const project of owners)
      for (const edit of await loadEdits(db, project)) all.push({ edit, project });
    return all;
  });
}
