import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/types.js';
import { saidOf } from './door.js';
import { answered, edited, ran, sessionOf, typed } from './session-of.js';

const EDIT = edited('/home/ana/shop/src/cart.ts', '-const total = 0;', '+const cartTotal = readTotal();');

/** Whether the typed sentence, which by itself is a lesson at once, waits for a second session after what follows it. */
function isDone(text: string, ...after: Partial<Entry>[]): boolean {
  expect(standing(text), text).toEqual([true]);
  return standing(text, ...after)[0] === false;
}
function standing(text: string, ...after: Partial<Entry>[]): boolean[] {
  return saidOf(sessionOf([typed(text), ...after])).map(({ alone }) => alone);
}

describe('a request that the agent carried out before the person spoke again', () => {
  test.each([
    ['The total in `src/cart.ts` should be one number, not a string', [EDIT]],
    ['We should have readTotal() in one file, not two', [EDIT]],
    ['cart.ts should be one file, not two', [EDIT]],
    ['`make brew` should be what we run, not the script', ran('cd /home/ana/shop && make brew 2>&1 | tail -5', 'ok')],
    ['We should install with --frozen-lockfile before each release, not without', ran('pnpm install --frozen-lockfile', 'done')],
  ])('%s', (text, after) => expect(isDone(text, ...after)).toBe(true));

  test.each([
    ['nothing was done', 'The total in `src/cart.ts` should be one number, not a string', []],
    ['something else was', 'The total in `src/lid.ts` should be one number, not a string', [EDIT]],
    ['it names nothing', 'The commits should be small, not one heap', [EDIT]],
    ['it was only read', 'The total in `src/cart.ts` should be one number, not a string', [{ ...EDIT, tool: 'Read' }]],
    [
      'the person spoke before',
      'The total in `src/cart.ts` should be one number, not a string',
      [answered('Shall I?'), typed('wait, look at the lid first'), EDIT],
    ],
    ['part of another name', '`make brew` should be what we run, not the script', ran('make brew-all', 'ok')],
  ])('not when %s', (_why, text, after) => expect(isDone(text, ...after)).toBe(false));
});

const WISH = 'The total in `src/cart.ts` should be one number, not a string';

test('such a sentence waits for a second session; one that says it lasts does not', () => {
  expect(standing(WISH)).toEqual([true]);
  expect(standing(WISH, EDIT)).toEqual([false]);
  expect(standing('Never edit `src/cart.ts` by hand, run `make cart` instead', ...ran('make cart', 'ok'))).toEqual([true]);
});
