/** Claims that say the same are one lesson; what differs in a number or a denial is not. Invented. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  distillProject,
  lessonId,
  parseCrystal,
  planApart,
  planForget,
  planPin,
  planReword,
  rememberedEdits,
  rememberedLessons,
  renderCrystal,
  repeatedByFiles,
  type Material,
} from '../../src/lessons/index.js';
import { globalCandidates } from '../../src/lessons/scope.js';
import { keyOfText } from '../../src/text/fingerprint.js';
import type { Lesson } from '../../src/types.js';
import { growthOf } from '../growth.js';
import { busy, candidate, DAY, material, PROJECT, shown, type Placed } from './build.js';

const AT = '2026-11-20T10:00:00.000Z';

/** A note that an agent left on a day of November. */
function note(text: string, n: number, more: Partial<Placed> = {}): Placed {
  return candidate({
    kind: 'fact',
    text,
    key: keyOfText(text),
    said_by: 'agent',
    ...more,
    evidence: {
      agent: `agent${n}`,
      session: `s${n}`,
      entry: `e${n}`,
      day: `2026-11-${String(n).padStart(2, '0')}`,
      trust: 0.4,
      quote: text,
    },
  });
}
function idOf({ kind, key }: Placed): string {
  return lessonId(PROJECT.id, kind, key);
}
function distil(candidates: readonly Placed[], more: Partial<Material> = {}): Lesson[] {
  return distillProject(material({ candidates, ...more })).lessons;
}

const GEN = [
  note('Run `make gen` before the tests: the parser in src/gen is not checked in.', 3),
  note('Before `npm test`, run `make gen` first, otherwise the imports from src/gen fail.', 5),
  note('Run `make gen` first, or the tests fail with missing imports from src/gen.', 9),
];
const SEVEN = [
  ...GEN,
  note('Prices are stored in cents; `formatPrice` in src/money.ts divides by 100.', 2),
  note('The e2e tests need the database: start it with `docker compose up -d db`.', 4),
  note('Never edit files in src/gen by hand; change schema/*.json.', 6),
  note('`make gen` needs Python 3.11.', 7),
];

describe('seven notes of seven agents, three of which say the same', () => {
  const lessons = distil(SEVEN);
  const about = lessons.filter(
    ({ text, status }) => status === 'live' && /run `make gen`/i.test(text),
  );

  test('give one line about it: the id of the oldest, the words of the newest, the days of all', () => {
    expect(about).toMatchObject([
      {
        id: idOf(GEN[0]!),
        text: GEN[2]!.text,
        sessions: 3,
        first_seen: '2026-11-03',
        last_seen: '2026-11-09',
        supersedes: [idOf(GEN[1]!), idOf(GEN[2]!)].sort(),
      },
    ]);
    expect(shown(lessons)).toHaveLength(5);
  });

  test('in any order of reading, from the crystal alone, and learnt twice', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(SEVEN, { minLength: SEVEN.length }), (order) => {
        expect(distil(order)).toEqual(lessons);
      }),
    );
    const text = renderCrystal({
      ...{ project: PROJECT, clock: busy(DAY), lessons, edits: [], relations: [] },
      previous: null,
    });
    const remembered = rememberedLessons(parseCrystal(text).crystal!);
    expect(distil([], { remembered })).toEqual(lessons);
    for (const read of [SEVEN.slice(0, 2), SEVEN.slice(2)])
      expect(distil(read, { remembered })).toEqual(lessons);
  });

  test('what a person did to any of them follows, whichever is the oldest', () => {
    for (const of of GEN) {
      const [pinned] = distil(GEN, { edits: [planPin(idOf(of), true, AT)] });
      const found = distil(GEN, { edits: [planPin(idOf(of), true, AT)] });
      expect(pinned).toBeDefined();
      expect(found.filter(({ status }) => status === 'live')).toMatchObject([
        { id: idOf(GEN[0]!), text: of.text, pinned: true },
      ]);
      const edits = [planReword(idOf(of), 'Generate first', null, AT)];
      const reworded = distil(GEN, { edits });
      expect(reworded.filter(({ status }) => status === 'live')).toMatchObject([
        { id: idOf(GEN[0]!), text: 'Generate first', said_by: 'user' },
      ]);
      const crystal = parseCrystal(
        renderCrystal({
          ...{ project: PROJECT, clock: busy(DAY), lessons: reworded, edits, relations: [] },
          previous: null,
        }),
      ).crystal!;
      expect(
        distil([], { remembered: rememberedLessons(crystal), edits: rememberedEdits(crystal) }),
      ).toEqual(reworded);
      expect(shown(distil(GEN, { edits: [planForget(idOf(of), AT)] }))).toEqual([]);
    }
  });

  test('are two again when the person says that both are true', () => {
    const edits = [
      planApart(idOf(GEN[0]!), idOf(GEN[1]!), AT),
      planApart(idOf(GEN[0]!), idOf(GEN[2]!), AT),
    ];
    expect(shown(distil(GEN, { edits }))).toContain(GEN[0]!.text);
  });
});

test.each<[string, string, boolean]>([
  [
    'Use `pnpm install --frozen-lockfile`; plain npm breaks the workspace links.',
    'Install with `pnpm install --frozen-lockfile`, npm breaks the workspace links.',
    true,
  ],
  [
    'The linter config is in `biome.json`; eslint is only used for the docs site.',
    'Lint rules stand in `biome.json`, eslint is for the docs site only.',
    true,
  ],
  [
    'Use port 3000 in `compose.yaml` for the api',
    'Use port 4000 in `compose.yaml` for the api',
    false,
  ],
  ['Set `PORT=3000` in compose.yaml', 'Set `PORT=4000` in compose.yaml', false],
  ['Run `make x` before `make y` here', 'Do not run `make x` before `make y` here', false],
  ['Always commit files of src/gen here', 'Never commit files of src/gen here', false],
  ['Push `main` after the review', "Don't push `main` after the review", false],
  ['Tests of the till wait for the network', 'Tests of the till wait for the clock', false],
  ['`src/api/users.ts` handles login', '`src/api/users.ts` handles logout', false],
  [
    '`cargo test` needs `--features mock`, otherwise it calls the real API.',
    '`cargo test` takes a while; use `cargo test -p core` for the parser.',
    false,
  ],
])('%s | %s: one lesson %s', (a, b, isOne) => {
  expect(shown(distil([note(a, 1), note(b, 2)]))).toHaveLength(isOne ? 1 : 2);
  expect(shown(distil([note(b, 1), note(a, 2)]))).toHaveLength(isOne ? 1 : 2);
});

test("the person's words are joined by equal words alone, and no agent's take their place", () => {
  const typed = (text: string, n: number) => ({
    ...note(text, n, { kind: 'preference', said_by: 'user' }),
  });
  const two = [
    typed('Run `make gen` before the tests', 1),
    typed('Run `make gen` before the tests and the build', 2),
  ];
  expect(shown(distil(two))).toHaveLength(2);
  const lessons = distil([...two, note(two[0]!.text, 8), ...GEN]);
  const texts = shown(lessons);
  for (const { text } of two) expect(texts).toContain(text);
  expect(lessons.find(({ id }) => id === idOf(two[0]!))).toMatchObject({
    said_by: 'user',
    sessions: 2,
  });
});

test('rules of two projects are one only in the same words of the person', () => {
  const wish = (project: string, text: string) =>
    candidate({ text, key: text, project, kind: 'preference', said_by: 'user' });
  const one = wish('a', 'Run `make gen` before the tests of src/gen');
  expect(globalCandidates([one, wish('b', 'Run `make gen` before tests of src/gen')])).toEqual([]);
  expect(
    globalCandidates([one, wish('b', 'run `make gen` before the tests of src/gen.')]),
  ).toHaveLength(2);
});

test('thousands of items of a list are lessons of their own, and do not make it slow', async () => {
  const valves = Array.from({ length: 3000 }, (_, i) =>
    note(`Valve ${i} of \`boiler\` is opened by hand only`, 1 + (i % 20)),
  );
  const learn = (count: number): void =>
    expect(shown(distil(valves.slice(0, count)))).toHaveLength(count);
  expect(await growthOf(learn, 500, 3000, 12)).toBeLessThan(18);
});

test.each<[string, boolean]>([
  ['Run `make db` before the tests: migrations are not automatic', true],
  ['Never commit generated files', true],
  ['Commit generated files to the repository', false],
  ['The preview server listens on port 8081 by default', true],
  ['The preview server listens on port 8080 by default', false],
  ['Refunds go through the queue in `src/refunds`', false],
  ['Prefer small commits', false],
])('the files of the project say "%s": %s', (text, isSaid) => {
  const file = `# Shop
Work in small steps.

- Run \`make db\` before the tests, since migrations are not automatic.
- Never commit generated files to the repository.
- The preview server listens on port 8081 by default. It does not need the database.
`;
  const lessons = distil([note(text, 1)]);
  expect(repeatedByFiles(lessons, [file]).size > 0).toBe(isSaid);
});
