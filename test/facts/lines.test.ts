/** When events make a line, and which. */
import { describe, expect, test } from 'vitest';
import { factsOf } from '../../src/facts/index.js';
import type { FactEvent, FactFields, FactName } from '../../src/types.js';

/** An event of a minute of one day. */
function event(
  fact: FactName,
  key: string,
  session: string,
  minute: number,
  fields: FactFields,
  supports = true,
): FactEvent {
  const known_at = `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
  // Hashes have no order: later entries come first by their names.
  const entry = `e${99 - minute}`;
  return {
    fact,
    key,
    fields,
    agent: 'made',
    session,
    entry,
    day: '2026-11-20',
    known_at,
    supports,
    quote: '',
  };
}
const lines = (events: readonly FactEvent[]): string[] => factsOf(events).map(({ text }) => text);
const run = (
  form: string,
  session: string,
  minute: number,
  key = 'test',
  narrow = false,
): FactEvent =>
  event('works', key, session, minute, {
    form,
    narrow,
    own: false,
    program: form.split(' ')[0]!,
    ms: null,
  });

describe('what works', () => {
  /** Runs of `ava` that took so many seconds. */
  const timed = (...seconds: number[]): FactEvent[] =>
    seconds.map((each, at) => {
      const made = run('ava', `s${at}`, at);
      return { ...made, fields: { ...made.fields, ms: 1000 * each } };
    });
  test.each<[string, number[], string]>([
    ['three runs that took about as long', [110, 130, 120], ' (about 2 min)'],
    ['two runs', [110, 130], ''],
    ['a run that waited for a person', [3, 1200, 1300], ''],
    ['short runs', [3, 4, 5], ''],
  ])('how long it takes is told of %s', (_, seconds, time) =>
    expect(lines(timed(...seconds))).toEqual([`Tests: \`ava\`${time}`]),
  );
  test('what a person asked for again and again has its form as its key', () =>
    expect(lines([1, 2, 3].map((at) => run('pnpm fix', `s${at}`, at, 'pnpm fix')))).toEqual([
      'Often asked for: `pnpm fix`',
    ]));
  test('of two forms of as many sessions the more usual is told', () =>
    expect(
      lines([
        run('ava', 's1', 1),
        run('zest', 's1', 2),
        run('zest', 's1', 3),
        run('zest', 's2', 4),
        run('ava', 's2', 5),
      ]),
    ).toEqual(['Tests: `zest`']));
  test('the form for one file is told of tests alone', () => {
    const both = (key: string): FactEvent[] =>
      [1, 2].flatMap((at) => [
        run('ok', `s${at}`, at, key),
        run('ok FILE', `s${at}`, at + 5, key, true),
      ]);
    expect(lines(both('test'))).toEqual(['Tests: `ok`; one: `ok FILE`']);
    expect(lines(both('format'))).toEqual(['Format: `ok`']);
  });
});

test('a run of all that passed once keeps the form for one file from the lead', () => {
  const narrow = [1, 2, 3].map((at) => ({
    ...run('ok FILE', 's1', at, 'test', true),
    quote: `ok ${at}.js`,
  }));
  expect(lines(narrow)).toEqual(['Part of the tests: `ok FILE`']);
  expect(lines([...narrow, run('ok', 's1', 4)])).toEqual([]);
});

test('a part of the tests is told once its place had two values: the one file of a task is no habit', () => {
  const ran = (...files: string[]): FactEvent[] =>
    files.map((file, at) => ({
      ...run('cd web && ok FILE', 's1', at, 'test', true),
      quote: `ok ${file}`,
    }));
  expect(lines(ran('a.test.js', 'a.test.js', 'a.test.js'))).toEqual([]);
  expect(lines(ran('a.test.js', 'b.test.js', 'a.test.js'))).toEqual([
    'Part of the tests: `cd web && ok FILE`',
  ]);
});

test('a time is told when runs agree on it', () => {
  const times = (...ms: number[]): FactEvent[] =>
    ms.map((each, at) => event('slow', 'make all', `s${at}`, at, { form: 'make all', ms: each }));
  expect(lines(times(90_000, 100_000, 95_000))).toEqual(['`make all` takes about 2 min']);
  expect(lines(times(3000, 100_000, 95_000))).toEqual([]);
});

describe('an error that an edit ended', () => {
  const ended = (session: string, minute: number, ...files: string[]): FactEvent =>
    event('edited', 'npm: lockfile is old', session, minute, {
      error: 'lockfile is old',
      program: 'npm',
      fails: 'npm ci',
      files,
    });
  test('two sessions and a file that both edited prove it', () =>
    expect(lines([ended('s1', 1, 'a.ts', 'lock.json'), ended('s2', 2, 'lock.json')])).toEqual([
      '`lockfile is old` went away with an edit of `lock.json`',
    ]));
  test.each([
    ['one session', [ended('s1', 1, 'lock.json'), ended('s1', 2, 'lock.json')]],
    ['two sessions with other files', [ended('s1', 1, 'a.ts'), ended('s2', 2, 'b.ts')]],
  ])('%s does not', (_, events) => expect(lines(events)).toEqual([]));
});

describe('a changed form', () => {
  const cure = (session: string, minute: number, works = 'uv run pytest'): FactEvent =>
    event('changed', 'pytest => uv', session, minute, {
      fails: 'pytest',
      works,
      error: '',
      class: 'test',
      in_error: false,
    });
  const against = (session: string, minute: number): FactEvent =>
    event('changed', 'pytest => uv', session, minute, {}, false);

  test('the newest of a day is told', () =>
    expect(lines([cure('s1', 1, 'uv run pytest -q'), cure('s2', 2, 'uv run pytest')])).toEqual([
      '`pytest` fails here: `uv run pytest` works',
    ]));
  test('stands against one session', () =>
    expect(lines([cure('s1', 1), against('s2', 2)]).length).toBe(1));
  test('ends when it worked without it in two sessions since', () =>
    expect(lines([cure('s1', 1), against('s2', 2), against('s3', 3)])).toEqual([]));
  test('stands when it was seen again since', () =>
    expect(lines([against('s2', 2), against('s3', 3), cure('s1', 1), cure('s4', 4)]).length).toBe(
      1,
    ));
});
