/**
 * Held-out days in a home: page, hooks and recall say nothing, guards speak, and the next day
 * everything is as before.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { heldOutPage, isHeldOut } from '../../src/context/index.js';
import { createAnswers } from '../../src/hooks/answers.js';
import { createBackground } from '../../src/jobs/daemon-work.js';
import { askedBy } from '../../src/hooks/dialects.js';
import { main } from '../../src/commands/main.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';
import { cured, CWD, daemonApp, ERROR, failedCommand, slugIn } from '../hooks/home.js';
import { begunStage } from './begun-stage.js';
import type { Stage } from './stage.js';

const LOG = '.claude/projects/-home-mira-code-kettle';
let first = '';
const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  mkdirSync(join(made.home, '.claude'), { recursive: true });
  made.put(`${LOG}/a1.jsonl`, claudeLog({ session: 'a1', cwd: CWD, day: '2026-11-18' }, cured));
  const again = [says('Run the broker tests'), shell('pnpm test:broker', ERROR, 1)];
  made.put(`${LOG}/a2.jsonl`, claudeLog({ session: 'a2', cwd: CWD, day: '2026-11-19' }, again));
  first = (await made.type('run')).out;
  await made.type('lessons', 'add', 'Use `pnpm`, never `npm`', '--project', 'kettle');
});

/** Moves the clock to the next day of that kind at noon. */
function goTo(stage: Stage, held: boolean): void {
  const key = stage.read('redact.key').trim();
  do stage.now = new Date(stage.now.getTime() + 86_400_000);
  while (isHeldOut(key, stage.now.toISOString().slice(0, 10), 0.5) !== held);
}

async function told(stage: Stage, payload: Record<string, unknown>): Promise<string | null> {
  await using app = await daemonApp(stage);
  return (await createAnswers(app)(askedBy('claude-code', payload), () => true))?.text ?? null;
}

test('a first run tells what came back, and no later one does', async () => {
  const stage = await begun();
  expect(first).toMatch(
    /\n\n1 error came back; the cure was known for 1; .*\nrepeats cost 1 call, .*\n\nnext: `.*`.*\n$/,
  );
  stage.put(
    `${LOG}/a3.jsonl`,
    claudeLog({ session: 'a3', cwd: CWD, day: '2026-11-20' }, [says('Add a lamp')]),
  );
  expect((await stage.type('run')).out).not.toContain('came back');
});

test('a held-out day has a page with its head alone, silent hooks and recall, and guards that speak', async () => {
  const stage = await begun();
  await stage.type('rules', 'guard', 'never npm', '--deny');
  await stage.type('config', 'set', 'context.holdout', '0.5');
  goTo(stage, false);
  const prompt = [
    'recall',
    '--type',
    'failure',
    '--output',
    ERROR,
    'pnpm test:broker',
    '--project',
    'kettle',
  ] as const;
  expect((await stage.type(...prompt)).out).not.toBe('');
  // What was told counts as used, which moves its line.
  await stage.type('run');
  const page = join('projects', slugIn(stage), 'context.md');
  const before = stage.read(page);
  expect(before).toContain('never `npm`');

  goTo(stage, true);
  // Also before anything wrote the page anew.
  expect((await stage.type('context', '--project', 'kettle')).out).toBe(
    heldOutPage({ name: 'kettle' }),
  );
  expect((await stage.type('run')).out).toContain('today is held out');
  expect(stage.read(page)).toBe(heldOutPage({ name: 'kettle' }));
  expect((await stage.type(...prompt, '--json')).json()).toMatchObject({ text: '', items: [] });
  let err = '';
  await main([...prompt], {
    ...stage.io(),
    outIsTerminal: true,
    err: (text) => void (err += text),
  });
  expect(err).toContain('today (UTC) is held out by context.holdout');
  expect(await told(stage, failedCommand('now'))).toBeNull();
  expect(
    await told(stage, {
      session_id: 'now',
      cwd: CWD,
      hook_event_name: 'SessionStart',
      source: 'startup',
    }),
  ).toBeNull();
  const command = { tool_name: 'Bash', tool_input: { command: 'npm install x' } };
  expect(
    await told(stage, { session_id: 'now', cwd: CWD, hook_event_name: 'PreToolUse', ...command }),
  ).toContain('breaks a rule');

  goTo(stage, false);
  await stage.type('run');
  expect(stage.read(page)).toBe(before);
});

test('the trial counts sessions since it began, and another share begins it anew', async () => {
  const stage = await begun();
  const trial = async () =>
    (await stage.type('replay', '--holdout', '--project', 'all', '--json')).json();
  expect((await stage.type('replay', '--holdout')).out).toContain('no trial runs');
  await stage.type('config', 'set', 'context.holdout', '0.5');
  const since = '2026-11-21T12:00:00.000Z';
  expect(await trial()).toMatchObject({
    since,
    share: 0.5,
    sessions: { with_memory: 0, without: 0 },
    measures: null,
  });
  goTo(stage, true);
  const day = stage.now.toISOString().slice(0, 10);
  stage.put(`${LOG}/b1.jsonl`, claudeLog({ session: 'b1', cwd: CWD, day }, cured));
  await stage.type('run');
  expect(await trial()).toMatchObject({
    since,
    sessions: { with_memory: 0, without: 1, needed: 30 },
  });
  expect((await stage.type('replay', '--holdout', '--project', 'all')).out).toContain(
    '1 of 30 sessions, 1 of 8 days on held-out days',
  );
  await stage.type('config', 'set', 'context.holdout', '0.4');
  await stage.type('run');
  expect(await trial()).toMatchObject({ share: 0.4, sessions: { with_memory: 0, without: 0 } });
});

test('the daemon writes the pages anew when a held-out day begins, before any log is written to', async () => {
  const stage = await begun();
  await stage.type('config', 'set', 'context.holdout', '0.5');
  const key = stage.read('redact.key').trim();
  const tomorrow = (): string =>
    new Date(stage.now.getTime() + 86_400_000).toISOString().slice(0, 10);
  do goTo(stage, false);
  while (!isHeldOut(key, tomorrow(), 0.5));
  const page = join('projects', slugIn(stage), 'context.md');
  const watched = async (work: (tick: () => Promise<void>) => Promise<void>): Promise<void> => {
    await using app = await daemonApp(stage);
    const background = createBackground(app);
    try {
      await work(async () => {
        background.tick();
        await background.idle();
      });
    } finally {
      await background.close();
    }
  };
  await watched(async (tick) => {
    await tick();
    expect(stage.read(page)).toContain('never `npm`');
    stage.now = new Date(`${tomorrow()}T00:00:30Z`);
    await tick();
    expect(stage.read(page)).toBe(heldOutPage({ name: 'kettle' }));
  });
  // A person takes the option out by hand on that day: the daemon begins anew with it.
  writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enabled: false}\n');
  await watched((tick) => tick());
  expect(stage.read(page)).toContain('never `npm`');
});
