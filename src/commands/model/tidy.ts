/**
 * `dripstone tidy`: prompts for your coding agent, and its answers; the same checks as for any
 * model.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createApp } from '../../app.js';
import { EXIT, type ExitCode } from '../../errors.js';
import {
  TIDY_SESSIONS,
  type TidyTaken,
  type TidyWaiting,
  takeTidy,
  tidyQuestions,
} from '../../jobs/asking/tidy.js';
import { signature } from '../../jobs/requests.js';
import { counted } from '../../text/amounts.js';
import { outside } from '../../types.js';
import { projectHere } from '../config/project-here.js';
import { printJson, usage, type Arguments, type Command, type Io } from '../command.js';
import { PROJECT, readInput } from '../typed.js';
import { askDaemon } from '../delegate.js';

export const tidyCommand: Command = {
  name: 'tidy',
  summary: 'let your coding agent find lessons: print the next prompt, take its answer',
  usage: '[--project P] [--json] | --answer FILE|- [--json]',
  options: {
    answer: {
      type: 'string',
      value: 'FILE|-',
      help: 'take an answer, or a list of them, from a file or from standard input',
    },
    project: PROJECT,
    json: {
      type: 'boolean',
      help:
        'print {"version":1,"questions":[{"question","purpose","project","agent","session","prompt"}],"waiting","withheld",' +
        '"capped"}; with --answer {"version":1,"answers":[{"question","taken":[{"kind","text","said_by"}],"dropped",' +
        '"refused":[{"what","reason"}],"withheld":[{"text","reason"}],"placed","error"}],"waiting"}',
    },
  },
  exits: {
    [EXIT.partial]: 'partly done: some of the answers were not taken',
    [EXIT.noStore]: 'no memory yet',
    [EXIT.busy]: 'another process writes to this home or holds the store',
  },
  examples: [
    'dripstone tidy                       # the next prompt',
    'dripstone tidy --answer - < answer.json',
  ],
  async run(io, args) {
    if (args.words.length > 0)
      throw usage('tidy takes no words', 'type `dripstone tidy` for the next prompt');
    const answer = args.text('answer');
    if (answer !== null) return await answered(io, args, answer);
    const found = await waitingFor(io, args.text('project'), 1);
    if (args.flag('json')) printJson(io, waitingJson(found));
    else {
      for (const { prompt } of found.questions) io.out(`${prompt}\n`);
      io.err(`${describeWaiting(found)}\n`);
    }
    return EXIT.done;
  },
};

/** What waits for this caller. @param spec as typed after `--project` */
export async function waitingFor(io: Io, spec: string | null, most: number): Promise<TidyWaiting> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await projectHere(app, spec, io.cwd);
  return await tidyQuestions(app, io.caller(), { project, most });
}

/** As `--json` prints it. */
function waitingJson({
  questions,
  waiting,
  withheld,
  isCapped,
}: TidyWaiting): Record<string, unknown> {
  return { questions, waiting, withheld, capped: isCapped };
}

/** One line: how to answer, or why nothing is asked. */
export function describeWaiting({ questions, waiting, withheld, isCapped }: TidyWaiting): string {
  const others =
    withheld === 0
      ? ''
      : `; ${counted(withheld, 'session')} of other vendors' agents are kept from this one: the person may type ` +
        '`dripstone config set llm.tidy_others true`';
  if (isCapped)
    return `${counted(TIDY_SESSIONS, 'session')} were read within the hour, ${waiting} wait: continue later${others}`;
  if (questions.length === 0) return `nothing waits${others}`;
  return `answer with JSON: \`dripstone tidy --answer -\`; ${counted(waiting, 'session')} wait${others}`;
}

async function answered(io: Io, args: Arguments, from: string): Promise<ExitCode> {
  const text = from === '-' ? await readInput(io) : readAnswerFile(resolve(io.cwd, from));
  const taken = await handBack(io, text);
  const { waiting } = await waitingFor(io, args.text('project') ?? 'all', 0);
  if (args.flag('json')) printJson(io, { answers: taken.map(takenJson), waiting });
  else io.out(`${renderTaken(taken)}\n${counted(waiting, 'session')} wait\n`);
  return taken.some(({ error }) => error !== null)
    ? taken.length > 1
      ? EXIT.partial
      : EXIT.error
    : EXIT.done;
}

function readAnswerFile(path: string): string {
  if (!existsSync(path))
    throw usage(
      `${path} is not there`,
      'name the file that holds the answer, or `-` for standard input',
    );
  return readFileSync(path, 'utf8');
}

/**
 * Hands answers in, through the daemon when one runs; the store must not be held open meanwhile.
 * @throws AppError exit 2 when the text holds no JSON
 */
export async function handBack(io: Io, text: string): Promise<TidyTaken[]> {
  const taken = await takenBy(io, text);
  if (taken === null)
    throw usage('the answer holds no JSON', 'answer in the shape that the prompt shows');
  return taken;
}

async function takenBy(io: Io, text: string): Promise<TidyTaken[] | null> {
  const answer = await askDaemon(io, {
    version: 1,
    kind: 'tidy',
    answer: text,
    by: signature(io.caller()),
  });
  if (answer?.kind === 'tidy') return answer.taken;
  await using app = await createApp({ ...io, access: 'write' });
  return await takeTidy(app, text, io.caller());
}

function takenJson({ taken, ...rest }: TidyTaken): Record<string, unknown> {
  return { ...rest, taken: taken.map((each) => outside(each)) };
}

/** What was taken, dropped and refused of each answer, and why. */
export function renderTaken(answers: readonly TidyTaken[]): string {
  return answers
    .flatMap(({ question, taken, dropped, refused, withheld, placed, error }) => [
      `${question || 'an answer'}: ` +
        (error === null
          ? `taken ${placed ?? taken.length}, dropped ${dropped.length}`
          : `not taken: ${error}`),
      ...taken.map(
        ({ kind, text, saidBy }) =>
          `  + ${kind}${saidBy === 'user' ? ' (the user said)' : ''}: ${text}`,
      ),
      ...withheld.map(
        ({ text, reason }) => `  withheld until a person approves it, ${reason}: ${text}`,
      ),
      ...dropped.map((text) => `  - ${text}`),
      ...refused.map(({ what, reason }) => `  not taken, ${reason}: ${what}`),
    ])
    .join('\n');
}
