/** `dripstone export` and `dripstone import`: what was learnt, from one machine to another. */
import { resolve } from 'node:path';
import { existsSync, statSync } from 'node:fs';
import { createApp } from '../app.js';
import { homeOf, pathsOf } from '../config.js';
import { AppError, EXIT, messageOf } from '../errors.js';
import { packHome } from '../jobs/exported.js';
import { importHome, type ImportReport } from '../jobs/import.js';
import { stopReading } from '../jobs/ingest.js';
import { prepareStore } from '../jobs/run-all.js';
import { publishFile } from '../store/index.js';
import { printJson, usage, type Arguments, type Command, type Io } from './command.js';
import { askDaemon } from './delegate.js';
import { runOnce } from './run.js';

const EXITS = {
  [EXIT.busy]: 'another process writes to this home or holds the store',
  [EXIT.notWritable]: 'the home cannot be written',
  [EXIT.interrupted]: 'interrupted; do it again',
};

const fileOf = (io: Io, args: Arguments, name: string): string => {
  const [file, ...more] = args.words;
  if (file === undefined || more.length > 0) throw usage(`${name} takes one file`, `type \`dripstone ${name} memory.tar.gz\``);
  return resolve(io.cwd, file);
};

export const exportCommand: Command = {
  name: 'export',
  summary: 'write what was learnt (crystals, forgotten lessons, notes, config) into one .tar.gz',
  usage: 'FILE [--json]',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  exits: { ...EXITS, [EXIT.partial]: 'written, but some crystal could not be brought up to date' },
  async run(io, args) {
    const file = fileOf(io, args, 'export');
    const { errors } = await runOnce(io, { only: ['crystallize'], rebuild: false });
    const bytes = packHome(pathsOf(homeOf(io.env)));
    await publishFile(file, bytes).catch((cause: unknown) => {
      throw new AppError('NOT_WRITTEN', `${file} cannot be written: ${messageOf(cause)}`, { hint: 'name a folder that is writable', cause });
    });
    if (args.flag('json')) printJson(io, { path: file, bytes: bytes.length });
    else io.out(`exported: ${file} (${(bytes.length / 1024).toFixed(0)} KiB)\n`);
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    return errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};

export const importCommand: Command = {
  name: 'import',
  summary: 'take in what another machine exported; joined by id, twice is once',
  usage: 'FILE [--json]',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  exits: EXITS,
  async run(io, args) {
    const file = fileOf(io, args, 'import');
    if (!existsSync(file) || !statSync(file).isFile()) throw usage(`there is no file ${file}`, 'make one with `dripstone export FILE`');
    const report = await carryIn(io, file);
    if (args.flag('json')) printJson(io, { ...report });
    else io.out(render(report));
    return EXIT.done;
  },
};

const carryIn = async (io: Io, file: string): Promise<ImportReport> => {
  const answer = await askDaemon(io, { version: 1, kind: 'import', file });
  if (answer?.kind === 'import') return answer.report;
  await using app = await createApp({ ...io, access: 'write', hurry: true });
  await prepareStore(app);
  const report = await importHome(app, file);
  await stopReading(app.store);
  return report;
};

const CONFIG = {
  taken: 'config.yaml was taken over: read it once',
  same: 'config.yaml is the same',
  kept: 'config.yaml differs: yours was kept',
  refused: 'config.yaml of the archive is not valid here and was left out',
  none: 'no config.yaml',
} as const;

const render = ({ projects, lessons, edits, notes, config }: ImportReport): string =>
  `imported: ${projects} projects, ${lessons} new lessons, ${edits} new edits, ${notes} new lines of notes; ${CONFIG[config]}\n`;
