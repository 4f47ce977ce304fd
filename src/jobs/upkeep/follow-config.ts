/**
 * Follows config.yaml while the daemon runs: a valid edit applies. While the file is broken nothing
 * is read or sent, since an `exclude` may be in the broken part.
 */
import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../errors.js';
import type { Config } from '../../config.js';
import { validConfig } from '../../config-file.js';

export interface ConfigFollower {
  /** One stat; a file that is still being written is checked again. */
  check(): Promise<void>;
  /**
   * Whether config.yaml has the options that this daemon works with. One stat, unless the file was
   * edited since.
   */
  isCurrent(): Promise<boolean>;
}

/**
 * @param on `changed`: there are other options now; `refused`: they are wrong, with the sentence
 * that names the line; `good`: nothing to complain of
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
      // An editor that empties the file before it fills it must not bring the defaults back: only
      // what stays the same for two looks counts.
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
