/**
 * A model's claims have their place in time, in whatever order the sessions were asked about. All
 * invented.
 */
import { describe, expect, test } from 'vitest';
import { distillProject, type Material } from '../../src/lessons/index.js';
import { INSTEAD_TAG, type LessonEvent, type Lesson } from '../../src/types.js';
import { byText, candidate, DAY, material, shown, type Placed } from './build.js';

const OLD = 'The boiler is started with `make fire`';
const NEW = 'The boiler is started with `make brew`';

type More = Partial<Omit<Placed, 'evidence'>> & { evidence?: Partial<LessonEvent> };

function claim(text: string, day: string, more: More = {}): Placed {
  const { evidence, ...rest } = more;
  return candidate({
    kind: 'command',
    text,
    key: text,
    said_by: 'agent',
    importance: 3,
    tags: ['model'],
    ...rest,
    evidence: { session: `s-${day}`, day, trust: 0.4, ...evidence },
  });
}
function distil(candidates: Placed[], more: Partial<Material> = {}): Lesson[] {
  return distillProject(material({ candidates, ...more })).lessons;
}
const idOf = (text: string, said_by: 'agent' | 'user' = 'agent') =>
  byText(distil([claim(text, DAY, { said_by })]), text).id;

test('a claim of a session that is a year old is live at its birth: age counts the days on which the project was worked in', () => {
  const clock = { day: '2025-11-19', activeDays: ['2025-11-18', '2025-11-19'] };
  for (const kind of ['command', 'fact', 'gotcha'] as const) {
    const [born] = distil([claim(OLD, '2025-11-19', { kind })], { clock });
    expect(born).toMatchObject({ status: 'live', confidence: 0.4 });
  }
});

describe('a claim that a later session contradicts', () => {
  const instead = (day: string, id: string) =>
    claim(NEW, day, { tags: ['model', `${INSTEAD_TAG}${id}`] });
  const denied = (text: string, day: string) => claim(text, day, { evidence: { supports: false } });

  test('is superseded by what holds instead, and linked', () => {
    const old = claim(OLD, '2026-11-01');
    const candidates = [old, denied(OLD, '2026-11-10'), instead('2026-11-10', idOf(OLD))];
    const lessons = distil(candidates);
    expect(shown(lessons)).toEqual([NEW]);
    expect(byText(lessons, OLD)).toMatchObject({
      status: 'superseded',
      superseded_by: byText(lessons, NEW).id,
    });
    expect(distil([...candidates].reverse())).toEqual(lessons);
  });

  test('when the older session was asked about last, the newer word stands and nothing older denies it', () => {
    const newer = claim(OLD, '2026-11-10');
    const lessons = distil([newer, denied(OLD, '2026-11-01'), instead('2026-11-01', idOf(OLD))]);
    expect(shown(lessons)).toEqual([OLD]);
    expect(byText(lessons, OLD).confidence).toBe(distil([newer])[0]!.confidence);
    expect(byText(lessons, NEW).status).toBe('superseded');
  });

  test("never takes the place of the person's word", () => {
    const said = claim(OLD, '2026-11-01', { said_by: 'user', evidence: { trust: 0.9 } });
    expect(shown(distil([said, instead('2026-11-10', idOf(OLD, 'user'))]))).toContain(OLD);
  });
});

test('a log under a wrong clock is not the newest word for ever: its day is unknown, whatever order it was read in', () => {
  const wrong = claim('Run `make gen` before the tests', '2098-01-30');
  const right = claim('Run `make gen` first, before tests', '2026-11-19');
  for (const read of [
    [wrong, right],
    [right, wrong],
  ]) {
    const lessons = distil(read);
    expect(lessons.map(({ text, status, last_seen }) => [text, status, last_seen]).sort()).toEqual([
      [wrong.text, 'superseded', ''],
      [right.text, 'live', '2026-11-19'],
    ]);
    expect(lessons.find(({ status }) => status === 'superseded')!.confidence).toBeCloseTo(0.2);
  }
  const machine = { day: '1970-01-02', activeDays: [] };
  expect(
    shown(distil([wrong, right], { clock: machine })),
    'the clock of this machine is the wrong one',
  ).toEqual([wrong.text]);
});
