/**
 * This machine's file in a synchronised folder; the folders are recorded, so that a purge reaches
 * them.
 */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { publishFile, sweepTemps } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { notWritten, packHome } from './bundle.js';
import { shortHash } from '../../text/fingerprint.js';

/**
 * Machine and the beginning of its content's hash: a file that was copied in part has another hash
 * than its name says. Older builds wrote `.tar.gz`, which nobody reads any more.
 */
export const SYNC_NAME = /^dripstone-(w[0-9a-f]{12})-([0-9a-f]{32})\.(?:json|tar)\.gz$/;

export function hashOf(bytes: Buffer): string {
  return shortHash(bytes, 32);
}

export function syncNamesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => SYNC_NAME.test(name))
    .sort();
}

function listOf({ home }: Pick<HomePaths, 'home'>): string {
  return join(home, 'synced.txt');
}

/**
 * Folders that were synchronised with, some of which may not be mounted now, and names of files in
 * them that were taken in or written by this machine.
 */
export function synced(paths: Pick<HomePaths, 'home'>): { folders: string[]; names: Set<string> } {
  const path = listOf(paths);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  return {
    folders: lines.filter((line) => !SYNC_NAME.test(line)),
    names: new Set(lines.filter((line) => SYNC_NAME.test(line))),
  };
}

/** Names in a folder of the files of one machine, of those of an older time too. */
function namesOf(machine: string, folder: string): string[] {
  return syncNamesIn(folder).filter((name) => SYNC_NAME.exec(name)![1] === machine);
}

/** Files of this machine in the folders that are there. */
export function ownFiles(paths: HomePaths): string[] {
  if (!existsSync(paths.key)) return [];
  const machine = machineOf(paths);
  return synced(paths)
    .folders.filter((folder) => existsSync(folder))
    .flatMap((folder) => namesOf(machine, folder).map((name) => join(folder, name)));
}

/** A name of this home from which nobody can derive the key. */
function machineOf({ key }: HomePaths): string {
  const secret = readFileSync(key, 'utf8').trim();
  return `w${createHmac('sha256', secret).update('dataset').digest('hex').slice(0, 12)}`;
}

/**
 * Writes the present home, and removes this machine's earlier files.
 * @param done names that were taken in; without those the earlier files stay that are not part of
 * the new one
 */
export async function writeOwnFile(
  context: Pick<JobContext, 'paths' | 'redactKey' | 'clock' | 'config'>,
  folder: string,
  done: ReadonlySet<string>,
): Promise<{ own: string; written: boolean; machines: number }> {
  const { paths } = context;
  const bytes = await packHome(context);
  const machine = machineOf(paths);
  const own = `dripstone-${machine}-${hashOf(bytes)}.json.gz`;
  // Also over one that is there: a synchroniser or a full disk may have cut it, and nobody else
  // would ever write it.
  const { written } = await publishFile(join(folder, own), bytes).catch((cause: unknown) => {
    throw notWritten(join(folder, own), cause);
  });
  const known = new Set([...done, own]);
  // Of this machine's earlier files only those that are in the new one: a copy of this home may
  // write under the same name.
  const old = namesOf(machine, folder).filter((name) => name !== own && known.has(name));
  for (const name of old) rmSync(join(folder, name), { force: true });
  // What a killed sync had begun to write would keep what is purged later.
  await sweepTemps(folder, `dripstone-${machine}-`);
  const left = syncNamesIn(folder);
  const lines = new Set([
    folder,
    ...synced(paths).folders,
    ...left.filter((name) => known.has(name)),
  ]);
  await publishFile(listOf(paths), [...lines].map((line) => `${line}\n`).join(''));
  const machines = new Set(left.map((name) => SYNC_NAME.exec(name)![1]!));
  machines.delete(machine);
  return { own, written, machines: machines.size };
}

/**
 * After a purge: writes the files in these folders again without the purged data. A folder that is
 * not mounted gets its file later.
 */
export async function renewOwnFiles(
  context: Pick<JobContext, 'paths' | 'redactKey' | 'clock' | 'config'>,
): Promise<void> {
  const { paths } = context;
  const { names } = synced(paths);
  for (const folder of new Set(ownFiles(paths).map((file) => dirname(file))))
    // One that cannot be written keeps it: the proof names the file.
    await writeOwnFile(context, folder, names).catch(() => undefined);
}
