/** What counts as a command in another form that works. */
import { expect, test } from 'vitest';
import { answers, claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { setStage } from '../stage.js';

/** Rows of the facts that one session proves. */
async function factsOf(turns: Turn[], sql: string): Promise<Record<string, string>[]> {
  const stage = setStage();
  const about = { session: 'a1', cwd: '/home/mira/code/kettle', day: '2026-11-18' };
  stage.put(
    '.claude/projects/-home-mira-code-kettle/a1.jsonl',
    claudeLog(about, [says('Make it work'), ...turns, answers('ok')]),
  );
  expect((await stage.type('run', '--only', 'ingest,extract')).code).toBe(0);
  const { rows } = (await stage.type('sql', sql, '--json')).json<{
    rows: Record<string, string>[];
  }>();
  return rows;
}

async function changedIn(turns: Turn[]): Promise<[string, string][]> {
  const sql = `SELECT fields->>'fails' AS fails, fields->>'works' AS works FROM facts WHERE fact = 'changed' AND supports`;
  return (await factsOf(turns, sql)).map(({ fails, works }) => [fails!, works!]);
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

test('a program that runs behind a wrapper is named with it', async () => {
  const turns = [
    shell('bats brew.bats', 'bash: bats: command not found', 127),
    shell('mise exec -- bats brew.bats', '3 passed', 0),
  ];
  const sql = `SELECT fields->>'instead' AS instead FROM facts WHERE fact = 'absent' AND (fields->>'instead') IS NOT NULL`;
  expect(await factsOf(turns, sql)).toEqual([{ instead: 'mise exec -- bats' }]);
});

test('a command that the person typed in three sessions is a fact of its own form', async () => {
  const stage = setStage();
  for (const n of [1, 2, 3]) {
    const about = { session: `a${n}`, cwd: '/home/mira/code/kettle', day: `2026-11-1${n}` };
    stage.put(
      `.claude/projects/-home-mira-code-kettle/a${n}.jsonl`,
      claudeLog(about, [says('then run `pnpm descale` for me'), shell('pnpm descale', 'ok', 0)]),
    );
  }
  expect((await stage.type('run', '--only', 'ingest,extract')).code).toBe(0);
  const sql = `SELECT key, day, count(*)::INTEGER AS n FROM facts WHERE fact = 'works' GROUP BY ALL`;
  const { rows } = (await stage.type('sql', sql, '--json')).json<{ rows: unknown[] }>();
  // Known since the third session.
  expect(rows).toEqual([{ key: 'pnpm descale', day: '2026-11-13', n: 3 }]);
});
