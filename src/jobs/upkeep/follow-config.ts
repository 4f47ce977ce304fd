/** config.yaml while the daemon runs: a good edit is taken up, a bad one is refused and the old options stay. */
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../errors.js';
import { loadConfig, type Config } from '../../config.js';

interface ConfigFollower {
  /** One stat; a file that is still being written is looked at again. */
  check(): void;
}

/**
 * @param on `changed`: there are other options now; `refused`: they are wrong, with the sentence that names the line; `good`:
 * nothing to complain of
 */
export function followConfig(
  file: string,
  current: Config,
  on: { changed(): void; refused(problem: string): void; good(): void },
): ConfigFollower {
  let taken = stampOf(file);
  let last = taken;
  return {
    check() {
      const stamp = stampOf(file);
      // An editor that empties the file before it fills it must not bring the defaults back: only what stays the same for two
      // looks counts.
      const isStill = stamp === last;
      last = stamp;
      if (!isStill || stamp === taken) return;
      taken = stamp;
      try {
        const next = loadConfig(file);
        on.good();
        if (!isDeepStrictEqual(next, current)) on.changed();
      } catch (error) {
        on.refused(messageOf(error));
      }
    },
  };
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
