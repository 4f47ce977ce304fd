import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/types.js';
import { saidOf } from './door.js';
import { answered, sessionOf, typed } from './session-of.js';

/** In the middle of a session: where people put their wishes. */
function said(text: string, more: Partial<Entry> = {}) {
  const found = saidOf(
    sessionOf([typed('make it green'), answered('Done.'), typed(text, more), answered('Noted.')]),
  );
  return found.filter(({ worth }) => worth === 1);
}
function texts(text: string): string[] {
  return said(text).map((one) => one.text);
}
const CLAIM = 'Remember: always run `make db` before the tests';
const WORDS = ['always run `make db` before the tests'];

describe('what a person says to remember', () => {
  test.each([
    [
      'Remember: never push to main just because CI is green.',
      ['never push to main just because CI is green.'],
    ],
    [
      '  **Remember:** ok is what the API must always return',
      ['ok is what the API must always return'],
    ],
    ['remember：今後は必ず日本語で答えてください', ['今後は必ず日本語で答えてください']],
    [`Fix the login bug.\n\n${CLAIM}\n\nThen run the tests.`, WORDS],
    [`Fix the login bug.\n${CLAIM}\nThen run the tests.`, WORDS],
    // No page has so long a line, and it is theirs.
    [
      `Remember: ${'never open the sluice '.repeat(15)}at night`,
      [`${'never open the sluice '.repeat(15)}at night`],
    ],
    [`${CLAIM}\nRemember: use pnpm`, [...WORDS, 'use pnpm']],
    [
      'Remember: never push to main\nunless   CI is green',
      ['never push to main unless CI is green'],
    ],
    [`## Task\nFix the login.\n\n## Notes\n${CLAIM}`, WORDS],
    [`https://github.com/acme/shop/issues/12\n${CLAIM}`, WORDS],
    [`- fix the login\n- ${CLAIM}\n- push`, WORDS],
    [`Steps:\n1. fix the login\n2. push\n\n${CLAIM}`, WORDS],
    [`---\n**Task**\n| a | b |\n\n${CLAIM}`, WORDS],
    [`${'Some words of the person. '.repeat(100)}\n\n${CLAIM}`, WORDS],
    [`${'a line.\n'.repeat(60)}${CLAIM}`, WORDS],
    [`The log:\n\`\`\`\nfailed\n\`\`\`\n`.replace('The log:\n', '') + `\n${CLAIM}`, WORDS],
  ])('%j, verbatim', (text, expected) => expect(texts(text)).toEqual(expected));

  test('it is theirs, at once, for this project', () => {
    expect(said(CLAIM)).toEqual([
      expect.objectContaining({
        kind: 'preference',
        importance: 5,
        said_by: 'user',
        scope: 'project',
        alone: true,
        worth: 1,
      }),
    ]);
  });
});

describe('whatever else stands in a prompt is no claim', () => {
  test.each([
    'Always run the linter before you commit.',
    'never push to main directly',
    'Do remember: x is not y',
    'Remember: should we use pnpm?',
  ])('%j', (text) => expect(texts(text)).toEqual([]));

  test.each([
    ['a fence', `Fix this\n\`\`\`\n${CLAIM}\n\`\`\``],
    ['a fence that is never closed', `Fix this\n~~~\n${CLAIM}`],
    ['a fence in a longer one', `Fix this\n\`\`\`\`\n\`\`\`\n${CLAIM}\n\`\`\`\`\n`],
    ['a quotation', `Fix this\n> He wrote\n> ${CLAIM}`],
    ['a quotation that goes on without its sign', `> He wrote.\n${CLAIM}`],
    ['quotation marks', `The wiki says "do this.\n${CLAIM}\nthen that"`],
    ['a tag', `<page>\n${CLAIM}\n</page>`],
    ['what a line introduces', `The wiki page says:\n\n${CLAIM}\n\nThat is wrong.`],
    ['a list that a line introduces', `The wiki says:\n- x\n- ${CLAIM}`],
    ['a mail', `From: bob@example.com\nSubject: build\n\nHi,\n\n${CLAIM}\nBob`],
    [
      'a commit',
      `commit 3f2a1bc9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f\n\n${CLAIM}\n\nwhat does this do?`,
    ],
    ['an indented block', `what is this\n\n    ${CLAIM}`],
    ['a form', `- [x] I ran the tests\n\n${CLAIM}`],
    ['a negation before the break', `It is a bad idea to\n${CLAIM}`],
    [
      'our own page',
      `Notes from earlier sessions in \`shop\`; the repository and the user win over them.\n- ${CLAIM}`,
    ],
  ])('in %s', (_, text) => expect(texts(text)).toEqual([]));

  test('what no person typed: other origins, copies, answers that the agent worded', () => {
    for (const origin of ['tool', 'external', 'injected', 'agent'] as const)
      expect(said(CLAIM, { origin })).toEqual([]);
    expect(said(CLAIM, { copied: true })).toEqual([]);
    expect(said(CLAIM, { marks: ['question'] })).toEqual([]);
  });
});

test('laws: a claim is a piece of the prompt, white space aside, and no longer than a line; no fenced text is ever one', () => {
  const parts = fc.array(
    fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom(
        'Remember: use `x`',
        '\n',
        '\n\n',
        '> ',
        '"',
        '`',
        '- ',
        'says:',
        '<b>',
        '# ',
        '    ',
        '?',
      ),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(parts, (words) => {
      const text = words.join('');
      const flat = text.replace(/\s+/g, ' ');
      for (const claim of texts(text)) {
        expect(flat).toContain(claim);
        expect(claim.length).toBeLessThanOrEqual(200);
      }
      expect(texts(`\`\`\`\`\`\n${text.replaceAll('`````', '')}`)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
