import { describe, expect, test } from 'vitest';
import { drawProgress, renderProgress } from '../../src/commands/run.js';
import { setStage } from './stage.js';

describe('progress', () => {
  test('a bar, and the time that is left once the pace is known', () => {
    const at = { job: 'ingest' as const, done: 60, total: 240, unit: 'MB' };
    expect(renderProgress(at)).toBe('ingest      [######------------------] 60 / 240 MB');
    expect(renderProgress(at, 45)).toBe(
      'ingest      [######------------------] 60 / 240 MB, 45 s left',
    );
    expect(renderProgress(at, 200)).toContain(', 3 min left');
    expect(renderProgress(at, 9000)).toContain(', 2.5 h left');
    expect(renderProgress({ ...at, done: 240 }, 5)).not.toContain('left');
  });

  test('the pace is that of the job since it began; nothing is drawn without a terminal', () => {
    const stage = setStage();
    let [mono, drawn] = [0, ''];
    const io = {
      ...stage.io(),
      terminal: true,
      clock: { now: () => stage.now, mono: () => mono },
      err: (text: string) => void (drawn += text),
    };
    const bar = drawProgress(io);
    bar.report({ job: 'ingest', done: 10, total: 100, unit: 'MB' });
    mono = 1000;
    bar.report({ job: 'ingest', done: 20, total: 100, unit: 'MB' });
    expect(drawn).not.toContain('left');
    mono = 4000;
    bar.report({ job: 'ingest', done: 30, total: 100, unit: 'MB' });
    expect(drawn).toContain('30 / 100 MB, 14 s left');
    mono = 5000;
    bar.report({ job: 'embed', done: 1, total: 2, unit: 'texts' });
    expect(drawn.split('\r').at(-1)).not.toContain('left');
    bar.clear();
    drawn = '';
    drawProgress({ ...io, terminal: false }).report({
      job: 'ingest',
      done: 1,
      total: 2,
      unit: 'MB',
    });
    expect(drawn).toBe('');
    stage.remove();
  });

  test('the newest logs and, after their lessons, the rest are one bar with the whole before it', () => {
    const stage = setStage();
    let [mono, drawn] = [0, ''];
    const bar = drawProgress({
      ...stage.io(),
      terminal: true,
      clock: { now: () => stage.now, mono: () => (mono += 3000) },
      err: (text: string) => void (drawn += text),
    });
    const bars = (
      reports: [job: 'ingest' | 'extract', done: number, total: number][],
    ): string[] => {
      drawn = '';
      for (const [job, done, total] of reports) bar.report({ job, done, total, unit: 'MB' });
      return [...drawn.matchAll(/([a-z]+) +\[.*?\] (\d+ \/ \d+)/g)].map(
        (match) => `${match[1]!} ${match[2]!}`,
      );
    };
    expect(
      bars([
        ['ingest', 20, 500],
        ['ingest', 48, 500],
        ['extract', 60, 60],
        ['ingest', 0, 452],
        ['ingest', 152, 452],
        ['extract', 5, 640],
        ['ingest', 452, 452],
      ]),
    ).toEqual([
      'ingest 20 / 500',
      'ingest 48 / 500',
      'extract 60 / 60',
      'ingest 48 / 500',
      'ingest 200 / 500',
      'extract 5 / 640',
      'ingest 500 / 500',
    ]);
    expect(
      bars([
        ['ingest', 1, 3],
        ['ingest', 3, 3],
      ]),
      'what was done is done',
    ).toEqual(['ingest 1 / 3', 'ingest 3 / 3']);
    stage.remove();
  });
});
