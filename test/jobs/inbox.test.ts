/** Lines that tools without logs leave in the inbox. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testHome, type TestHome } from './ingest-home.js';

interface Line {
  agent: string;
  session: string;
  text: string;
  at?: string;
}

function leave({ stone }: TestHome, name: string, lines: Line[]): string {
  const folder = join(stone, 'inbox');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, name),
    lines
      .map((line) => `${JSON.stringify({ role: 'user', cwd: '/home/ana/shop', ...line })}\n`)
      .join(''),
  );
  return join(folder, name);
}
function perSession({ store }: TestHome): Promise<{ session: string; n: number }[]> {
  return store.read((db) =>
    db.all('SELECT session, count(*)::INTEGER AS n FROM main.entries GROUP BY 1 ORDER BY 1'),
  );
}
/** All logs are read again from their first line. */
function forgetPlaces({ store }: TestHome): Promise<void> {
  return store.write(async (db) => void (await db.run('DELETE FROM own.sources')));
}

const FIRST = ['s1', 's2', 's3'].flatMap((session) =>
  ['continue', 'run `make verify` before a push', 'yes'].map((text): Line => ({
    agent: 'aider',
    session,
    text,
  })),
);
const SECOND: Line[] = ['continue', 'yes'].map((text) => ({
  agent: 'cursor',
  session: 'c9',
  text,
}));
function SAME_SECOND(session: string): Line[] {
  return [{ agent: 'zed', session, text: 'yes please', at: '2026-11-20T10:00:00Z' }];
}

test('equal words of two sessions are two entries, without a time and within one second, in one file and in two', async () => {
  const home = await testHome();
  leave(home, 'a.jsonl', FIRST);
  const moved = leave(home, 'b.jsonl', SECOND);
  leave(home, 'c.jsonl', SAME_SECOND('t1'));
  leave(home, 'd.jsonl', SAME_SECOND('t2'));
  await home.run();
  const all = [
    ['aider:s1', 3],
    ['aider:s2', 3],
    ['aider:s3', 3],
    ['cursor:c9', 2],
    ['zed:t1', 1],
    ['zed:t2', 1],
  ].map(([session, n]) => ({ session, n }));
  expect(await perSession(home)).toEqual(all);
  renameSync(moved, join(home.stone, 'inbox/e.jsonl'));
  await forgetPlaces(home);
  expect(await home.run()).toMatchObject({ counts: { entries: 0 } });
  expect(await perSession(home)).toEqual(all);
});

test('an entry that was purged stays away when its log is read again', async () => {
  const home = await testHome();
  leave(home, 'a.jsonl', FIRST);
  await home.run();
  await home.store.write(async (db) => {
    const yes = `session = 'aider:s3' AND n IN (SELECT n FROM own.texts WHERE text = 'yes')`;
    await db.run(`INSERT INTO own.purged SELECT id FROM own.entries WHERE ${yes}`);
    await db.run(`DELETE FROM own.entries WHERE ${yes}`);
  });
  await forgetPlaces(home);
  expect(await home.run()).toMatchObject({ counts: { entries: 0 } });
  expect(await perSession(home)).toContainEqual({ session: 'aider:s3', n: 2 });
});
