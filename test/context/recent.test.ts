/** What the newest sessions did, and what can be asked. */
import { describe, expect, test } from 'vitest';
import { renderContext, type Session } from '../../src/context/index.js';
import { withoutOwnNotes } from '../../src/parse/own-notes.js';
import { countTokens } from '../../src/text/tokens.js';
import { episode, input, lesson } from './build.js';

const HEADING = '## Recent sessions (whole: `dripstone show ID`)';

function page(sessions: Session[], given: Parameters<typeof input>[0] = {}): string {
  return renderContext(input({ sessions, ...given })).text;
}

/** The lines about sessions, without day, agent and id. */
function recent(sessions: Session[], given: Parameters<typeof input>[0] = {}): string[] {
  const section = page(sessions, given).split(`${HEADING}\n`)[1]?.split('\n\n')[0] ?? '';
  return section.split('\n').map((line) => line.replace(/^\* \S+ \S+ `[^`]*`: /, ''));
}

/** A session; `said` is its one answer. */
const numbered = (
  n: number,
  { said, ...given }: Partial<Session> & { said?: string[] } = {},
): Session =>
  episode({
    answers: said === undefined ? [] : [said],
    session: `${n}f29c01a-5d1e`,
    title: `Task number ${n}`,
    signal: 'answered',
    files: [],
    commits: [],
    ...given,
  });

describe('recent sessions', () => {
  test('the last four with day, agent and id, the newest first', () => {
    const lines = page([9, 8, 7, 6, 5].map((n) => numbered(n)))
      .split(`${HEADING}\n`)[1]!
      .split('\n\n')[0]!
      .split('\n');
    expect(lines).toEqual(
      [9, 8, 7, 6].map((n) => `* 2026-11-19 claude-code \`${n}f29c01a\`: Task number ${n}`),
    );
  });

  test('where claims of a model would be left out, the last three in half of the space', () => {
    const claims = (tags: string[]) =>
      Array.from({ length: 60 }, (_, n) =>
        lesson(n, { text: `Valve ${n} needs \`oil-${n}\` before winter`, tags }),
      );
    const said = ['The boiler waits for the pump, which starts first when the house is cold.'];
    const sessions = [9, 8, 7, 6, 5].map((n) => numbered(n, { said }));
    expect(recent(sessions, { lessons: claims([]) })).toHaveLength(4);
    const short = recent(sessions, { lessons: claims(['model']) });
    expect(short).toHaveLength(3);
    expect(countTokens(short.join('\n'))).toBeLessThan(150);
    expect(recent(sessions, { lessons: claims(['model']).slice(0, 5) })).toHaveLength(4);
  });

  test('a session that began with something to remember', () => {
    const title = 'Remember: the pump starts before the boiler';
    expect(recent([numbered(1, { title, signal: '`make test` passed' })])).toEqual([
      `${title} (\`make test\` passed)`,
    ]);
  });

  test.each<[string, Parameters<typeof numbered>[1], string]>([
    [
      'a commit',
      { signal: 'committed', commits: ['a', 'Close the valve'] },
      ' (committed: Close the valve)',
    ],
    ['a check', { signal: '`make test` failed' }, ' (`make test` failed)'],
    [
      'edits without a check',
      { signal: 'changed without a check after it', files: ['a.ts', 'b.ts', 'c.ts'] },
      ' (edited `a.ts`, `b.ts`)',
    ],
    [
      'edits and a check',
      { signal: '`make test` passed', files: ['a.ts'] },
      ' (`make test` passed; edited `a.ts`)',
    ],
    [
      'the newest answer that ends in no plan, from the first name on',
      {
        answers: [
          ['The pump and the boiler disagree.', 'Let me look at the valve.'],
          ['You are right about the pump.', 'The boiler waits for `pump.on`.'],
          ['The boiler is cold in winter.'],
        ],
      },
      '. The boiler waits for `pump.on`.',
    ],
    ['an answer', { said: ['The boiler waits for the pump.'] }, '. The boiler waits for the pump.'],
    [
      'items of a list',
      { said: ['The pump starts first', 'The boiler waits for it'] },
      '. The pump starts first; The boiler waits for it',
    ],
    [
      'narration, offers, headlines and chores around it',
      {
        said: [
          'Done.',
          'Here is what I changed in the boiler:',
          'Let me check the pump now.',
          'The pump starts first.',
          'Committed and pushed as `a1b2c3d`.',
          'Remember: the pump starts before the boiler.',
          'Want me to open a pull request?',
        ],
      },
      '. The pump starts first.',
    ],
    [
      'the line above a list, without its halves of sentences',
      {
        said: [
          'The valve opens',
          'There are two ways out for the valve:',
          'a larger `pump.on`, or',
          'The boiler waits',
        ],
      },
      '. There are two ways out for the valve.',
    ],
    [
      'a short sentence with a name',
      { said: ['`pump.toml` reverted.'] },
      '. `pump.toml` reverted.',
    ],
    [
      'the work before its commit',
      {
        answers: [['Committed as `a1b2c3d`.', 'Two files are left.'], ['The pump waits for `on`.']],
      },
      '. The pump waits for `on`.',
    ],
    [
      'markup',
      { said: ['**The pump** starts @first <system> for you.'] },
      '. The pump starts `@first` for you.',
    ],
  ])('how it ended: %s', (_, given, ending) => {
    expect(recent([numbered(1, given)])).toEqual([`Task number 1${ending}`]);
  });

  test('a sentence that does not fit is left out whole', () => {
    const long = `The boiler ${'waits and '.repeat(40)}stops.`;
    expect(
      recent([numbered(1, { said: ['The `pump` starts first.', long, 'The end is near.'] })]),
    ).toEqual(['Task number 1. The `pump` starts first.']);
  });

  test('a sentence that fits without what stands in brackets loses it', () => {
    const said = `The \`pump\` starts first (${'it waits and '.repeat(40)}ends) now.`;
    expect(recent([numbered(1, { said: [said] })])).toEqual([
      'Task number 1. The `pump` starts first now.',
    ]);
  });

  test('the ids are as long as it takes', () => {
    const sessions = ['01a0006f-aa', '01a0006f-ab'].map((session) => numbered(1, { session }));
    expect(page(sessions)).toMatch(/`01a0006f-aa`[\s\S]*`01a0006f-ab`/);
  });

  test('what is not for the page is not shown', () => {
    expect(page([numbered(2, { answers: null }), numbered(1)])).not.toContain('number 2');
  });

  const refunds = numbered(3, {
    title: 'Move refunds to the queue',
    day: '2026-11-18',
    signal: '2 tests fail',
    unfinished: true,
    next_step: 'fix `refund.test.ts`',
    files: ['src/refund.ts'],
  });

  test('unfinished work comes first, with its next step, also before four newer sessions', () => {
    expect(recent([...[9, 8, 7, 6].map((n) => numbered(n)), refunds])[0]).toBe(
      'Move refunds to the queue (unfinished: 2 tests fail); next: fix `refund.test.ts`',
    );
  });

  test.each<[string, Session[]]>([
    ['it is older than three active days', [numbered(9), { ...refunds, day: '2026-11-17' }]],
    [
      'a later session took it up',
      [{ ...refunds, session: 'later', unfinished: false, files: [] }, refunds],
    ],
    ['a later session changed its file', [numbered(9, { files: refunds.files }), refunds]],
  ])('it is no open work when %s', (_, sessions) => {
    expect(page(sessions)).not.toContain('unfinished');
  });

  test('they take at most 300 tokens, and a third of a small page', () => {
    const wordy = (n: number): Session =>
      numbered(n, {
        title: `Boiler ${n} ${'opens its valve '.repeat(5)}`,
        said: Array.from(
          { length: 9 },
          (_, i) => `The pump ${i} of the boiler starts before noon.`,
        ),
      });
    const sessions = [9, 8, 7, 6].map(wordy);
    const bytesOf = (budgetTokens: number): number =>
      Buffer.byteLength(
        page(sessions, { budgetTokens }).split(HEADING)[1]?.split('\n\n')[0] ?? '',
      ) + HEADING.length;
    expect(bytesOf(1000)).toBeGreaterThan(700);
    expect(bytesOf(1000)).toBeLessThanOrEqual(900);
    expect(bytesOf(500)).toBeLessThanOrEqual(500);
  });

  test("a page with sessions alone is no empty page, and comes back as nobody's words", () => {
    const text = page([numbered(1, { said: ['The pump starts first.'] })]);
    expect(text).not.toContain('No lesson yet');
    expect(withoutOwnNotes(text)).not.toContain('pump');
  });
});

describe('what can be asked', () => {
  const about = (title: string, files: string[] = []): Session => numbered(1, { title, files });
  const topics = (sessions: Session[]): string =>
    /answers from [^:.]*(?:: ([^.]*(?:\.\w+`[^.]*)*))?\. Learnt/.exec(page(sessions))?.[1] ?? '';

  test('names that several sessions share, the most shared first; words of prose are none', () => {
    const sessions = [
      about('Move the boilerPump into its own file', ['src/valve/main.ts', 'src/steam.ts']),
      about('Please fix the boilerPump and the valve', ['src/steam.ts']),
      about('Please test the boilerPump again, then the valve', ['README.md']),
      about('Once more: readme.md', ['README.md']),
    ];
    const line = topics(sessions);
    expect(line).toBe('`boilerPump`, `steam.ts`, `valve`');
    expect(topics([...sessions].reverse())).toBe(line);
  });
});
