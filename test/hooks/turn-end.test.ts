/** What an agent is asked when its turn ends, and when a compacted session goes on. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/app.js';
import { createAnswers } from '../../src/hooks/answers.js';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import type { Answer } from '../../src/wire.js';
import { daemonApp, type Stage } from '../stage.js';
import { answers, says, shell, type Turn } from '../jobs/made-log.js';
import { cured, CURE, curedHome, CWD, ERROR, failedCommand } from './home.js';

let stage: Stage;
let app: App | null;
let answer: Answer;
beforeEach(async () => {
  stage = await curedHome();
  app = null;
});
afterEach(() => end());

/** The daemon begins, or begins anew. */
async function start(): Promise<void> {
  await end();
  app = await daemonApp(stage);
  answer = createAnswers(app);
}

async function end(): Promise<void> {
  await app?.[Symbol.asyncDispose]();
  app = null;
}

/** The session `now` as its log has it, and the daemon, which has read it. */
async function during(
  turns: Turn[],
  moments = ['start', 'compaction', 'failure', 'end'],
): Promise<void> {
  await end();

  stage.log({ session: 'now', cwd: CWD, day: '2026-11-21' }, turns);
  for (const line of [
    ['config', 'set', 'hooks.moments', ...moments],
    ['run', '--only', 'ingest'],
  ])
    expect(await stage.type(...line)).toMatchObject({ code: 0 });
  await start();
}

const payload = (more: Record<string, unknown>) => ({ session_id: 'now', cwd: CWD, ...more });
const stopped = (more: Record<string, unknown> = {}) =>
  payload({ hook_event_name: 'Stop', stop_hook_active: false, ...more });
const compacted = payload({ hook_event_name: 'SessionStart', source: 'compact' });

async function said(value: Record<string, unknown>, isPrinted = true): Promise<string> {
  const reply = await answer(askedBy('claude-code', value));
  reply?.ended(isPrinted);
  return reply?.text ?? '';
}

const steps = (n: number): Turn[] =>
  Array.from({ length: n }, (_, i) => shell(`pnpm lint src/${i}.ts`, 'fine', 0));
const stop: Turn = {
  records: [
    {
      type: 'user',
      message: { role: 'user', content: '[Request interrupted by user for tool use]' },
    },
  ],
};
const refused: Turn = {
  records: shell('git push', '', 1).records.map((record) =>
    record['type'] === 'user'
      ? {
          ...record,
          toolUseResult: 'User rejected tool use',
          message: {
            role: 'user',
            content: [
              {
                ...(record as { message: { content: object[] } }).message.content[0],
                content: "The user doesn't want to proceed with this tool use.",
              },
            ],
          },
        }
      : record,
  ),
};

describe('the end of a turn', () => {
  test.each([
    ['a failure that passed later', cured],
    [
      'a rule that the person typed later',
      [says('Add a router'), answers('Done'), says('No, never use express here')],
    ],
    ['a call that the person refused', [says('Release it'), refused]],
    ['thirty calls', [says('Lint it'), ...steps(30)]],
  ])('asks once a session for notes after %s', async (_, turns) => {
    await during(turns);
    expect(await said(stopped(), false)).toContain('Remember: …');
    expect(await said(stopped())).toContain('Remember: …');
    expect(await said(stopped())).toBe('');
    await said(compacted);
    await start();
    expect(await said(stopped())).toBe('');
  });

  test.each([
    ['nothing happened', [says('Lint it'), ...steps(29)]],
    [
      'a note was left',
      [
        ...cured,
        answers('Done.\n\nRemember: the broker tests need `docker compose up -d rabbit`.'),
      ],
    ],
    ['the person interrupted', [...cured, stop]],
    [
      'a command only looked',
      [says('Look'), shell('grep -r x', 'error: none', 1), shell('grep -r x', 'x', 0)],
    ],
  ])('asks nothing when %s', async (_, turns) => {
    await during(turns);
    expect(await said(stopped())).toBe('');
  });

  test('asks nothing in a turn that a hook made longer, after a note in the last message, and unless config names it', async () => {
    await during(cured);
    expect(await said(stopped({ stop_hook_active: true }))).toBe('');
    expect(await said(stopped({ last_assistant_message: 'Remember: start rabbit first.' }))).toBe(
      '',
    );
    await during(cured, ['start', 'failure']);
    expect(await said(stopped())).toBe('');
  });

  test('what it asks is no claim, however an agent writes it into its log, and the answer is one', async () => {
    await during(cured);
    const reply = await answer(askedBy('claude-code', stopped()));
    reply!.ended(true);
    const { decision, reason } = JSON.parse(
      printedFor('claude-code', stopped(), reply!).out,
    ) as Record<string, string>;
    expect(decision).toBe('block');
    await end();
    const note = 'Remember: `pnpm test:broker` needs `docker compose up -d rabbit` first.';
    for (const [session, text] of [
      ['f1', `Stop hook feedback:\n${reason!}`],
      ['f2', reason!],
    ] as const) {
      stage.log({ session, cwd: CWD, day: '2026-11-21' }, [...cured, says(text), answers(note)]);
    }
    await stage.type('run');
    const lessons = await stage.lessons('--project', 'kettle');
    const found = lessons.filter(
      ({ text }) => /Remember|lasting|Before you end/.test(text) || text.includes('needs `docker'),
    );
    expect(found.map(({ text }) => text)).toEqual([note.replace('Remember: ', '')]);
    const { out } = await stage.type(
      'sql',
      "SELECT count(*) AS n FROM prompts WHERE session IN ('f1', 'f2') AND text LIKE '%Before you end%'",
    );
    expect(out.trim()).toBe('{"n":0}');
  });
});

describe('a compacted session', () => {
  const RULE = 'Never `git push --force`';

  test('gets the page, the guarded rules and the failure that is still open, and may hear again what it heard', async () => {
    await stage.type('lessons', 'add', RULE, '--project', 'kettle');
    await stage.type('rules', 'guard', RULE);
    const page = stage.read(`projects/${stage.slug()}/context.md`);
    await during([says('Test it'), shell('pnpm test:broker', ERROR, 1)]);
    const told = await said(failedCommand('now'));
    expect(told).toContain(CURE);
    expect(await said(failedCommand('now'))).toBe('');
    const text = await said(compacted);
    for (const part of [page, RULE, 'Not passed since: `pnpm test:broker` failed with', CURE])
      expect(text).toContain(part);
    expect(await said(failedCommand('now'))).toBe('');
    await start();
    expect(await said(failedCommand('now'))).toBe('');
    expect(await said(compacted)).toBe(text);
  });

  test('has no open failure once its command passed; the cure may be shown again at the next', async () => {
    await during(cured);
    writeFileSync(join(app!.paths.projects, stage.slug(), 'context.md'), 'another page\n');
    const told = await said(failedCommand('now'));
    expect(await said(compacted)).toBe('another page\n');
    expect(await said(failedCommand('now'))).toBe(told);
    expect(await said(failedCommand('now'))).toBe('');
  });
});

test('without a session id, hooks are silent', async () => {
  await during(cured);
  for (const value of [stopped(), compacted, failedCommand('now')])
    for (const session_id of [undefined, null, '', 7, {}])
      expect(await said({ ...value, session_id })).toBe('');
});
