/** `dripstone export`: what was learnt, for another machine. */
import { resolve } from 'node:path';
import { homeOf, pathsOf } from '../config.js';
import { AppError, EXIT, messageOf } from '../errors.js';
import { packHome } from '../jobs/upkeep/exported.js';
import { publishFile } from '../store/index.js';
import { printJson, usage, type Arguments, type Command, type Io } from './command.js';
import { runOnce } from './run.js';

export const EXITS = {
  [EXIT.busy]: 'another process writes to this home or holds the store',
  [EXIT.notWritable]: 'the home cannot be written',
  [EXIT.interrupted]: 'interrupted; do it again',
};

/** The archive that a command names. */
export function archiveOf(io: Io, args: Arguments, name: string): string {
  const [file, ...more] = args.words;
  if (file === undefined || more.length > 0) throw usage(`${name} takes one file`, `type \`dripstone ${name} memory.tar.gz\``);
  return resolve(io.cwd, file);
}

export const exportCommand: Command = {
  name: 'export',
  summary: 'write what was learnt (crystals, forgotten lessons, notes, config) into one .tar.gz',
  usage: 'FILE [--json]',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  exits: { ...EXITS, [EXIT.partial]: 'written, but some crystal could not be brought up to date' },
  examples: ['dripstone export ~/memory.tar.gz'],
  async run(io, args) {
    const file = archiveOf(io, args, 'export');
    const { errors } = await runOnce(io, { only: ['crystallize'], rebuild: false });
    const bytes = packHome(pathsOf(homeOf(io.env)));
    await publishFile(file, bytes).catch((cause: unknown) => {
      throw new AppError('NOT_WRITTEN', `${file} cannot be written: ${messageOf(cause)}`, {
        hint: 'name a folder that is writable',
        cause,
      });
    });
    if (args.flag('json')) printJson(io, { path: file, bytes: bytes.length });
    else io.out(`exported: ${file} (${(bytes.length / 1024).toFixed(0)} KiB)\n`);
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    return errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};
