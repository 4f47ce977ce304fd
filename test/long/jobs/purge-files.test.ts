/** What a purge leaves: lines that are written meanwhile, and months that lose nothing. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pathsOf } from '../../../src/config.js';
import { purgeLines, putLinesBack } from '../../../src/jobs/upkeep/purge-files.js';
import { filesBelow } from '../../../src/watchers/index.js';
import { holding } from '../../folder.js';
import { setStage } from '../../stage.js';
import { says } from '../../jobs/made-log.js';

const line = (text: string): string =>
  `${JSON.stringify({ agent: 'my-tool', session: 's', role: 'user', text })}\n`;

test('a line that a tool appends to the inbox while lines are taken out stays', async () => {
  const stage = setStage();
  const paths = pathsOf(stage.stone);
  mkdirSync(paths.inbox, { recursive: true });
  const path = join(paths.inbox, 'a.jsonl');
  writeFileSync(path, line('keep the first') + line('the plover must go') + line('keep this'));
  let times = 0;
  const hasPurged = (text: string): boolean => {
    if (text.includes('plover') && times < 9) appendFileSync(path, line(`added ${++times}`));
    return text.includes('plover');
  };
  expect(await purgeLines(paths, { ids: new Set(), sessions: new Set(), hasPurged })).toBe(1);
  const left = readFileSync(path, 'utf8');
  expect(times).toBeGreaterThan(1);
  expect(left.match(/added \d/g)).toHaveLength(times);
  expect(left).toMatch(/keep the first[^]*keep this/);
  expect(left).not.toContain('plover');
});

test('lines that a killed purge had moved aside are back at the next start', async () => {
  const stage = setStage();
  const paths = pathsOf(stage.stone);
  mkdirSync(paths.inbox, { recursive: true });
  const path = join(paths.inbox, 'a.jsonl');
  writeFileSync(path, line('before'));
  renameSync(path, `${path}.purging`);
  appendFileSync(path, line('after'));
  await putLinesBack(paths);
  expect(readFileSync(path, 'utf8')).toBe(line('after') + line('before'));
});

test('a month of a project that loses nothing stays as it is, whoever wrote it', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z' });
  const log = (session: string, folder: string, text: string): string =>
    stage.log({ session, cwd: `/home/ann/${folder}`, day: '2026-11-10' }, [says(text)]);
  const [going, staying] = ['1', '2'].map(
    (digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`,
  );
  log(going!, 'kettle', 'Remember: the plover starts the pump.');
  log(staying!, 'teapot', 'Remember: pour the teapot slowly.');
  expect((await stage.type('run')).code).toBe(0);
  const old = join(stage.folder('teapot'), 'episodes', '2024-02.md');
  writeFileSync(old, '# a month of a lost database\n');
  expect((await stage.type('purge', '--session', going!, '--yes')).code).toBe(0);
  expect(readFileSync(old, 'utf8')).toBe('# a month of a lost database\n');
});

test('a row that only a tier has goes with the text, and its neighbours stay', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z' });
  const session = '11111111-1111-4111-8111-111111111111';
  stage.log({ session, cwd: '/home/ann/kettle', day: '2026-11-18' }, [says('Fill the kettle.')]);
  expect((await stage.type('run')).code).toBe(0);
  const [tier] = filesBelow(join(stage.folder('kettle'), 'recent'));
  const row = gunzipSync(readFileSync(tier!)).toString();
  const other = row
    .replace(/"id":"[^"]+"/, `"id":"${'0'.repeat(32)}"`)
    .replace('Fill the kettle.', 'the plover must go');
  writeFileSync(tier!, gzipSync(row + other));
  const said = await stage.type('purge', '--match', 'plover', '--yes', '--json');
  expect(said.json()).toMatchObject({ entries: 1, proof: { clean: true } });
  expect(holding(stage.stone, 'plover')).toEqual([]);
  expect(gunzipSync(readFileSync(tier!)).toString()).toBe(row);
});
