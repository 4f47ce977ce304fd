/** A `memory.duckdb` that is a link to another disk: everything works on the file behind it. */
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { type Stage, begunStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';

const ONE = '11111111-1111-4111-8111-111111111111';
const SECRET = 'plover-sapphire-41';
const disks: string[] = [];
afterEach(() => {
  disks.splice(0).forEach((disk) => rmSync(disk, { recursive: true, force: true }));
});

const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  stage.log({ session: ONE, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
    says(`The codename of the client is ${SECRET}, keep it.`),
    shell('make brew', 'ok, 12 passed', 0),
    answers('Done.'),
    says('Remember: Always indent the recipes with tabs, never with spaces.'),
  ]);
  expect((await stage.type('run')).code).toBe(0);
});

/** The database moved to another disk under another name, a link in its place. */
async function movedAway(): Promise<{ stage: Stage; disk: string; file: string; link: string }> {
  const stage = await begun();
  const disk = testFolder();
  const [file, link] = [join(disk, 'mine.db'), join(stage.stone, 'memory.duckdb')];
  renameSync(link, file);
  symlinkSync(file, link);
  return { stage, disk, file, link };
}
async function count(stage: Stage, sql: string): Promise<number> {
  return (await stage.type('sql', sql)).json<{ n: number }>().n;
}

test('a purge takes the bytes out of the file behind the link, with quarantined files there, and the link stays', async () => {
  const { stage, disk, file, link } = await movedAway();
  writeFileSync(`${file}.damaged-20261101T041709Z`, `old pages with ${SECRET}`);
  const said = await stage.type('purge', '--match', SECRET, '--yes', '--json');
  expect(said.code).toBe(0);
  expect(said.json<{ proof: { clean: boolean; files: number } }>().proof.clean).toBe(true);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readdirSync(disk)).toEqual(['mine.db']);
  expect(readFileSync(file).includes(SECRET)).toBe(false);
  expect(
    await count(stage, `SELECT count(*) AS n FROM entries WHERE text LIKE '%${SECRET}%'`),
  ).toBe(0);
  expect(await count(stage, 'SELECT count(*) AS n FROM entries')).toBeGreaterThan(0);
});

test.each(['run', 'status', 'search x'])(
  'a link that leads to nothing is refused with the next step: %s',
  async (line) => {
    const { stage, file, link } = await movedAway();
    rmSync(file);
    const said = await stage.type(...line.split(' '));
    expect(said.code).toBe(14);
    expect(said.err).toContain(link);
    expect(said.err).toContain('remove the link');
    expect(existsSync(file)).toBe(false);
  },
);
