// Commits, deletes half, and writes the file anew, again and again, until it is killed.
// Acknowledges every commit.
import { openStore } from '../../../dist/store/index.js';

const [path] = process.argv.slice(2);
const clock = { now: () => new Date(), mono: () => performance.now() };
const store = openStore({ path, clock, lockWaitMs: 5000, checkpointMb: 1, holdMs: 200, freeMs: 1 });
let [{ n }] = await store.read((db) => db.all('SELECT coalesce(max(n), 0) AS n FROM own.texts'));
for (;;) {
  const next = n + 2000;
  await store.write(async (db) => {
    await db.run('INSERT INTO own.texts SELECT r + 1, repeat(md5(r::VARCHAR), 4) FROM range($n::BIGINT, $next::BIGINT) t(r)', { n, next });
    await db.run('DELETE FROM own.texts WHERE n < $n', { n });
  });
  n = next;
  console.log(`done ${n}`);
  await store.rebuild();
  console.log('rebuilt');
}
