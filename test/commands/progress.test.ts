import { describe, expect, test } from 'vitest';
import { drawProgress } from '../../src/commands/run.js';
import { setStage } from '../stage.js';

describe('progress', () => {
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
  });
});
