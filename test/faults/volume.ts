/** A small volume of its own where the system allows one: the only honest full disk. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Volume {
  path: string;
  /** Leaves about so many bytes free. */
  fillTo(bytesFree: number): void;
  drain(): void;
  remove(): void;
}

/** @returns null where nothing may be mounted */
export function mountVolume(mib: number): Volume | null {
  const path = mkdtempSync(join(tmpdir(), 'dripstone-volume-'));
  if (
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=700`, 'tmpfs', path]).status !== 0
  ) {
    rmSync(path, { recursive: true });
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fillTo(bytesFree) {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytesFree)));
    },
    drain: () => unlinkSync(filler),
    remove() {
      spawnSync('umount', [path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
