/** A year in numbers, and as a picture that gives nothing away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claudeLog, says, shell } from '../jobs/made-log.js';
import { begunStage } from './begun-stage.js';

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  for (const [id, day] of [
    ['a1', '2026-11-18'],
    ['b2', '2026-11-18'],
    ['c3', '2025-01-02'],
  ] as const)
    made.put(
      `.claude/projects/-home-mira-code-kettle/${id}.jsonl`,
      claudeLog({ session: id, cwd: '/home/mira/code/kettle', day }, [
        says('Boil <the> water'),
        shell('make tea', 'ok', 0),
      ]),
    );
  await made.type('run');
});

test('counts the sessions of a year, and of ever', async () => {
  const stage = await begun();
  expect((await stage.type('stats')).out).toBe(
    '2 sessions from 2025-11-21 to 2026-11-21\n1 active day · 0 hours · 2 prompts · 2 commands · 1 project\n' +
      'agents: claude-code 2\nbusiest day: 2026-11-18 (2)\n',
  );
  const ever = (await stage.type('stats', '--since', 'all', '--json')).json<{
    sessions: number;
    days: unknown[];
  }>();
  expect(ever).toMatchObject({
    sessions: 3,
    days: [
      { day: '2025-01-02', sessions: 1 },
      { day: '2026-11-18', sessions: 2 },
    ],
  });
});

test('the card names days and agents, and nothing that was worked on', async () => {
  const stage = await begun();
  const file = join(stage.home, 'year.svg');
  expect((await stage.type('stats', '--card', file)).out).toBe(`wrote ${file}\n`);
  const card = readFileSync(file, 'utf8');
  expect(card).toContain('<title>2026-11-18: 2 sessions</title>');
  expect(card).toContain('>claude-code</text>');
  expect(card).not.toMatch(/kettle|mira|water|tea/);
  expect((await stage.type('stats', '--card', stage.home)).code).toBe(1);
});
