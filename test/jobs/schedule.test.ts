import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { planDue, startCron } from '../../src/jobs/schedule.js';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});
function within<T>(tz: string, run: () => T): T {
  process.env['TZ'] = tz;
  return run();
}

/**
 * Looks every 30 s from `from` for so many hours, as the daemon does, and returns the periods that
 * ran.
 */
function nights(from: Date, hours: number, at: string, stepSeconds = 30): string[] {
  const done = new Set<string>();
  const ran: string[] = [];
  for (let s = 0; s <= hours * 3600; s += stepSeconds) {
    const plan = planDue(new Date(from.getTime() + s * 1000), at, done);
    if (plan.due) {
      ran.push(plan.period);
      done.add(plan.period);
    }
  }
  return ran;
}

describe('nights', () => {
  test('a night begins at its time and is done once', () => {
    within('UTC', () => {
      const before = planDue(new Date('2026-11-20T04:16:59Z'), '04:17', new Set(['2026-11-19']));
      expect(before).toEqual({
        period: '2026-11-19',
        due: false,
        begun: new Date('2026-11-19T04:17:00Z'),
        next: new Date('2026-11-20T04:17:00Z'),
      });
      const after = planDue(new Date('2026-11-20T04:17:00Z'), '04:17', new Set(['2026-11-19']));
      expect(after).toEqual({
        period: '2026-11-20',
        due: true,
        begun: new Date('2026-11-20T04:17:00Z'),
        next: new Date('2026-11-21T04:17:00Z'),
      });
    });
  });

  test.each([
    ['Europe/Berlin spring', 'Europe/Berlin', '2026-03-27T12:00:00Z', '02:30'],
    ['Europe/Berlin autumn', 'Europe/Berlin', '2026-10-23T12:00:00Z', '02:30'],
    ['Lord Howe, half an hour', 'Australia/Lord_Howe', '2026-04-03T12:00:00Z', '01:45'],
    ['Havana, at midnight', 'America/Havana', '2026-03-06T12:00:00Z', '00:10'],
    ['the default time', 'America/New_York', '2026-03-06T12:00:00Z', '04:17'],
  ])('one night for each local date through a clock change: %s', (_, tz, from, at) => {
    within(tz, () => {
      const ran = nights(new Date(from), 96, at);
      expect(new Set(ran).size).toBe(ran.length);
      expect(ran.length).toBeGreaterThanOrEqual(4);
      const days = ran.map((day) => Date.parse(`${day}T00:00:00Z`) / 86_400_000);
      expect(days.slice(1).map((day, i) => day - days[i]!)).toEqual(days.slice(1).map(() => 1));
    });
  });

  test('law: whatever the clock does, no period is done twice and the next night lies ahead', () => {
    within('Europe/Berlin', () => {
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: -20, max: 400 }), { minLength: 1, maxLength: 60 }),
          (hops) => {
            const done = new Set<string>();
            let now = Date.parse('2026-01-05T00:00:00Z');
            for (const hours of hops) {
              now += hours * 3_600_000;
              const plan = planDue(new Date(now), '04:17', done);
              expect(plan.next.getTime()).toBeGreaterThan(now);
              expect(plan.next.getTime() - now).toBeLessThanOrEqual(25 * 3_600_000);
              if (plan.due) expect(done.has(plan.period)).toBe(false);
              done.add(plan.period);
            }
          },
        ),
      );
    });
  });
});

describe('cron', () => {
  afterEach(() => void vi.useRealTimers());

  test('strikes once a night at the local time, and no more when it was stopped', async () => {
    await within('UTC', async () => {
      vi.useFakeTimers({ now: new Date('2026-11-20T04:16:30Z') });
      const struck: string[] = [];
      const beat = startCron('04:17', () => struck.push(new Date().toISOString().slice(0, 16)));
      await vi.advanceTimersByTimeAsync(29_000);
      expect(struck).toEqual([]);
      await vi.advanceTimersByTimeAsync(48 * 3_600_000);
      expect(struck).toEqual(['2026-11-20T04:17', '2026-11-21T04:17']);
      await beat.stop();
      await vi.advanceTimersByTimeAsync(48 * 3_600_000);
      expect(struck.length).toBe(2);
    });
  });
});
