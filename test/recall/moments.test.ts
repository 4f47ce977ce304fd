/** When a hook speaks, and when it is silent. */
import { expect, test } from 'vitest';
import { ANYWHERE, THRESHOLDS, costOf } from '../../src/recall/moments/at-moment.js';
import {
  decide,
  namedLessons,
  type Fitting,
  type RecallItem,
} from '../../src/recall/moments/moment.js';
import { isOwnCure, namesOf } from '../../src/recall/moments/names.js';
import { blankLesson } from '../../src/lessons/forming.js';

const NOTHING = { given: new Set<string>(), page: '' };

function entry(id: string, score: number, text = `what ${id} said`): Fitting {
  return {
    kind: 'entry',
    id,
    text,
    score,
    day: '2026-11-18',
    agent: 'codex',
    session: 's1',
    path: '/log',
    line: 3,
  };
}

function told(
  ranked: Fitting[],
  seen: number,
  heard = NOTHING,
  exact: RecallItem[] = [],
): string[] {
  return decide({ exact, ranked, seen }, THRESHOLDS.failure, heard, costOf).map(({ id }) => id);
}

test('a failure that an earlier entry printed is answered, the same words without it are not', () => {
  const said = [entry('a', 2.1), entry('b', 1.4)];
  expect(told(said, 0.9)).toEqual(['a', 'b']);
  expect(told(said, 0.3)).toEqual([]);
});

test('of no project, only an error that was printed before is answered, however many of its words somebody said', () => {
  const anywhere = (seen: number): string[] =>
    decide({ exact: [], ranked: [entry('a', 3.2)], seen }, ANYWHERE, NOTHING, costOf).map(
      ({ id }) => id,
    );
  expect([anywhere(0.85), anywhere(1.1)]).toEqual([[], ['a']]);
});

test('what was seen before alone says nothing: there must be something to tell', () => {
  expect(told([], 1.5)).toEqual([]);
});

test('what rows prove needs no threshold; each item is told once, and not what the page holds', () => {
  const exact = [entry('cure', 0)];
  expect(told([], 0, NOTHING, exact)).toEqual(['cure']);
  expect(told([], 0, { given: new Set(['cure']), page: '' }, exact)).toEqual([]);
  expect(told([], 0, { given: new Set(), page: '- what cure said' }, exact)).toEqual([]);
});

test.each([
  [true, 'cd web && npm test', 'works', { form: 'cd web && npm test' }],
  [true, 'cd /home/mira/code/kiln/web && npm test', 'works', { form: 'cd web && npm test' }],
  [false, 'npm test', 'works', { form: 'cd web && npm test' }],
  [false, 'cd web && npm run lint', 'works', { form: 'cd web && npm test' }],
  [true, 'npm test -- a.test.ts', 'works', { form: 'npm test', one: 'npm test -- FILE' }],
  [true, 'python3 fire.py', 'absent', { program: 'python', instead: 'python3' }],
  [false, 'python fire.py', 'absent', { program: 'python', instead: 'python3' }],
  [false, 'npm test', 'changed', { fails: 'npm test', works: 'CHECK=1 npm test' }],
  [false, 'npm test', null, { instead: 'npm' }],
  [
    false,
    'npm test -- --maxWorkers=8',
    'changed',
    { fails: 'npm test', works: 'npm test -- --maxWorkers=1' },
  ],
  [
    true,
    'npm test --silent -- --maxWorkers=1',
    'changed',
    { fails: 'npm test', works: 'npm test -- --maxWorkers=1 --bail' },
  ],
  [false, 'ssh -p 22 kiln', 'changed', { fails: 'ssh kiln', works: 'ssh -p 2222 kiln' }],
  [true, 'ssh -p 2222 kiln', 'changed', { fails: 'ssh kiln', works: 'ssh -p 2222 kiln' }],
  [false, 'pytest tests/e2e', 'changed', { fails: 'pytest tests/e2e', works: 'pytest tests/unit' }],
  [
    true,
    'pytest tests/unit -q',
    'changed',
    { fails: 'pytest tests/e2e', works: 'pytest tests/unit' },
  ],
  [
    true,
    'uv run pytest tests/b.py',
    'changed',
    { fails: 'pytest tests/a.py', works: 'uv run pytest tests/a.py' },
  ],
  [false, 'npm test; make db', 'before', { fails: 'npm test', needs: 'make db' }],
  [true, 'make db; npm test', 'before', { fails: 'npm test', needs: 'make db' }],
  [true, 'npm test; make db; npm test', 'before', { fails: 'npm test', needs: 'make db' }],
  [true, 'make db', 'before', { fails: 'npm test', needs: 'make db' }],
  [false, 'npm test || npm install', 'before', { fails: 'npm test', needs: 'npm install' }],
  [true, 'npm install && npm test', 'before', { fails: 'npm test', needs: 'npm install' }],
  [false, 'python x.py && python3 y.py', 'absent', { program: 'python', instead: 'python3' }],
  [true, 'python x.py || python3 x.py', 'absent', { program: 'python', instead: 'python3' }],
] as const)('own cure %s: %s, %s %j', (isOwn, text, fact, fields) =>
  expect(isOwnCure({ fact, fields }, namesOf({ type: 'failure', text, output: '' }))).toBe(isOwn),
);

const NO_SEAL = 'Error: the pump at hall 3 has no seal';
test.each<[boolean, string, string, string, string]>([
  [true, 'Error: the pump at hall 7 has no seal', 'failure', 'make pump', NO_SEAL],
  [false, 'Error: the boiler is cold today', 'failure', 'make pump', NO_SEAL],
  [true, 'make pump', 'failure', 'make pump', 'Error: the kiln has no valves'],
  [false, 'make pump', 'failure', 'make pump', 'Error: lid is missing from hall'],
  [true, 'make pump', 'command', 'make pump', ''],
  [true, 'docker compose up', 'command', 'docker compose up --build', ''],
  [false, 'make', 'command', 'makepump', ''],
  [true, 'src/pump.ts', 'edit', 'src/pump.ts', ''],
  [false, 'src/pump.ts', 'edit', 'src/pumps.ts', ''],
])('a claim is shown at its trigger alone: %s: %s, %s %s %s', (isShown, at, type, text, output) => {
  const claim = blankLesson({
    ...{ id: 'a', kind: 'gotcha', scope: 'project', project: 'p', key: 'k' },
    ...{ text: 'Open the valves first, since steel swells', tags: [`at ${at}`] },
  });
  const found = namedLessons([claim], namesOf({ type, text, output }), () => true);
  expect(found.map(({ id }) => id)).toEqual(isShown ? ['a'] : []);
});

test('at most three items and 200 tokens', () => {
  const short = ['a', 'b', 'c', 'd'].map((id) => entry(id, 9));
  expect(told(short, 1)).toEqual(['a', 'b', 'c']);
  const long = ['a', 'b', 'c'].map((id) =>
    entry(id, 9, `${id} ${'kettle glaze broker '.repeat(25)}`),
  );
  expect(told(long, 1).length).toBeLessThan(3);
});
