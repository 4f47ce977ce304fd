/** Facts that a page leaves out since they are about one task, or since a file says them. */
import { expect, test } from 'vitest';
import { compareWithFiles } from '../../src/jobs/publishing/render-files.js';
import type { Lesson } from '../../src/types.js';
import { lesson } from '../context/build.js';

const KNOWN = {
  ownFiles: ['run: cargo build'],
  branches: new Set(['codex/steam', 'main']),
  gone: new Map(),
  shownOfFiles: [],
};

function whyOut(...given: Partial<Lesson>[]): (string | null)[] {
  const lessons = given.map((each, n) => lesson(n, { fact: 'changed', ...each }));
  const out = compareWithFiles(KNOWN, lessons);
  return lessons.map(({ id }) => out.get(id) ?? null);
}

test.each([
  [
    '`go test ./... -run TestBoil` fails here: `go test -race ./... -run TestBoil` works',
    'it is about a single test',
  ],
  [
    '`git pull` fails here: `git pull origin codex/steam` works',
    'it is about the branch `codex/steam`',
  ],
  ['`git pull` fails here: `git pull origin main` works', null],
  ['`go test ./PACKAGE -run NAME` fails here: `go test -race ./PACKAGE -run NAME` works', null],
  ['`npm test` fails here: `npm test --silent` works', null],
])('%s', (text, why) => {
  expect(whyOut({ text })).toEqual([why]);
  expect(whyOut({ text, fact: null })).toEqual([null]);
});

const works = (
  form: string,
  more: Partial<Record<'class' | 'one', string>> = {},
): Partial<Lesson> => ({
  fact: 'works',
  text: `Tests: \`${form}\``,
  fields: { class: 'test', form, one: null, ...more },
});

test('a script that ran, and a command in the words of a file, are left out with the way to run one test that they have', () => {
  const said = "the project's own files say it";
  expect(
    whyOut(
      works('make test'),
      works('mise run test'),
      works('cargo build'),
      works('cargo build', { one: 'make one' }),
      works('make test', { one: 'vitest run FILE' }),
      works('pytest'),
    ),
  ).toEqual([said, said, said, said, null, null]);
});

test('what the person asked for again and again is on the page, once', () => {
  expect(whyOut(works('pytest', { class: 'pytest' }), works('pytest'))).toEqual([
    null,
    "the project's own files say it",
  ]);
  expect(whyOut(works('pnpm fix', { class: 'pnpm fix' }))).toEqual([null]);
});
