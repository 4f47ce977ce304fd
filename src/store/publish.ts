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
  /** False if the file already had these bytes and so was not written. */
  written: boolean;
}

/**
 * Writes a file completely or not at all, so that a reader never sees a part of the new bytes:
 * temporary file in the same folder (0600, O_EXCL), fsync, rename, fsync of the folder. Does not
 * rewrite unchanged content, so that readers' caches stay warm.
 *
 * @param path missing folders are created (0700)
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
 * @throws also the errors of `parts`; the old file then stays untouched, too
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
 * Creates missing folders with this mode, independent of the umask. Not with `recursive`: Node 20's
 * `mkdir` then never ends in /proc or on a stale mount.
 */
export async function makeFolders(folder: string, mode: number): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolders(parent, mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    // Another process created the folder meanwhile.
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
 * On a full disk a write may be incomplete without an error, so this writes until all is written or
 * an error comes.
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
 * A rename is durable only if the folder is synced. Some systems cannot open a folder; there only
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
 * Removes temporary files of killed processes from `folder` (not below it): only names of our own
 * pattern, only of processes that no longer run.
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
