/**
 * Measures the latency of search by words, by meaning and by both (without the time for the query's
 * vector) over invented stores.
 * Usage: tsx bench/search.ts [ENTRIES ...] (default 10000 100000)
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answersOf } from '../src/recall/answers.js';
import { addMeaning, findByWords } from '../src/recall/entry-hits.js';
import { nearEntries, openStore, rankWords } from '../src/store/index.js';
import { hashTerm } from '../src/terms/index.js';
import { clock, fill, reading, vector, word } from './made-store.js';

async function times(name: string, run: () => Promise<unknown>): Promise<void> {
  await run();
  const taken: number[] = [];
  const used = process.cpuUsage();
  for (let i = 0; i < 30; i++) {
    const begun = performance.now();
    await run();
    taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  const { user, system } = process.cpuUsage(used);
  console.log(
    `  ${name}: p50 ${taken[15]!.toFixed(0)} ms, p95 ${taken[28]!.toFixed(0)} ms, ${((user + system) / 30_000).toFixed(0)} ms of processor each`,
  );
}

for (const count of process.argv.length > 2
  ? process.argv.slice(2).map(Number)
  : [10_000, 100_000]) {
  const home = await mkdtemp(join(tmpdir(), 'dripstone-bench-'));
  const store = openStore({ path: join(home, 'memory.duckdb'), clock, lockWaitMs: 0 });
  const begun = performance.now();
  await fill(store, count, 'bench');
  console.log(`${count} entries (filled in ${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  await times('words', () =>
    store.read((db) =>
      rankWords(db, { terms: [word(), word(), word()].map(hashTerm), limit: 200 }),
    ),
  );
  await times('meaning', () =>
    store.read((db) =>
      nearEntries(db, {
        vector: vector(),
        fingerprint: 'bench',
        limit: 200,
        states: join(home, 'vectors.bin'),
      }),
    ),
  );
  await times('both', () => {
    const terms = [word(), word(), word()];
    const vectors = join(home, 'vectors.bin');
    const query = {
      mode: 'hybrid' as const,
      query: terms.join(' '),
      terms,
      limit: 10,
      filter: {},
      vectors,
    };
    const asked = reading(terms);
    return store.read(async (db) => {
      const words = await findByWords(db, query);
      const found = await addMeaning(
        db,
        words,
        { vector: asked.vector, fingerprint: 'bench', reading: asked },
        query,
      );
      return answersOf(db, found, {
        mode: 'hybrid',
        query: query.query,
        weights: words.weights,
        limit: query.limit,
      });
    });
  });
  await store.close();
  await rm(home, { recursive: true });
}
