/** A progress bar on standard error, on a terminal only. */
import type { Io } from '../io.js';
import type { Progress } from '../jobs/job.js';
import { withCommas } from '../text/amounts.js';

const WIDTH = 24;
const REDRAW_MS = 100;
/** The bar shows the remaining time only after the job has run this long. */
const LEAST_MS = 2000;

/**
 * One line such as `ingest  [######------] 120 / 482 MB, 3 min left`.
 * @param left seconds until the end at the present pace; null if unknown
 */
function renderProgress(
  { job, done, total, unit }: Progress,
  left: number | null = null,
  columns = 80,
): string {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(part * WIDTH);
  const counts = `${round(done)} / ${round(total)} ${unit}`;
  const time = left === null || done >= total ? '' : `${duration(left)} left`;
  // A line longer than the terminal cannot be redrawn, so the least useful parts are dropped.
  const forms = [
    `${job.padEnd(11)} [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${counts}${time && `, ${time}`}`,
    `${job} ${counts}${time && `, ${time}`}`,
    `${job} ${Math.floor(part * 100)} %${time && `, ${time}`}`,
    `${job} ${Math.floor(part * 100)} %`,
  ];
  return (
    forms.find((form) => form.length < columns) ?? forms.at(-1)!.slice(0, Math.max(0, columns - 1))
  );
}

function duration(seconds: number): string {
  return seconds < 90
    ? `${Math.max(1, Math.round(seconds))} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;
}

function round(n: number): string {
  return n >= 10 || Number.isInteger(n) ? withCommas(Math.round(n)) : n.toFixed(1);
}

export function drawProgress(io: Io): { report(progress: Progress): void; clear(): void } {
  const draw = io.draw ?? io.err;
  let drawnAt = -Infinity;
  let isDrawn = false;
  let begun = { job: '', at: 0, done: 0 };
  const reports = new Map<string, { done: number; total: number; before: number }>();
  /** A job that continues reports only the rest, so its bar starts where it stopped. */
  const withEarlier = ({ job, done, total, unit }: Progress): Progress => {
    const last = reports.get(job) ?? { done: 0, total: 0, before: 0 };
    const earlier = last.done < last.total ? last.before + last.done : 0;
    const before = done < last.done ? earlier : last.before;
    reports.set(job, { done, total, before });
    return { job, done: done + before, total: total + before, unit };
  };
  /** Remaining seconds, from the pace since the job began. */
  const leftOf = ({ job, done, total }: Progress): number | null => {
    const now = io.clock.mono();
    if (begun.job !== job || done < begun.done) begun = { job, at: now, done };
    const [ms, units] = [now - begun.at, done - begun.done];
    return ms < LEAST_MS || units <= 0 ? null : ((total - done) * ms) / units / 1000;
  };
  return {
    report(reported) {
      const progress = withEarlier(reported);
      const left = leftOf(progress);
      if (!io.terminal) return;
      if (io.clock.mono() - drawnAt < REDRAW_MS && progress.done < progress.total) return;
      drawnAt = io.clock.mono();
      isDrawn = true;
      draw(`\r\x1b[2K${renderProgress(progress, left, io.columns?.())}`);
    },
    clear() {
      if (isDrawn) draw('\r\x1b[2K');
      isDrawn = false;
    },
  };
}
