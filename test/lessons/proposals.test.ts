/** What a model proposed, after the rules have spoken. */
import { describe, expect, test } from 'vitest';
import { distillProject, likeGroups, type Material } from '../../src/lessons/index.js';
import type { Edit, Lesson, Proposal } from '../../src/types.js';
import { byText, candidate, material, shown, type Placed } from './build.js';

const A = 'The boiler tests need a free port, so set `KETTLE_PORT=0` first';
const B = 'Without `KETTLE_PORT=0` every test of the boiler hits the port of the proxy';
const LINE = 'Set `KETTLE_PORT=0` for boiler tests: the proxy holds the port';
function fact(text: string, session: string, more: Partial<Placed> = {}): Placed {
  return candidate({
    kind: 'fact',
    text,
    key: text,
    saidBy: 'agent',
    importance: 2,
    ...more,
    evidence: { session, trust: 0.4 },
  });
}
const CANDIDATES = [fact(A, 's1'), fact(B, 's2')];
function distil(more: Partial<Material> = {}): Lesson[] {
  return distillProject(material({ candidates: CANDIDATES, ...more })).lessons;
}
const plain = distil();
const [first, second] = [byText(plain, A), byText(plain, B)];
function propose(what: Proposal['what'], text: string, lessons = [first, second]): Proposal {
  return {
    what,
    lessons: lessons.map(({ id }) => id),
    before: lessons.map((lesson) => lesson.text),
    text,
  };
}
const same = propose('same', LINE);
function edit(lesson: Lesson, more: Partial<Edit>): Edit {
  return {
    lesson: lesson.id,
    action: 'forget',
    text: null,
    kind: null,
    scope: null,
    time: '2026-11-20T10:00:00.000Z',
    ...more,
  };
}

describe('lessons that say the same', () => {
  test('are one line with the evidence of both; the other is superseded and linked', () => {
    const lessons = distil({ proposals: [same] });
    expect(shown(lessons)).toEqual([LINE]);
    const [winner, loser] = [byText(lessons, LINE), lessons.find(({ text }) => text !== LINE)!];
    expect(winner.evidence.map(({ session }) => session).sort()).toEqual(['s1', 's2']);
    expect(winner.supersedes).toEqual([loser.id]);
    expect(loser).toMatchObject({ status: 'superseded', supersededBy: winner.id });
  });

  test('stay two when one of them reads otherwise now', () => {
    expect(shown(distil({ proposals: [{ ...same, before: [A, 'something else'] }] }))).toEqual(
      [A, B].sort(),
    );
  });

  test('what a person forgets does not come back as the other one, and what they write stands', () => {
    const winner = byText(distil({ proposals: [same] }), LINE);
    expect(shown(distil({ proposals: [same], edits: [edit(winner, {})] }))).toEqual([]);
    expect(
      shown(
        distil({
          proposals: [same],
          edits: [edit(winner, { action: 'edit', text: 'Ask Ann about the port' })],
        }),
      ),
    ).toEqual(['Ask Ann about the port']);
  });

  test('the order of the candidates does not matter', () => {
    expect(distil({ proposals: [same], candidates: [...CANDIDATES].reverse() })).toEqual(
      distil({ proposals: [same] }),
    );
  });
});

describe('lessons that cannot both hold', () => {
  test('are both in doubt', () => {
    expect(
      distil({ proposals: [propose('contradict', 'one of them is wrong')] }).map(
        ({ status }) => status,
      ),
    ).toEqual(['conflict', 'conflict']);
  });

  test('what the user said is marked beside what contradicts it', () => {
    const candidates = [fact(A, 's1', { kind: 'preference', saidBy: 'user' }), fact(B, 's2')];
    const before = distillProject(material({ candidates })).lessons;
    const lessons = distillProject(
      material({
        candidates,
        proposals: [
          propose('contradict', 'one of them is wrong', [byText(before, A), byText(before, B)]),
        ],
      }),
    ).lessons;
    expect([byText(lessons, A).status, byText(lessons, B).status]).toEqual([
      'conflict',
      'conflict',
    ]);
  });
});

test('alike lessons stand in groups of two to six, those that are not shown in none', () => {
  const group = (lessons: readonly Lesson[]) =>
    likeGroups(lessons).map((each) => each.map(({ text }) => text));
  const valves = Array.from({ length: 8 }, (_, i) => ({
    ...first,
    id: `valve${i}`.padEnd(16, '0'),
    text: `The main valve of boiler number${'abcdefgh'[i]} opens at noon`,
  }));
  expect(
    group([
      first,
      { ...second, text: 'Set `KETTLE_PORT=0` first: the boiler tests need a free port' },
    ]),
  ).toHaveLength(1);
  expect(group([first, { ...second, status: 'faded' }])).toEqual([]);
  expect(group(valves).map(({ length }) => length)).toEqual([6, 2]);
});
