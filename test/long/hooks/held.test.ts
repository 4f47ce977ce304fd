/**
 * What hooks are answered from while another program holds the database, and that it is never older
 * than the database.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { App } from '../../../src/app.js';
import { createAnswers } from '../../../src/hooks/answers.js';
import { askedBy } from '../../../src/hooks/dialects.js';
import type { Answer, Reply } from '../../../src/wire.js';
import { applyEdit } from '../../../src/jobs/learning/edit.js';
import { loadLessons, loadProjects, saveLessons } from '../../../src/store/index.js';
import type { Lesson } from '../../../src/types.js';
import { CWD, failedCommand } from '../../hooks/home.js';
import { type Stage, begunStage, daemonApp } from '../../stage.js';
import { lesson } from '../../store/build.js';
import { says } from '../../jobs/made-log.js';
import { startChild } from '../../store/children.js';

const RULE = 'Use `pnpm`, never `npm`';
const FACT = 'In `kettle`, `pnpm test:broker` fails until `docker compose up -d rabbit` ran';

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  mkdirSync(join(made.home, '.claude'), { recursive: true });

  made.log({ session: 'now', cwd: CWD, day: '2026-11-18' }, [says('Add a router')]);
  await made.type('run');
  await made.type('lessons', 'add', RULE, '--project', 'kettle');
  await made.type('config', 'set', 'hooks.moments', 'failure', 'command');
  await made.type('rules', 'guard', 'never npm', '--deny');
});

let stage: Stage;
let app: App;
let answer: Answer;
let project: string;
beforeEach(async () => {
  stage = await begun();
  app = await daemonApp(stage);
  answer = createAnswers(app, 300);
  project = (await app.store.read(loadProjects))[0]!.id;
  const fields = { fails: 'pnpm test:broker', works: 'docker compose up -d rabbit' };
  await change((before) => [
    ...before,
    lesson('f1', { project, text: FACT, fact: 'changed', fields }),
  ]);
});
afterEach(() => app[Symbol.asyncDispose]());

function change(to: (lessons: Lesson[]) => Lesson[]): Promise<boolean> {
  return app.store.write(async (db) =>
    saveLessons(db, project, to(await loadLessons(db, { owner: project }))),
  );
}

/** Another program has the database from now on. @returns lets it go */
async function held(): Promise<() => Promise<void>> {
  // Receipts and what came too late are done with.
  await app.store.write(() => Promise.resolve());
  await app.store.read(() => Promise.resolve());
  await app.store.release();
  const child = startChild('hold', [app.paths.store]);
  await child.line((line) => line === 'held');
  return async () => {
    child.send('go\n');
    await child.ended;
    // What waited for it has ended, too.
    await app.store.read(() => Promise.resolve());
  };
}

async function hook(payload: Record<string, unknown>): Promise<Reply | null> {
  const reply = await answer(askedBy('claude-code', payload));
  reply?.ended(true);
  return reply;
}

const failed = (session: string) => hook(failedCommand(session, 'pnpm test:broker', 'refused'));
const before = (command: string, session = 'now') =>
  hook({
    session_id: session,
    cwd: CWD,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
  });

test('a fact that names the form is told once a session while another program holds the database', async () => {
  await failed('first');
  const free = await held();
  const told = [await failed('n1'), await failed('n1'), await failed('n2'), await failed('n3')];
  await free();
  expect(told.map((reply) => reply?.text.includes(FACT) ?? null)).toEqual([true, null, true, true]);
  expect(await failed('n3')).toBeNull();
});

test('a daemon that began meanwhile knows from the file of receipts what a session was shown', async () => {
  await failed('n1');
  const free = await held();
  const later = createAnswers(app, 300);
  const reply = later(askedBy('claude-code', failedCommand('n1', 'pnpm test:broker')));
  await free();
  expect(await reply).toBeNull();
});

test('while lessons may have changed and cannot be read, the hook is silent in time, not out of date', async () => {
  await failed('n1');
  let letGo = (): void => {};
  const busy = app.store.read(() => new Promise<void>((resolve) => (letGo = resolve)));
  await change((lessons) => lessons.filter(({ text }) => text !== FACT));
  const replies = [await failed('n2'), await before('npm install x')];
  letGo();
  await Promise.all([busy, app.store.read(() => Promise.resolve())]);
  expect(replies).toEqual([null, null]);
  expect((await failed('n2'))?.text ?? '').not.toContain(FACT);
  expect((await before('npm install x'))?.deny).toBe(true);
});

test('a guard refuses then, too', async () => {
  await before('ls');
  const free = await held();
  const refused = await before('npm install x');
  expect([refused?.deny, refused?.text]).toEqual([
    true,
    expect.stringContaining(`Refused by a rule of the user: ${RULE}`),
  ]);
  expect(await before('pnpm install x')).toBeNull();
  await free();
});

test('what was never asked for is silence then', async () => {
  const free = await held();
  const asked = failed('n1');
  await free();
  await asked;
  answer = createAnswers(app);
  await app.store.release();
  expect((await failed('n2'))?.text).toContain(FACT);
});

test('what was forgotten or changed is not told by the next hook, free database or not', async () => {
  const [rule] = (await app.store.read((db) => loadLessons(db, { owner: project }))).filter(
    ({ text }) => text === RULE,
  );
  expect((await before('npm install x'))?.text).toContain(RULE);
  const forget = {
    lesson: rule!.id,
    action: 'forget',
    text: null,
    kind: null,
    scope: null,
  } as const;
  await applyEdit(app, { ...forget, time: app.clock.now().toISOString() }, project, 'forgets');
  await change((lessons) => lessons.filter(({ text }) => text !== FACT));
  expect((await failed('n0'))?.text ?? '').not.toContain(FACT);
  const free = await held();
  const [guarded, told] = [before('npm install x'), failed('n1')];
  await free();
  expect(await guarded).toBeNull();
  expect((await told)?.text ?? '').not.toContain(FACT);
});
