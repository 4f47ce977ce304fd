import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderDetail, renderEpisodes } from '../../src/context/index.js';
import { anyEpisode, anyLesson, DAY, episode, lesson, shop } from './build.js';

test('detail/gotchas.md', async () => {
  const many = Array.from({ length: 7 }, (_, i) => ({
    agent: 'codex',
    session: `0199a2f3-${i}`,
    entry: `x${i}`,
    day: `2026-11-0${i + 1}`,
    trust: 0.6,
    supports: i !== 3,
    quote: 'a "quoted" @word',
  }));
  const lessons = [
    ...shop().lessons,
    lesson(30, {
      text: 'Old port `5432` is taken by the other stack',
      importance: 4,
      evidence: many,
      uses: 3,
      files: ['compose.yaml', 'bad name'],
      pinned: true,
    }),
  ];
  await expect(renderDetail('gotchas', lessons, DAY)).toMatchFileSnapshot('golden/gotchas.md');
});

test('episodes/2026-11.md', async () => {
  const episodes = [
    episode({
      problem: 'The list froze on 50,000 orders',
      solution: 'Stream rows instead of building one string',
      lesson: 'Backpressure belongs to `pipeline`',
      files: Array.from({ length: 10 }, (_, i) => `src/orders/part-${i}.ts`),
    }),
    episode({
      session: 'b77',
      title: 'Move refunds to the queue',
      day: '2026-11-20',
      outcome: 'partial',
      signal: '2 tests fail',
      unfinished: true,
      next_step: 'fix `refund.test.ts`',
    }),
    episode({ session: 'c88', title: 'October work', day: '2026-10-30' }),
  ];
  const text = renderEpisodes('2026-11', episodes);
  await expect(text).toMatchFileSnapshot('golden/2026-11.md');
  const masked = episode({
    title: 'Use [REDACTED:github-token:bfc261] for releases',
    day: '2026-11-20',
  });
  expect(/^> Keywords: (.*)$/m.exec(renderEpisodes('2026-11', [masked]))![1]).toMatch(
    /^(?!.*(?:redacted|token|bfc261)).*releases/,
  );
  expect(renderEpisodes('2026-11', [...episodes].reverse())).toBe(text);
});

test('foreign text stays one harmless line; a summary has at most ten words', () => {
  fc.assert(
    fc.property(
      fc.array(anyLesson, { maxLength: 5 }),
      fc.array(anyEpisode, { maxLength: 5 }),
      (lessons, episodes) => {
        for (const line of renderDetail('facts', lessons, DAY)
          .split('\n')
          .filter((l) => l !== ''))
          expect(line).toMatch(/^(?:> |- | {2}- )/);
        for (const line of renderEpisodes('2026-11', episodes)
          .split('\n')
          .filter((l) => l !== '')) {
          expect(line).toMatch(/^(?:> |- |## )/);
          if (line.startsWith('- Summary: '))
            expect(line.slice(11).split(' ').length).toBeLessThanOrEqual(20);
        }
      },
    ),
  );
});
