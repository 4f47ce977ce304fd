import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import {
  chmod,
  lstat,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Names of our temporary files: `.context.md.4242.9f3a01c2.tmp`. */
const TEMP_NAME = /^\.(.+)\.(\d+)\.[0-9a-f]{8}\.tmp$/;

interface Published {
  /** False if the file already had these bytes, and was not written. */
  written: boolean;
}

/**
 * Writes a file whole or not at all: temporary file in the same folder (0600, O_EXCL), fsync,
 * rename, fsync of the folder. Unchanged content is not rewritten, so that readers' caches stay
 * warm. A reader sees the old bytes or the new ones, never between.
 *
 * @param path missing folders are made (0700)
 * @throws the first error of the file system; the old file is untouched and the temporary file
 * removed
 */
export async function publishFile(path: string, content: string | Uint8Array): Promise<Published> {
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content, 'utf8')
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (await hasBytes(path, bytes)) return { written: false };
  const folder = dirname(path);
  await makeFolders(folder, 0o700);
  const temp = join(
    folder,
    `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  try {
    await writeTemp(temp, bytes);
    await rename(temp, path);
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
  return { written: true };
}

/** Bytes of a file that was published in parts. */
interface PublishedParts extends Published {
  sha256: string;
}

/**
 * As `publishFile`, for content that does not fit into memory: each part is hashed and written as
 * it arrives.
 *
 * @throws also what `parts` throws; then too the old file is untouched
 */
export async function publishParts(
  path: string,
  parts: AsyncIterable<Uint8Array>,
): Promise<PublishedParts> {
  const folder = dirname(path);
  await makeFolders(folder, 0o700);
  const temp = join(
    folder,
    `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  const hash = createHash('sha256');
  try {
    const handle = await open(
      temp,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      0o600,
    );
    try {
      for await (const part of parts) {
        hash.update(part);
        await writeAll(handle, part);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    const sha256 = hash.digest('hex');
    if ((await hashOf(path)) === sha256) {
      await unlink(temp);
      return { written: false, sha256 };
    }
    await rename(temp, path);
    await syncFolder(folder);
    return { written: true, sha256 };
  } catch (error) {
    await unlink(temp).catch(() => undefined);
    throw error;
  }
}

/**
 * Missing folders with this mode, whatever the umask. One by one, since `mkdir` of Node 20 with
 * `recursive` never ends in /proc or on a stale mount.
 */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolders(parent, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process made it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(folder)).isDirectory())
      return;
    throw error;
  }
  await chmod(folder, mode);
}

/** SHA-256 of a file's bytes; null if there is no such file. */
export async function hashOf(path: string): Promise<string | null> {
  const info = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!info?.isFile()) return null;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * A write may be short on a full disk without an error, so it is repeated until it fails or is
 * done.
 */
async function writeTemp(temp: string, bytes: Buffer): Promise<void> {
  const handle = await open(temp, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await writeAll(handle, bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Appends at the handle's position. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
    if (bytesWritten === 0) throw new Error('write made no progress');
    done += bytesWritten;
  }
}

/**
 * The rename is durable only when the folder is; some systems cannot open a folder, so there only
 * the file is synced.
 */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => null);
  if (!handle) return;
  try {
    await handle.sync();
  } catch {
    // EINVAL or EPERM: this file system cannot sync folders.
  } finally {
    await handle.close();
  }
}

async function hasBytes(path: string, bytes: Buffer): Promise<boolean> {
  const info = await lstat(path).catch(() => null);
  if (!info?.isFile() || info.size !== bytes.length) return false;
  return bytes.equals(await readFile(path));
}

/**
 * Removes temporary files that killed processes left in `folder` (not below it): only names of our
 * own pattern, only of processes that are gone.
 *
 * @param of the beginning of the names of the published files
 * @returns the names that were removed
 */
export async function sweepTemps(folder: string, of = ''): Promise<string[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  const stale = names.filter((name) => {
    const [, file, pid] = TEMP_NAME.exec(name) ?? [];
    return file?.startsWith(of) === true && !isProcessAlive(Number(pid));
  });
  for (const name of stale) await unlink(join(folder, name)).catch(() => undefined);
  return stale;
}

/** Whether a process with this id exists; a process of another user counts as alive. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
