/** What is no flake. */
import { expect, test } from 'vitest';
import { setStage } from '../commands/stage.js';
import { claudeLog, says, shell, type Turn } from '../jobs/made-log.js';

/** The same call outside the agent's sandbox. */
function freed(turn: Turn): Turn {
  const text = JSON.stringify(turn.records).replace(
    '"command":',
    '"dangerouslyDisableSandbox":true,"command":',
  );
  return { records: JSON.parse(text) as Turn['records'] };
}

test('a check that passes once it runs outside the sandbox', async () => {
  const stage = setStage();
  const about = { session: 'a1', cwd: '/home/mira/code/kettle', day: '2026-11-18' };
  const failed = (): Turn => shell('npm test', 'Error: listen EPERM 127.0.0.1:4000', 1);
  const passed = (): Turn => shell('npm test', '3 passed', 0);
  const log = (id: string, turns: Turn[]): void =>
    void stage.put(
      `.claude/projects/-home-mira-code-kettle/${id}.jsonl`,
      claudeLog({ ...about, session: id }, turns),
    );
  log('a1', [says('Test it'), failed(), freed(passed())]);
  log('b2', [says('Test it again'), failed(), passed()]);
  expect((await stage.type('run', '--only', 'ingest,extract')).code).toBe(0);
  const { rows } = (
    await stage.type('sql', `SELECT session FROM facts WHERE fact = 'flaky'`, '--json')
  ).json<{ rows: unknown[] }>();
  stage.remove();
  expect(rows).toEqual([{ session: 'b2' }]);
});
