import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fillPlaces,
  saveFolders,
  saveProjects,
  rankWords,
  type Db,
} from '../../src/store/index.js';
import type { EntryHit, RankedHit } from '../../src/store/index.js';
import type { PreparedEntry } from '../../src/types.js';
import { tempStore } from '../stage.js';
import { batch, commitBatch, entry, term } from './build.js';
import { runs } from '../runs.js';

async function searchWords(
  db: Db,
  query: Parameters<typeof rankWords>[1],
): Promise<(RankedHit & EntryHit)[]> {
  return fillPlaces(db, (await rankWords(db, query)).hits);
}
function named(id: string): string {
  return Buffer.from(id, 'hex').toString().replaceAll('\0', '');
}
function ids(hits: readonly { id: string }[]): string[] {
  return hits.map(({ id }) => named(id));
}
function terms(text: string): bigint[] {
  return text.split(' ').map(term);
}

/** BM25 written anew from its definition, over plain arrays. */
function bm25(entries: PreparedEntry[], query: string[]): Map<string, number> {
  const words = entries.map(({ text }) => text.split(' '));
  const average = words.reduce((sum, list) => sum + list.length, 0) / words.length;
  const scores = new Map<string, number>();
  for (const word of new Set(query)) {
    const holders = words.filter((list) => list.includes(word)).length;
    const idf = Math.log(1 + (words.length - holders + 0.5) / (holders + 0.5));
    words.forEach((list, index) => {
      const frequency = list.filter((each) => each === word).length;
      if (frequency === 0) return;
      const id = entries[index]?.id ?? '';
      scores.set(
        id,
        (scores.get(id) ?? 0) +
          (idf * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * list.length) / average)),
      );
    });
  }
  return scores;
}

describe('by words', () => {
  test('law: scores and order are those of BM25 as defined', async () => {
    const word = fc.constantFrom('pnpm', 'test', 'port', 'fails', 'why', 'main');
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((list) => list.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        async (texts, query) => {
          const { store } = await tempStore();
          const entries = texts.map((each, i) => entry(`e${i}`, each, { seq: i }));
          await store.write((db) => commitBatch(db, batch(entries)));
          const hits = await store.read((db) =>
            searchWords(db, { terms: query.map(term), limit: 100 }),
          );
          const wanted = bm25(entries, query);
          expect(hits.length).toBe(wanted.size);
          for (const hit of hits)
            expect(hit.score).toBeCloseTo(wanted.get(hit.id) ?? Number.NaN, 8);
          for (let i = 1; i < hits.length; i++) {
            const [a, b] = [hits[i - 1]!, hits[i]!];
            expect(a.score > b.score || (a.score === b.score && a.id < b.id)).toBe(true);
          }
          const few = await store.read((db) =>
            searchWords(db, { terms: query.map(term), limit: 2 }),
          );
          expect(few).toEqual(hits.slice(0, 2));
          await store.close();
        },
      ),
      { numRuns: runs(3, 40) },
    );
  });

  test('only the newest version of a block is found, and a hit tells where it stands', async () => {
    const { store } = await tempStore();
    await store.write((db) => commitBatch(db, batch([entry('a', 'draft words')])));
    await store.write((db) =>
      commitBatch(db, batch([entry('a', 'final words', { path: '/logs/a.jsonl', line: 7 })])),
    );
    expect(await store.read((db) => searchWords(db, { terms: terms('draft'), limit: 10 }))).toEqual(
      [],
    );
    const [hit] = await store.read((db) => searchWords(db, { terms: terms('final'), limit: 10 }));
    expect(hit).toMatchObject({
      text: 'final words',
      path: '/logs/a.jsonl',
      line: 7,
      agent: 'claude-code',
      session: 's1',
      role: 'user',
      origin: 'user',
      time: '2026-11-20T10:00:00.000Z',
      project: null,
    });
  });

  test('filters by project, agent, role, session and time', async () => {
    const { store } = await tempStore();
    await store.write(async (db) => {
      await saveProjects(db, [
        { id: 'p1', slug: 'shop-1', name: 'shop', remote: null, folders: [], aliases: [] },
      ]);
      await saveFolders(db, [{ cwd: '/work/shop', project: 'p1', facts: {} }]);
      await commitBatch(
        db,
        batch([
          entry('shop', 'word'),
          entry('other', 'word', { cwd: '/work/other', session: 's9', seq: 2 }),
          entry('tool', 'word', { role: 'tool_result', origin: 'tool', seq: 3 }),
          entry('late', 'word', { time: '2026-11-22T00:00:00.000Z', seq: 4 }),
          entry('codex', 'word', { agent: 'codex', session: 'c1', seq: 5 }),
        ]),
      );
    });
    const find = async (filter: object) =>
      ids(
        await store.read((db) => searchWords(db, { terms: terms('word'), limit: 10, ...filter })),
      ).sort();
    expect(await find({})).toEqual(['codex', 'late', 'other', 'shop', 'tool']);
    expect(await find({ projects: ['p1'] })).toEqual(['codex', 'late', 'shop', 'tool']);
    expect(await find({ projects: [] })).toEqual([]);
    expect(await find({ agents: ['codex'] })).toEqual(['codex']);
    expect(await find({ roles: ['tool_result'] })).toEqual(['tool']);
    expect(await find({ origins: ['tool'] })).toEqual(['tool']);
    expect(await find({ sessions: ['s9'] })).toEqual(['other']);
    expect(await find({ from: '2026-11-21T00:00:00.000Z' })).toEqual(['late']);
    expect(await find({ until: '2026-11-21T00:00:00.000Z', agents: ['claude-code'] })).toEqual([
      'other',
      'shop',
      'tool',
    ]);
  });
});
