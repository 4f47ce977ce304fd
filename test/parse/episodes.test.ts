import { describe, expect, test } from 'vitest';
import { extractSession, type SessionInput } from '../../src/parse/index.js';
import { MadeSession } from './made-session.js';

function episodeOf(input: SessionInput) {
  return extractSession(input).episode;
}
function openingOf(input: SessionInput) {
  return extractSession(input).opening;
}

describe('extractEpisode', () => {
  test('tells task, outcome with its signal, files, commands and commits', () => {
    const session = new MadeSession()
      .user('hi')
      .user('The cart total is wrong when a coupon is used. Please fix it.')
      .agent('Looking.')
      .edit('src/cart.ts')
      .shell('npm test', '12 passed')
      .shell('git commit -m "fix: coupon total"', '')
      .agent('Fixed the coupon total in `src/cart.ts`: the discount was applied twice.');
    expect(episodeOf(session.input())).toMatchObject({
      title: 'The cart total is wrong when a coupon is used.',
      outcome: 'success',
      signal: 'committed',
      files: ['src/cart.ts'],
      commands: ['npm test'],
      commits: ['fix: coupon total'],
      unfinished: false,
      day: '2026-11-20',
      problem: null,
      ...{ solution: null, lesson: null, nextStep: null },
    });
  });

  test.each([
    [
      new MadeSession()
        .user('Add a coupon field')
        .edit('a.ts')
        .fails('npm test', '1 failed')
        .agent('It fails.'),
      'partial',
      '`npm test` failed',
    ],
    [
      new MadeSession()
        .user('Add a coupon field')
        .edit('a.ts')
        .shell('npm test', '1 passed')
        .agent('Done.'),
      'success',
      '`npm test` passed',
    ],
    [
      new MadeSession().user('Add a coupon field').edit('a.ts').agent('Done.'),
      'unknown',
      'changed without a check after it',
    ],
    [
      new MadeSession()
        .user('Add a coupon field')
        .edit('a.ts')
        .user('[stopped]', { origin: 'injected', marks: ['interrupt'] }),
      'abandoned',
      'the user stopped it',
    ],
    [
      new MadeSession().user('Add a coupon field').shell('ls', 'a'),
      'unknown',
      'the log ends in the middle',
    ],
    [
      new MadeSession()
        .user('How does the coupon field work here?')
        .agent(
          'It reads the coupon from the query, looks it up in `coupons.ts` and applies the discount to the cart.',
        ),
      'success',
      'answered',
    ],
  ])('outcome %#', (session, outcome, signal) => {
    expect(episodeOf(session.input())).toMatchObject({ outcome, signal });
  });

  test('nothing asked is no episode', () => {
    expect(episodeOf(new MadeSession().agent('hello').input())).toBeNull();
    expect(episodeOf(new MadeSession().user('continue').agent('ok').input())).toBeNull();
  });

  test.each([
    ['make check fails since the merge', 'make check fails since the merge'],
    ['hi there. Support x/y/z axes in the cart chart', 'Support x/y/z axes in the cart chart'],
    ['カートの合計が間違っている', 'カートの合計が間違っている'],
    [
      'When a cart is kept over midnight, the coupon is preserved now via the store, but the folder of the session is not',
      'When a cart is kept over midnight, the coupon is preserved now via the store, but the folder of…',
    ],
  ])('title of %s', (asked, title) => {
    const session = asked.startsWith('hi there. ')
      ? new MadeSession().user('hi there').user(asked.slice('hi there. '.length))
      : new MadeSession().user(asked);
    expect(episodeOf(session.agent('ok').input())?.title).toBe(title);
  });

  test('a session that begins with an accepted plan is named after it, and one that a person began is not', () => {
    const plan = (session: MadeSession): MadeSession =>
      session.user(
        'Implement the following plan:\n\n# Fix: keep the coupon over midnight\n\n## Context\nIt is lost.',
        { origin: 'agent', marks: ['plan'] },
      );
    const title = (session: MadeSession): string | undefined =>
      episodeOf(session.agent('ok').input())?.title;
    expect(title(plan(new MadeSession()))).toBe('Fix: keep the coupon over midnight');
    expect(title(plan(new MadeSession()).user('now commit it to a new branch'))).toBe(
      'Fix: keep the coupon over midnight',
    );
    expect(title(plan(new MadeSession().user('the coupon is lost at midnight')))).toBe(
      'the coupon is lost at midnight',
    );
  });

  test('a session is unfinished when its only request got no closing answer', () => {
    const begun = new MadeSession().user('Add a coupon field').edit('a.ts').shell('ls', '');
    expect(episodeOf(begun.input())?.unfinished).toBe(true);
  });

  test('it is not when an answer closed the request, whatever was asked after it', () => {
    const asked = new MadeSession()
      .user('Add a coupon field')
      .edit('a.ts')
      .agent('Done.')
      .user('and the docs?')
      .edit('b.md');
    expect(episodeOf(asked.shell('ls', '').input())?.unfinished).toBe(false);
  });

  test('the next step is the first open task', () => {
    const session = new MadeSession()
      .user('Add a coupon field')
      .add({
        role: 'tool_call',
        origin: 'agent',
        tool: 'TodoWrite',
        text: '[completed] add field\n[pending] test it\n[pending] docs',
        marks: ['todo'],
      })
      .edit('a.ts')
      .shell('ls', '');
    expect(episodeOf(session.input())).toMatchObject({ unfinished: true, nextStep: 'test it' });
  });
});

describe('describeOpening', () => {
  test('is equal for equal heads, and knows whether somebody typed later', () => {
    const long = `You are a reviewer. ${'x'.repeat(300)}`;
    const a = openingOf(new MadeSession().user(`${long} one`).agent('ok').input());
    const b = openingOf(new MadeSession().user(`${long}  two`).agent('ok').user('and?').input());
    expect(a?.hash).toBe(b?.hash);
    expect([a?.typedLater, b?.typedLater]).toEqual([false, true]);
    expect(openingOf(new MadeSession().agent('x').input())).toBeNull();
  });
});

describe('who typed after the opening', () => {
  const typedLater = (...texts: string[]): boolean | undefined =>
    openingOf(
      texts.reduce((session, text) => session.user(text).agent('ok'), new MadeSession()).input(),
    )?.typedLater;
  const framed = (name: string): string =>
    `base_commit: ${name}\nproblem_statement: The ${name} is wrong.`;
  const long = `You are a reviewer. ${'x'.repeat(300)}`;

  test.each([
    ['the same frame with other values', [framed('cart'), framed('till'), framed('lid')], false],
    ['the same long opening', [`${long} one`, `${long} two`], false],
    [
      'a person behind two framed prompts',
      [framed('cart'), framed('till'), 'and now the lid'],
      true,
    ],
    ['another frame', [framed('cart'), 'base_commit: till\ntest_patch: x'], true],
    ['two prompts without a frame', ['fix the cart', 'fix the till'], true],
  ])('%s', (_, texts, expected) => expect(typedLater(...texts)).toBe(expected));
});

describe('the frame of an opening', () => {
  const frame = (text: string): string | null =>
    extractSession(new MadeSession().user(text).agent('ok').input()).opening?.frame ?? null;

  test.each([
    [
      'keys',
      'base_commit: 1f2e3d\nproblem_statement: The cart forgets coupons.\n## Steps\n1. add',
      'base_commit: 9a8b7c\nproblem_statement: Orders: are sent twice\nhint: none',
    ],
    [
      'keys on one line',
      'base_commit: 1f2e3d problem_statement: The cart forgets coupons',
      'base_commit: 9a8b7c problem_statement: Orders are sent twice',
    ],
    [
      'tags',
      '<order>\n<id>1</id>\n</order>\n<wish>\nblue\n</wish>',
      '<order>\n<customer>x</customer>\n</order>\n<wish>\nred\n</wish>',
    ],
    [
      'headings',
      '# Order\nblue shoes\n# Rules\n- none',
      '# Order\nred hat\n\n# Rules\n- two\n# More',
    ],
    [
      'labels behind a first line',
      'Grade answer 12 of the exam.\nQuestion: a\nAnswer: b\nScale: 1 to 5',
      'Grade answer 13 of the exam.\nQuestion: c\nd\nAnswer: e\nScale: 1 to 3',
    ],
  ])('is the same whatever its values: %s', (_, one, other) => {
    expect(frame(one)).not.toBeNull();
    expect(frame(other)).toBe(frame(one));
  });

  test('a prompt of blank lines is read in no time, and what stands behind many of them is no frame', () => {
    const started = process.cpuUsage();
    expect(frame(`${'\n'.repeat(100_000)}# Order\n# Rules`)).toBeNull();
    expect(frame(`\`\`\`${' \n'.repeat(100_000)}`)).toBeNull();
    expect(process.cpuUsage(started).user).toBeLessThan(800_000);
  });

  test.each(['_', 'a_', '-a', '_-a'])('a name of many parts is read in no time: %j', (part) => {
    const started = process.cpuUsage();
    // 26 took seconds, each further one twice as long.
    expect(frame(`name${part.repeat(26)} to be signed\nand_then`)).toBeNull();
    expect(frame(`name${part.repeat(10_000)}\nand_then`)).toBeNull();
    expect(process.cpuUsage(started).user).toBeLessThan(800_000);
  });

  test('parts of a name are joined by a line or a stroke', () => {
    expect(frame('a-b: 1\nc_d-e = 2')).not.toBeNull();
    for (const none of ['ab: 1\ncd: 2', 'a--b: 1\nc--d: 2', 'a_: 1\nb_: 2', 'a-: 1\nb-: 2'])
      expect(frame(none)).toBeNull();
  });

  test('differs where its names do', () => {
    expect(frame('base_commit: 1\nproblem_statement: x')).not.toBe(
      frame('base_commit: 1\ntest_patch: x'),
    );
  });

  test.each([
    'fix the cart',
    'Error: total is undefined\nwhat is that?',
    'Note: the cart is slow\nplease look',
    'take the first one:\n\nand then the second',
    'see https://shop.test/a: it fails',
    '## Order',
    '```\na: 1\nb: 2\nc: 3\n```\nwhy?',
  ])('a person types none: %j', (text) => {
    expect(frame(text)).toBeNull();
  });
});

describe('extractRelations', () => {
  test('ties files to their tests, builds and companions', () => {
    const session = new MadeSession()
      .user('go')
      .edit('src/cart.ts')
      .edit('test/cart.test.ts')
      .shell('npx vitest run test/cart.test.ts', '3 passed')
      .shell('npm run build', 'ok')
      .user('more')
      .edit('src/tax.ts')
      .shell('npm test', 'ok 3 passed');
    expect(extractSession(session.input()).relations).toEqual(
      expect.arrayContaining([
        { from: 'src/cart.ts', rel: 'tested_by', to: 'npx vitest run FILE' },
        { from: 'src/cart.ts', rel: 'tested_by', to: 'test/cart.test.ts' },
        { from: 'src/cart.ts', rel: 'built_by', to: 'npm run build' },
        { from: 'src/cart.ts', rel: 'edited_with', to: 'test/cart.test.ts' },
        { from: 'src/tax.ts', rel: 'tested_by', to: 'npm test' },
      ]),
    );
  });
});

describe('extractSession', () => {
  test('a machine-made session yields nothing but what it saw', () => {
    const made = new MadeSession().user('Remember: always use pnpm').shell('npm test', '3 passed');
    const found = extractSession(made.input({ machine: true }));
    expect(found).toMatchObject({ candidates: [], relations: [], episode: null });
    expect(found.occurrences.length).toBeGreaterThan(0);
    expect(extractSession(made.input()).candidates.length).toBeGreaterThan(0);
    expect(extractSession(made.input({ subagent: true })).episode).toBeNull();
  });

  test('the order of the entries does not matter', () => {
    const made = new MadeSession()
      .user('Fix it')
      .edit('a.ts')
      .shell('npm test', '3 passed')
      .shell('git commit -m "fix: a"', '')
      .agent('Done.');
    const input = made.input();
    expect(extractSession({ ...input, entries: [...input.entries].reverse() })).toEqual(
      extractSession(input),
    );
  });
});
