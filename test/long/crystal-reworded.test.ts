/**
 * A rule that two sessions said in other words, reworded in crystal.json: the old wording is gone,
 * with the database and without.
 */
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setStage } from '../commands/stage.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';

test('only the new wording stands, also when the database is lost and the logs are read again', async () => {
  const stage = setStage({ now: '2026-11-20T12:00:00Z' });
  const tell = (n: number, day: string, folder: string, text: string): void => {
    const session = `${String(n).repeat(8)}-1111-4111-8111-111111111111`;
    stage.put(
      `.claude/projects/-home-ann-${folder}/${session}.jsonl`,
      claudeLog({ session, cwd: `/home/ann/${folder}`, day }, [
        says(text),
        shell('make brew', 'ok, 12 passed', 0),
      ]),
    );
  };
  try {
    tell(
      1,
      '2026-11-10',
      'kettle',
      'Remember: Always use `brew-ctl` for the kettle releases in this repository.',
    );
    tell(
      2,
      '2026-11-12',
      'kettle',
      'Remember: Always use `brew-ctl` for all the kettle releases in this repository, please.',
    );
    expect((await stage.type('run')).err).toBe('');
    const crystal = join(
      stage.stone,
      'projects',
      readdirSync(join(stage.stone, 'projects')).find((name) => name.startsWith('kettle'))!,
      'crystal.json',
    );
    const texts = async (): Promise<string[]> =>
      (await stage.type('lessons', 'list', '--project', 'all', '--json'))
        .json<{ lessons: { text: string }[] }>()
        .lessons.map(({ text }) => text)
        .filter((text) => text.includes('brew-ctl'));
    const [old, ...others] = await texts();
    expect(others).toEqual([]);
    writeFileSync(
      crystal,
      readFileSync(crystal, 'utf8').replace(
        JSON.stringify(old),
        JSON.stringify('Release the kettle with `brew-ctl --dry-run` first'),
      ),
    );
    utimesSync(
      crystal,
      Date.parse('2026-11-20T12:00:00Z') / 1000,
      Date.parse('2026-11-20T12:00:00Z') / 1000,
    );
    expect((await stage.type('crystallize')).code).toBe(0);
    expect(await texts()).toEqual(['Release the kettle with `brew-ctl --dry-run` first']);
    for (const name of readdirSync(stage.stone))
      if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
    expect((await stage.type('run')).err).toBe('');
    expect(await texts()).toEqual(['Release the kettle with `brew-ctl --dry-run` first']);
  } finally {
    stage.remove();
  }
});
