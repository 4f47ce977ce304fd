/**
 * What the daemon says to hooks: each item once a session, nothing that the page holds, silence for
 * everything else.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/app.js';
import { createAnswers } from '../../src/hooks/answers.js';
import { askedBy } from '../../src/hooks/dialects.js';
import type { Answer } from '../../src/hooks/wire.js';
import { CURE, CWD, curedHome, failedCommand } from './home.js';
import { type Stage, daemonApp } from '../stage.js';

const begun = curedHome();
let stage: Stage;
let app: App;
let answer: Answer;
beforeEach(async () => {
  stage = await begun();
  app = await daemonApp(stage);
  answer = createAnswers(app);
});
afterEach(() => app[Symbol.asyncDispose]());

/** The daemon ends and begins, as with each change of config.yaml. */
async function anew(): Promise<void> {
  await app[Symbol.asyncDispose]();
  app = await daemonApp(stage);
  answer = createAnswers(app);
}

/** @returns what the hook of this payload prints; '' is silence */
async function said(payload: Record<string, unknown>, isPrinted = true): Promise<string> {
  const reply = await answer(askedBy('claude-code', payload), () => true);
  reply?.ended(isPrinted);
  return reply?.text ?? '';
}

const started = (session: string, source = 'startup') => ({
  ...{ session_id: session, cwd: CWD, hook_event_name: 'SessionStart', source, model: 'm' },
});

describe('a failure', () => {
  test('tells once a session what helped before, under the head of our notes', async () => {
    const text = await said(failedCommand('n1'));
    expect(text).toMatch(/^Notes from earlier sessions in `kettle`; /);
    expect(text).toContain(CURE);
    expect(await said(failedCommand('n1'))).toBe('');
    expect(await said(failedCommand('n2'))).toBe(text);
  });

  test('that the page of the start told is not told when the daemon began anew', async () => {
    const page = join(app.paths.projects, stage.slug(), 'context.md');
    const lines = (await said(failedCommand('n0'))).split('\n').slice(1);
    writeFileSync(
      page,
      lines.map((line) => `${line.replace(/ \([^()]*, id \w+\)$/, '')}\n`).join(''),
    );
    await said(started('n1'));
    await anew();
    expect(await said(failedCommand('n1'))).toBe('');
    expect(await said(failedCommand('n2'))).not.toBe('');
  });

  test('of a session without an id gets silence, since nothing could be shown once alone', async () => {
    const { session_id: _, ...bare } = failedCommand('n1');
    for (const id of [{}, { session_id: 7 }, { session_id: '' }])
      expect(await said({ ...bare, ...id })).toBe('');
    expect(await said({ ...failedCommand('n1'), tool_input: 3 })).toBe('');
    expect(await said({})).toBe('');
  });

  test('that was not printed in time is told at the next', async () => {
    const text = await said(failedCommand('n1'), false);
    expect(text).not.toBe('');
    expect(await said(failedCommand('n1'))).toBe(text);
  });
});

describe('the start of a session', () => {
  const page = () => stage.read(`projects/${stage.slug()}/context.md`);

  test('tells the page, unless the session goes on or a line of `link` leads the agent there', async () => {
    expect(await said(started('n1'))).toBe(page());
    expect(await said(started('n1', 'resume'))).toBe('');
    const link = {
      repo: CWD,
      slug: stage.slug(),
      copy: false,
      folders: [],
      files: [{ agent: 'claude-code', path: 'x' }],
    };
    writeFileSync(app.paths.links, JSON.stringify({ version: 1, links: [link] }));
    expect(await said(started('n2'))).toBe('');
    rmSync(app.paths.links);
  });

  test('what the page holds is not told again, also when the page has changed since', async () => {
    const text = await said(failedCommand('n0'));
    const path = join(app.paths.projects, stage.slug(), 'context.md');
    const items = text
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/ \([^()]*, id \w+\)$/, ''));
    writeFileSync(path, `${page()}${items.join('\n')}\n`);
    await said(started('n1'));
    writeFileSync(path, 'another page\n');
    const again = await said(failedCommand('n1'));
    expect(items.filter((item) => again.includes(item))).toEqual([]);
    expect(await said(failedCommand('n2'))).toBe(text);
  });
});

test('only moments that config names are answered, and requests of other shapes are not', async () => {
  const command = { ...failedCommand('n1'), hook_event_name: 'PreToolUse' };
  expect(await said(command)).toBe('');
  for (const request of [
    null,
    7,
    [],
    {},
    { ...askedBy('claude-code', failedCommand('n1')), version: 2 },
    { version: 1 },
  ])
    expect(await answer(request, () => true)).toBeNull();
});
