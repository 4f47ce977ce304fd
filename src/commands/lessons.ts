/** `dripstone lessons`: read, question and correct what was learnt. */
import { EXIT, type ExitCode } from '../errors.js';
import { usage, type Arguments, type Command, type Io } from './command.js';
import { addLesson, forgetLesson, pinLesson, rewordLesson, undoEdit } from './lessons-edit.js';
import { listLessons, showLesson, whyLesson } from './lessons-read.js';

type Verb = (io: Io, args: Arguments, words: string[]) => Promise<ExitCode>;

const VERBS: Record<string, { run: Verb; usage: string; words: [number, number] }> = {
  list: { run: listLessons, usage: 'list [--project P] [--kind K] [--all | --conflicts | --withheld] [--json]', words: [0, 0] },
  show: { run: showLesson, usage: 'show ID|WORDS [--json]', words: [1, Infinity] },
  why: { run: whyLesson, usage: 'why ID|WORDS [--json]', words: [1, Infinity] },
  add: { run: addLesson, usage: 'add "TEXT" [--kind K] [--global | --project P]', words: [1, Infinity] },
  edit: { run: rewordLesson, usage: 'edit ID|"WORDS" "NEW TEXT" [--kind K]', words: [2, Infinity] },
  pin: { run: pinLesson, usage: 'pin ID|WORDS [--off]', words: [1, Infinity] },
  forget: { run: forgetLesson, usage: 'forget ID|WORDS', words: [1, Infinity] },
  undo: { run: undoEdit, usage: 'undo', words: [0, 0] },
};

export const lessonsCommand: Command = {
  name: 'lessons',
  summary: 'list, show, explain, add, edit, pin, forget lessons, or undo that',
  usage: 'list|show|why|add|edit|pin|forget|undo [options]',
  options: {
    project: { type: 'string', value: 'P', help: 'folder, slug, name or `all`; default: the project of this folder' },
    kind: { type: 'string', value: 'KIND', help: 'command, preference, correction, decision, gotcha or fact' },
    all: { type: 'boolean', help: 'list: faded, superseded and forgotten ones too' },
    conflicts: { type: 'boolean', help: 'list: only lessons that contradict each other' },
    withheld: { type: 'boolean', help: 'list: what is kept out because foreign text named it first, with the reason' },
    global: { type: 'boolean', help: 'add: true of you everywhere, not of one project' },
    off: { type: 'boolean', help: 'pin: unpin' },
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
