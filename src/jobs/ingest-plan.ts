/** Which logs must be read, and from which checkpoint. Pure. */
import type { Checkpoint } from '../types.js';
import type { FoundLog } from '../watchers/discover.js';
import { needsReading } from '../watchers/guard.js';

export interface PlannedLog {
  log: FoundLog;
  saved: Checkpoint | null;
}

/**
 * The logs that are new, grew, changed, moved, or hold half a line that has been still; in the order given.
 * A checkpoint is found by the file (device and inode), else by the path; whether it still holds is the guard's to say.
 * @param checkpoints newest read last
 */
export const planLogs = (logs: readonly FoundLog[], checkpoints: readonly Checkpoint[], now: number): PlannedLog[] => {
  const byFile = new Map(checkpoints.map((each) => [`${each.agent}\0${each.device}:${each.inode}`, each]));
  const byPath = new Map(checkpoints.map((each) => [`${each.agent}\0${each.path}`, each]));
  return logs.flatMap((log) => {
    const saved = byFile.get(`${log.agent}\0${log.device}:${log.inode}`) ?? byPath.get(`${log.agent}\0${log.path}`) ?? null;
    return saved?.path !== log.path || needsReading(saved, log, now) ? [{ log, saved }] : [];
  });
};
