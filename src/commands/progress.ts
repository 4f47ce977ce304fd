/** A progress bar on standard error, on a terminal only. */
import type { Progress } from '../jobs/job.js';
import type { Io } from './command.js';

const WIDTH = 24;
/** Ten pictures a second are enough for an eye. */
const EVERY_MS = 100;

/** One line such as `ingest  [######------] 120 / 482 MB`. */
export const renderProgress = ({ job, done, total, unit }: Progress): string => {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(part * WIDTH);
  return `${job.padEnd(11)} [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${round(done)} / ${round(total)} ${unit}`;
};

const round = (n: number): string => (n >= 10 || Number.isInteger(n) ? Math.round(n).toLocaleString('en-US') : n.toFixed(1));

export const drawProgress = (io: Io): { report(progress: Progress): void; clear(): void } => {
  let last = -Infinity;
  let drawn = false;
  return {
    report(progress) {
      if (!io.terminal || (io.clock.mono() - last < EVERY_MS && progress.done < progress.total)) return;
      last = io.clock.mono();
      drawn = true;
      io.err(`\r\x1b[2K${renderProgress(progress)}`);
    },
    clear() {
      if (drawn) io.err('\r\x1b[2K');
      drawn = false;
    },
  };
};
