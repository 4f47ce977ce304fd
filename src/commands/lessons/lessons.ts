/** `dripstone lessons`: read, question and correct what was learnt. */
import { type App, createApp } from '../../app.js';
import { refuseAgents } from '../../caller.js';
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
} from '../../lessons/index.js';
import { AppError, EXIT, type ExitCode } from '../../errors.js';
import { applyEdit } from '../../jobs/learning/edit.js';
import { maskText } from '../../jobs/upkeep/mask.js';
import { signature } from '../../jobs/requests.js';
import { lessonByPrefix, loadEdits, loadProjects } from '../../store/index.js';
import type { Caller, Edit, Lesson } from '../../types.js';
import { type Arguments, type Command, type Io, printJson, usage } from '../command.js';
import { askDaemon } from '../delegate.js';
import { importSaid } from './import.js';
import { kindOf, lessonJson, listLessons, oneLesson, ownProject, showLesson, slugsOf, whyLesson } from './read.js';

// Correcting lessons: add, edit, pin, forget, undo. Each rewrites context, detail and crystal before it ends.

function now(app: App): string {
  return app.clock.now().toISOString();
}

async function addLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
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
}

async function rewordLesson(io: Io, args: Arguments, [meant, ...words]: string[]): Promise<ExitCode> {
  const kind = kindOf(args);
  const text = words.join(' ').trim();
  if (text === '') throw usage('a lesson needs words', 'type `dripstone lessons edit ID "…"`, or `lessons forget ID`');
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await openLesson(io, app, meant!, 'edit');
  return await finish(io, args, app, planReword(lesson.id, await maskText(app, text), kind, now(app)), lesson.project, 'changed');
}

/** Finds the lesson to change. An agent may edit or forget only what agents said or tools showed, never a person's words. */
async function openLesson(io: Io, app: App, meant: string, action: 'edit' | 'forget'): Promise<Lesson> {
  const lesson = await oneLesson(app, meant);
  if (!isOpenToAgents(lesson, action))
    refuseAgents(
      io.caller(),
      lesson.saidBy === 'user' || lesson.pinned ? 'a lesson that the user said or pinned' : 'the wording of what was observed',
    );
  return lesson;
}

async function pinLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  refuseAgents(io.caller(), 'pinning');
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await oneLesson(app, words.join(' '));
  const pinned = !args.flag('off');
  return await finish(io, args, app, planPin(lesson.id, pinned, now(app)), lesson.project, pinned ? 'pinned' : 'unpinned');
}

async function forgetLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const lesson = await openLesson(io, app, words.join(' '), 'forget');
  return await finish(io, args, app, planForget(lesson.id, now(app)), lesson.project, 'forgotten');
}

async function keepApart(io: Io, args: Arguments, [one, other]: string[]): Promise<ExitCode> {
  refuseAgents(io.caller(), 'saying that both hold');
  await using app = await createApp({ ...io, access: 'read' });
  const [lesson, beside] = [await oneLesson(app, one!), await oneLesson(app, other!)];
  if (lesson.id === beside.id || lesson.project !== beside.project)
    throw usage(
      'these are not two lessons of one project',
      '`dripstone lessons list --conflicts` names those that deny each other',
    );
  return await finish(io, args, app, planApart(lesson.id, beside.id, now(app)), lesson.project, 'both hold');
}

async function undoEdit(io: Io, args: Arguments, [meant]: string[]): Promise<ExitCode> {
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
  const own = edits.filter(({ edit }) => edit.lesson === undo.lesson);
  const [before] = await app.store.read((db) => lessonByPrefix(db, undo.lesson));
  const text = before?.text ?? own.findLast(({ edit }) => edit.text !== null)?.edit.text ?? null;
  if (meant !== undefined && !undo.lesson.startsWith(meant))
    throw new AppError('NOT_NEWEST', `the newest edit is of another lesson: ${text ?? undo.lesson}`, {
      hint: 'take that back first with `dripstone lessons undo`',
      exitCode: EXIT.usage,
    });
  return await finish(io, args, app, undo, own[0]?.project ?? null, 'taken back', text);
}

/** Every edit with the project that it belongs to, null for the person. */
function ownedEdits(app: App): Promise<{ edit: Edit; project: string | null }[]> {
  return app.store.read(async (db) => {
    const owners = [null, ...(await loadProjects(db)).map((project) => project.id)];
    const all = [];
    for (const project of owners) for (const edit of await loadEdits(db, project)) all.push({ edit, project });
    return all;
  });
}

/**
 * The plan was made on a read-only look; the daemon applies it when one runs, else this process does.
 * @param before its words, for a lesson that is gone afterwards
 */
async function finish(
  io: Io,
  args: Arguments,
  app: App,
  plan: Edit,
  owner: string | null,
  verb: string,
  before: string | null = null,
): Promise<ExitCode> {
  const slugs = await slugsOf(app);
  await app.store.close();
  const caller = io.caller();
  const lesson = await makeEdit(io, plan, owner, caller);
  if (caller.kind === 'agent')
    io.err(
      `this runs inside an agent: it counts as ${caller.name}'s, not as the user's. The person can type it in a terminal of ` +
        `their own\n`,
    );
  if (args.flag('json'))
    printJson(io, {
      action: plan.action,
      by: signature(caller),
      id: plan.lesson,
      lesson: lesson === null ? null : lessonJson(lesson, slugs),
    });
  else io.out(`${verb}: ${lesson?.text ?? before ?? plan.lesson}  ^${plan.lesson}\n`);
  return EXIT.done;
}

/**
 * Makes an edit in the name of a caller, through the daemon when one runs; the store must not be held open meanwhile.
 * @param owner project id, null for what is the person's
 * @returns the lesson as it stands then; null when it does not
 */
export async function makeEdit(io: Io, plan: Edit, owner: string | null, caller: Caller): Promise<Lesson | null> {
  const edit = editBy(plan, caller);
  const answer = await askDaemon(io, { version: 1, kind: 'edit', edit, owner, by: signature(caller) });
  if (answer?.kind === 'edit') return answer.lesson;
  await using writer = await createApp({ ...io, access: 'write' });
  return await applyEdit(writer, edit, owner);
}

type Verb = (io: Io, args: Arguments, words: string[]) => Promise<ExitCode>;

const VERBS: Record<string, { run: Verb; usage: string; words: [number, number] }> = {
  list: { run: listLessons, usage: 'list [--project P] [--kind K] [--all | --conflicts | --withheld] [--json]', words: [0, 0] },
  show: { run: showLesson, usage: 'show ID|WORDS [--json]', words: [1, Infinity] },
  why: { run: whyLesson, usage: 'why ID|WORDS [--json]', words: [1, Infinity] },
  add: { run: addLesson, usage: 'add "TEXT" [--kind K] [--global | --project P]', words: [1, Infinity] },
  edit: { run: rewordLesson, usage: 'edit ID|"WORDS" "NEW TEXT" [--kind K]', words: [2, Infinity] },
  pin: { run: pinLesson, usage: 'pin ID|WORDS [--off]', words: [1, Infinity] },
  forget: { run: forgetLesson, usage: 'forget ID|WORDS', words: [1, Infinity] },
  apart: { run: keepApart, usage: 'apart ID|"WORDS" ID|"WORDS"', words: [2, 2] },
  undo: { run: undoEdit, usage: 'undo [ID]', words: [0, 1] },
  import: { run: importSaid, usage: 'import [FILE …] [--drop] [--print] [--project P]', words: [0, Infinity] },
};

export const lessonsCommand: Command = {
  name: 'lessons',
  summary: 'list, show, explain, add, edit, pin, forget lessons, say that both hold, undo that, or import what is said elsewhere',
  usage: 'list|show|why|add|edit|pin|forget|apart|undo|import [options]',
  options: {
    project: { type: 'string', value: 'P', help: 'folder, slug, name or `all`; default: the project of this folder' },
    kind: { type: 'string', value: 'KIND', help: 'command, preference, correction, decision, gotcha or fact' },
    all: { type: 'boolean', help: 'list: faded, superseded and forgotten ones too' },
    conflicts: { type: 'boolean', help: 'list: only lessons that contradict each other' },
    withheld: { type: 'boolean', help: 'list: what is kept out because foreign text named it first, with the reason' },
    global: { type: 'boolean', help: 'add: true of you everywhere, not of one project' },
    off: { type: 'boolean', help: 'pin: unpin' },
    drop: { type: 'boolean', help: 'import: these files count no more; without files, none does' },
    print: { type: 'boolean', help: 'import: only show what would count as said' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  exits: {
    [EXIT.noStore]: 'no memory yet',
    [EXIT.busy]: 'the store is in use by another process',
    [EXIT.notWritable]: 'the home cannot be written',
  },
  examples: [
    ...Object.values(VERBS).map((verb) => `dripstone lessons ${verb.usage}`),
    'A lesson is named by words of it, or by any unique beginning of its id (`dripstone context --ids`, detail/*.md).',
  ],
  async run(io, args) {
    const [name = 'list', ...words] = args.words;
    const verb = VERBS[name];
    if (!verb) throw usage(`lessons has no ${name}`, `use one of ${Object.keys(VERBS).join(', ')}`);
    const [least, most] = verb.words;
    if (words.length < least || words.length > most)
      throw usage(
        `lessons ${name} takes ${least === 0 ? 'no words' : `${least} word${least > 1 ? 's' : ''}`}, not ${words.length}`,
        `type \`dripstone lessons ${verb.usage}\``,
      );
    return verb.run(
      io,
      args,
      words.map((word) => word.replace(/^\^/, '')),
    );
  },
};
