/** When the cure of an error is shown, and when not: over invented sessions, as typed. */
import { beforeEach, expect, test } from 'vitest';
import { answers, claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { begunStage, type Stage } from '../stage.js';

const CWD = '/home/mira/code/kiln';
const REFUSED = 'Error: connect ECONNREFUSED 127.0.0.1:5432';
const CURED = 'until `make db` has run';
const refused = shell('pnpm fire', REFUSED, 1);

const put = (made: Stage, session: string, day: string, turns: Turn[]): string =>
  made.put(
    `.claude/projects/-home-mira-code-kiln/${session}.jsonl`,
    claudeLog({ session, cwd: CWD, day }, turns),
  );

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  put(made, 'b2', '2026-11-18', [
    ...[says('Fire the first batch'), refused, shell('make db', 'database started', 0)],
    shell('pnpm fire', 'fired 3', 0),
    answers(
      '`pnpm fire` could not connect (ECONNREFUSED), since only `make db` starts the database.',
    ),
  ]);
  await made.type('run');
});
let stage: Stage;
beforeEach(async () => {
  stage = await begun();
  stage.cwd = CWD;
});

const at = async (type: string, text: string, ...more: string[]): Promise<string> =>
  (await stage.type('recall', '--as-hook', '--type', type, text, ...more)).out;
const failed = (output: string): Promise<string> => at('failure', 'pnpm fire', '--output', output);
const later = async (session: string, turns: Turn[]): Promise<void> => {
  put(stage, session, '2026-11-20', turns);
  await stage.type('run');
};

test('it is shown at the error and at a prompt that quotes it, not at another error of the same command', async () => {
  expect(await failed(REFUSED)).toContain(CURED);
  expect(await at('prompt', `It stops with "${REFUSED}" again, why?`)).toContain(CURED);
  expect(await at('prompt', 'Tidy up the database module.')).not.toContain(CURED);
  expect(await failed('TypeError: kiln.heat is not a function')).not.toContain('db');
});

test('it is not shown after a session in which it did not help', async () => {
  await later('d4', [says('Fire the third'), refused, shell('make db', 'started', 0), refused]);
  expect(await failed(REFUSED)).toBe('');
});

test('it is not shown once the person typed that it is over', async () => {
  await later('e5', [says('Look at the kiln.\nWe dropped `make db`, nobody needs it.')]);
  expect(await failed(REFUSED)).not.toContain('make db');
});
