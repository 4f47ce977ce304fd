import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { OWN_CALL } from '../../src/parse/own-notes.js';
import { prompt, testHome } from './ingest-home.js';

function prompts(count: number, label: string, more: Record<string, unknown> = {}) {
  return Array.from({ length: count }, (_, i) => prompt(`${label} ${i}`, more)).join('');
}

/** Writes events into the database of OpenClaw; only the first one of a session has its folder. */
function openClaw(home: string) {
  const path = join(home, '.openclaw/agents/main/agent/openclaw-agent.sqlite');
  mkdirSync(dirname(path), { recursive: true });
  const add = (session: string, event: object): void => {
    const json = JSON.stringify({ ...event, timestamp: '2026-08-01T10:00:00Z' });
    const db = new DatabaseSync(path);
    db.exec(`CREATE TABLE IF NOT EXISTS transcript_events (session_id TEXT, event_json TEXT);
      INSERT INTO transcript_events VALUES ('${session}', '${json}')`);
    db.close();
  };
  const says = (session: string, text: string): void =>
    add(session, { type: 'message', id: text, message: { role: 'user', content: text } });
  return { add, says };
}

describe('ingest', () => {
  test('reads everything once, then only what is new', async () => {
    const { log, run, texts } = await testHome();
    const path = log('shop/a.jsonl', prompts(3, 'first'));
    log(
      'shop/b.jsonl',
      prompts(2, 'second', { sessionId: '22222222-2222-4222-8222-222222222222' }),
    );
    expect(await run()).toMatchObject({
      done: 2,
      failed: 0,
      counts: { entries: 5, known: 0 },
      changed: true,
    });
    expect(await run()).toEqual({ done: 0 });
    appendFileSync(path, prompt('later'));
    expect(await run()).toMatchObject({ done: 1, counts: { entries: 1, known: 0 } });
    expect(await texts()).toEqual([
      'first 0',
      'first 1',
      'first 2',
      'later',
      'second 0',
      'second 1',
    ]);
  });

  test('a trigger with a path looks at that log alone', async () => {
    const { log, run } = await testHome();
    const path = log('shop/a.jsonl', prompt('one'));
    log('shop/b.jsonl', prompt('two'));
    expect(await run({ paths: [path] })).toMatchObject({ done: 1, counts: { entries: 1 } });
    expect(await run({ paths: ['/etc/passwd'] })).toEqual({ done: 0 });
  });

  test('newest logs come first', async () => {
    const { log, run, checkpoints } = await testHome();
    for (const [index, name] of ['c', 'a', 'b'].entries())
      utimesSync(
        log(`shop/${name}.jsonl`, prompt(name)),
        1_700_000_000 + index,
        1_700_000_000 + index,
      );
    await run();
    expect(
      (await checkpoints()).sort((x, y) => x.log - y.log).map((each) => each.path.at(-7)),
    ).toEqual(['b', 'a', 'c']);
  });

  test('a log whose kept state lacks a field at any depth is read anew and adds nothing twice', async () => {
    const { log, run, store } = await testHome();
    const path = log('shop/a.jsonl', prompts(2, 'kept'));
    await run();
    const older = `UPDATE own.sources SET state = replace(state, '"busy":', '"wasBusy":')`;
    await store.write(async (db) => void (await db.run(older)));
    appendFileSync(path, prompt('later'));
    expect(await run()).toMatchObject({ counts: { entries: 1, known: 2 } });
    appendFileSync(path, prompt('last'));
    expect(await run()).toMatchObject({ counts: { entries: 1, known: 0 } });
  });

  test('a log that moves keeps its row and says its present path', async () => {
    const { log, run, checkpoints, store } = await testHome();
    const path = log('shop/a.jsonl', prompts(3, 'moved'));
    await run();
    const moved = join(dirname(path), '../other/b.jsonl');
    mkdirSync(dirname(moved));
    renameSync(path, moved);
    appendFileSync(moved, prompt('after the move'));
    expect(await run()).toMatchObject({ counts: { entries: 1, known: 0 } });
    expect((await checkpoints()).map((each) => each.path)).toEqual([moved]);
    const paths = await store.read((db) =>
      db.all<{ path: string }>('SELECT DISTINCT path FROM main.entries'),
    );
    expect(paths).toEqual([{ path: moved }]);
  });

  test('copies, forks read before their parent, and two logs with one session add nothing twice', async () => {
    const { log, run, texts } = await testHome();
    const parent = prompts(4, 'shared');
    const fork =
      parent.replaceAll(
        '11111111-1111-4111-8111-111111111111',
        '33333333-3333-4333-8333-333333333333',
      ) + prompt('only in the fork', { sessionId: '33333333-3333-4333-8333-333333333333' });
    const forked = log('shop/33333333-3333-4333-8333-333333333333.jsonl', fork);
    await run({ paths: [forked] });
    const original = log('shop/11111111-1111-4111-8111-111111111111.jsonl', parent);
    copyFileSync(original, join(dirname(original), 'copy.jsonl'));
    log('shop/same-session.jsonl', prompt('in another log of the session'));
    await run();
    expect((await texts()).sort()).toEqual([
      'in another log of the session',
      'only in the fork',
      'shared 0',
      'shared 1',
      'shared 2',
      'shared 3',
    ]);
  });

  test('a log cut short, rotated, rewritten or recreated loses and doubles nothing', async () => {
    const { log, run, texts } = await testHome();
    const path = log('shop/a.jsonl', prompts(30, 'old'));
    await run();
    writeFileSync(path, prompts(50, 'rewritten'));
    await run();
    writeFileSync(path, prompts(2, 'short'));
    await run();
    rmSync(path);
    await run();
    log('shop/a.jsonl', prompts(2, 'again'));
    renameSync(path, `${path}.1.jsonl`);
    log('shop/a.jsonl', prompts(1, 'rotated'));
    await run();
    const found = await texts();
    expect(found).toHaveLength(30 + 50 + 2 + 2 + 1);
    expect(new Set(found).size).toBe(found.length);
  });

  test('half a line that was still for ten minutes is taken, and not doubled when the log grows', async () => {
    const { log, run, texts, checkpoints } = await testHome();
    const last = prompt('no newline behind it').trimEnd();
    const path = log('shop/a.jsonl', prompt('whole') + last);
    await run();
    expect(await texts()).toEqual(['whole']);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
    await run();
    expect(await texts()).toEqual(['whole', 'no newline behind it']);
    appendFileSync(path, `\n${prompt('next')}`);
    await run();
    expect(await texts()).toEqual(['whole', 'no newline behind it', 'next']);
    expect((await checkpoints())[0]).toMatchObject({ line: 3, bad_lines: 0 });
  });

  test('excluded projects are never read, and are when the config no longer says so', async () => {
    const { log, run, texts, config } = await testHome();
    log('secret/a.jsonl', prompts(3, 'hidden', { cwd: '/home/ana/work/client-x/api' }));
    log(
      'shop/b.jsonl',
      prompt('shown') + prompt('went elsewhere', { cwd: '/home/ana/work/client-x' }),
    );
    config.exclude = ['/home/ana/work/client-*'];
    expect(await run()).toMatchObject({ counts: { logs: 1, excluded: 1, entries: 1 } });
    expect(await texts()).toEqual(['shown']);
    expect(await run()).toEqual({ done: 0 });
    config.exclude = [];
    await run();
    const hidden = [0, 1, 2].map((n) => `hidden ${n}`);
    expect((await texts()).sort()).toEqual([...hidden, 'shown', 'went elsewhere']);
    expect(await run()).toEqual({ done: 0 });
  });

  test('a session of a database that is excluded after its first row is not read further', async () => {
    const { home, run, texts, config } = await testHome();
    const { add, says } = openClaw(home);
    for (const session of ['a', 'b'])
      add(session, { type: 'session', id: session, cwd: join(home, session) });
    for (const session of ['a', 'b']) says(session, `${session} once`);
    await run();
    config.exclude = ['~/a'];
    for (const session of ['a', 'b']) says(session, `${session} again`);
    await run();
    expect((await texts()).sort()).toEqual(['a once', 'b again', 'b once']);
  });

  test('excluded sessions and own calls of a database stay out when other sessions come in between', async () => {
    const { home, run, texts, config } = await testHome();
    config.exclude = ['~/work/client-*'];
    const { add, says } = openClaw(home);
    add('a', { type: 'session', id: 'a', cwd: join(home, 'work/client-x') });
    add('b', { type: 'session', id: 'b', cwd: join(home, 'shop') });
    for (const session of ['own-1', 'own-2']) says(session, OWN_CALL);
    const all = ['a', 'own-1', 'b', 'own-2', 'a'];
    for (const session of all) says(session, `${session} once`);
    await run();
    for (const session of all) says(session, `${session} again`);
    await run();
    expect((await texts()).sort()).toEqual(['b again', 'b once']);
    config.exclude = [];
    await run();
    expect((await texts()).sort()).toEqual(['a again', 'a once', 'b again', 'b once']);
    expect(await run()).toEqual({ done: 0 });
  });
});
