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
import type { Answer } from '../../src/wire.js';
import { loadLessons, loadProjects, saveLessons } from '../../src/store/index.js';
import { lesson } from '../store/build.js';
import { CURE, CWD, ERROR, curedHome, failedCommand } from './home.js';
import { type Stage, daemonApp } from '../stage.js';

let stage: Stage;
let app: App;
let answer: Answer;
beforeEach(async () => {
  stage = await curedHome();
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
  const reply = await answer(askedBy('claude-code', payload));
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

describe('a prompt and an edit', () => {
  const prompt = (session: string, text: string) =>
    said({ session_id: session, cwd: CWD, hook_event_name: 'UserPromptSubmit', prompt: text });
  const edit = (session: string, file: string) =>
    said({
      ...{ session_id: session, cwd: CWD, hook_event_name: 'PreToolUse', tool_name: 'Edit' },
      tool_input: { file_path: join(CWD, file) },
    });
  beforeEach(async () => {
    await app[Symbol.asyncDispose]();
    await stage.type('config', 'set', 'hooks.moments', 'prompt', 'edit');
    await stage.type(
      'lessons',
      'add',
      'Keep `src/queue.ts` free of `rabbit`',
      '--project',
      'kettle',
    );
    await anew();
  });

  test('only the first prompt of a session is answered, also after the daemon began anew', async () => {
    const asks = `Why is there "${ERROR}"?`;
    expect(await prompt('n1', asks)).toContain(CURE);
    expect([await prompt('n2', 'Tidy up'), await prompt('n2', asks)]).toEqual(['', '']);
    // The log of session a1 has a prompt.
    await anew();
    expect(await prompt('a1', asks)).toBe('');
    expect(await prompt('n1', asks)).toBe('');
  });

  test('an edit is answered with what the person wants of the file, not with what was said of it', async () => {
    expect(await edit('n1', 'src/queue.ts')).toContain('free of `rabbit`');
    expect(await edit('n1', 'src/queue.ts')).toBe('');
    expect(await edit('n1', 'compose.yaml')).toBe('');
    await app.store.write(async (db) => {
      const [own] = (await loadProjects(db)).map(({ id }) => id);
      const about = { project: own!, files: ['compose.yaml'] };
      await saveLessons(db, own!, [
        ...(await loadLessons(db, { owner: own! })),
        lesson('l1', { ...about, text: 'The rabbit image is pinned', said_by: 'agent' }),
        lesson('l2', { ...about, text: 'Rabbit stays at 3', kind: 'decision' }),
      ]);
    });
    const text = await edit('n2', 'compose.yaml');
    expect([text.includes('stays at 3'), text.includes('pinned')]).toEqual([true, false]);
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
    expect(await answer(request)).toBeNull();
});
