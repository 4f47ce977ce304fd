/**
 * When the nightly work is due. `planDue` decides; node-cron only triggers, since it never catches
 * up on a missed time and stalls when the clock is set back.
 */
import cron from 'node-cron';

interface Due {
  /** The local date of the newest night that has begun, `YYYY-MM-DD`. */
  period: string;
  /** When that night began. */
  begun: Date;
  /** This period is not done yet. */
  due: boolean;
  /** The next night to come. */
  next: Date;
}

/**
 * Whether the nightly work is due. A time that does not exist on a day of clock change is taken at
 * the next valid minute, a repeated one once.
 * @param nightlyAt local time `HH:MM`
 * @param done periods that were finished, in any order; a set, so that a clock set back repeats
 * nothing and never stalls
 */
export function planDue(now: Date, nightlyAt: string, done: ReadonlySet<string>): Due {
  const today = nightOf(now, 0, nightlyAt);
  const begun = today <= now ? today : nightOf(now, -1, nightlyAt);
  const period = localDay(now, today <= now ? 0 : -1);
  return {
    period,
    begun,
    due: !done.has(period),
    next: begun === today ? nightOf(now, 1, nightlyAt) : today,
  };
}

function nightOf(now: Date, days: number, at: string): Date {
  const [hour, minute] = at.split(':').map(Number) as [number, number];
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour, minute);
}

function localDay(now: Date, days: number): string {
  // Noon exists on every day, whatever the clocks do.
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
  return [noon.getFullYear(), noon.getMonth() + 1, noon.getDate()]
    .map((n) => String(n).padStart(2, '0'))
    .join('-');
}

/**
 * True when the wall clock moved against the monotonic one by more than five seconds since the last
 * look.
 */
export function isClockJump(
  before: { wall: number; mono: number },
  after: { wall: number; mono: number },
): boolean {
  return Math.abs(after.wall - before.wall - (after.mono - before.mono)) > 5000;
}

/** Starts a cron timer that calls `trigger` each night. */
export function startCron(nightlyAt: string, trigger: () => void): { stop(): Promise<void> } {
  const [hour, minute] = nightlyAt.split(':');
  const task = cron.schedule(`${Number(minute)} ${Number(hour)} * * *`, trigger, {
    suppressMissedWarning: true,
  });
  return {
    async stop() {
      await task.destroy();
    },
  };
}
