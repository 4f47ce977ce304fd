/** What counts as a command in another form that works. */
import { expect, test } from 'vitest';
import { answers, claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { setStage } from '../commands/stage.js';

async function changedIn(turns: Turn[]): Promise<[string, string][]> {
  const stage = setStage();
  const about = { session: 'a1', cwd: '/home/mira/code/kettle', day: '2026-11-18' };
  stage.put(
    '.claude/projects/-home-mira-code-kettle/a1.jsonl',
    claudeLog(about, [says('Make it work'), ...turns, answers('ok')]),
  );
  expect((await stage.type('run', '--only', 'ingest,parse,learn')).code).toBe(0);
  const sql = `SELECT fields->>'fails' AS fails, fields->>'works' AS works FROM facts WHERE fact = 'changed' AND supports`;
  const { rows } = (await stage.type('sql', sql, '--json')).json<{
    rows: { fails: string; works: string }[];
  }>();
  stage.remove();
  return rows.map(({ fails, works }) => [fails, works]);
}
const MISSING = `Error: Cannot find module 'lodash'`;

test('an option or a wrapper is another form; what was installed in between is none', async () => {
  expect(
    await changedIn([
      shell('mvn test', 'ERROR: no plugin found offline', 1),
      shell('mvn test -U', '3 passed', 0),
      shell('npm test', MISSING, 1),
      shell('npm install lodash', 'added 1 package', 0),
      shell('npm test', '3 passed', 0),
    ]),
  ).toEqual([['mvn test', 'mvn test -U']]);
});
