/** When a job that failed is tried again. Pure. */

const MINUTE_MS = 60_000;
const LONGEST_MS = 60 * MINUTE_MS;
/** A store that somebody else holds is asked for more often: they may be done any moment. */
const BUSY_MS = 1000;
const BUSY_LONGEST_MS = 30_000;

/** @param failures failed tries in a row, at least 1 */
export const retryDelayMs = (failures: number, isBusy: boolean): number => {
  const [first, longest] = isBusy ? [BUSY_MS, BUSY_LONGEST_MS] : [MINUTE_MS, LONGEST_MS];
  return Math.min(first * 2 ** Math.max(0, failures - 1), longest);
};
