/** A progress bar on standard error, on a terminal only. */
import type { Progress } from '../jobs/job.js';
import type { Io } from './command.js';

const WIDTH = 24;
/** Ten pictures a second are enough for an eye. */
const EVERY_MS = 100;

/** A guess from less than this is none. */
const LEAST_MS = 2000;

/**
 * One line such as `ingest  [######------] 120 / 482 MB, 3 min left`.
 * @param left seconds until the end at the present pace; null while that cannot be known
 */
export const renderProgress = ({ job, done, total, unit }: Progress, left: number | null = null): string => {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(part * WIDTH);
  return `${job.padEnd(11)} [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${round(done)} / ${round(total)} ${unit}${left === null || done >= total ? '' : `, ${duration(left)} left`}`;
};

const duration = (seconds: number): string =>
  seconds < 90
    ? `${Math.max(1, Math.round(seconds))} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

const round = (n: number): string => (n >= 10 || Number.isInteger(n) ? Math.round(n).toLocaleString('en-US') : n.toFixed(1));

export const drawProgress = (io: Io): { report(progress: Progress): void; clear(): void } => {
  const draw = io.draw ?? io.err;
  let last = -Infinity;
  let drawn = false;
  let begun = { job: '', at: 0, done: 0 };
  /** A job that was left before its end and is taken up again counts only what is still to do: its bar goes on where it stood. */
  const stood = new Map<string, { done: number; total: number; before: number }>();
  const goOn = (progress: Progress): Progress => {
    const last = stood.get(progress.job);
    const isTakenUp = last !== undefined && progress.done < last.done && last.done < last.total;
    const before = last === undefined ? 0 : isTakenUp ? last.before + last.done : progress.done < last.done ? 0 : last.before;
    stood.set(progress.job, { done: progress.done, total: progress.total, before });
    return { ...progress, done: progress.done + before, total: progress.total + before };
  };
  /** From the pace since the job began: the newest logs come first, so this evens out early. */
  const leftOf = ({ job, done, total }: Progress): number | null => {
    const now = io.clock.mono();
    if (begun.job !== job || done < begun.done) begun = { job, at: now, done };
    const [ms, units] = [now - begun.at, done - begun.done];
    return ms < LEAST_MS || units <= 0 ? null : ((total - done) * ms) / units / 1000;
  };
  return {
    report(told) {
      const progress = goOn(told);
      const left = leftOf(progress);
      if (!io.terminal || (io.clock.mono() - last < EVERY_MS && progress.done < progress.total)) return;
      last = io.clock.mono();
      drawn = true;
      draw(`\r\x1b[2K${renderProgress(progress, left)}`);
    },
    clear() {
      if (drawn) draw('\r\x1b[2K');
      drawn = false;
    },
  };
};
