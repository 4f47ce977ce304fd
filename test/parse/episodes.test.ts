import { describe, expect, test } from 'vitest';
import { extractSession, type SessionInput } from '../../src/parse/index.js';
import type { Entry } from '../../src/types.js';
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
      ...{ solution: null, lesson: null, next_step: null },
    });
  });

  test.each([
    ['Coupons', 'Fix the cart total now.', 'Coupons'],
    [null, 'Please fix [it](https://a.test) in @a.ts', 'Please fix it in'],
  ])('the agent’s title (%j), else the request without links', (own, said, title) => {
    const input = new MadeSession().user(said).agent('Done.').input();
    const facts = { ...input.facts, ...(own === null ? {} : { title: own }) };
    expect(episodeOf({ ...input, facts })).toMatchObject({ title });
  });

  const asked = (): MadeSession => new MadeSession().user('Add a coupon field');
  const edited = (): MadeSession => asked().edit('a.ts');
  const stopped = { origin: 'injected', marks: ['interrupt'] } as Partial<Entry>;
  const answer =
    'It reads the coupon from the query, looks it up in `coupons.ts` and applies the discount to the cart.';
  test.each([
    [edited().fails('npm test', '1 failed').agent('It fails.'), 'partial', '`npm test` failed'],
    [edited().shell('npm test', '1 passed').agent('Done.'), 'success', '`npm test` passed'],
    [edited().agent('Done.'), 'unknown', 'changed without a check after it'],
    [edited().user('[stopped]', stopped), 'abandoned', 'the user stopped it'],
    [asked().shell('ls', 'a'), 'unknown', 'the log ends in the middle'],
    [new MadeSession().user('How does the coupon work here?').agent(answer), 'success', 'answered'],
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
    expect(episodeOf(session.input())).toMatchObject({ unfinished: true, next_step: 'test it' });
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
  const long = `You are a reviewer. ${'x'.repeat(300)}`;

  test.each([
    ['the same long opening', [`${long} one`, `${long} two`], false],
    ['two short prompts', ['fix the cart', 'fix the till'], true],
  ])('%s', (_, texts, expected) => expect(typedLater(...texts)).toBe(expected));
});

describe('extractSession', () => {
  test('a machine-made session yields nothing', () => {
    const made = new MadeSession().user('Remember: always use pnpm').shell('npm test', '3 passed');
    const found = extractSession(made.input({ machine: true }));
    expect(found).toMatchObject({ candidates: [], episode: null });
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
