import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  distillProject,
  explain,
  lessonId,
  planAdd,
  planForget,
  planPin,
  planReword,
} from '../../src/lessons/index.js';
import type { Edit, Lesson } from '../../src/types.js';
import {
  anyCandidate,
  busy,
  candidate,
  DAY,
  material,
  type Placed,
  PROJECT,
  shown,
} from './build.js';
import { runs } from '../runs.js';

const AT = '2026-11-20T10:00:00.000Z';
function at(minute: number): string {
  return `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
}
function idOf({ kind, key }: Placed): string {
  return lessonId(PROJECT.id, kind, key);
}
function learnt(of: Parameters<typeof material>[0]): Lesson[] {
  return distillProject(material(of)).lessons;
}

describe('admission', () => {
  test('one weak session is not enough, two independent ones are', () => {
    const seen = (session: string, entry: string) =>
      candidate({ alone: false, said_by: 'observed', evidence: { session, entry } });
    const [once, fork, again] = [seen('a', 'e1'), seen('b', 'e1'), seen('c', 'e2')];
    expect(learnt({ candidates: [once] })).toEqual([]);
    expect(learnt({ candidates: [once, fork] })).toEqual([]);
    expect(learnt({ candidates: [once, again] })).toHaveLength(1);
  });

  test('evidence against admits nothing and takes confidence away', () => {
    const against = candidate({ evidence: { session: 'b', supports: false, trust: 0.6 } });
    expect(learnt({ candidates: [against] })).toEqual([]);
    const [lesson] = learnt({ candidates: [against, candidate()] });
    expect(lesson!.confidence).toBeCloseTo(0.9 * 0.4, 10);
  });
});

describe('the text of a lesson', () => {
  const wordings = [
    candidate({
      text: 'agent words',
      said_by: 'agent',
      evidence: { trust: 0.4, day: '2026-11-20', session: 'c' },
    }),
    candidate({ text: 'older user words', evidence: { day: '2026-11-01', session: 'a' } }),
    candidate({ text: 'newer user words', evidence: { day: '2026-11-10', session: 'b' } }),
  ];

  test('is the newest of the most trusted', () => {
    const [lesson] = learnt({ candidates: wordings });
    expect(lesson).toMatchObject({
      text: 'newer user words',
      said_by: 'user',
      sessions: 3,
      first_seen: '2026-11-01',
      last_seen: '2026-11-20',
    });
  });

  test("is the user's correction before anything newer", () => {
    const correction = candidate({
      text: 'the correction',
      importance: 5,
      evidence: { day: '2026-10-01', session: 'd' },
    });
    expect(learnt({ candidates: [...wordings, correction] })[0]!.text).toBe('the correction');
  });
});

describe('status', () => {
  test('a pinned lesson never fades', () => {
    const old = candidate({ evidence: { day: '2020-01-01' } });
    const edits = [planPin(idOf(old), true, AT)];
    expect(learnt({ candidates: [old], edits })[0]).toMatchObject({ status: 'live', pinned: true });
  });
});

describe('edits', () => {
  const c = candidate();
  const run = (edits: Edit[]) => learnt({ candidates: [c], edits });

  test("rewording is the user's word and keeps what was learnt", () => {
    const [lesson] = run([planReword(idOf(c), 'Always commit in small steps', null, AT)]);
    expect(lesson).toMatchObject({
      id: idOf(c),
      text: 'Always commit in small steps',
      said_by: 'user',
      importance: 5,
    });
    expect(lesson!.evidence.at(-1)).toMatchObject({ trust: 1, agent: 'person' });
    expect(lesson!.learnt).toMatchObject({ text: c.text });
  });

  test('an added lesson lives only in its project', () => {
    const add = planAdd(PROJECT.id, 'gotcha', 'The seed script needs `DATABASE_URL`', AT);
    expect(shown(run([add]))).toContain('The seed script needs `DATABASE_URL`');
    expect(shown(learnt({ project: { ...PROJECT, id: 'other' }, edits: [add] }))).toEqual([]);
    expect(
      shown(
        learnt({ project: null, edits: [planAdd(null, 'preference', 'Answer in French', AT)] }),
      ),
    ).toEqual(['Answer in French']);
  });

  test('what was forgotten does not come back in other letters, under another key or as a global lesson', () => {
    const other = candidate({
      key: 'another key',
      text: 'prefer  small commits.',
      evidence: { session: 's9' },
    });
    const lessons = learnt({ candidates: [c, other], edits: [planForget(idOf(c), AT)] });
    expect(shown(lessons)).toEqual([]);
    const globalId = lessonId(null, c.kind, c.key);
    expect(shown(learnt({ candidates: [c], edits: [planForget(globalId, AT)] }))).toEqual([]);
    const tombstones = [{ id: 'gone', at: AT, text_hash: '' }];
    expect(shown(learnt({ candidates: [c], tombstones }))).toEqual([c.text]);
  });

  test('adding it again by hand brings it back', () => {
    const add = planAdd(PROJECT.id, 'preference', c.text, at(9));
    expect(shown(run([planForget(idOf(c), AT), add]))).toEqual([c.text]);
  });
});

describe('scope', () => {
  const wish = (project: string, session: string) =>
    candidate({ project, text: 'Answer in French', key: 'answer french', evidence: { session } });

  test('a wish in two projects becomes global, and the project does not repeat it', () => {
    const candidates = [wish(PROJECT.id, 'a'), wish('other', 'b')];
    const globals = learnt({ project: null, candidates });
    expect(globals).toMatchObject([
      { scope: 'global', project: null, text: 'Answer in French', sessions: 2 },
    ]);
    expect(learnt({ candidates, globals })).toMatchObject([
      { status: 'superseded', superseded_by: globals[0]!.id },
    ]);
    expect(learnt({ project: null, candidates: [wish(PROJECT.id, 'a')] })).toEqual([]);
  });

  test('near-equal wishes of two projects stay two rules, each in its own project', () => {
    const say = (project: string, session: string, text: string) =>
      candidate({ project, text, key: text, evidence: { session } });
    const candidates = [
      say(PROJECT.id, 'a', 'Never commit to main directly, always branch from develop'),
      say('other', 'b', 'Never commit to main directly, always branch from trunk'),
    ];
    expect(learnt({ project: null, candidates })).toEqual([]);
    expect(shown(learnt({ candidates }))).toEqual([candidates[0]!.text]);
  });

  test('what was forgotten globally does not stand again in a project', () => {
    const candidates = [wish(PROJECT.id, 'a'), wish('other', 'b')];
    const [global] = learnt({ project: null, candidates });
    const globals = learnt({ project: null, candidates, edits: [planForget(global!.id, AT)] });
    expect(globals.map((l) => l.status)).toEqual(['forgotten']);
    expect(shown(learnt({ candidates, globals }))).toEqual([]);
  });
});

describe('laws', () => {
  test('the same material in any order gives the same bytes', () => {
    fc.assert(
      fc.property(
        fc.array(anyCandidate, { maxLength: 14 }),
        fc.infiniteStream(fc.nat()),
        (candidates, keys) => {
          const order = candidates
            .map((c) => [keys.next().value as number, c] as const)
            .sort((a, b) => a[0] - b[0])
            .map(([, c]) => c);
          const [one, other] = [candidates, order].map((list) =>
            JSON.stringify(distillProject(material({ candidates: list }))),
          );
          expect(other).toBe(one);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('reading the same candidates twice changes nothing', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 10 }), (candidates) => {
        expect(distillProject(material({ candidates: [...candidates, ...candidates] }))).toEqual(
          distillProject(material({ candidates })),
        );
      }),
    );
  });

  test('a tombstone never comes back by itself, whatever is read later', () => {
    fc.assert(
      fc.property(
        fc.array(anyCandidate, { minLength: 1, maxLength: 10 }),
        fc.array(anyCandidate, { maxLength: 10 }),
        fc.nat(),
        (before, after, pick) => {
          const known = learnt({ candidates: before });
          if (known.length === 0) return;
          const { id } = known[pick % known.length]!;
          const lessons = learnt({
            candidates: [...before, ...after],
            edits: [planForget(id, AT)],
          });
          expect(lessons.find((l) => l.id === id)?.status ?? 'forgotten').toBe('forgotten');
        },
      ),
      { numRuns: 300 },
    );
  });

  test('every link points at a lesson that links back', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 14 }), (candidates) => {
        const lessons = learnt({ candidates });
        const byId = new Map(lessons.map((l) => [l.id, l]));
        for (const l of lessons) {
          if (l.status === 'superseded')
            expect(byId.get(l.superseded_by!)?.supersedes).toContain(l.id);
        }
      }),
      { numRuns: runs(300, 3_000) },
    );
  });
});

test('explain shows the arithmetic', () => {
  const candidates = [
    candidate({ evidence: { day: '2026-08-22', entry: 'e1', quote: 'small commits please' } }),
    candidate({
      said_by: 'observed',
      evidence: { session: 's2', trust: 0.6, supports: false, day: DAY, quote: 'one big commit' },
    }),
  ];
  const [lesson] = learnt({ candidates });
  expect(explain(lesson!, busy(DAY))).toEqual([
    'preference, project: the user said it',
    "half-life 365 active days (the person's words), ages count the days with an entry up to 2026-11-20",
    '  + 2026-08-22 claude-code s1: 0.90 x 0.5^(90 active days / 365) = 0.759 "small commits please"',
    '  - 2026-11-20 claude-code: 0.60 x 0.5^(0 active days / 365) = 0.600 "one big commit"',
    'confidence = (1 - (1 - 0.759)) x (1 - 0.600) = 0.303',
    "importance 4: the user's preference or decision, a build, test, lint or release command, or a cure after three failing calls",
    'status: live',
  ]);
});
