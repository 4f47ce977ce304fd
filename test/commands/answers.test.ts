/**
 * What commands say at their end is what a person asked: nothing cut, counted twice or named by an
 * id alone.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderEpisodes } from '../../src/context/index.js';
import { nearest } from '../../src/text/nearest.js';
import { episode } from '../context/build.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';
import { begunStage } from './begun-stage.js';
import { setStage } from './stage.js';

const idOf = (digit: number): string => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  const about = { session: idOf(1), cwd: join(stage.home, 'shop'), day: '2026-11-18' };
  stage.put(
    `.claude/projects/-p/${idOf(1)}.jsonl`,
    claudeLog(about, [
      says('Remember: always use pnpm instead of npm in this repository.'),
      shell('pnpm test', '', 0),
    ]),
  );
  await stage.type('run');
});

test('undo prints the words of what it took back, also of what is gone then', async () => {
  const stage = await begun();
  const added = await stage.type(
    'lessons',
    'add',
    'Tills open at nine',
    '--kind',
    'fact',
    '--project',
    'shop',
  );
  expect(added.out).toContain('added: Tills open at nine');
  expect((await stage.type('lessons', 'undo')).out).toContain('taken back: Tills open at nine');
});

test('an entry without a text has null, and lessons of one agent are found', async () => {
  const stage = await begun();
  const { hits } = (await stage.type('search', 'pnpm', '--project', 'all', '--json')).json<{
    hits: { type: string; id: string }[];
  }>();
  const entry = hits.find(({ type }) => type === 'entry')!;
  const shown = (await stage.type('show', entry.id, '--around', '5', '--json')).json<{
    neighbours: { text: string | null }[];
  }>();
  expect(shown.neighbours.map(({ text }) => text)).toContain(null);
  expect(shown.neighbours.map(({ text }) => text)).not.toContain('');
  for (const [agent, least] of [
    ['claude-code', 1],
    ['codex', 0],
  ] as const) {
    const found = (
      await stage.type(
        'search',
        'pnpm',
        '--kind',
        'lesson',
        '--agent',
        agent,
        '--project',
        'all',
        '--json',
      )
    ).json<{ hits: { type: string }[] }>().hits;
    expect(found.every(({ type }) => type === 'lesson')).toBe(true);
    expect(Math.min(found.length, 1)).toBe(least);
  }
});

test('importing twice counts nothing the second time', async () => {
  const stage = await begun();
  const file = join(stage.home, 'mine.tar.gz');
  await stage.type('export', file);
  expect((await stage.type('import', file, '--json')).json()).toMatchObject({
    projects: 0,
    lessons: 0,
    edits: 0,
    notes: 0,
  });
  const other = setStage();
  expect((await other.type('import', file, '--json')).json()).toMatchObject({ projects: 1 });
  expect((await other.type('import', file, '--json')).json()).toMatchObject({
    projects: 0,
    lessons: 0,
    edits: 0,
    notes: 0,
  });
  other.remove();
});

test('a run that is interrupted says how many logs are left', async () => {
  const stage = setStage();
  for (const digit of [1, 2, 3])
    stage.put(
      `.claude/projects/-p/${idOf(digit)}.jsonl`,
      claudeLog({ session: idOf(digit), cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
        says('hello'),
      ]),
    );
  stage.stop.abort();
  expect(await stage.type('run')).toMatchObject({
    code: 130,
    err: expect.stringContaining('interrupted, 3 logs left') as string,
  });
  stage.remove();
});

test('HOME= is refused: the folder of the command would be taken for it', async () => {
  const stage = setStage();
  const io = { ...stage.io(), env: { HOME: '' } };
  const { main } = await import('../../src/commands/main.js');
  let err = '';
  expect(await main(['status'], { ...io, err: (text) => void (err += text) })).toBe(2);
  expect(err).toContain('HOME is set and empty');
  stage.remove();
});

describe('a word that is like none', () => {
  const keys = [
    'log',
    'log.level',
    'embed.url',
    'llm.model',
    'exclude',
    'enabled',
    'context.budget_tokens',
  ];
  test.each(['foo', 'mode_of_work', 'theme', 'colors', 'usr', 'api_key'])(
    '%s gets no far-fetched guess',
    (word) => {
      expect(nearest(word, keys)).toBeNull();
    },
  );
  test.each([
    ['exlude', 'exclude'],
    ['enable', 'enabled'],
    ['context.budget_token', 'context.budget_tokens'],
  ])('%s is meant as %s', (word, key) => expect(nearest(word, keys)).toBe(key));
});

test('an episode does not repeat its title', () => {
  const title = 'Move refunds to the queue and drop the old table at last';
  const told = renderEpisodes('2026-11', [
    episode({
      title,
      summary: 'Move refunds to the queue and drop the old table',
      day: '2026-11-20',
    }),
  ]);
  expect(told.match(/Move refunds/g)).toHaveLength(1);
});
