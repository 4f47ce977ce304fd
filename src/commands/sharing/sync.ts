/**
 * `dripstone sync`: what was learnt on a person's machines, joined through a folder that any file synchroniser carries. Each
 * machine writes one file of its own, named by its content, and reads those of the others; nobody waits for anybody.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { refuseAgents } from '../../caller.js';
import { homeOf, pathsOf } from '../../config.js';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { writerOf } from '../../jobs/dataset/plan.js';
import { packHome } from '../../jobs/upkeep/exported.js';
import { isProcessAlive, publishFile } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { type Command, type Io, printJson, usage } from '../command.js';
import { EXITS } from '../export.js';
import { carryIn } from '../import.js';
import { runOnce } from '../run.js';

/** Machine and the beginning of its content's hash: a file that was copied in part has another hash than its name says. */
const NAME = /^dripstone-(w[0-9a-f]{12})-([0-9a-f]{32})\.tar\.gz$/;

const MIB = 1024 * 1024;
/** More than an import reads. */
const MOST_BYTES = 512 * MIB;

/** What one run of sync did. */
interface Synced {
  path: string;
  /** The file that this machine has there now. */
  own: string;
  written: boolean;
  /** Machines whose files are there, this one not counted. */
  machines: number;
  /** Files that were taken in, and files that are not whole yet or cannot be read, with the reason. */
  taken: number;
  lessons: number;
  edits: number;
  left: { file: string; reason: string }[];
}

export const syncCommand: Command = {
  name: 'sync',
  summary: 'join what was learnt on your machines through a folder that a file synchroniser carries',
  usage: 'DIR [--json]',
  options: { json: { type: 'boolean', help: 'print JSON' } },
  exits: { ...EXITS, [EXIT.partial]: 'done, but a file of another machine cannot be read, or some crystal was not written' },
  examples: ['dripstone sync ~/Sync/dripstone', 'dripstone sync /mnt/bucket/dripstone   # from cron, on each machine'],
  async run(io, args) {
    const [folder, ...more] = args.words;
    if (folder === undefined || more.length > 0) throw usage('sync takes one folder', 'type `dripstone sync ~/Sync/dripstone`');
    refuseAgents(io.caller(), 'joining machines');
    const path = resolve(io.cwd, folder);
    if (!existsSync(path) || !statSync(path).isDirectory())
      throw usage(`there is no folder ${path}`, 'make it, or wait until it is mounted: a folder made here would hide it');
    const { synced, errors } = await sync(io, path);
    if (args.flag('json')) printJson(io, { ...synced });
    else io.out(render(synced));
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    return errors.length + synced.left.filter(({ reason }) => reason !== NOT_WHOLE).length > 0 ? EXIT.partial : EXIT.done;
  },
};

const NOT_WHOLE = 'not whole yet';

async function sync(io: Io, path: string): Promise<{ synced: Synced; errors: { job: string; message: string }[] }> {
  const paths = pathsOf(homeOf(io.env));
  // Names of files there that were taken in, or written by this machine.
  const list = join(paths.home, 'synced.txt');
  const done = new Set(linesOf(list));
  const synced: Synced = { path, own: '', written: false, machines: 0, taken: 0, lessons: 0, edits: 0, left: [] };
  for (const name of filesIn(path)) {
    if (done.has(name)) continue;
    const reason = await takeFile(io, join(path, name), NAME.exec(name)![2]!, synced);
    if (reason === null) done.add(name);
    else synced.left.push({ file: name, reason });
  }
  // What was taken in is part of this machine's own file: the next one has it even if the first never comes back.
  const { errors } = await runOnce(io, { only: ['crystallize'], rebuild: false });
  const bytes = packHome(paths, false);
  const machine = writerOf(readFileSync(paths.key, 'utf8').trim());
  synced.own = `dripstone-${machine}-${hashOf(bytes)}.tar.gz`;
  // Also over one that is there: a synchroniser or a full disk may have cut it, and nobody else would ever write it.
  synced.written = await write(join(path, synced.own), bytes);
  done.add(synced.own);
  const after = filesIn(path);
  // Of this machine's earlier files only those that are in the new one: a copy of this home may write under the same name.
  const old = after.filter((name) => name !== synced.own && NAME.exec(name)![1] === machine && done.has(name));
  for (const name of [...old, ...halfOf(path, machine)]) rmSync(join(path, name), { force: true });
  await publishFile(
    list,
    after
      .filter((name) => done.has(name) && !old.includes(name))
      .map((name) => `${name}\n`)
      .join(''),
  );
  synced.machines = new Set(after.map((name) => NAME.exec(name)![1]).filter((one) => one !== machine)).size;
  return { synced, errors };
}

/** @returns null when it was taken in, else why not; what cannot be read never stops the others */
async function takeFile(io: Io, file: string, hash: string, synced: Synced): Promise<string | null> {
  try {
    const found = statSync(file);
    // A pipe would never end.
    if (!found.isFile()) return 'it is no file';
    if (found.size > MOST_BYTES) return `it is larger than ${MOST_BYTES / MIB} MiB`;
    if (hashOf(readFileSync(file)) !== hash) return NOT_WHOLE;
    const { lessons, edits } = await carryIn(io, file, []);
    synced.taken++;
    synced.lessons += lessons;
    synced.edits += edits;
    return null;
  } catch (error) {
    // The home is not to be written, or held by somebody: every other file would fail alike.
    if (error instanceof AppError && ![EXIT.error, EXIT.config].includes(error.exitCode as 1)) throw error;
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NOT_WHOLE : messageOf(error);
  }
}

/** @returns whether it was not there, or with other bytes */
async function write(file: string, bytes: Buffer): Promise<boolean> {
  try {
    return (await publishFile(file, bytes)).written;
  } catch (cause) {
    throw new AppError('NOT_WRITTEN', `${file} cannot be written: ${messageOf(cause)}`, {
      hint: 'make the folder writable; what others wrote there was taken in',
      cause,
    });
  }
}

/** What a killed sync of this machine had begun to write: it would keep what is purged later. */
function halfOf(path: string, machine: string): string[] {
  return readdirSync(path).filter((name) => {
    const pid = name.startsWith(`.dripstone-${machine}-`) ? /\.(\d+)\.[0-9a-f]{8}\.tmp$/.exec(name)?.[1] : undefined;
    return pid !== undefined && !isProcessAlive(Number(pid));
  });
}

function filesIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => NAME.test(name))
    .sort();
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

function render({ path, written, machines, taken, lessons, edits, left }: Synced): string {
  const news = [counted(lessons, 'new lesson'), counted(edits, 'new edit')].join(', ');
  return [
    taken === 0 && !written
      ? `${path}: nothing new`
      : `${path}: ${taken === 0 ? 'nothing new there' : `${counted(taken, 'file')} taken in (${news})`}; ` +
        `${written ? "this machine's file is written" : "this machine's file is as it was"}`,
    machines === 0 ? 'no other machine has written there yet' : counted(machines, 'other machine'),
    ...left.map(({ file, reason }) => `left  ${file}: ${reason}`),
    '',
  ].join('\n');
}
