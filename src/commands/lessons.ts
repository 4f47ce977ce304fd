/** `dripstone lessons`: read, question and correct what was learnt. */
import { type App, createApp } from '../app.js';
import { neutralise } from '../context/index.js';
import { EXIT, type ExitCode, usage, AppError } from '../errors.js';
import {
  type Arguments,
  type Command,
  printJson,
  EDITING,
  PROJECT,
  runVerb,
  type Verb,
  print,
  value,
  flag,
} from '../command.js';
import type { Io } from '../io.js';
import {
  adding,
  forgetting,
  keepingApart,
  pinning,
  rewording,
  undoing,
  type TypedEdit,
} from '../jobs/learning/typed-edit.js';
import { explainLesson } from '../jobs/publishing/context.js';
import { ownProject, lessonsOf, lessonWhole, oneLesson, renderRow } from '../recall/lessons.js';
import { explainNoLesson, renderNoLesson } from '../recall/why-not.js';
import { chooseProject } from '../recall/projects.js';
import { LESSON_KINDS, type LessonKind } from '../types.js';
import { editJson, makeEdit } from '../work.js';

/** Makes a typed edit and prints the result. */
async function change(
  io: Io,
  args: Arguments,
  plan: (app: App) => Promise<TypedEdit>,
): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const edited = await makeEdit(app, io, await plan(app));
  const caller = io.caller();
  if (caller.kind === 'agent')
    io.err(
      `this runs inside an agent: it counts as ${caller.name}'s, not as the user's. The person can type it in a terminal of ` +
        `their own\n`,
    );
  const { verb, lesson, before, note, plan: made } = edited;
  return print(
    io,
    args,
    editJson(edited),
    `${verb}: ${lesson?.text ?? before ?? made.lesson}  ^${made.lesson}\n${note === null ? '' : `  ${neutralise(note)}\n`}`,
  );
}

function textOf(words: readonly string[], hint: string): string {
  const text = words.join(' ').trim();
  if (text === '') throw usage('a lesson needs words', hint);
  return text;
}

async function add(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  const text = textOf(words, 'type `dripstone lessons add "…"`');
  if (args.flag('global') && args.text('project') !== null)
    throw usage('a lesson is global or of one project', 'leave --global or --project out');
  const kind = kindOf(args) ?? 'preference';
  return change(io, args, async (app) => {
    const project = args.flag('global')
      ? null
      : await ownProject(app, args.text('project'), io.cwd);
    return adding(app, { text, kind, project });
  });
}

async function reword(io: Io, args: Arguments, [meant, ...words]: string[]): Promise<ExitCode> {
  const kind = kindOf(args);
  const text = textOf(words, 'type `dripstone lessons edit ID "…"`, or `lessons forget ID`');
  return change(io, args, async (app) =>
    rewording(app, io.caller(), await oneLesson(app, meant!), { text, kind }),
  );
}

const VERBS: Record<string, Verb> = {
  list: {
    run: listLessons,
    usage: 'list [--project P] [--kind K] [--all | --withheld] [--json]',
    words: [0, 0],
  },
  show: { run: showLesson, usage: 'show ID|WORDS [--json]', words: [1, Infinity] },
  why: { run: whyLesson, usage: 'why ID|WORDS [--json]', words: [1, Infinity] },
  add: { run: add, usage: 'add "TEXT" [--kind K] [--global | --project P]', words: [1, Infinity] },
  edit: { run: reword, usage: 'edit ID|"WORDS" "NEW TEXT" [--kind K]', words: [2, Infinity] },
  pin: {
    run: (io, args, words) =>
      change(io, args, async (app) =>
        pinning(app, io.caller(), await oneLesson(app, words.join(' ')), !args.flag('off')),
      ),
    usage: 'pin ID|WORDS [--off]',
    words: [1, Infinity],
  },
  forget: {
    run: (io, args, words) =>
      change(io, args, async (app) =>
        forgetting(app, io.caller(), await oneLesson(app, words.join(' '))),
      ),
    usage: 'forget ID|WORDS',
    words: [1, Infinity],
  },
  apart: {
    run: (io, args, [one, other]) =>
      change(io, args, async (app) =>
        keepingApart(app, io.caller(), await oneLesson(app, one!), await oneLesson(app, other!)),
      ),
    usage: 'apart ID|"WORDS" ID|"WORDS"',
    words: [2, 2],
  },
  undo: {
    run: (io, args, [meant]) => change(io, args, (app) => undoing(app, io.caller(), meant ?? null)),
    usage: 'undo [ID]',
    words: [0, 1],
  },
};

export const lessonsCommand: Command = {
  name: 'lessons',
  summary:
    'list, show, explain, add, edit, pin, forget or undo lessons; keep two from being joined',
  usage: 'list|show|why|add|edit|pin|forget|apart|undo [options]',
  options: {
    project: PROJECT,
    kind: value('KIND', 'command, preference, correction, decision, gotcha or fact'),
    all: flag('list: faded, superseded and forgotten ones too'),
    withheld: flag(
      'list: lessons withheld as dangerous (they fetch and run code, …) and notes that are not lessons, with the reason',
    ),
    global: flag('add: a lesson for all your projects'),
    off: flag('pin: unpin'),
    json: flag('print JSON'),
  },
  exits: EDITING,
  examples: [
    ...Object.values(VERBS).map((verb) => `dripstone lessons ${verb.usage}`),
    'A lesson is named by words of it, or by any unique beginning of its id (`dripstone context --ids`, detail/*.md).',
  ],
  run: (io, args) =>
    runVerb('lessons', VERBS, io, {
      ...args,
      words: args.words.map((word) => word.replace(/^\^/, '')),
    }),
};

/** `--kind` as a kind, or null when absent. */
function kindOf(args: Arguments): LessonKind | null {
  const kind = args.text('kind');
  if (kind === null) return null;
  if (!(LESSON_KINDS as readonly string[]).includes(kind))
    throw usage(`there is no kind ${kind}`, `use one of ${LESSON_KINDS.join(', ')}`);
  return kind as LessonKind;
}

async function listLessons(io: Io, args: Arguments): Promise<ExitCode> {
  const kind = kindOf(args);
  const [all, withheld] = [args.flag('all'), args.flag('withheld')];
  await using app = await createApp({ ...io, access: 'read' });
  const project = await chooseProject(app, args.text('project'), io.cwd);
  const lessons = await lessonsOf(app, { project, kind, all, withheld });
  const nothing = withheld ? 'nothing is withheld here' : 'no lessons here';
  return print(
    io,
    args,
    { lessons },
    lessons.length === 0 ? `${nothing}\n` : lessons.map(renderRow).join(''),
  );
}

async function showLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const shown = await lessonWhole(app, words.join(' '));
  return print(io, args, shown.json, shown.text);
}

async function whyLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const meant = words.join(' ');
  try {
    const lesson = await oneLesson(app, meant);
    const { id, text, confidence } = lesson;
    const { clock, lines } = await explainLesson(app, lesson);
    const days = { day: clock.day, active_days: clock.activeDays.length };
    if (args.flag('json')) printJson(io, { id, text, ...days, confidence, lines });
    else io.out(`${text}  ^${id}\n${lines.join('\n')}\n`);
  } catch (error) {
    // A single word is a mistyped id.
    if (!(error instanceof AppError) || error.code !== 'LESSON_UNKNOWN' || !/\S\s+\S/.test(meant))
      throw error;
    const none = await explainNoLesson(app, meant);
    if (args.flag('json')) printJson(io, { ...none });
    else io.out(renderNoLesson(none));
  }
  return EXIT.done;
}
