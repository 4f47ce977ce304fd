/** A dataset that is killed while it is written. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import type { Stage } from '../commands/stage.js';
import { testStage } from '../commands/test-stage.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const DIE = fileURLToPath(new URL('children/die-at-rename.mjs', import.meta.url));
const KETTLE = '11111111-1111-4111-8111-111111111111';
const SPOUT = '22222222-2222-4222-8222-222222222222';

function put(stage: Stage, session: string, day: string, sentence: string): void {
  stage.put(
    `.claude/projects/-home-ann-kettle/${session}.jsonl`,
    claudeLog({ session, cwd: '/home/ann/kettle', day }, [
      says(sentence),
      shell('make spout', `forged ${sentence}`, 0),
    ]),
  );
}

/** Every file below a folder with its bytes' hash. */
function contents(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
  return new Map(
    paths.sort().map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ]),
  );
}

/** Rows of entries in the dataset. */
async function rowsIn(stage: Stage, folder: string): Promise<number> {
  await using app = await createApp({ ...stage.io(), access: 'read' });
  const glob = `${folder}/table=entries/*/*/*/*.parquet`;
  const counted = await app.store.read((db) =>
    db.all<{ n: number }>(`SELECT count(*)::INTEGER AS n FROM read_parquet('${glob}')`),
  );
  return counted[0]!.n;
}

test('killed before and after any rename it is readable, and the next run leaves what a whole one does', async () => {
  const stage = testStage();
  put(stage, KETTLE, '2026-10-02', 'An old sentence about copper.');
  await stage.type('run');
  const whole = join(stage.home, 'whole');
  await stage.type('dataset', whole);
  const wanted = contents(whole);
  const folder = join(stage.home, 'dataset');
  const kill = (at: string) =>
    spawnSync(process.execPath, ['--import', DIE, CLI, 'dataset', folder], {
      env: { PATH: process.env['PATH'], HOME: stage.home, DRIPSTONE_HOME: stage.stone, DIE_AT: at },
    });
  // The first rename is the manifest's, then files and manifests take turns.
  for (const at of ['1', '2', '2+', '7']) {
    expect(kill(at).signal).toBe('SIGKILL');
    if ([...contents(folder).keys()].some((path) => /^table=entries.*parquet$/.test(path)))
      expect(await rowsIn(stage, folder)).toBe(3);
  }
  // Rows that were about to be written and are gone by now must not stay.
  put(stage, SPOUT, '2026-09-20', 'A secret about tin.');
  await stage.type('run');
  expect(kill('8+').signal).toBe('SIGKILL');
  await stage.type('purge', '--session', SPOUT, '--yes');
  expect((await stage.type('dataset', folder)).code).toBe(0);
  rmSync(whole, { recursive: true });
  await stage.type('dataset', whole);
  expect(contents(folder)).toEqual(contents(whole));
  expect(contents(folder).size).toBe(wanted.size);
});
