import { describe, expect, test } from 'vitest';
import { carriedOut } from '../../src/extract/carried-out.js';
import { sessionRoots } from '../../src/extract/commands/runs.js';
import { extractUserSentences } from '../../src/extract/sentences/sentences.js';
import { readTurns } from '../../src/extract/user-turns.js';
import type { Entry } from '../../src/types.js';
import { answered, edited, ran, sessionOf, typed } from './session-of.js';

const EDIT = edited('/home/ana/shop/src/cart.ts', '-const total = 0;', '+const cartTotal = readTotal();');

/** Whether the first typed sentence is done, after what follows it. */
function isDone(text: string, ...after: Partial<Entry>[]): boolean {
  const session = sessionOf([typed(text), ...after]);
  const turns = readTurns(session.entries);
  return carriedOut(session.entries, turns, sessionRoots(session))(turns[0]!, text);
}

describe('a request that the agent carried out before the person spoke again', () => {
  test.each([
    ['`src/cart.ts` should read the total once', [EDIT]],
    ['use readTotal() for the sum of the cart', [EDIT]],
    ['cart.ts belongs into one file', [EDIT]],
    ['run `make brew` and show what it says', ran('cd /home/ana/shop && make brew 2>&1 | tail -5', 'ok')],
    ['we need --frozen-lockfile for the install', ran('pnpm install --frozen-lockfile', 'done')],
  ])('%s', (text, after) => expect(isDone(text, ...after)).toBe(true));

  test.each([
    ['nothing was done', '`src/cart.ts` should read the total once', []],
    ['something else was', '`src/lid.ts` should read the total once', [EDIT]],
    ['it names nothing', 'keep the commits small', [EDIT]],
    ['it was only read', '`src/cart.ts` should read the total once', [{ ...EDIT, tool: 'Read' }]],
    [
      'the person spoke before',
      '`src/cart.ts` should read the total once',
      [answered('Shall I?'), typed('wait, look at the lid first'), EDIT],
    ],
    ['part of another name', '`make brew` is what we run', ran('make brew-all', 'ok')],
  ])('not when %s', (_why, text, after) => expect(isDone(text, ...after)).toBe(false));
});

const WISH = 'The total in `src/cart.ts` should be one number, not a string';
function standing(text: string, ...after: Partial<Entry>[]): boolean[] {
  return extractUserSentences(sessionOf([typed(text), ...after])).map(({ alone }) => alone);
}

test('such a sentence waits for a second session; one that says it lasts does not', () => {
  expect(standing(WISH)).toEqual([true]);
  expect(standing(WISH, EDIT)).toEqual([false]);
  expect(standing('Never edit `src/cart.ts` by hand, run `make cart` instead', ...ran('make cart', 'ok'))).toEqual([true]);
});
