/**
 * `dripstone sync`: joins the lessons of a person's machines through a shared folder. Each machine
 * writes one file, named by its content, and reads the files of the others.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createApp } from '../../app.js';
import { refuseAgents } from '../../caller.js';
import { homeOf, pathsOf } from '../../config.js';
import { AppError, EXIT, messageOf, usage } from '../../errors.js';
import { MOST_BYTES } from '../../jobs/sharing/bundle.js';
import { hashOf, SYNC_NAME, syncNamesIn, synced, writeOwnFile } from '../../jobs/sharing/folder.js';
import type { ImportReport } from '../../jobs/sharing/import.js';
import { counted } from '../../text/amounts.js';
import { type Command, print, WORKING, oneWord, flag } from '../../command.js';
import { carryOut } from '../../work.js';
import { renderPurged } from '../import.js';
import { runOnce } from '../run.js';
import type { Io } from '../../io.js';

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
    const { synced: done, errors } = await sync(io, path);
    print(io, args, { ...done }, render(done));
    for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    const unread = done.left.filter(({ reason }) => reason !== NOT_WHOLE).length;
    const unclean = done.purged.filter(({ proof }) => !proof.clean).length;
    return errors.length + unread + unclean > 0 ? EXIT.partial : EXIT.done;
  },
};

const NOT_WHOLE = 'not whole yet';

type Synced = Awaited<ReturnType<typeof sync>>['synced'];

async function sync(io: Io, path: string) {
  const { names: done } = synced(pathsOf(homeOf(io.env)));
  const taken: (ImportReport & { file: string })[] = [];
  const left: { file: string; reason: string }[] = [];
  for (const file of syncNamesIn(path).filter((each) => !done.has(each))) {
    const report = await takeFile(io, join(path, file), SYNC_NAME.exec(file)![2]!);
    if (typeof report === 'string') left.push({ file, reason: report });
    else {
      done.add(file);
      taken.push({ file, ...report });
    }
  }
  // This machine's file contains imported lessons, so that others get them even if their first
  // machine never returns.
  const { errors } = await runOnce(io, ['crystallize']);
  await using app = await createApp({ ...io, access: 'read', storeOptional: true });
  const news = {
    ...{ path, ...(await writeOwnFile(app, path, done)), taken: taken.length, left },
    lessons: taken.reduce((sum, { lessons }) => sum + lessons, 0),
    edits: taken.reduce((sum, { edits }) => sum + edits, 0),
    /** What was purged here because another machine had purged it, with its file. */
    purged: taken.flatMap(({ file, purged }) => (purged === null ? [] : [{ file, ...purged }])),
  };
  return { synced: news, errors };
}

/**
 * @returns the report, or why the file was not imported. An unreadable file never stops the others
 */
async function takeFile(io: Io, file: string, hash: string): Promise<ImportReport | string> {
  try {
    const found = statSync(file);
    // Reading a pipe might never end.
    if (!found.isFile()) return 'it is not a file';
    if (found.size > MOST_BYTES) return `it is larger than ${MOST_BYTES / 1024 / 1024} MiB`;
    if (hashOf(readFileSync(file)) !== hash) return NOT_WHOLE;
    return (await carryOut(io, { kind: 'import', file, from: null })).report;
  } catch (error) {
    // The home is unwritable or locked, so every other file would fail, too.
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
