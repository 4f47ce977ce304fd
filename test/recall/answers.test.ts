/**
 * What a search answers beyond its ranking: filters as a person types them, passages, questions,
 * ages, folded hits. Invented.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { HitJson } from '../../src/types/answers.js';
import { answers, calls, claudeLog, says, shell } from '../jobs/made-log.js';
import { isWeak } from '../../src/recall/search.js';
import { saysTheSame, worded } from '../../src/recall/answers.js';
import { type Stage, setStage } from '../stage.js';
import { dayFrom } from '../../src/text/days.js';

const SESSIONS = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-1111-4111-8111-111111111111`);

let stage: Stage;
beforeAll(async () => {
  stage = setStage();
  const days = ['2026-10-01', '2026-11-19', '2026-11-12'];
  for (const [place, session] of SESSIONS.entries())
    stage.log({ session, cwd: '/home/ann/kettle', day: days[place]! }, [
      says(`Why does the whistle of kettle number ${place} stay silent when the lid is closed?`),
      answers(`The whistle is silent since reed ${place} is bent.`),
      shell(`cat whistle-${place}.txt`, `whistle ${place} checked`, 0),
    ]);
  expect((await stage.type('run')).code).toBe(0);
}, 60_000);

async function find(...argv: string[]): Promise<HitJson[]> {
  const { code, err, json } = await stage.type('search', ...argv, '--json', '--project', 'all');
  expect([code, err]).toEqual([0, '']);
  return json<{ hits: HitJson[] }>().hits;
}

describe('filters', { timeout: 30_000 }, () => {
  test('a day is typed as a day or as how long ago it was', () => {
    const now = new Date('2026-03-01T00:30:00Z');
    const days = ['today', 'Yesterday', '7d', '2w', '0d', '2026-02-28'].map((text) =>
      dayFrom(text, now),
    );
    expect(days).toEqual([
      '2026-03-01',
      '2026-02-28',
      '2026-02-22',
      '2026-02-15',
      '2026-03-01',
      '2026-02-28',
    ]);
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
    expect(await since('--kind', 'entry', '--since', 'yesterday', '--until', 'today')).toEqual([
      '2026-11-19',
    ]);
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

  test('a part of a path chooses entries', async () => {
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
    expect(
      (await find('whistle', '--mode', 'exact', '--limit', '2')).map(({ at }) => at!.slice(0, 10)),
    ).toEqual(['2026-11-19', '2026-11-19']);
  });
});

const OTHER = 'dddddddd-1111-4111-8111-111111111111';

describe('hits as answers', { timeout: 60_000 }, () => {
  let own: Stage;
  beforeAll(async () => {
    own = setStage();
    const recipe = 'knead\n\tquince dough';
    const call = calls('mcp__oven__bake', { recipe, at: 'C:\\new' });
    const filler = (word: string) => `${word} `.repeat(300);
    own.log({ session: OTHER, cwd: '/home/ann/oven', day: '2026-11-17' }, [
      says(
        `Why does the quince tart burn at its rim although the oven shows one hundred and eighty degrees all of the time?`,
      ),
      call,
      ...[0, 1, 2, 3, 4].map((place) =>
        answers(
          `${filler('before')} The quince tart burns since fan ${place} blows on it. ${filler('after')}`,
        ),
      ),
      answers('Nobody baked a plum cake here.'),
      answers(
        'The thermostat of the pantry reads port 8080 when it is cold outside and the window stays open.',
      ),
      answers(
        'The thermostat of the pantry reads port 8081 when it is cold outside and the window stays open.',
      ),
    ]);
    for (const letter of ['e', 'f', '9'])
      own.put(
        `.claude/projects/-home-ann-oven/${letter.repeat(8)}-1111-4111-8111-111111111111.jsonl`,
        claudeLog(
          {
            session: `${letter.repeat(8)}-1111-4111-8111-111111111111`,
            cwd: '/home/ann/oven',
            day: '2026-11-18',
          },
          [
            says(`Greetings ${letter}`),
            answers('The marzipan is kept in the blue tin, since the red one is never closed.'),
          ],
        ),
      );
    expect((await own.type('run')).code).toBe(0);
  }, 60_000);

  const hitsOf = async (...argv: string[]) =>
    (await own.type('search', ...argv, '--kind', 'entry', '--json', '--project', 'all')).json<{
      hits: HitJson[];
    }>().hits;

  test('a hit is the passage that matched: longer for the first three, whole words around the match', async () => {
    const hits = await hitsOf('quince tart fan', '--role', 'assistant');
    expect(hits.length).toBeGreaterThanOrEqual(5);
    for (const [place, { passage }] of hits.entries()) {
      expect(passage.length).toBeLessThanOrEqual(place < 3 ? 600 : 400);
      expect(passage.length).toBeGreaterThan(place < 3 ? 500 : 300);
      expect(passage).toContain('quince tart burns since fan');
    }
    const [{ text, passage, matches }] = hits as [HitJson];
    expect(text).toContain(passage.replaceAll('…', ''));
    expect(matches.map(([start, end]) => passage.slice(start, end))).toEqual([
      'quince',
      'tart',
      'fan',
    ]);
  });

  test('it says what it answered, in at most 80 characters; what the person typed answers nothing', async () => {
    const hits = await hitsOf('quince tart');
    for (const { role, question } of hits) {
      if (role === 'user') expect(question).toBeNull();
      else expect(question).toMatch(/^Why does the quince tart burn at its rim .*…$/);
      expect((question ?? '').length).toBeLessThanOrEqual(80);
    }
    expect(hits.some(({ role }) => role === 'user')).toBe(true);
  });

  test('what several sessions say alike is one hit that names the others; numbers tell things apart; exact names each', async () => {
    const hits = await hitsOf('marzipan blue tin');
    expect(hits).toHaveLength(1);
    expect(hits[0]!.similar).toHaveLength(2);
    expect(new Set([hits[0]!.path, ...hits[0]!.similar.map(({ path }) => path)]).size).toBe(3);
    expect(await hitsOf('thermostat pantry')).toHaveLength(2);
    expect(await hitsOf('marzipan is kept', '--mode', 'exact')).toHaveLength(3);
    expect(saysTheSame(worded(''), worded('x'))).toBe(false);
  });

  test('a person reads age, place and what to show; escapes only on a terminal', async () => {
    const { out } = await own.type(
      'search',
      'quince',
      'tart',
      '--kind',
      'entry',
      '--role',
      'assistant',
      '--project',
      'all',
    );
    const [head, place, question] = out.split('\n');
    expect(head).toMatch(/^1\. \[entry assistant\] 3 days ago · oven-\w{4} · \w{10}$/);
    expect(place).toMatch(/^ {3}~\/\.claude\/projects\/-home-ann-oven\/d{8}-.*\.jsonl:\d+$/);
    expect(question).toMatch(/^ {3}> Why does the quince tart/);
    expect(out).not.toContain('\u001b');
    const short = / (\w{10})$/.exec(head!)![1]!;
    expect((await own.type('show', short)).out).toContain('quince tart burns');
    for (const [env, coloured] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false],
      [{ TERM: 'dumb' }, false],
    ] as const) {
      const argv = ['search', 'marzipan', '--project', 'all'];
      const { code, out: drawn } = await own.typeAs(argv, { env, outIsTerminal: true });
      expect(code).toBe(0);
      expect(drawn.includes('\u001b[1;33mmarzipan\u001b[0m'), JSON.stringify(env)).toBe(coloured);
      expect(drawn.includes('\u001b')).toBe(coloured);
    }
  });

  test('what shares a common word alone is told as weak, and only five of it', async () => {
    const near = await own.type('search', 'quince tart fan', '--project', 'all');
    expect(near.out).not.toContain('weak');
    const query = 'kubernetes ingress certificate rotation quince';
    const { out, json } = await own.type('search', query, '--project', 'all', '--json');
    expect(out).toContain('"weak":true');
    expect(json<{ hits: unknown[] }>().hits.length).toBeGreaterThan(5);
    const told = (await own.type('search', query, '--project', 'all')).out;
    expect(told).toMatch(/^nothing near was found; weak matches:\n\n1\. /);
    expect(told.match(/^\d+\. /gm)).toHaveLength(5);
    expect(
      (await own.type('search', query, '--project', 'all', '--limit', '10')).out.match(/^\d+\. /gm)!
        .length,
    ).toBeGreaterThan(5);
    expect([
      isWeak({ words: 0.5, meaning: 0.43 }),
      isWeak({ words: 0.6, meaning: 0.2 }),
      isWeak({ words: 0, meaning: 0.5 }),
    ]).toEqual([true, false, false]);
  });
});
