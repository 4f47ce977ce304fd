/** Lines that tools without logs leave in the inbox. */
import { hash } from 'node:crypto';
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

function leave({ home }: TestHome, name: string, lines: Line[]): string {
  const folder = join(home, '.dripstone/inbox');
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
  renameSync(moved, join(home.home, '.dripstone/inbox/e.jsonl'));
  await forgetPlaces(home);
  expect(await home.run()).toMatchObject({ counts: { entries: 0 } });
  expect(await perSession(home)).toEqual(all);
});

test('rows that an earlier version stored under an id without the session are not stored twice; one that was purged stays away', async () => {
  const home = await testHome();
  leave(home, 'a.jsonl', FIRST);
  await home.run();
  const digest = (length: number, parts: string): string =>
    hash('sha256', parts, 'hex').slice(0, length);
  // The how-manieth equal was counted over the whole file, as it is today.
  const former = (text: string, n: number): string =>
    digest(32, `inbox\0equal\0${digest(16, `user\0null\0${text}`)}\0${n}`);
  await home.store.write(async (db) => {
    for (const [at, session] of ['aider:s1', 'aider:s2', 'aider:s3'].entries()) {
      for (const text of ['continue', 'run `make verify` before a push', 'yes']) {
        await db.run(
          'UPDATE own.entries SET id = $id WHERE session = $session AND n IN (SELECT n FROM own.texts WHERE text = $text)',
          { id: former(text, at + 1), session, text },
        );
      }
    }
    await db.run('INSERT INTO own.purged VALUES ($id)', { id: former('yes', 3) });
    await db.run(
      `DELETE FROM own.entries WHERE session = 'aider:s3' AND n IN (SELECT n FROM own.texts WHERE text = 'yes')`,
    );
  });
  await forgetPlaces(home);
  expect(await home.run()).toMatchObject({ counts: { entries: 0 } });
  expect(await perSession(home)).toEqual([
    { session: 'aider:s1', n: 3 },
    { session: 'aider:s2', n: 3 },
    { session: 'aider:s3', n: 2 },
  ]);
});
