import { describe, expect, test } from 'vitest';
import { extractConclusions } from '../../src/extract/conclusions.js';
import { isRecipe, recast } from '../../src/extract/conclusions-recast.js';
import { findEntities } from '../../src/extract/statement-entities.js';
import { fit } from '../../src/extract/wording.js';
import { dangles } from '../../src/extract/wording-subject.js';
import { answered, edited, ran, sessionOf, typed } from './session-of.js';

describe('a report told as what holds from then on', () => {
  test.each([
    ['`parseFlags` now takes a list of names', '`parseFlags` takes a list of names'],
    ['Now on Windows the tray shows a tooltip', 'on Windows the tray shows a tooltip'],
    ['Changed retry behaviour so `null` (not set) defaults to three tries', 'retry behaviour: `null` (not set) defaults to three tries'],
    ['Uses curl instead of the SDK because `aws-sdk` drops the region', 'use curl instead of the SDK because `aws-sdk` drops the region'],
    ['Cast rows through `unknown` to satisfy TS2352', 'cast rows through `unknown` to satisfy TS2352'],
  ])('%s', (said, told) => {
    expect(recast(said)).toBe(told);
  });

  test.each(['Added a spinner to the cart page', 'Now let me read `main.ts`', 'Changed the colour so it looks nice', 'The new tests now pass', 'Uses the old name'])('as it was: %s', (said) => {
    expect(recast(said).toLowerCase()).toBe(said.toLowerCase());
  });

  test('a recipe names what asks for it', () => {
    expect(isRecipe('Cast rows through `unknown` to satisfy TS2352')).toBe(true);
    expect(isRecipe('Add a blockquote so it is visible in `README.md`')).toBe(false);
  });
});

const learn = (...more: Parameters<typeof sessionOf>[0]) => extractConclusions(sessionOf([typed('why is mail late?'), ...ran('postqueue -p', 'queue is empty'), ...more]));
const major = (...more: Parameters<typeof sessionOf>[0]) => learn(...more).filter((one) => !one.tags.includes('minor')).map((one) => one.text);

describe('a lack that an edit mends', () => {
  const claim = answered('The `retryable` list in `codes.ts` only includes `ECONNRESET`, so `ETIMEDOUT` fails at once.', { marks: ['final'] });

  test('is no lesson once the named thing is written', () => {
    expect(major(claim)).toHaveLength(1);
    expect(major(claim, edited('/home/ana/shop/codes.ts', "+  'ETIMEDOUT',"))).toEqual([]);
  });

  test('stays when other things are written, and when nothing lacks', () => {
    expect(major(claim, edited('/home/ana/shop/other.ts', '+const total = 1;'))).toHaveLength(1);
    const limit = answered('Postfix rejects mails over `message_size_limit` by default.', { marks: ['final'] });
    expect(major(limit, edited('/home/ana/shop/main.cf', '+message_size_limit = 0'))).toHaveLength(1);
  });
});

describe('too thin for a stranger', () => {
  test.each([
    'Use `Card` and `Stack` components instead of plain boxes.',
    'Only 3 of the 12 adapters implement `close()` because nobody needs it.',
    'No references to `OldQueue` remain in the code, so it must not be imported.',
    'The `mailer.ts` file has an old queue of its own instead of using `bull`.',
    'The first query takes 1.65 s because `pg` waits for a lock.',
    'If needed, `mailer.ts` must only register half of the models instead.',
    'A line like `  const a = 1;` must never be matched by `parser.ts`.',
    'Non-GET request, empty `body`, missing `url` all return `None` by default.',
    'Check if `mailer.ts` silently drops jobs without `id`.',
    '必要に応じて `mailer.ts` は常に全部ではなく一部だけ登録する必要があります。',
    '推荐用 `mailer.ts` 代替，必须先设置 `HOST`，否则会失败。',
  ])('%s', (answer) => {
    expect(major(answered(answer, { marks: ['final'] }))).toEqual([]);
  });

  test.each([
    ['Use `pg_dump` through `make backup` because the plain call fails without `PGSSLMODE`.'],
    ['`mailer.ts` must never import `queue.ts`, otherwise the worker deadlocks on start.'],
    ['`vite build` 默认忽略 `.env.local`，必须设置 `mode`，否则构建失败。'],
  ])('but kept: %s', (answer) => {
    expect(major(answered(answer, { marks: ['final'] }))).toHaveLength(1);
  });

  test('said while working, a remark on code or "the linter" stays behind, a tool by name does not', () => {
    const working = (text: string) => major(answered(text), ...ran('ls', 'a b'), answered('Done.'));
    expect(working('`queue.ts` silently drops jobs without `id`, so nothing is sent.')).toEqual([]);
    expect(working('The linter only checks new code (`new: true`).')).toEqual([]);
    expect(working("libgit2 doesn't read `core.excludesfile` by default.")).toHaveLength(1);
  });
});

test('files that open with a dot are names, and a hyphenated "my" is nobody', () => {
  expect(findEntities('The plugin reads PATH before .zshrc and .env.local are loaded').paths).toEqual(['.zshrc', '.env.local']);
  expect(findEntities('Wait. then go on .and stop').paths).toEqual([]);
  expect(major(answered('oh-my-zsh loads plugins before `.zshrc_local`, so PATH must be set in `.zshenv`.', { marks: ['final'] }))).toHaveLength(1);
});

describe('statements that point elsewhere', () => {
  test.each(['Check it is current before a release', 'Keep them in the same folder', 'If commits are newer than that date, pull first', '两者在更新时行为相同', '両者は同じ設定を使う'])('%s', (text) => {
    expect(dangles(text)).toBe(true);
  });

  test.each(['Check that it is current', 'Keep `a.ts` and `b.ts` in step', 'Pull before that is tagged'])('not: %s', (text) => {
    expect(dangles(text)).toBe(false);
  });
});

test('a statement that just fits leaves room for its id where grammar lets it', () => {
  const long = `Run \`make seed\` before the integration tests because the fixtures need ${'several '.repeat(9)}rows in \`orders\` and \`items\` (the job does it too)`;
  expect(long.length).toBeGreaterThan(190);
  expect(long.length).toBeLessThanOrEqual(200);
  expect(fit(long)?.length).toBeLessThanOrEqual(190);
  const whole = long.replace(/ \(.*\)$/, ' as the job does now too');
  expect(fit(whole)).toBe(whole);
});
