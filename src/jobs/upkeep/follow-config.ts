/**
 * Follows config.yaml while the daemon runs: a valid edit applies. While the file is broken nothing
 * is read or sent, because the broken part may contain an `exclude`.
 */
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../errors.js';
import type { Config } from '../../config.js';
import { validConfig } from '../../config-file.js';

export interface ConfigFollower {
  /** Checks the file with one stat; a file that is still being written is checked again. */
  check(): Promise<void>;
  /** Whether config.yaml has the options of this daemon. One stat, unless the file was edited. */
  isCurrent(): Promise<boolean>;
}

/**
 * @param on `changed`: the options are different now; `refused`: they are invalid, with a sentence
 * about the line; `good`: they are valid
 */
export function followConfig(
  file: string,
  current: Config,
  on: { changed(): void; refused(problem: string): void; good(): void },
): ConfigFollower {
  let taken = configVersion(file);
  let last = taken;
  let isGood = true;
  const hasSame = async (): Promise<boolean> => isDeepStrictEqual(await validConfig(file), current);
  return {
    async check() {
      const stamp = configVersion(file);
      // An editor may empty the file before it writes, which would set the defaults, so a version
      // counts only if two checks find it.
      const isStill = stamp === last;
      last = stamp;
      if (!isStill || stamp === taken) return;
      taken = stamp;
      try {
        isGood = await hasSame();
        on.good();
        if (!isGood) on.changed();
      } catch (error) {
        isGood = false;
        on.refused(messageOf(error));
      }
    },
    isCurrent: async () => (configVersion(file) === taken ? isGood : hasSame().catch(() => false)),
  };
}

function configVersion(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}
