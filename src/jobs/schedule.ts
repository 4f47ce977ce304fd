/**
 * Decides when the nightly work is due. `planDue` decides; node-cron only triggers, since it never
 * makes up a missed time and stalls when the clock is set back.
 */
import cron from 'node-cron';

interface Due {
  /** Local date of the newest night that has begun, `YYYY-MM-DD`. */
  period: string;
  /** Time at which that night began. */
  begun: Date;
  /** True if this night is not done yet. */
  due: boolean;
  /** Time of the next night. */
  next: Date;
}

/**
 * Whether the nightly work is due. A time that a clock change skips counts at the next valid
 * minute, a repeated one counts once.
 * @param nightlyAt local time `HH:MM`
 * @param done finished periods; a set, so that a clock set back repeats nothing and never stalls
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
  // Noon exists on every day, despite clock changes.
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12);
  return [noon.getFullYear(), noon.getMonth() + 1, noon.getDate()]
    .map((n) => String(n).padStart(2, '0'))
    .join('-');
}

/** True if the wall clock moved against the monotonic one by over five seconds meanwhile. */
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
