/** `dripstone recall` and `dripstone fix`: an answer to a question; `--as-hook`: what a hook shows. */
import { createApp } from '../app.js';
import { EXIT, usage } from '../errors.js';
import type { Io } from '../io.js';
import { answerQuestion, type Answer } from '../recall/answer/answer.js';
import { answerMoment, type MomentAsked } from '../recall/moments/answer.js';
import { MOMENT_TYPES, type MomentType } from '../recall/moments/moment.js';
import { projectHere } from '../recall/projects.js';
import type { Recall } from '../recall/recall.js';
import type { Project } from '../types.js';
import {
  printJson,
  type Arguments,
  type Command,
  ASKING,
  PROJECT,
  value,
  flag,
} from '../command.js';

const SHAPE = '{"version":1,"type","project","text","tokens","weak","items"}';

export const recallCommand: Command = {
  name: 'recall',
  summary: 'answers a question from earlier sessions: lessons, commands, cures, what was said',
  usage: '[--type TYPE] [--output TEXT|-] [--as-hook] "TEXT" [--json]',
  options: {
    type: value('TYPE', `what TEXT is: ${MOMENT_TYPES.join(', ')}; default: inferred from TEXT`),
    output: value('TEXT', 'what the failed command printed; `-` reads it from stdin'),
    'as-hook': flag('print what a hook would show at this moment, which is mostly nothing'),
    project: PROJECT,
    json: flag(`print ${SHAPE}`),
  },
  exits: ASKING,
  examples: [
    'dripstone recall "release a new version"',
    'dripstone recall --type command "git push origin main"',
    'npm test 2>&1 | dripstone recall --type failure --output - "npm test"',
  ],
  async run(io, args) {
    const text = args.words.join(' ').trim();
    const type = typeOf(args.text('type'));
    const output = args.text('output');
    if (text === '' && output === null)
      throw usage('recall needs a question', 'type `dripstone recall "how do I run the tests"`');
    if (output !== null && type !== 'failure')
      throw usage('--output belongs to a failure', 'add `--type failure`');
    return await answer(io, args, {
      type,
      text,
      output: output === '-' ? await readAll(io) : output,
    });
  },
};

export const fixCommand: Command = {
  name: 'fix',
  summary: 'what helped when this error came before',
  usage: '["ERROR"] [--command "COMMAND"] [--json]',
  options: {
    command: value('COMMAND', 'the command that failed'),
    project: PROJECT,
    json: flag(`print ${SHAPE}`),
  },
  exits: ASKING,
  examples: ['dripstone fix "ENOSPC: no space left on device"', 'npm test 2>&1 | dripstone fix'],
  async run(io, args) {
    const typed = args.words.join(' ').trim();
    const output = typed === '' || typed === '-' ? await readAll(io) : typed;
    if (output.trim() === '')
      throw usage(
        'fix needs an error',
        'type `dripstone fix "the error"`, or pipe the output into it',
      );
    return await answer(io, args, { type: 'failure', text: args.text('command') ?? '', output });
  },
};

function typeOf(text: string | null): MomentType | null {
  if (text === null) return null;
  const found = MOMENT_TYPES.find((each) => each === text);
  if (found === undefined)
    throw usage(`there is no type ${text}`, `use one of ${MOMENT_TYPES.join(', ')}`);
  return found;
}

/** Only the beginning and the end of longer input are read, since an error is near one of them. */
const MOST_CHARS = 1_048_576;

async function readAll(io: Io): Promise<string> {
  let text = '';
  for await (const line of io.lines()) {
    text += `${line}\n`;
    if (text.length > MOST_CHARS)
      text = `${text.slice(0, MOST_CHARS / 4)}\n${text.slice(-MOST_CHARS / 4)}`;
  }
  return text;
}

async function answer(
  io: Io,
  args: Arguments,
  asked: { type: MomentType | null; text: string; output: string | null },
): Promise<typeof EXIT.done> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await projectHere(app, args.text('project'), io.cwd);
  const given = args.flag('as-hook')
    ? await shownByHook(app, project, { ...asked, type: asked.type ?? 'prompt', session: null })
    : await answerQuestion(app, project, asked);
  if (args.flag('json')) printJson(io, { ...given });
  else if (given.text !== '') io.out(`${given.text}\n`);
  return EXIT.done;
}

/** The text that a hook would show, as an answer; '' for none. */
async function shownByHook(
  recall: Recall,
  project: Project | null,
  asked: MomentAsked,
): Promise<Answer> {
  const { type, project: slug, text, tokens, items } = await answerMoment(recall, project, asked);
  return { type, project: slug, text, tokens, weak: false, items };
}
