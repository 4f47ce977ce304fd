import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ProjectClock } from '../../src/lessons/index.js';
import { confidenceAt as confidenceOn, HALF_LIVES } from '../../src/lessons/confidence.js';
import type { LessonEvent, LessonKind, SaidBy } from '../../src/types.js';
import { anyEvent, anyKind, busy, day, event } from './build.js';

/** In a project in which something is logged each day, unless a clock is given. */
function confidenceAt(
  evidence: LessonEvent[],
  kind: LessonKind,
  by: SaidBy,
  at: string | ProjectClock,
): number {
  return confidenceOn({ evidence, kind, said_by: by }, typeof at === 'string' ? busy(at) : at);
}
const said_by = fc.constantFrom<'user' | 'observed' | 'agent'>('user', 'observed', 'agent');

describe('confidenceAt', () => {
  test('adds independent sessions and takes off contradictions', () => {
    const events = [
      event({ session: 'a', trust: 0.6 }),
      event({ session: 'b', trust: 0.6 }),
      event({ session: 'c', trust: 0.4, supports: false }),
    ];
    expect(confidenceAt(events, 'command', 'observed', event().day)).toBeCloseTo(
      (1 - 0.4 * 0.4) * 0.6,
      10,
    );
  });

  test('counts one event per session, the strongest', () => {
    const events = [event({ trust: 0.4, quote: 'x' }), event({ trust: 0.6, quote: 'y' })];
    expect(confidenceAt(events, 'fact', 'observed', event().day)).toBeCloseTo(0.6, 10);
  });

  test('sessions that share an entry are one, also over a third', () => {
    const forked = [
      event({ session: 'a', entry: 'e1' }),
      event({ session: 'b', entry: 'e1' }),
      event({ session: 'b', entry: 'e2', quote: 'z' }),
      event({ session: 'c', entry: 'e2' }),
    ];
    expect(confidenceAt(forked, 'fact', 'user', event().day)).toBeCloseTo(0.9, 10);
    expect(
      confidenceAt(
        [event({ session: 'a', entry: 'e1' }), event({ session: 'b', entry: 'e2' })],
        'fact',
        'user',
        event().day,
      ),
    ).toBeCloseTo(0.99, 10);
  });

  test.each<[LessonKind, SaidBy, number]>([
    ['command', 'user', 365],
    ['decision', 'user', 365],
    ['decision', 'agent', 180],
    ['gotcha', 'agent', 90],
    ['command', 'agent', 90],
    ['gotcha', 'observed', 90],
    ['command', 'observed', 45],
    ['fact', 'observed', 45],
  ])(
    'who said it decides first, then what it is: a %s by %s counts half after %i active days',
    (kind, by, days) => {
      expect(confidenceAt([event({ day: day(0), trust: 0.6 })], kind, by, day(days))).toBeCloseTo(
        0.3,
        10,
      );
    },
  );

  test('the table is that of docs/database.md', () => {
    const page = readFileSync(new URL('../../docs/database.md', import.meta.url), 'utf8');
    for (const { of, days } of HALF_LIVES)
      expect(page.replaceAll(/\s+/g, ' ')).toContain(`${of} ${days}`);
  });

  test('ages count the days with an entry: a project that rests keeps what it learnt, a busy one does not', () => {
    const learnt = [event({ day: day(0), trust: 0.4 })];
    const resting = { day: day(300), activeDays: [day(0), day(150), day(300)] };
    expect(confidenceAt(learnt, 'fact', 'agent', resting)).toBeCloseTo(0.4 * 0.5 ** (2 / 90), 10);
    expect(confidenceAt(learnt, 'fact', 'agent', day(300))).toBeLessThan(0.1);
    expect(confidenceAt(learnt, 'fact', 'agent', { day: day(300), activeDays: [] })).toBeCloseTo(
      0.4,
      10,
    );
  });

  test('days after the clock do not count', () => {
    const learnt = [event({ day: day(0) })];
    expect(
      confidenceAt(learnt, 'fact', 'agent', {
        day: day(2),
        activeDays: [day(0), day(1), day(2), day(3), day(4)],
      }),
    ).toBe(
      confidenceAt(learnt, 'fact', 'agent', { day: day(2), activeDays: [day(0), day(1), day(2)] }),
    );
  });

  test('an event from the future counts as of today, one of unknown day as one half-life old', () => {
    expect(confidenceAt([event({ day: '2027-01-01' })], 'fact', 'user', '2026-11-20')).toBeCloseTo(
      0.9,
      10,
    );
    expect(confidenceAt([event({ day: '' })], 'fact', 'user', '2026-11-20')).toBeCloseTo(0.45, 10);
  });

  test('never grows with age without contradictions', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent.map((e) => ({ ...e, supports: true }))),
        anyKind,
        said_by,
        fc.nat(400),
        fc.nat(400),
        (events, kind, by, a, b) => {
          expect(confidenceAt(events, kind, by, day(320 + a + b))).toBeLessThanOrEqual(
            confidenceAt(events, kind, by, day(320 + a)),
          );
        },
      ),
    );
  });

  test('is between 0 and 1, and the order of events does not matter to the last bit', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent),
        fc.array(fc.nat()),
        anyKind,
        said_by,
        (events, keys, kind, by) => {
          const shuffled = events
            .map((e, i) => [keys[i] ?? i, e] as const)
            .sort((x, y) => x[0] - y[0])
            .map(([, e]) => e);
          const value = confidenceAt(events, kind, by, day(320));
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
          expect(confidenceAt(shuffled, kind, by, day(320))).toBe(value);
        },
      ),
    );
  });
});
