/** A conversation of Cursor's editor stands in a transcript and in its database. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { testHome, type TestHome } from './ingest-home.js';
import { put } from '../folder.js';

const said = (role: string, text: string): string =>
  `${JSON.stringify({ role, message: { content: [{ type: 'text', text: role === 'user' ? `<user_query>${text}</user_query>` : text }] } })}\n`;

function transcript({ home }: TestHome, session: string, text: string): void {
  const folder = `.cursor/projects/home-ana-shop/agent-transcripts/${session}`;
  put(join(home, folder, `${session}.jsonl`), text);
}

function database(
  { home, config }: TestHome,
  sessions: Record<string, [number, string][]>,
): string {
  const path = join(home, 'editor/state.vscdb');
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path);
  db.exec(
    'CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)',
  );
  const put = db.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)');
  for (const [session, bubbles] of Object.entries(sessions)) {
    put.run(
      `composerData:${session}`,
      JSON.stringify({ name: `about ${session}`, createdAt: Date.parse('2024-05-01T10:00:00Z') }),
    );
    for (const [index, [type, text]] of bubbles.entries()) {
      const tokenCount = type === 2 ? { inputTokens: 10, outputTokens: 5 } : undefined;
      put.run(
        `bubbleId:${session}:b${index}`,
        JSON.stringify({
          type,
          text,
          tokenCount,
          ...(session === 'old' ? {} : { createdAt: '2026-08-01T10:00:00.000Z' }),
        }),
      );
    }
  }
  db.close();
  config.agents.roots = { cursor: ['editor'] };
  return path;
}

test('is stored once, with the tokens of the database; one without a transcript is read from the database', async () => {
  const home = await testHome();
  transcript(home, 'c1', said('user', 'use tabs') + said('assistant', 'Done.'));
  const both: [number, string][] = [
    [1, 'use tabs'],
    [2, 'Done.'],
  ];
  const path = database(home, { c1: both, old: [[1, 'from before']] });
  await home.run();
  const rows = (): Promise<unknown[]> =>
    home.store.read((db) =>
      db.all('SELECT session, text FROM main.entries ORDER BY session, line, text'),
    );
  const expected = [
    { session: 'c1', text: 'use tabs' },
    { session: 'c1', text: 'Done.' },
    { session: 'old', text: 'from before' },
  ];
  expect(await rows()).toEqual(expected);
  const old = await home.store.read((db) =>
    db.all("SELECT time::VARCHAR AS time FROM main.entries WHERE session = 'old'"),
  );
  expect(old).toEqual([{ time: '2024-05-01 10:00:00' }]);
  expect(
    await home.store.read((db) => db.all('SELECT session, output::INT AS output FROM main.usage')),
  ).toEqual([{ session: 'c1', output: 5 }]);
  // A hint concerns the database alone: what has a transcript is known all the same.
  database(home, { c1: [...both, [1, 'and run the tests']] });
  await home.run({ paths: [path] });
  expect(await rows()).toEqual(expected);
});

/** An editor that writes rows, and the texts that a run stores. */
function openEditor(home: TestHome) {
  const path = database(home, {});
  return {
    put(key: string, value: object): void {
      const db = new DatabaseSync(path);
      const text = JSON.stringify(value).replaceAll("'", "''");
      db.exec(`INSERT INTO cursorDiskKV VALUES ('${key}', '${text}')`);
      db.close();
    },
    async texts(): Promise<unknown[]> {
      await home.run();
      const rows = await home.store.read((db) =>
        db.all('SELECT text FROM main.entries ORDER BY 1'),
      );
      return rows.map(({ text }) => text);
    },
  };
}

test('a message without an id is stored once, though its row is read again', async () => {
  const { put, texts } = openEditor(await testHome());
  put('bubbleId:c1', { type: 2, text: 'no id' });
  expect(await texts()).toEqual(['no id']);
  put('bubbleId:c1:b1', { type: 2, text: 'with id' });
  expect(await texts()).toEqual(['no id', 'with id']);
});

test('a conversation of an excluded folder is not stored, also where another one comes in between', async () => {
  const home = await testHome();
  const { put, texts } = openEditor(home);
  home.config.exclude = ['/home/ana/secret'];
  for (const [session, folder] of [
    ['c1', 'secret'],
    ['c2', 'open'],
  ])
    put(`composerData:${session}`, {
      workspaceIdentifier: { uri: { fsPath: `/home/ana/${folder}` } },
    });
  ['c1', 'c2', 'c1'].forEach((session, n) =>
    put(`bubbleId:${session}:b${n}`, { type: 2, text: `said ${n}` }),
  );
  expect(await texts()).toEqual(['said 1']);
  put('bubbleId:c2:b3', { type: 2, text: 'said 3' });
  put('bubbleId:c1:b4', { type: 2, text: 'said 4' });
  expect(await texts()).toEqual(['said 1', 'said 3']);
});
