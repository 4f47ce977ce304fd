/** Our own notes come back in every way in which agents include them, and teach nothing. */
import { describe, expect, test } from 'vitest';
import { renderContext } from '../../src/context/index.js';
import { headLines } from '../../src/context/frame.js';
import { extractSession } from '../../src/parse/index.js';
import type { Entry } from '../../src/types.js';
import { answered, ran, sessionOf, typed } from './session-of.js';

const NOTES = [
  headLines('shop', '2026-11-19')[0],
  '',
  '## The user said (follow unless this task says otherwise)',
  '- Use pnpm, not npm, in this repository',
  '',
  '## Learnt here (check before relying on it)',
  '- `pnpm build` fails with `Could not resolve "./locales/de.json"` on a fresh checkout because the locale files are not in git: run `pnpm i18n:extract` first',
  '- Invoices are kept in cents in `src/money.ts`',
].join('\n');
/** As earlier versions wrote them. */
const WITH_IDS = NOTES.replace(/^- .*$/gm, '$& ^k3f');
const DENIED = NOTES.replace(/^- .*$/gm, '$& (contradicted on 2026-11-18)');
function numbered(mark: string): string {
  return NOTES.split('\n')
    .map((line, n) => `${String(n + 1).padStart(6)}${mark}${line}`)
    .join('\n');
}

/** What the agent says after it has seen them. */
const ECHOES = [
  'The root cause: `pnpm build` fails with `Could not resolve "./locales/de.json"` on a fresh checkout because the locale files are not in git: run `pnpm i18n:extract` first.',
  'Remember: Invoices are kept in cents in `src/money.ts`.',
];
function learnt(parts: Partial<Entry>[]): string[] {
  return extractSession(
    sessionOf([
      typed('Please fix the invoice page.'),
      ...parts,
      ...ECHOES.map((text) => answered(text, { marks: ['final'] })),
    ]),
  )
    .candidates.map(({ text }) => text)
    .filter((text) => /locale|cents|pnpm/.test(text));
}

describe('our own notes', () => {
  test('without them the same sentences are lessons: the test can fail', () => {
    expect(learnt([]).length).toBeGreaterThan(0);
  });

  const ways: [string, Partial<Entry>[]][] = [
    ['of lessons that something contradicted', ran('cat context.md', DENIED)],
    [
      'an import of CLAUDE.local.md, as an attachment',
      [
        {
          role: 'system',
          origin: 'injected',
          text: `Contents of /home/ann/.dripstone/projects/shop-3fa9/context.md (user's private project instructions, not checked in):\n\n${NOTES}`,
        },
      ],
    ],
    [
      'an import of GEMINI.md, expanded',
      [
        {
          role: 'user',
          origin: 'injected',
          text: `<!-- Imported from: ./.dripstone/context.md -->\n${NOTES}\n<!-- End of import from: ./.dripstone/context.md -->`,
        },
      ],
    ],
    [
      'the sentence of AGENTS.md, followed with a read tool',
      [{ role: 'tool_result', origin: 'tool', tool: 'Read', text: numbered('→') }],
    ],
    [
      'the same with tabs',
      [{ role: 'tool_result', origin: 'tool', tool: 'Read', text: numbered('\t') }],
    ],
    [
      'the sentence of AGENTS.md, followed in a shell',
      [
        {
          role: 'tool_call',
          origin: 'agent',
          tool: 'shell',
          command: 'cat ~/.dripstone/projects/shop-3fa9/context.md',
          text: 'cat',
        },
        { role: 'tool_result', origin: 'tool', tool: 'shell', text: `Output:\n${NOTES}` },
      ],
    ],
    [
      'recall and fix in a shell, which write no head',
      ran(
        'npx dripstone recall "build the shop"',
        NOTES.split('\n')
          .filter((line) => line.startsWith('- '))
          .map((line) => `${line} (2026-11-19, id 0123456789)`)
          .join('\n'),
      ),
    ],
    [
      'a prompt for a model, read from its file',
      ran(
        'cat prompts/01-s1.md',
        ['[dripstone own call]', '<session>', ...ECHOES, '</session>'].join('\n'),
      ),
    ],
    [
      'the notes of an earlier version',
      [{ role: 'tool_result', origin: 'tool', tool: 'Read', text: WITH_IDS }],
    ],
    [
      'a search hit',
      [
        {
          role: 'tool_result',
          origin: 'tool',
          tool: 'shell',
          text: NOTES.split('\n')
            .map((line, n) => `${n + 1}: ${line}`)
            .join('\n'),
        },
      ],
    ],
  ];
  test.each(ways)('%s', (_, parts) => {
    expect(learnt(parts)).toEqual([]);
  });

  test('a paste by the person is no new word of theirs', () => {
    const pasted = extractSession(sessionOf([typed(NOTES)])).candidates;
    expect(pasted.filter(({ said_by }) => said_by === 'user').map(({ text }) => text)).toEqual([]);
  });

  /** What counts as typed in a prompt. */
  function named(text: string): string[] {
    return extractSession(sessionOf([typed(text)])).rows.prompts.map(({ text }) => text);
  }
  const LESSON = '- Test: `npm run spec`';

  test('every head that we write is known, with and without a day', () => {
    for (const name of ['shop', null, ''])
      for (const day of ['2026-11-19', ''])
        for (const head of headLines(name, day))
          expect(named(`${head}\n${LESSON}`).join('')).not.toContain('npm run spec');
    const empty = renderContext({
      project: null,
      lessons: [],
      globals: [],
      sessions: [],
      clockDay: '2026-11-19',
      lastDays: [],
      budgetTokens: 1000,
      askForNotes: true,
    }).text;
    const [head] = empty.split('\n');
    expect(named(`${head}\n${LESSON}`).join('')).not.toContain('npm run spec');
    const foreign = named(`Notes from earlier sessions in the archive\n${LESSON}`).join('');
    expect(foreign).toContain('npm run spec');
  });

  test('only their lessons are taken out of a text', () => {
    expect(named(NOTES)).toEqual([]);
    expect(named(WITH_IDS)).toEqual([]);
    expect(named('- run `make deploy` ^abc').join('')).toContain('make deploy');
  });
});
