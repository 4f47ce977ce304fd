/** A line for several notes says what they say: names, and what governs a statement. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { saysOnly } from '../../src/parse/asked/keeps.js';
import { namesOnly } from '../../src/parse/asked/prompt.js';

const PORT = 'The boiler tests need `KETTLE_PORT=0`, because port 8080 is taken by the proxy';
const START = 'Boiler tests do not start on port 8080, set `KETTLE_PORT=0` for them';
const GEN = 'Never run `make all` before `make gen`, because it takes 20 minutes';
const DB = 'When the tests hang, run `make db`: migrations are not automatic';

describe('a line keeps what governs its statements', () => {
  test.each<[string, string, string[]]>([
    ['a note as it stands', GEN, [GEN]],
    ['fewer words', 'Boiler tests need `KETTLE_PORT=0`: port 8080 is taken by the proxy', [PORT]],
    ['a reason goes whole, and its "not" with it', 'When the tests hang, run `make db`', [DB]],
    ['the condition behind the statement', 'Run `make db` when the tests hang', [DB]],
    [
      'a "not" that only one of two has goes with its clause',
      'Boiler tests need `KETTLE_PORT=0`: port 8080 is taken by the proxy',
      [PORT, START],
    ],
    ['one "never" for two', 'Never edit `src/gen` or `docs/gen`', ['Never edit `src/gen`', 'Never edit `docs/gen`']],
    [
      'one condition for two',
      'Run `make web` and `make api` after a pull',
      ['Run `make web` after a pull', 'Run `make api` after a pull'],
    ],
    ['two statements side by side', 'Use pnpm; never commit `dist`', ['Use pnpm', 'Never commit `dist`']],
    ['both sides of a "but"', 'The pump works, but leaks on Mondays', ['The old pump works, but leaks on Mondays']],
    [
      'what stands behind a "but"',
      'Soup is best effort: skip salt',
      ['Pepper would need another pot, but soup is best effort so we skip salt'],
    ],
    ['another name in brackets', '`src/a.ts` is the single source', ['The `a` module (`src/a.ts`) is now the single source']],
    [
      'notes of which one denies what the line denies',
      'The oven never reads `salt.yml`',
      ['The oven never reads `salt.yml`', 'The oven does not read global salt either'],
    ],
    ["don't for never", "Don't push to `main`", ['Never push to `main`']],
    ['German', 'Nie `main` pushen', ['Bitte nie auf `main` pushen']],
    ['Chinese', '不要用 `npm`', ['这里不要用 `npm`']],
  ])('%s', (_, line, notes) => expect(saysOnly(line, notes)).toBe(true));

  test.each<[string, string, string[]]>([
    ['a lost "never"', 'Run `make all` before `make gen`', [GEN]],
    ['a lost "before"', 'Never run `make all`', [GEN]],
    ['names changed round it', 'Never run `make gen` before `make all`', [GEN]],
    ['another "not"', 'Boiler tests never need `KETTLE_PORT=0`', [PORT]],
    ['a lost condition', 'Run `make db`', [DB]],
    ['a reason without its "not"', 'Run `make db` when the tests hang: migrations are automatic', [DB]],
    ['what holds only under the condition', 'Migrations are not automatic', [DB]],
    ['"not" on the other name', 'Use `npm`, not `pnpm`', ['Use `pnpm`, not `npm`']],
    ['the denied half alone', 'Run `make b`', ['Never run `make a` and `make b`']],
    [
      'a "by hand" lost on the way',
      'Never edit `src/gen` or `docs/gen`',
      ['Never edit `src/gen`', 'Never edit `docs/gen` by hand'],
    ],
    ['a lost "only" at the end', 'The cache works', ['The cache works (Linux only)']],
    ['a lost "only"', 'The cache works on Linux', ['The cache works only on Linux']],
    ['a lost exception', 'All tests run in the cellar', ['All tests run in the cellar, except the browser tests']],
    ['an exclusion behind a comma', 'All tests run in the cellar', ['All tests run in the cellar, not the browser ones']],
    ['a lost "but"', 'The pump works', ['The pump works, but leaks on Mondays']],
    ['a lost "sometimes"', 'The valve sticks', ['The valve sometimes sticks']],
    ['an added "always"', 'Always oil the pump', ['Oil the pump']],
    ['"and" for "or"', 'Set `A` and `B`', ['Set `A` or `B`']],
    ['less for more', 'The pump takes less than 5 bar', ['The pump takes more than 5 bar']],
    ['the exception of one hidden by the other', 'Use pnpm', ['Use pnpm', 'Never use pnpm in the cellar']],
    ['the condition of one hidden by the other', 'Use pnpm', ['Use pnpm', 'Use pnpm only in the cellar']],
    [
      'halves of two conditions',
      'If the lamp is red, open the valve',
      ['If the lamp is red, call Ann', 'If the lamp is green, open the valve'],
    ],
    ['halves of two statements', '`a` needs `y`', ['`a` needs `x`', '`b` needs `y`']],
    ['names the other way round', '`b` needs `a`', ['`a` needs `b`']],
    ['words the other way round', 'npm replaced pnpm', ['pnpm replaced npm here']],
    ['first and then', 'Salt the soup, then boil', ['Boil the soup, then salt']],
    ['to and from', 'Rename `b` to `a`', ['Rename `a` to `b`']],
    ['an opposite by its prefix', 'The cache is disabled in the cellar', ['The cache is enabled in the cellar']],
    ['other words altogether', 'Drop the production tables', ['Oil the pump each Monday']],
    ['a note that is not said', 'Oil the pump', ['Oil the pump', 'Coal comes in spring']],
    ['German: verloren', '`main` pushen', ['Nie auf `main` pushen']],
    ['Spanish: perdido', 'Subir a `main`', ['Nunca subir a `main`']],
    ['Chinese: lost', '这里用 `npm`', ['这里不要用 `npm`']],
    ['Chinese: changed round', '用 `npm`，不用 `pnpm`', ['用 `pnpm`，不用 `npm`']],
    ['Japanese: changed round', '`b` を使い、`a` を使わない', ['`a` を使い、`b` を使わない']],
  ])('not: %s', (_, line, notes) => expect(saysOnly(line, notes)).toBe(false));

  test('no word is added: it may turn the note round', () => {
    expect(saysOnly('Oil the pump carefully', ['Oil the old pump before winter', 'Oil the pump'])).toBe(false);
    expect(saysOnly('Oil the pump well', ['Oil the pump'])).toBe(false);
    expect(saysOnly('Retries are forbidden in the boiler', ['Retries are allowed in the boiler'])).toBe(false);
    expect(saysOnly('Raise the pressure', ['Lower the pressure when the kettle hums'])).toBe(false);
    expect(saysOnly('Oil the pump', ['Please oil the old pump'])).toBe(true);
  });

  test('any text stands for itself, or at least gives an answer', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (line, note) => void saysOnly(line, [note])));
    const word = fc.constantFrom(
      'pump',
      'valve',
      'never',
      'if',
      'open',
      'only',
      '`a`',
      '`b c`',
      'and',
      'before',
      'the',
      ',',
      ':',
      '.',
      '(',
      ')',
      'not',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 14 }), (words) => {
        const text = `Oil ${words.join(' ')}`;
        expect(saysOnly(text, [text])).toBe(true);
      }),
    );
  });
});

describe('names', () => {
  test.each<[boolean, string, string]>([
    [true, 'Run `make gen`', 'First run `make gen`'],
    [true, 'Use `pnpm`', 'Use pnpm here'],
    [true, '`KETTLE_PORT` is 0', 'Set `KETTLE_PORT=0`'],
    [false, 'Run `make gen`', 'First run `make gen-all`'],
    [false, 'Run `git push`', 'Run `git push --dry-run`'],
    [false, 'Run `git push --force`', 'Run `git push` and `git fetch --force`'],
    [false, 'Port 8081', 'Port 8080'],
    [false, 'Edit src/gen/a.ts', 'Edit src/gen/b.ts'],
    [false, 'Pass --force', 'Pass --dry-run'],
  ])('%s: %s', (isKept, line, note) => expect(namesOnly(line, [note])).toBe(isKept));
});
