/**
 * A long history gives a context.md of its newest sessions before the rest is read, and in the end
 * the same bytes as at one go.
 */
import { readFileSync, utimesSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../../src/app.js';
import { runAll } from '../../../src/jobs/loop.js';
import { says, shell } from '../../jobs/made-log.js';
import { type Stage, setStage } from '../../stage.js';

const DAYS = ['2026-08-01', '2026-08-02', '2026-08-03'];
const SAID = [
  'Remember: always run the tests with `pnpm test --run` before you commit.',
  'Remember: never edit files under src/generated, they are made by the build.',
  'Remember: never write to src/legacy by hand, the importer does it.',
];

function makeStage(): Stage {
  const stage = setStage({ now: '2026-08-04T12:00:00Z' });
  DAYS.forEach((day, index) => {
    const session = `${String(index + 1).repeat(8)}-1111-4111-8111-111111111111`;
    const path = stage.log({ session, cwd: '/home/ana/shop', day }, [
      says(SAID[index]!),
      shell('pnpm test --run', '3 passed', 0),
    ]);
    utimesSync(path, 1_785_000_000 + index * 86_400, 1_785_000_000 + index * 86_400);
  });
  return stage;
}

interface Played {
  jobs: string[];
  /** What context.md said when it was first there. */
  first: string;
  /** What the reports of reading said: done of total, in bytes. */
  read: [done: number, total: number][];
  files: Map<string, string>;
}

async function play(...firstBytes: number[]): Promise<Played> {
  const stage = makeStage();
  let first = '';
  const read: Played['read'] = [];
  const contextOf = () => stage.files('projects').find((path) => path.endsWith('/context.md'));
  const progress = ({ job, done, total }: { job: string; done: number; total: number }) => {
    if (job === 'ingest') read.push([Math.round(done * 1e6), Math.round(total * 1e6)]);
    const path = job === 'ingest' && first === '' ? contextOf() : undefined;
    if (path !== undefined) first = readFileSync(path, 'utf8');
  };
  await using app = await createApp({ ...stage.io(), access: 'write', progress });
  const report = await runAll(app, { only: ['ingest', 'extract', 'context'], firstBytes });
  expect(report.errors).toEqual([]);
  expect(report.results.get('ingest')?.counts).toMatchObject({ logs: 3, entries: 9 });
  const runs = await app.store.read((db) =>
    db.all<{ job: string }>('SELECT job FROM main.job_runs ORDER BY started, id'),
  );
  const names = stage
    .files()
    .filter((name) => name.endsWith('.md'))
    .sort();
  return {
    jobs: runs.map(({ job }) => job),
    first,
    read,
    files: new Map(names.map((name) => [relative(stage.stone, name), readFileSync(name, 'utf8')])),
  };
}

test('the newest sessions come first, and nothing of it shows in the end', async () => {
  const whole = await play(1_000_000);
  expect(whole.jobs).toEqual(['ingest', 'extract', 'context']);
  const parted = await play(1);
  expect(parted.jobs).toEqual(['ingest', 'extract', 'context', 'ingest', 'extract', 'context']);
  expect(parted.first).toContain('src/legacy');
  expect(parted.first).not.toContain('src/generated');
  expect([...parted.files.values()].join('')).toContain('src/generated');
  expect(parted.files).toEqual(whole.files);
  const bytes = whole.read.at(-1)![1];
  expect(whole.read.at(-1)).toEqual([bytes, bytes]);
  const rest = parted.read.findIndex(([, total]) => total !== bytes);
  expect(parted.read[0]![1], 'the first look counts against all that waits').toBe(bytes);
  expect(parted.read[rest - 1]![0] + parted.read[rest]![1]).toBe(bytes);
});
