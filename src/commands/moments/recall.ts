/** `dripstone recall` and `dripstone fix`: what memory says at a moment, or nothing. */
import { createApp } from '../../app.js';
import { EXIT, usage } from '../../errors.js';
import { answerMoment, answerOf, type MomentAnswer } from '../../recall/moments/answer.js';
import { MOMENT_TYPES, type MomentType } from '../../recall/moments/moment.js';
import { recallFrom } from '../../recall/recall.js';
import { printJson, type Arguments, type Command } from '../command.js';
import { ASKING, PROJECT } from '../typed.js';
import type { Io } from '../../io.js';
import { projectHere } from '../../recall/project-here.js';

const SHAPE = '{"version":1,"type","project","mode","text","tokens","items"}';

export const recallCommand: Command = {
  name: 'recall',
  summary:
    'what earlier sessions know about a task, a command, a file or a failure; mostly nothing',
  usage: '[--type TYPE] [--output TEXT|-] "TEXT" [--json]',
  options: {
    type: {
      type: 'string',
      value: 'TYPE',
      help: `what TEXT is: ${MOMENT_TYPES.join(', ')} (edit: the path; failure: the command); default prompt`,
    },
    output: {
      type: 'string',
      value: 'TEXT',
      help: 'what the failed command printed; `-` reads it from stdin',
    },
    project: PROJECT,
    json: { type: 'boolean', help: `print ${SHAPE}` },
  },
  exits: { [EXIT.busy]: ASKING[EXIT.busy] },
  examples: [
    'dripstone recall "release a new version"',
    'dripstone recall --type command "git push origin main"',
    'npm test 2>&1 | dripstone recall --type failure --output - "npm test"',
  ],
  async run(io, args) {
    const text = args.words.join(' ').trim();
    if (text === '')
      throw usage('recall needs a text', 'type `dripstone recall "what you are about to do"`');
    const type = typeOf(args.text('type'));
    const output = args.text('output');
    if (output !== null && type !== 'failure')
      throw usage('--output belongs to a failure', 'add `--type failure`');
    return await tell(io, args, {
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
    command: { type: 'string', value: 'COMMAND', help: 'the command that failed' },
    project: PROJECT,
    json: { type: 'boolean', help: `print ${SHAPE}` },
  },
  exits: { [EXIT.busy]: ASKING[EXIT.busy] },
  examples: ['dripstone fix "ENOSPC: no space left on device"', 'npm test 2>&1 | dripstone fix'],
  async run(io, args) {
    const typed = args.words.join(' ').trim();
    const output = typed === '' || typed === '-' ? await readAll(io) : typed;
    if (output.trim() === '')
      throw usage(
        'fix needs an error',
        'type `dripstone fix "the error"`, or pipe the output into it',
      );
    return await tell(io, args, { type: 'failure', text: args.text('command') ?? '', output });
  },
};

function typeOf(text: string | null): MomentType {
  if (text === null) return 'prompt';
  const found = MOMENT_TYPES.find((each) => each === text);
  if (found === undefined)
    throw usage(`there is no type ${text}`, `use one of ${MOMENT_TYPES.join(', ')}`);
  return found;
}

/**
 * Standard input up to a mebibyte: an error stands near an output's beginning or end, and both are
 * looked at.
 */
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

async function tell(
  io: Io,
  args: Arguments,
  asked: { type: MomentType; text: string; output: string | null },
): Promise<typeof EXIT.done> {
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const project = await projectHere(app, args.text('project'), io.cwd);
  const moment = { ...asked, session: null, given: new Set<string>() };
  const answer: MomentAnswer = app.storeExists
    ? await answerMoment(app.recall ?? recallFrom(app), project, moment)
    : answerOf(asked.type, project, []);
  if (args.flag('json')) printJson(io, { ...answer });
  else if (answer.text !== '') io.out(`${answer.text}\n`);
  else if (!app.storeExists)
    io.err('nothing was read yet; `dripstone run` reads what agents wrote\n');
  else if (io.outIsTerminal === true)
    io.err('nothing stands out; `dripstone search` finds what is near\n');
  return EXIT.done;
}
