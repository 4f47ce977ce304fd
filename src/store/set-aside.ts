import { lstat, rename } from 'node:fs/promises';

/** A file that was renamed because it could not be used. */
export interface Moved {
  from: string;
  to: string;
}

/** `memory.duckdb` at 04:17:09 on 20 November 2026 -> `memory.duckdb.damaged-20261120T041709Z`. */
function asideName(path: string, now: Date, attempt = 1): string {
  const stamp = now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return `${path}.damaged-${stamp}${attempt > 1 ? `-${attempt}` : ''}`;
}

/** Renames what exists among `paths`; nothing is ever deleted or overwritten. */
export async function setAside(paths: string[], now: Date): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const from of paths) {
    if (!(await exists(from))) continue;
    let attempt = 1;
    while (await exists(asideName(from, now, attempt))) attempt++;
    const to = asideName(from, now, attempt);
    await rename(from, to);
    moved.push({ from, to });
  }
  return moved;
}

const exists = (path: string): Promise<boolean> => lstat(path).then(() => true, () => false);
