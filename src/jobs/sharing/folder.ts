/** Writes this machine's file in a shared folder. A list of these folders allows purges there. */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { publishFile, sweepTemps } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { notWritten, packHome } from './bundle.js';
import { shortHash } from '../../text/fingerprint.js';

/**
 * Machine and beginning of the content's hash, which shows whether a file was copied in full. Older
 * builds wrote `.tar.gz`, which is no longer read.
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
 * Synchronised folders, of which some may not be mounted now, and the names of files in them that
 * this machine read or wrote.
 */
export function synced(paths: Pick<HomePaths, 'home'>): { folders: string[]; names: Set<string> } {
  const path = listOf(paths);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  return {
    folders: lines.filter((line) => !SYNC_NAME.test(line)),
    names: new Set(lines.filter((line) => SYNC_NAME.test(line))),
  };
}

/** Names of one machine's files in a folder, also older ones. */
function namesOf(machine: string, folder: string): string[] {
  return syncNamesIn(folder).filter((name) => SYNC_NAME.exec(name)![1] === machine);
}

/** Files of this machine in the mounted folders. */
export function ownFiles(paths: HomePaths): string[] {
  if (!existsSync(paths.key)) return [];
  const machine = machineOf(paths);
  return synced(paths)
    .folders.filter((folder) => existsSync(folder))
    .flatMap((folder) => namesOf(machine, folder).map((name) => join(folder, name)));
}

/** A name of this home that does not reveal the key. */
function machineOf({ key }: HomePaths): string {
  const secret = readFileSync(key, 'utf8').trim();
  return `w${createHmac('sha256', secret).update('dataset').digest('hex').slice(0, 12)}`;
}

/**
 * Writes the present home, and removes this machine's earlier files.
 * @param done names of files that were read; other earlier files stay
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
  // Replaces an existing file too: a synchroniser or a full disk may have cut it.
  const { written } = await publishFile(join(folder, own), bytes).catch((cause: unknown) => {
    throw notWritten(join(folder, own), cause);
  });
  const known = new Set([...done, own]);
  // Removes only known files: a copy of this home may write under the same machine name.
  const old = namesOf(machine, folder).filter((name) => name !== own && known.has(name));
  for (const name of old) rmSync(join(folder, name), { force: true });
  // The rest of a killed sync could contain data that is purged later.
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

/** Writes this machine's files again after a purge, except in folders that are not mounted now. */
export async function renewOwnFiles(
  context: Pick<JobContext, 'paths' | 'redactKey' | 'clock' | 'config'>,
): Promise<void> {
  const { paths } = context;
  const { names } = synced(paths);
  for (const folder of new Set(ownFiles(paths).map((file) => dirname(file))))
    // If this fails, the old file stays, and the proof names it.
    await writeOwnFile(context, folder, names).catch(() => undefined);
}
