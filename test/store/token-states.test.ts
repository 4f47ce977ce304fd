import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openStates, readStates, saveVectors, type Db, type Store } from '../../src/store/index.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry, idOf } from './build.js';
import { axis } from './world.js';

const TOKEN = 48;
function signs(fill: number, tokens = 3): Uint8Array {
  return new Uint8Array(tokens * TOKEN).fill(fill);
}

interface Kept {
  store: Store;
  path: string;
}
async function kept(): Promise<Kept> {
  const { store } = await tempStore();
  return { store, path: join(dirname(store.path), 'vectors.bin') };
}

/** Windows `0`, `1`, … of one entry each, whose signs are all that number. */
async function add({ store, path }: Kept, numbers: readonly number[], tokens = 3): Promise<void> {
  await store.write(async (db) => {
    const file = await openStates(db, path);
    const places = await file.append(numbers.map((n) => signs(n, tokens)));
    file.close();
    await commitBatch(db, batch(numbers.map((n) => entry(`e${n}`, `text ${n}`))));
    await saveVectors(
      db,
      numbers.map((n, i) => row(n, places[i]!)),
    );
  });
}
function row(n: number, states: number | null) {
  return {
    owner: 'entry' as const,
    id: idOf(`e${n}`),
    rev: 1,
    fingerprint: 'f',
    part: 0,
    text: `text ${n}`,
    vector: axis(n),
    states,
  };
}

/** What can be read, by entry: the byte of which its signs are made. */
async function held({ store, path }: Kept): Promise<Record<string, number>> {
  return store.read(async (db) => {
    const rows = await placesOf(db);
    const found = await readStates(
      db,
      path,
      rows.flatMap(({ place }) => place ?? []),
    );
    return Object.fromEntries(
      rows.flatMap(({ text, place }) => {
        const bytes = place === null ? undefined : found.get(place);
        if (bytes === undefined) return [];
        expect(new Set(bytes).size).toBeLessThanOrEqual(1);
        return [[text, bytes[0] ?? -1]];
      }),
    );
  });
}
function placesOf(db: Db): Promise<{ text: string; place: number | null }[]> {
  return db.all('SELECT text, states AS place FROM own.vectors ORDER BY text');
}

test.each([
  ['lost', (path: string) => rmSync(path)],
  ['cut', (path: string) => truncateSync(path, 40)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['another home’s', (path: string) => writeFileSync(path, Buffer.alloc(5_000, 3))],
])('a file that is %s gives nothing, and is begun anew by the next writer', async (_, harm) => {
  const one = await kept();
  await add(one, [1, 2]);
  harm(one.path);
  expect(Object.values(await held(one)).filter((byte) => byte === 3)).toEqual([]);
  await add(one, [4]);
  expect(await held(one)).toEqual({ 'text 4': 4 });
  expect(await one.store.read((db) => placesOf(db))).toHaveLength(1);
});
