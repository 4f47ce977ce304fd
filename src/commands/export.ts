/** `dripstone export`: writes lessons and notes for another machine. */
import { resolve } from 'node:path';
import { createApp } from '../app.js';
import { renderAgentsSection } from '../context/index.js';
import { EXIT, type ExitCode, usage } from '../errors.js';
import { notWritten, packHome } from '../jobs/sharing/bundle.js';
import { writeParquet } from '../jobs/sharing/parquet.js';
import { counted } from '../text/amounts.js';
import { loadLessons, projectClock, publishFile } from '../store/index.js';
import {
  print,
  printJson,
  type Arguments,
  type Command,
  WORKING,
  oneWord,
  flag,
  value,
} from '../command.js';
import { runOnce } from './run.js';
import type { Io } from '../io.js';
import { ownProject } from '../recall/lessons.js';

/** The archive file in the command's arguments. */
export function archiveOf(io: Io, args: Arguments, name: string): string {
  return resolve(
    io.cwd,
    oneWord(args, `${name} takes one file`, `dripstone ${name} memory.json.gz`),
  );
}

export const exportCommand: Command = {
  name: 'export',
  summary: 'write what was learnt (crystals, forgotten lessons, notes, receipts) into one file',
  usage: 'FILE [--json] | --parquet DIR [--json] | --agents-md [--project P]',
  options: {
    'agents-md': flag("print a project's lessons as a section to paste into AGENTS.md instead"),
    parquet: value(
      'DIR',
      'write the views of the database as Parquet files instead, for other engines',
    ),
    project: value(
      'P',
      'with --agents-md: folder, slug or name; default: the project of this folder',
    ),
    json: flag('print JSON'),
  },
  exits: {
    ...WORKING,
    [EXIT.partial]: 'written, but some crystal could not be brought up to date',
  },
  examples: [
    'dripstone export ~/memory.json.gz',
    'dripstone export --agents-md >> AGENTS.md',
    'dripstone export --parquet ~/dripstone-parquet',
  ],
  async run(io, args) {
    if (args.flag('agents-md')) return printSection(io, args);
    if (args.text('parquet') !== null) return exportViews(io, args, args.text('parquet')!);
    if (args.text('project') !== null)
      throw usage(
        '--project goes with --agents-md',
        'leave --project out: a home is exported whole',
      );
    const file = archiveOf(io, args, 'export');
    const { errors } = await runOnce(io, ['crystallize']);
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    const bytes = await packHome(app);
    await publishFile(file, bytes).catch((cause: unknown) => {
      throw notWritten(file, cause);
    });
    const text = `exported: ${file} (${(bytes.length / 1024).toFixed(0)} KiB)\n`;
    print(io, args, { path: file, bytes: bytes.length }, text);
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    return errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};

async function exportViews(io: Io, args: Arguments, folder: string): Promise<ExitCode> {
  if (args.words.length > 0 || args.text('project') !== null)
    throw usage('--parquet takes one folder', '`dripstone export --parquet ~/dripstone-parquet`');
  await using app = await createApp({ ...io, access: 'read' });
  const path = resolve(io.cwd, folder);
  const rows = await writeParquet(app, path);
  const sum = Object.values(rows).reduce((total, each) => total + each, 0);
  const text = `exported: ${counted(sum, 'row')} of ${Object.keys(rows).length} views to ${path}\n`;
  return print(io, args, { path, rows }, text);
}

/** Prints lessons of a project for others, without personal ones. */
async function printSection(io: Io, args: Arguments): Promise<ExitCode> {
  if (args.words.length > 0)
    throw usage(
      '--agents-md prints its section',
      'send it to a file: `dripstone export --agents-md >> AGENTS.md`',
    );
  await using app = await createApp({ ...io, access: 'read' });
  const project = await ownProject(app, args.text('project'), io.cwd);
  const now = app.clock.now().toISOString();
  const { lessons, day } = await app.store.read(async (db) => ({
    lessons: await loadLessons(db, { owner: project.id }),
    day: ((await projectClock(db, project.id, now)) ?? now).slice(0, 10),
  }));
  const text = renderAgentsSection(
    project.name,
    day,
    lessons.filter(({ scope }) => scope !== 'global'),
  );
  if (args.flag('json')) printJson(io, { project: project.slug, text });
  else if (text === '') io.err(`${project.slug}: no lesson is worth a line yet\n`);
  else io.out(text);
  return EXIT.done;
}
