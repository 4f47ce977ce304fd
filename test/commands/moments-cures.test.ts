/**
 * What is told as a cure, and what is told before a command that breaks a rule: over invented
 * sessions, as typed.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { answers, claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { type Stage, begunStage } from '../stage.js';

const CWD = '/home/mira/code/kiln';
const NO_MODULE = "ModuleNotFoundError: No module named 'kiln'";
const REFUSED = 'Error: connect ECONNREFUSED 127.0.0.1:5432';
const passed = shell('uv run pytest -q', '4 passed', 0);

const sessions: Record<string, Turn[]> = {
  a1: [says('Make the tests of the kiln pass'), shell('pytest -q', NO_MODULE, 1), passed, passed],
  b2: [
    says('Fire the first batch'),
    shell('pnpm fire', REFUSED, 1),
    shell('make db', 'database started', 0),
    shell('pnpm fire', 'fired 3', 0),
    answers(
      '`pnpm fire` could not connect on port 5432 (ECONNREFUSED), since only `make db` starts the database.',
    ),
  ],
  c3: [says('Fire the second batch'), shell('make db', 'database started', 0), passed],
};

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  for (const [session, turns] of Object.entries(sessions))
    made.put(
      `.claude/projects/-home-mira-code-kiln/${session}.jsonl`,
      claudeLog({ session, cwd: CWD, day: '2026-11-18' }, turns),
    );
  await made.type('run');
  for (const rule of [
    'Use `pnpm`, never `npm`',
    'Never `git push --force`',
    "Don't edit `src/glaze/`",
  ])
    await made.type('lessons', 'add', rule, '--project', 'kiln');
});
let stage: Stage;
beforeEach(async () => {
  stage = await begun();
  stage.cwd = CWD;
});

const at = async (type: string, text: string, ...more: string[]): Promise<string> =>
  (await stage.type('recall', '--as-hook', '--type', type, text, ...more)).out;
const failed = (command: string, output: string): Promise<string> =>
  at('failure', command, '--output', output);

describe('the command that fails now is no cure of itself', () => {
  test('nor is its form, whichever fact names it', async () => {
    expect(await failed('pytest', NO_MODULE)).toContain('`uv run pytest -q` works');
    for (const command of [
      'uv run pytest -q',
      'uv run pytest',
      'cd /home/mira/code/kiln && uv run pytest -q 2>&1 | tail -5',
    ])
      expect(await failed(command, NO_MODULE), command).not.toMatch(
        /`uv run pytest -q` works|Tests: /,
      );
    expect(await failed('pnpm fire', REFUSED)).toContain('until `make db` has run');
    const itself = await failed('make db', REFUSED);
    expect(itself).not.toContain('until `make db` has run');
    expect(itself).not.toContain('Database: `make db`');
  });
});

describe('before a command or an edit that breaks a rule', () => {
  test.each([
    ['npm install pino', 'Use `pnpm`, never `npm`'],
    [`cd ${CWD} && npm run fire`, 'Use `pnpm`, never `npm`'],
    ['npm install pino && pnpm install', 'Use `pnpm`, never `npm`'],
    ['git push --force origin main', 'Never `git push --force`'],
  ])('%s', async (command, rule) => {
    expect(await at('command', command)).toBe(`- ${rule}\n`);
    expect(await at('command', command, '--project', 'all')).toBe(`- ${rule}\n`);
  });

  test('a file below a path that the person keeps is named by no fact, only by the rule', async () =>
    expect(await at('edit', 'src/glaze/blue.ts')).toBe("- Don't edit `src/glaze/`\n"));

  test.each([
    'pnpm install',
    'npm view pino',
    'cd /elsewhere && npm install pino',
    'git push origin main',
  ])('nothing is said: %s', async (command) => expect(await at('command', command)).toBe(''));
});
