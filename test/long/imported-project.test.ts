/**
 * What is known of a repository from another machine, before or after its first log is read here,
 * is one project.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';
import { says, shell, type Turn } from '../jobs/made-log.js';

function work(
  stage: Stage,
  digit: number,
  folder: string,
  turns: Turn[],
  day = '2026-11-12',
): void {
  const session = `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
  stage.log({ session, cwd: join(stage.home, folder), day }, turns);
}

/** A repository as git leaves it after its first commit. */
function repository(stage: Stage, folder: string, first: string, config = ''): void {
  stage.put(`${folder}/.git/HEAD`, 'ref: refs/heads/main\n');
  stage.put(`${folder}/.git/config`, config);
  stage.put(
    `${folder}/.git/logs/HEAD`,
    `${'0'.repeat(40)} ${first.repeat(40)} Ana <ana@example.org> 1790000000 +0200\tcommit (initial): first\n`,
  );
}

async function slugs(stage: Stage): Promise<string[]> {
  const lessons = await stage.lessons('--project', 'all');
  return [...new Set(lessons.flatMap(({ project }) => project ?? []))];
}

test('what was imported before the first log was read is the same project, by its remote', async () => {
  const [one, two] = [setStage(), setStage()];
  const remote = '[remote "origin"]\n\turl = git@example.org:ann/kettle.git\n';
  // On the first machine the remote came later than the first session: the id is that of the
  // folder.
  repository(one, 'kettle', 'a');
  work(one, 1, 'kettle', [
    says('Remember: Always run the kettle tests with `make brew` here.'),
    shell('make brew', 'ok', 0),
  ]);
  await one.type('run');
  one.put('kettle/.git/config', remote);
  work(one, 2, 'kettle', [says('Remember: Never push to main on Fridays.')], '2026-11-14');
  await one.type('run');
  await one.type('crystallize');
  const file = join(one.home, 'one.json.gz');
  expect((await one.type('export', file)).code).toBe(0);

  repository(two, 'src/pot', 'c', '[remote "origin"]\n\turl = https://example.org/ann/kettle\n');
  work(two, 3, 'src/pot', [
    says('Remember: Answer in whole sentences in this repository, always.'),
  ]);
  for (const order of ['import', 'read']) {
    const stage = order === 'import' ? two : setStage();
    if (order === 'import') {
      expect(await stage.type('import', file)).toMatchObject({ code: 0, err: '' });
      await stage.type('run');
    } else {
      repository(
        stage,
        'src/pot',
        'c',
        '[remote "origin"]\n\turl = https://example.org/ann/kettle\n',
      );
      work(stage, 3, 'src/pot', [
        says('Remember: Answer in whole sentences in this repository, always.'),
      ]);
      await stage.type('run');
      await stage.type('import', file);
    }
    expect(await slugs(stage), order).toHaveLength(1);
    const context = (await stage.type('context', '--project', join(stage.home, 'src/pot'))).out;
    for (const text of ['make brew', 'Fridays', 'whole sentences'])
      expect(context, order).toContain(text);
  }
});
