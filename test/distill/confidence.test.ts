import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confidenceAt, halfLifeOf, HALF_LIFE_DAYS } from '../../src/distill/index.js';
import { anyEvent, anyKind, day, event } from './build.js';

const saidBy = fc.constantFrom<'user' | 'observed' | 'agent'>('user', 'observed', 'agent');

describe('confidenceAt', () => {
  test('halves with each half-life', () => {
    const events = [event({ day: day(0), trust: 0.9 })];
    expect(confidenceAt(events, 'preference', 'user', day(0))).toBeCloseTo(0.9, 10);
    expect(confidenceAt(events, 'preference', 'user', day(90))).toBeCloseTo(0.45, 10);
    expect(confidenceAt(events, 'correction', 'user', day(365))).toBeCloseTo(0.45, 10);
  });

  test('adds independent sessions and takes off contradictions', () => {
    const events = [event({ session: 'a', trust: 0.6 }), event({ session: 'b', trust: 0.6 }), event({ session: 'c', trust: 0.4, supports: false })];
    expect(confidenceAt(events, 'command', 'observed', event().day)).toBeCloseTo((1 - 0.4 * 0.4) * 0.6, 10);
  });

  test('counts one event per session, the strongest', () => {
    const events = [event({ trust: 0.4, quote: 'x' }), event({ trust: 0.6, quote: 'y' })];
    expect(confidenceAt(events, 'fact', 'observed', event().day)).toBeCloseTo(0.6, 10);
  });

  test('sessions that share an entry are one, also over a third', () => {
    const forked = [event({ session: 'a', entry: 'e1' }), event({ session: 'b', entry: 'e1' }), event({ session: 'b', entry: 'e2', quote: 'z' }), event({ session: 'c', entry: 'e2' })];
    expect(confidenceAt(forked, 'fact', 'user', event().day)).toBeCloseTo(0.9, 10);
    expect(confidenceAt([event({ session: 'a', entry: 'e1' }), event({ session: 'b', entry: 'e2' })], 'fact', 'user', event().day)).toBeCloseTo(0.99, 10);
  });

  test('what one session\'s agent said lives at most 14 days; a second session lifts that', () => {
    const one = [event({ trust: 0.4 })];
    expect(halfLifeOf(one, 'gotcha', 'agent')).toBe(14);
    expect(halfLifeOf([...one, event({ session: 's2', trust: 0.4 })], 'gotcha', 'agent')).toBe(HALF_LIFE_DAYS.gotcha);
    expect(halfLifeOf(one, 'gotcha', 'observed')).toBe(HALF_LIFE_DAYS.gotcha);
  });

  test('an event from the future counts as of today, one of unknown day as one half-life old', () => {
    expect(confidenceAt([event({ day: '2027-01-01' })], 'fact', 'user', '2026-11-20')).toBeCloseTo(0.9, 10);
    expect(confidenceAt([event({ day: '' })], 'fact', 'user', '2026-11-20')).toBeCloseTo(0.45, 10);
  });

  test('without evidence nothing is believed', () => expect(confidenceAt([], 'fact', 'user', day(0))).toBe(0));

  test('never grows with age without contradictions', () => {
    fc.assert(
      fc.property(fc.array(anyEvent.map((e) => ({ ...e, supports: true }))), anyKind, saidBy, fc.nat(400), fc.nat(400), (events, kind, by, a, b) => {
        expect(confidenceAt(events, kind, by, day(320 + a + b))).toBeLessThanOrEqual(confidenceAt(events, kind, by, day(320 + a)));
      }),
    );
  });

  test('is between 0 and 1, and the order of events does not matter to the last bit', () => {
    fc.assert(
      fc.property(fc.array(anyEvent), fc.array(fc.nat()), anyKind, saidBy, (events, keys, kind, by) => {
        const shuffled = events.map((e, i) => [keys[i] ?? i, e] as const).sort((x, y) => x[0] - y[0]).map(([, e]) => e);
        const value = confidenceAt(events, kind, by, day(320));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(confidenceAt(shuffled, kind, by, day(320))).toBe(value);
      }),
    );
  });
});
