/** What a search answers beyond its ranking: filters as a person types them, passages, questions, ages, folded hits. Invented. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayFrom } from '../../src/commands/command.js';
import type { SearchHit } from '../../src/recall/hit.js';
import { answers, claudeLog, says, shell } from '../jobs/made-log.js';
import { setStage, type Stage } from '../commands/stage.js';

const SESSIONS = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-1111-4111-8111-111111111111`);

let stage: Stage;
beforeAll(async () => {
  stage = setStage();
  const days = ['2026-10-01', '2026-11-19', '2026-11-12'];
  for (const [place, session] of SESSIONS.entries())
    stage.put(
      `.claude/projects/-home-ann-kettle/${session}.jsonl`,
      claudeLog({ session, cwd: '/home/ann/kettle', day: days[place]! }, [
        says(`Why does the whistle of kettle number ${place} stay silent when the lid is closed?`),
        answers(`The whistle is silent since reed ${place} is bent.`),
        shell(`cat whistle-${place}.txt`, `whistle ${place} checked`, 0),
      ]),
    );
  expect((await stage.type('run')).code).toBe(0);
}, 60_000);
afterAll(() => stage.remove());

async function find(...argv: string[]): Promise<SearchHit[]> {
  const { code, err, json } = await stage.type('search', ...argv, '--json', '--project', 'all');
  expect([code, err]).toEqual([0, '']);
  return json<{ hits: SearchHit[] }>().hits;
}

describe('filters', { timeout: 30_000 }, () => {
  test('a day is typed as a day or as how long ago it was', () => {
    const now = new Date('2026-03-01T00:30:00Z');
    const days = ['today', 'Yesterday', '7d', '2w', '0d', '2026-02-28'].map((text) => dayFrom(text, now));
    expect(days).toEqual(['2026-03-01', '2026-02-28', '2026-02-22', '2026-02-15', '2026-03-01', '2026-02-28']);
    for (const text of ['', '7', 'd', '-1d', '7h', '99999d', '2026-02-30', 'last week', '1.5d'])
      expect(dayFrom(text, now), text).toBeNull();
  });

  test('days since and until bound the hits', async () => {
    const since = async (...argv: string[]) =>
      [...new Set((await find('whistle', ...argv)).map(({ at }) => at!.slice(0, 10)))].sort();
    expect(await since('--kind', 'entry')).toEqual(['2026-10-01', '2026-11-12', '2026-11-19']);
    expect(await since('--kind', 'entry', '--since', '7d')).toEqual(['2026-11-19']);
    expect(await since('--kind', 'entry', '--since', '2w')).toEqual(['2026-11-12', '2026-11-19']);
    expect(await since('--kind', 'entry', '--until', '2w')).toEqual(['2026-10-01']);
    expect(await since('--kind', 'entry', '--since', 'yesterday', '--until', 'today')).toEqual(['2026-11-19']);
  });

  test('an unknown agent, kind or day is a usage error that lists what there is', async () => {
    for (const [option, word, known] of [
      ['--agent', 'claud', 'claude-code'],
      ['--kind', 'lessons', 'lesson'],
      ['--since', '3x', 'yesterday'],
    ] as const) {
      const { code, err } = await stage.type('search', 'whistle', option, word);
      expect(code).toBe(2);
      expect(err).toContain(word);
      expect(err).toContain(known);
    }
    expect((await find('whistle', '--agent', 'claude-code')).length).toBeGreaterThan(0);
    expect(await find('whistle', '--agent', 'codex')).toEqual([]);
  });

  test('a tool and a part of a path choose entries', async () => {
    const bash = await find('whistle', '--tool', 'bash');
    expect(new Set(bash.map(({ role }) => role))).toEqual(new Set(['tool_call', 'tool_result']));
    expect(await find('whistle', '--tool', 'Bas')).toEqual([]);
    const one = await find('whistle', '--file', 'tle-1.t');
    expect(one.length).toBeGreaterThan(0);
    expect(new Set(one.map(({ session }) => session))).toEqual(new Set([SESSIONS[1]]));
    expect(await find('whistle', '--file', 'nowhere.txt')).toEqual([]);
  });

  test('exact text comes newest first, whatever its id', async () => {
    const hits = await find('whistle', '--mode', 'exact', '--kind', 'entry');
    const times = hits.map(({ at }) => at!);
    expect(times.length).toBeGreaterThan(8);
    expect(times).toEqual([...times].sort().reverse());
    expect((await find('whistle', '--mode', 'exact', '--limit', '2')).map(({ at }) => at!.slice(0, 10))).toEqual([
      '2026-11-19',
      '2026-11-19',
    ]);
  });
});
