/**
 * Two machines that take each other's crystals in know the same afterwards, whoever of the two
 * began.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  distillProject,
  joinCrystals,
  parseCrystal,
  projectClockOf,
  rememberedEdits,
  rememberedLessons,
  renderCrystal,
  type Crystal,
} from '../../src/lessons/index.js';
import { sessionKey } from '../../src/types.js';
import { runs } from '../runs.js';
import { anyCandidate, candidate, material, type Placed, PROJECT } from './build.js';

const NOW = '2026-11-20T10:00:00.000Z';

const TRUST = { user: 0.9, observed: 0.6, agent: 0.4 };

interface Machine {
  candidates: readonly Placed[];
}

/**
 * As the jobs do it: the logs' candidates, and beside them what the crystal remembers of the
 * other's sessions.
 */
function learn({ candidates }: Machine, crystal: Crystal | null): Crystal {
  const activeDays = [...new Set(candidates.map(({ evidence }) => evidence.day))].sort();
  const clock = projectClockOf({ day: activeDays.at(-1) ?? null, activeDays }, crystal, NOW);
  const edits = crystal === null ? [] : rememberedEdits(crystal);
  const { lessons } = distillProject(
    material({
      candidates,
      edits,
      clock,
      remembered: crystal === null ? [] : rememberedLessons(crystal),
      tombstones: crystal?.tombstones ?? [],
      extracted: new Set(
        candidates.map(({ evidence: { agent, session } }) => sessionKey(agent, session)),
      ),
    }),
  );
  const text = renderCrystal({
    project: PROJECT,
    clock,
    lessons,
    edits,
    relations: [],
    previous: crystal,
  });
  const { crystal: read, problems } = parseCrystal(text);
  expect(problems).toEqual([]);
  return read!;
}

/** Both take the other's crystal in, as it stood before. */
function exchange(
  a: Machine,
  b: Machine,
  [atA, atB]: readonly [Crystal, Crystal],
): [Crystal, Crystal] {
  return [learn(a, joinCrystals(atA, atB)), learn(b, joinCrystals(atB, atA))];
}

/**
 * What near-equal lessons lend each other beside their events (tags, importance, worth) arrives
 * with the second exchange.
 */
function known({ as_of, active_days, lessons, history }: Crystal): unknown {
  const facts = (l: Crystal['lessons'][number]): unknown => [
    l.id,
    l.kind,
    l.text,
    l.said_by,
    l.evidence,
    l.superseded_by,
    l.supersedes,
  ];
  return { as_of, active_days, lessons: lessons.map(facts), history: history.map(facts) };
}

/** Sessions of one machine are none of the other's. */
const machine = (name: string): fc.Arbitrary<Machine> =>
  fc
    .array(
      anyCandidate.filter(({ kind }) => kind !== 'command'),
      { maxLength: 8 },
    )
    .map((candidates) => ({
      candidates: candidates.map((c) => ({
        ...c,
        alone: true,
        // Importance 5 is the person's alone.
        importance: c.said_by === 'user' || c.importance < 5 ? c.importance : 3,
        evidence: {
          ...c.evidence,
          trust: TRUST[c.said_by],
          supports: true,
          quote: `${c.kind} ${c.text}`,
          session: `${name}-${c.evidence.session}`,
          entry: c.evidence.entry && `${name}-${c.evidence.entry}`,
        },
      })),
    }));

describe('two machines that take in what the other knows', () => {
  test('have the same lessons, events and clock afterwards', () => {
    fc.assert(
      fc.property(machine('a'), machine('b'), (a, b) => {
        const [atA, atB] = exchange(a, b, [learn(a, null), learn(b, null)]);
        expect(known(atA)).toEqual(known(atB));
      }),
      { numRuns: runs(40, 5000) },
    );
  });

  test('have the same bytes after the second exchange, also of what one had heard only once, and stay so', () => {
    const said = (session: string, alone: boolean): Placed =>
      candidate({
        kind: 'fact',
        said_by: 'agent',
        alone,
        text: 'The queue keeps a day',
        key: 'queue',
        evidence: { session },
      });
    const [a, b] = [
      { candidates: [said('a1', true), said('a2', true)] },
      { candidates: [said('b', false)] },
    ];
    const once = exchange(a, b, [learn(a, null), learn(b, null)]);
    expect(once.map(({ lessons }) => lessons[0]!.evidence.length)).toEqual([2, 3]);
    const [atA, atB] = exchange(a, b, once);
    expect(atA).toEqual(atB);
    expect(exchange(a, b, [atA, atB])).toEqual([atA, atB]);
  });

  test('keep what the other saw against a lesson that only sessions here support', () => {
    const said = candidate({
      kind: 'fact',
      said_by: 'agent',
      evidence: { session: 'a', day: '2026-11-02' },
    });
    const [a, b] = [
      { candidates: [said] },
      {
        candidates: [
          {
            ...said,
            evidence: { ...said.evidence, session: 'b', day: '2026-11-05', supports: false },
          },
        ],
      },
    ];
    const [atA, atB] = exchange(a, b, exchange(a, b, [learn(a, null), learn(b, null)]));
    expect(
      [...atA.lessons, ...atA.history][0]!.evidence.map(({ session, supports }) => [
        session,
        supports,
      ]),
    ).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(atA).toEqual(atB);
  });
});
