/**
 * `dripstone sync`: joins the lessons of a person's machines through a shared folder. Each machine
 * writes one file of its own, named by its content, and reads those of the others.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createApp } from '../../app.js';
import { refuseAgents } from '../../caller.js';
import { homeOf, pathsOf } from '../../config.js';
import { AppError, EXIT, messageOf, usage } from '../../errors.js';
import { MOST_BYTES } from '../../jobs/sharing/bundle.js';
import {
  hashOf,
  SYNC_NAME,
  syncNamesIn,
  syncedNames,
  writeOwnFile,
} from '../../jobs/sharing/folder.js';
import type { PurgedElsewhere } from '../../jobs/upkeep/purge.js';
import { counted } from '../../text/amounts.js';
import { type Command, printJson, WORKING, oneWord, flag } from '../../command.js';
import { carryOut } from '../../work.js';
import { renderPurged } from '../import.js';
import { runOnce } from '../run.js';
import type { Io } from '../../io.js';

/** What a sync did. */
interface Synced {
  path: string;
  /** This machine's present file in the folder. */
  own: string;
  written: boolean;
  /** Number of other machines with a file. */
  machines: number;
  /** Number of imported files, and files that are incomplete or cannot be read, with the reason. */
  taken: number;
  lessons: number;
  edits: number;
  left: { file: string; reason: string }[];
  /** What was purged here because another machine had purged it, with that machine's file. */
  purged: (PurgedElsewhere & { file: string })[];
}

export const syncCommand: Command = {
  name: 'sync',
  summary: 'merge what your machines learnt, through a folder that a file synchroniser carries',
  usage: 'DIR [--json]',
  options: { json: flag('print JSON') },
  exits: {
    ...WORKING,
    [EXIT.partial]:
      'done, but a file of another machine cannot be read, or some crystal was not written',
  },
  examples: [
    'dripstone sync ~/Sync/dripstone',
    'dripstone sync /mnt/bucket/dripstone   # from cron, on each machine',
  ],
  async run(io, args) {
    const folder = oneWord(args, 'sync takes one folder', 'dripstone sync ~/Sync/dripstone');
    refuseAgents(io.caller(), 'joining machines');
    const path = resolve(io.cwd, folder);
    if (!existsSync(path) || !statSync(path).isDirectory())
      throw usage(
        `there is no folder ${path}`,
        'make it, or wait until it is mounted: a folder made here would hide it',
      );
    const { synced, errors } = await sync(io, path);
    if (args.flag('json')) printJson(io, { ...synced });
    else io.out(render(synced));
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    const unread = synced.left.filter(({ reason }) => reason !== NOT_WHOLE).length;
    const unclean = synced.purged.filter(({ proof }) => !proof.clean).length;
    return errors.length + unread + unclean > 0 ? EXIT.partial : EXIT.done;
  },
};

const NOT_WHOLE = 'not whole yet';

async function sync(
  io: Io,
  path: string,
): Promise<{ synced: Synced; errors: { job: string; message: string }[] }> {
  const paths = pathsOf(homeOf(io.env));
  const done = syncedNames(paths);
  const synced: Synced = {
    path,
    own: '',
    written: false,
    machines: 0,
    taken: 0,
    lessons: 0,
    edits: 0,
    left: [],
    purged: [],
  };
  for (const name of syncNamesIn(path).filter((each) => !done.has(each))) {
    const reason = await takeFile(io, join(path, name), SYNC_NAME.exec(name)![2]!, synced);
    if (reason === null) done.add(name);
    else synced.left.push({ file: name, reason });
  }
  // Imported lessons are part of this machine's own file: the next machine gets them even if the
  // first never returns.
  const { errors } = await runOnce(io, ['crystallize']);
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  Object.assign(synced, await writeOwnFile(app, path, done));
  return { synced, errors };
}

/**
 * @returns null when it was imported, else why not; a file that cannot be read never stops the
 * others
 */
async function takeFile(
  io: Io,
  file: string,
  hash: string,
  synced: Synced,
): Promise<string | null> {
  try {
    const found = statSync(file);
    // Reading a pipe would never end.
    if (!found.isFile()) return 'it is no file';
    if (found.size > MOST_BYTES) return `it is larger than ${MOST_BYTES / 1024 / 1024} MiB`;
    if (hashOf(readFileSync(file)) !== hash) return NOT_WHOLE;
    const { report } = await carryOut(io, { kind: 'import', file, from: null });
    const { lessons, edits, purged } = report;
    if (purged !== null) synced.purged.push({ file: basename(file), ...purged });
    synced.taken++;
    synced.lessons += lessons;
    synced.edits += edits;
    return null;
  } catch (error) {
    // The home cannot be written or is locked: every other file would fail in the same way.
    if (error instanceof AppError && ![EXIT.error, EXIT.config].includes(error.exitCode as 1))
      throw error;
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? NOT_WHOLE : messageOf(error);
  }
}

function render({ path, written, machines, taken, lessons, edits, left, purged }: Synced): string {
  const news = [counted(lessons, 'new lesson'), counted(edits, 'new edit')].join(', ');
  return [
    taken === 0 && !written
      ? `${path}: nothing new`
      : `${path}: ${taken === 0 ? 'nothing new there' : `${counted(taken, 'file')} taken in (${news})`}; ` +
        `${written ? "this machine's file is written" : "this machine's file is as it was"}`,
    machines === 0 ? 'no other machine has written there yet' : counted(machines, 'other machine'),
    ...purged.map(renderPurged),
    ...left.map(({ file, reason }) => `left  ${file}: ${reason}`),
    '',
  ].join('\n');
}
