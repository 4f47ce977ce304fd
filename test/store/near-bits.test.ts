import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  nearEntries,
  openStates,
  saveVectors,
  type EntryFilter,
  type Store,
} from '../../src/store/index.js';
import { bitsOf, wordsOf } from '../../src/store/search/near-bits.js';
import { batch, commitBatch, entry, idOf, tempStore } from './build.js';

/** Numbers of chance, the same at every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32 - 0.5;
  };
}
function unit(next: () => number, dimensions: number, lean?: Float32Array): Float32Array {
  const vector = Float32Array.from(
    { length: dimensions },
    (_, i) => next() + (lean ? 12 * lean[i]! : 0),
  );
  const norm = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
  return vector.map((x) => x / norm);
}

interface Made {
  store: Store;
  states: string;
  asked: Float32Array;
  vectors: Float32Array[];
}

/**
 * Two windows an entry; every tenth entry is near to what is asked. The tokens of a window lie
 * about its vector.
 */
async function made(entries: number, dimensions = 384): Promise<Made> {
  const { store } = await tempStore();
  const states = join(dirname(store.path), 'vectors.bin');
  const next = chance(entries);
  const asked = unit(next, dimensions);
  const vectors = Array.from({ length: 2 * entries }, (_, i) =>
    unit(next, dimensions, i % 20 === 0 ? asked : undefined),
  );
  const signsOf = (vector: Float32Array) =>
    new Uint8Array(wordsOf(vector.map((x) => x + (0.5 * next()) / Math.sqrt(dimensions))).buffer);
  await store.write(async (db) => {
    const names = Array.from({ length: entries }, (_, i) =>
      entry(`e${i}`, `text ${i}`, { session: `s${i % 2}`, seq: i }),
    );
    await commitBatch(db, batch(names));
    const file = await openStates(db, states);
    const places = file.append(
      vectors.map((vector) => Buffer.concat(Array.from({ length: 9 }, () => signsOf(vector)))),
    );
    file.close();
    await saveVectors(
      db,
      vectors.map((vector, i) => ({
        ...{
          owner: 'entry' as const,
          id: idOf(`e${i >> 1}`),
          rev: 1,
          fingerprint: 'f',
          part: i & 1,
          text: `part ${i}`,
        },
        ...{ vector, states: places[i]! },
      })),
    );
  });
  return { store, states, asked, vectors };
}

async function found(
  { store, states, asked }: Made,
  exactUpTo: number,
  filter: EntryFilter = {},
  limit = 10,
) {
  const query = { vector: asked, fingerprint: 'f', limit, exactUpTo, states, ...filter };
  return (await store.read((db) => nearEntries(db, query))).hits;
}
function namesOf(hits: readonly { id: string }[]): string[] {
  return hits.map(({ id }) => Buffer.from(id, 'hex').toString().replaceAll('\0', ''));
}

test('signs choose and tokens compare: the nearest entries, with their cosines, of either length of vector', async () => {
  for (const dimensions of [384, 512]) {
    const one = await made(100, dimensions);
    const [exact, signed] = [await found(one, 1e9), await found(one, 0)];
    expect(namesOf(signed).sort()).toEqual(namesOf(exact).sort());
    const cosines = new Map(exact.map(({ id, score }) => [id, score]));
    for (const { id, score } of signed)
      expect(Math.abs(score - cosines.get(id)!)).toBeLessThan(0.12);
    expect(await misSigned(one)).toEqual([]);
    await one.store.close();
  }
});

/** Rows whose signs are not those of their vector. */
async function misSigned({ store: of, vectors }: Made): Promise<unknown[]> {
  const rows = await of.read((db) =>
    db.all<{ text: string; b0: number | bigint; b5: number | bigint }>(
      'SELECT text, b0, b5 FROM own.vectors',
    ),
  );
  return rows.filter(({ text, b0, b5 }) => {
    const bits = bitsOf(vectors[Number(text.slice(5))]!);
    return BigInt(b0) !== bits[0] || BigInt(b5) !== bits[5];
  });
}

test('a filter, a new version and a purged file: only what may be found is', async () => {
  const one = await made(60);
  expect(
    namesOf(await found(one, 0, { sessions: ['s1'] })).every(
      (name) => Number(name.slice(1)) % 2 === 1,
    ),
  ).toBe(true);
  expect(await found(one, 0, { sessions: ['none'] })).toEqual([]);
  expect(await found(one, 0, {}, 500)).toHaveLength(60);
  await one.store.write((db) => commitBatch(db, batch([entry('e0', 'another text', { seq: 0 })])));
  expect(namesOf(await found(one, 0))).not.toContain('e0');
  // Without the file the signs alone tell.
  const alone = await found({ ...one, states: `${one.states}.none` }, 0);
  expect(new Set(namesOf(alone).slice(0, 5))).toEqual(new Set(['e10', 'e20', 'e30', 'e40', 'e50']));
});
