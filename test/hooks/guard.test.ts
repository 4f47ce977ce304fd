/**
 * Guards: a rule is checked before each command and edit; only the person sets one, and it fails
 * open.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../../src/app.js';
import { createAnswers } from '../../src/hooks/answers.js';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import { CWD } from './home.js';
import { type Stage, begunStage, daemonApp } from '../stage.js';
import type { Answer } from '../../src/wire.js';
import { answers, says, shell, type Turn } from '../jobs/made-log.js';

const RULE = 'Use `pnpm`, never `npm`';
const LOGS: Record<string, Turn[]> = {
  old: [
    says('Add a logger'),
    shell('npm install pino', 'added 1 package', 0),
    shell('npm run lint', 'error', 1),
  ],
  asked: [says('Please try npm ci here'), shell('npm ci', 'added 90 packages', 0)],
  now: [says('Add a router'), answers('I look for one.')],
};

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  mkdirSync(join(made.home, '.claude'), { recursive: true });
  for (const [session, turns] of Object.entries(LOGS)) {
    made.log({ session, cwd: CWD, day: '2026-11-18' }, turns);
  }
  await made.type('run');
  await made.type('lessons', 'add', RULE, '--project', 'kettle');
  await made.type('lessons', 'add', "Don't edit `src/generated/`", '--project', 'kettle');
});

let stage: Stage;
let app: App | null = null;
let answer: Answer;
beforeEach(async () => {
  stage = await begun();
});
/** The hooks' process ends: others may open the file. */
async function leave(): Promise<void> {
  await app?.[Symbol.asyncDispose]();
  app = null;
}
afterEach(leave);

/** What Claude Code gets back before a command, or before an edit; null is silence. */
async function before(
  command: string,
  { session = 'now', file = '' } = {},
): Promise<Decision | null> {
  if (app === null) {
    app = await daemonApp(stage);
    answer = createAnswers(app);
  }
  const tool =
    file === ''
      ? { tool_name: 'Bash', tool_input: { command } }
      : { tool_name: 'Edit', tool_input: { file_path: file } };
  const payload = { session_id: session, cwd: CWD, hook_event_name: 'PreToolUse', ...tool };
  const reply = await answer(askedBy('claude-code', payload));
  if (reply === null) return null;
  reply.ended(true);
  const { hookSpecificOutput } = JSON.parse(printedFor('claude-code', payload, reply).out) as {
    hookSpecificOutput: Decision;
  };
  return hookSpecificOutput;
}

interface Decision {
  permissionDecision?: string;
  permissionDecisionReason?: string;
  additionalContext?: string;
}

test('shows what it would have met, and needs the hooks', async () => {
  const { code, out, err } = await stage.type('rules', 'guard', 'never npm', '--deny');
  expect(code, err).toBe(0);
  expect(out).toContain('in the last 90 days it would have refused 3 times');
  expect(out).toContain('npm install pino');
  expect(err).toContain('it needs hooks in Claude Code: type `dripstone link --hooks`');
  const { rules } = (await stage.type('rules', '--project', 'all', '--json')).json<{
    rules: { text: string; guard: unknown }[];
  }>();
  expect(rules.map(({ text, guard }) => [text, guard])).toContainEqual([RULE, 'deny']);
  expect((await stage.type('link', '--hooks', '--json')).out).toContain('PreToolUse');
  expect((await stage.type('rules', 'guard', 'never npm')).err).not.toContain('it needs hooks');
});

test('refuses each time, in the words of the rule, and is off at once', async () => {
  await stage.type('rules', 'guard', 'never npm', '--deny');
  for (let time = 0; time < 2; time++) {
    const told = await before('cd web && npm install left-pad');
    expect(told?.permissionDecision).toBe('deny');
    expect(told?.permissionDecisionReason).toMatch(
      /^\nNotes from earlier sessions in `kettle`; .*\n- Refused by a rule of the user: /,
    );
    expect(told?.permissionDecisionReason).toContain(RULE);
  }
  for (const harmless of [
    'pnpm install',
    'npm view left-pad',
    'echo npm',
    'cd /elsewhere && npm install x',
  ])
    expect(await before(harmless), harmless).toBeNull();
  const { code, out } = await stage.type('rules', 'guard', 'off');
  expect([code, out]).toEqual([0, expect.stringContaining('not guarded any more')]);
  expect(await before('npm install left-pad')).toBeNull();
});

test('a rule without a guard is told before a command once a session', async () => {
  await stage.type('config', 'set', 'hooks.moments', 'command');
  expect((await before('npm install x', { session: 'new' }))?.additionalContext).toContain(
    `\n- ${RULE}`,
  );
  expect(await before('npm install y', { session: 'new' })).toBeNull();
});

test('only the person sets one or switches it off, and only a rule can be guarded', async () => {
  stage.caller = { kind: 'agent', name: 'claude-code' };
  for (const words of [['never npm'], ['off'], ['off', '--session'], ['never npm', '--deny']]) {
    const { code, err } = await stage.type('rules', 'guard', ...words);
    expect([code, err]).toEqual([1, expect.stringContaining('a guard is for the person alone')]);
  }
  expect((await stage.type('config', 'set', 'hooks.guard.abc', 'deny')).code).toBe(1);
  stage.caller = { kind: 'person' };
  await stage.type('lessons', 'add', 'The kettle boils at 100 degrees', '--project', 'kettle');
  const { code, err } = await stage.type('rules', 'guard', 'kettle boils');
  expect([code, err]).toEqual([2, expect.stringContaining('this is not a rule')]);
  expect(stage.read('config.yaml')).not.toContain('guard');
});

test('a sentence without a command is listed with what to type; then it is counted, guarded, and free again', async () => {
  const draft = shell('gh pr create --draft --title lamp', 'https://git.example/pr/1', 0);
  for (const said of ['Never make draft PRs', '不要强制推送'])
    await stage.type('lessons', 'add', said, '--project', 'kettle');
  const rules = async (): Promise<string> => (await stage.type('rules', '--project', 'kettle')).out;
  expect(await rules()).toMatch(
    /^Never make draft PRs\n  not counted: name the command: `dripstone rules guard \w{8} --never 'COMMAND'`$/m,
  );
  expect(await rules()).not.toContain('强制');
  const guard = (...words: string[]) =>
    stage.type('rules', 'guard', ...words, '--project', 'kettle');
  expect(await guard('draft PRs')).toMatchObject({
    code: 2,
    err: expect.stringContaining("--never 'COMMAND'") as string,
  });
  expect((await guard('draft PRs', '--never', 'gh pr create | cat')).code).toBe(2);
  const form = 'gh pr create --draft';
  expect((await guard('draft PRs', '--never', form, '--deny', '--print')).code).toBe(0);
  expect(await rules()).toContain('not counted');
  expect((await guard('draft PRs', '--never', form, '--deny')).code).toBe(0);
  expect((await guard('强制推送', '--never', 'git push --force')).code).toBe(0);
  expect((await before('gh pr create --title x --draft'))?.permissionDecision).toBe('deny');
  expect((await before('git push origin --force'))?.additionalContext).toContain('不要强制推送');
  await leave();
  await tomorrow(stage, { one: [says('Open a PR'), draft], two: [says('Open one more'), draft] });
  expect(await rules()).toContain('Never make draft PRs\n  said once, broken twice since');
  stage.caller = { kind: 'agent', name: 'claude-code' };
  for (const words of [['--off'], ['--never', 'ls']])
    expect((await guard('draft PRs', ...words)).code).toBe(1);
  stage.caller = { kind: 'person' };
  expect((await guard('draft PRs', '--off')).out).toContain('not guarded any more');
  expect(await before('gh pr create --title x --draft')).toBeNull();
  await leave();
  const { out } = await stage.type('status');
  expect(out).toContain('rules    2 sessions broke: Never make draft PRs\n');
});

/** Two sessions of the day after, with or without a breach of the rule. */
async function tomorrow(made: Stage, sessions: Record<string, Turn[]>): Promise<void> {
  made.now = new Date('2026-11-22T09:30:00Z');
  for (const [session, turns] of Object.entries(sessions)) {
    made.log({ session, cwd: CWD, day: '2026-11-22' }, turns);
  }
  await made.type('run');
}

test('is off for the session that runs now, until it is set anew; where none runs it stays', async () => {
  await stage.type('rules', 'guard', 'never npm', '--deny');
  const none = await stage.type('rules', 'guard', 'off', '--session', '--project', 'kettle');
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringContaining('no session of kettle was active in the last hour'),
  ]);
  await tomorrow(stage, {
    first: [says('Add a lamp')],
    second: [says('Add a plug'), answers('I look for one.'), answers('Found.')],
  });
  const off = await stage.type('rules', 'guard', 'off', '--session', '--project', 'kettle');
  expect([off.code, off.err]).toEqual([0, '']);
  expect(off.out).toMatch(/^off until its end in claude-code, kettle-\w+: Add a plug \(second\)\n/);
  expect(await before('npm install x', { session: 'second' })).toBeNull();
  expect((await before('npm install x', { session: 'first' }))?.permissionDecision).toBe('deny');
  await leave();
  await stage.type('rules', 'guard', 'never npm', '--deny');
  expect((await before('npm install x', { session: 'second' }))?.permissionDecision).toBe('deny');
});

test('is offered for a rule that two sessions broke since, first on the page, and never again when it is not wanted', async () => {
  const breach = [says('Add a logger'), shell('npm install pino', 'added 1 package', 0)];
  await tomorrow(stage, { one: breach });
  const offers = async () =>
    (await stage.type('review', '--project', 'kettle', '--json')).json<{
      guards: { text: string; broken: number }[];
    }>().guards;
  expect(await offers()).toEqual([]);
  await tomorrow(stage, { two: breach });
  expect(await offers()).toMatchObject([{ text: RULE, broken: 2 }]);
  expect((await stage.type('context', '--project', 'kettle')).out).toMatch(
    /## The user said.*\n- Use `pnpm`, never `npm`\n/,
  );
  const press = async (key: string): Promise<string> => {
    const keys = [key, 'q'];
    const person = {
      terminal: true,
      outIsTerminal: true,
      key: () => Promise.resolve(keys.shift() ?? null),
    };
    return (await stage.typeAs(['review', '--project', 'kettle'], person)).out;
  };
  expect(await press('n')).toContain(
    `broken rule 1 of 1\n${RULE}\n  said once, broken twice since`,
  );
  expect(await offers()).toEqual([]);
  writeFileSync(join(stage.stone, 'reviewed.txt'), '');
  await press('d');
  expect(await offers()).toEqual([]);
  // Alone it offers the worst rule, once a day.
  await stage.type('rules', 'guard', 'never npm', '--off');
  const alone = async (key: string): Promise<string> => {
    const person = { outIsTerminal: true, key: () => Promise.resolve(key) };
    const { out, err } = await stage.typeAs([], person);
    return out + err;
  };
  expect(await alone('s')).toContain(`broken rule 1 of 1\n${RULE}`);
  expect(await alone('d')).not.toContain('broken rule');
  expect(await offers()).toHaveLength(1);
  stage.now = new Date('2026-11-23T09:30:00Z');
  expect(await alone('d')).toContain('guarded: an agent that is about to break it is refused');
  expect(await offers()).toEqual([]);
  expect((await before('npm install x'))?.permissionDecision).toBe('deny');
});
