/**
 * `dripstone crystal merge`: joins several people's crystals of one project into a file for a
 * repository.
 */
import { basename, resolve } from 'node:path';
import { countTokens, renderAgentsSection } from '../../context/index.js';
import {
  formatCrystal,
  lessonAt,
  mergeTeam,
  projectClockOf,
  rememberedLessons,
  type Member,
  type Team,
} from '../../lessons/index.js';
import { homeOf, loadConfig, pathsOf } from '../../config.js';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { keyOf } from '../../home-key.js';
import { readForeignCrystal, redactorOf, type Redact } from '../../jobs/upkeep/mask.js';
import { remoteKey } from '../../projects/remote.js';
import { readSmall } from '../../projects/small-file.js';
import { publishFile } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { printJson, usage, type Arguments, type Command, type Io } from '../command.js';

/** Tokens of the page for agents. */
const PAGE_TOKENS = 1000;

export const crystalCommand: Command = {
  name: 'crystal',
  summary: "merge several people's lessons of one project into one file for a repository",
  usage: 'merge A.json B.json … [--out FILE] [--context FILE] [--trust NAME=0.5,…] [--json]',
  options: {
    out: { type: 'string', value: 'FILE', help: 'file for the crystal; default: standard output' },
    context: {
      type: 'string',
      value: 'FILE',
      help: 'also write a page for agents, like context.md',
    },
    trust: {
      type: 'string',
      value: 'NAME=T,…',
      help: "how much a person's lessons count, 0 to 1; NAME is the name of their file without .json",
    },
    json: {
      type: 'boolean',
      help: 'print what was joined and what is disputed instead of the crystal',
    },
  },
  exits: {},
  examples: [
    'dripstone crystal merge ana.json ben.json --out .dripstone-team/crystal.json --context .dripstone-team/context.md',
    'dripstone crystal merge ana.json ben.json --trust ben=0.5 --json',
    "A person's crystal of a project is ~/.dripstone/projects/SLUG/crystal.json.",
  ],
  async run(io, args) {
    const [verb, ...files] = args.words;
    if (verb !== 'merge' || files.length === 0)
      throw usage(
        'crystal takes `merge` and files',
        'type `dripstone crystal merge A.json B.json`',
      );
    const members = await readMembers(io, files, parseTrust(args.text('trust')));
    const team = mergeTeam(members);
    const text = formatCrystal(team.crystal);
    const [out, page] = [args.text('out'), args.text('context')];
    if (out !== null) await write(resolve(io.cwd, out), text);
    if (page !== null)
      await write(resolve(io.cwd, page), pageOf(team, io.clock.now().toISOString()));
    tell(io, args, { team, members, text, out });
    return EXIT.done;
  },
};

function parseTrust(text: string | null): Map<string, number> {
  const pairs = (text ?? '').split(',').flatMap((pair) => pair.trim() || []);
  return new Map(
    pairs.map((pair) => {
      const at = pair.lastIndexOf('=');
      const trust = Number(pair.slice(at + 1));
      if (at < 1 || pair.slice(at + 1) === '' || !(trust >= 0 && trust <= 1))
        throw usage(
          `--trust takes NAME=T with T from 0 to 1, not ${pair}`,
          'for example --trust ben=0.5',
        );
      return [pair.slice(0, at), trust];
    }),
  );
}

async function readMembers(
  io: Io,
  files: readonly string[],
  trusts: ReadonlyMap<string, number>,
): Promise<Member[]> {
  // The marks of masked secrets are keyed by this home, which may have no store.
  const paths = pathsOf(homeOf(io.env));
  const redact = await redactorOf({
    redactKey: keyOf(paths, 'read'),
    clock: io.clock,
    config: loadConfig(paths.config),
  });
  const members = await Promise.all(
    files.map(async (file): Promise<Member> => {
      const name = basename(file).replace(/(?:\.crystal)?\.json$/i, '');
      return {
        name,
        trust: trusts.get(name) ?? 1,
        crystal: await readOne(resolve(io.cwd, file), io.clock.now(), redact),
      };
    }),
  );
  const names = members.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw usage(
      `two files are called ${twice}`,
      "name each person's file after them: the name says whose lessons they are",
    );
  const unknown = [...trusts.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw usage(`--trust names ${unknown}, who has no file here`, `names are ${names.join(', ')}`);
  const [first, ...others] = members;
  // A crystal that knows both the id and the remote may be anywhere in the list.
  const known = [first!];
  for (let i = 0; i < known.length; i++)
    known.push(
      ...others.filter(
        (each) =>
          !known.includes(each) && isSameProject(each.crystal.project!, known[i]!.crystal.project!),
      ),
    );
  const stranger = others.find((each) => !known.includes(each));
  if (stranger !== undefined)
    throw usage(
      `${stranger.name} is of the project ${stranger.crystal.project!.name}, ${first!.name} of ${first!.crystal.project!.name}`,
      'merge crystals of one project: with the same git remote they are one',
    );
  return members;
}

type Named = NonNullable<Member['crystal']['project']>;

function isSameProject(a: Named, b: Named): boolean {
  return (
    a.id === b.id ||
    (a.remote !== undefined &&
      b.remote !== undefined &&
      remoteKey(a.remote) === remoteKey(b.remote))
  );
}

/** A crystal of thousands of lessons has a few megabytes. */
const MOST_BYTES = 64 * 1024 * 1024;

async function readOne(file: string, now: Date, redact: Redact): Promise<Member['crystal']> {
  const text = readSmall(file, MOST_BYTES);
  if (text === null)
    throw usage(
      `there is no file ${file} of at most 64 MiB that can be read`,
      'name crystal.json files',
    );
  const { crystal, problems } = await readForeignCrystal(text, now, redact);
  if (crystal === null || problems.length > 0)
    throw new AppError(
      'NOT_A_CRYSTAL',
      `${file} cannot be read as a crystal: ${problems[0] ?? 'it is another program\u2019s'}`,
      { hint: 'nothing was written; copy it again from `~/.dripstone/projects/SLUG/crystal.json`' },
    );
  if (crystal.project === null)
    throw usage(
      `${file} holds what is true of one person everywhere`,
      "name a project's crystal.json: nothing personal is merged",
    );
  return crystal;
}

async function write(file: string, text: string): Promise<void> {
  await publishFile(file, text).catch((cause: unknown) => {
    throw new AppError('NOT_WRITTEN', `${file} cannot be written: ${messageOf(cause)}`, {
      hint: 'name a folder that is writable',
      cause,
    });
  });
}

/**
 * The page for agents, as of the newest day in any crystal: the most useful lessons that fit, none
 * of them disputed.
 */
function pageOf({ crystal }: Team, now: string): string {
  const clock = projectClockOf({ day: null, activeDays: [] }, crystal, now);
  const disputed = new Set(
    crystal.lessons.filter((lesson) => lesson.conflicts_with.length > 0).map(({ id }) => id),
  );
  const lessons = rememberedLessons(crystal)
    .filter(({ id }) => !disputed.has(id))
    .map((lesson) => lessonAt(lesson, clock))
    .sort((a, b) => b.worth * b.confidence - a.worth * a.confidence || (a.id < b.id ? -1 : 1));
  for (let most = lessons.length; ; most = Math.floor(most * 0.9)) {
    const text = renderAgentsSection(crystal.project!.name, clock.day, lessons.slice(0, most));
    if (countTokens(text) <= PAGE_TOKENS) return text;
  }
}

function tell(
  io: Io,
  args: Arguments,
  {
    team,
    members,
    text,
    out,
  }: { team: Team; members: readonly Member[]; text: string; out: string | null },
): void {
  const { crystal, disputes } = team;
  if (args.flag('json')) {
    const people = members.map(({ name, trust }) => ({ name, trust }));
    return printJson(io, {
      project: crystal.project!.name,
      people,
      lessons: crystal.lessons.length,
      disputes,
    });
  }
  if (out === null) io.out(text);
  io.err(
    `${counted(crystal.lessons.length, 'lesson')} of ${counted(members.length, 'person', 'people')}\n`,
  );
  for (const { lessons, forgotten_by: by } of disputes)
    io.err(
      `disputed: ${lessons.map((each) => `"${each.text}" (${each.by.join(', ')})`).join(' against ')}` +
        `${by.length === 0 ? '' : `, forgotten by ${by.join(', ')}`}\n`,
    );
}
