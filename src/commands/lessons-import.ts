/**
 * `dripstone lessons import`: what other tools' notes already tell an agent, so that context.md
 * does not repeat it.
 */
import { resolve } from 'node:path';
import { createApp } from '../app.js';
import { refuseAgents } from '../caller.js';
import { neutralise } from '../context/index.js';
import { projectFolder } from '../config.js';
import { compareWithInstructions } from '../lessons/index.js';
import { EXIT, type ExitCode, visible, usage } from '../errors.js';
import {
  findRuleFiles,
  readRules,
  readSaid,
  writeSaid,
} from '../jobs/publishing/said-elsewhere.js';
import { type Lesson, isShown } from '../types.js';
import { type Arguments, printJson } from './command.js';
import { runOnce } from './run.js';
import type { Io } from '../io.js';
import { lessonsSeenIn, ownProject } from '../recall/lessons.js';

/** What a file of rules says about the lessons that are known. */
interface Compared {
  path: string;
  said: Lesson[];
  denied: Lesson[];
}

interface Plan {
  slug: string;
  folder: string;
  before: string[];
  after: string[];
  compared: Compared[];
}

export async function importSaid(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  refuseAgents(io.caller(), 'what counts as said already');
  const plan = await planImport(io, args, words);
  if (!args.flag('print')) {
    await writeSaid(plan.folder, plan.after);
    await runOnce(io, { only: ['context'], rebuild: false });
  }
  if (args.flag('json')) printJson(io, jsonOf(plan));
  else io.out(told(plan, args.flag('print')));
  return EXIT.done;
}

async function planImport(io: Io, args: Arguments, words: string[]): Promise<Plan> {
  await using app = await createApp({ ...io, access: 'read' });
  const project = await ownProject(app, args.text('project'), io.cwd);
  const folder = projectFolder(app.paths, project);
  const named = words.map((word) => resolve(io.cwd, word));
  const absent = named.find((path) => readRules(path) === null);
  if (absent !== undefined && !args.flag('drop'))
    throw usage(
      `${absent} is no file of at most 256 KiB`,
      'name files of rules, or none for those that are found',
    );
  const before = readSaid(folder);
  const found = named.length > 0 ? named : findRuleFiles(project, app.userHome, app.env);
  const dropped = named.length > 0 ? new Set(named) : new Set(before);
  const after = args.flag('drop')
    ? before.filter((path) => !dropped.has(path))
    : [...new Set([...before.filter((path) => readRules(path) !== null), ...found])].sort();
  const lessons = await app.store.read((db) => lessonsSeenIn(db, project.id));
  const compared = after.map((path) => compare(path, lessons.filter(isShown)));
  return { slug: project.slug, folder, before, after, compared };
}

function compare(path: string, lessons: readonly Lesson[]): Compared {
  const { alreadySaid, contradicted } = compareWithInstructions(lessons, [readRules(path) ?? '']);
  return {
    path,
    said: lessons.filter(({ id }) => alreadySaid.has(id)),
    denied: lessons.filter(({ id }) => contradicted.has(id)),
  };
}

function idsOf(lessons: readonly Lesson[]): string[] {
  return lessons.map(({ id }) => id);
}

function jsonOf({ slug, before, after, compared }: Plan): Record<string, unknown> {
  return {
    project: slug,
    files: compared.map(({ path, said, denied }) => ({
      path,
      said: idsOf(said),
      contradicted: idsOf(denied),
    })),
    dropped: before.filter((path) => !after.includes(path)),
  };
}

/** As text for a person. */
function told({ slug, before, after, compared }: Plan, isPrint: boolean): string {
  const lines = compared.flatMap(({ path, said, denied }) => [
    `${visible(path)}: says ${said.length} of what is known`,
    ...denied.map(({ id, text }) => `  contradicts: ${neutralise(text)}  ^${id}`),
  ]);
  lines.push(
    ...before
      .filter((path) => !after.includes(path))
      .map((path) => `${visible(path)}: counts no more`),
  );
  if (lines.length === 0) return `no rules or memories of other tools were found for ${slug}\n`;
  const isOut = compared.length === 0;
  const head = isOut
    ? 'nothing counts as said already'
    : 'counts as said already: context.md does not repeat it';
  return `${slug}: ${isPrint ? 'would be so: ' : ''}${head}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
