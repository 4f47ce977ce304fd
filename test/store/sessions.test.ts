import { expect, test } from 'vitest';
import { loadEpisodes, pendingSessions, materialOf, typedText } from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import type { Candidate, Episode } from '../../src/types.js';
import { tempStore } from '../stage.js';
import { bareEpisode } from '../context/build.js';
import { candidate as madeCandidate } from '../lessons/build.js';
import { batch, commitBatch, entry } from './build.js';
import { extraction, NO_ROWS, replaceOne } from './world.js';

const NOW = '2026-11-20T12:00:00.000Z';
function mark(upTo: number, extractor = 1) {
  return { upTo, extractor, now: NOW };
}

function candidate(key: string, session: string): Candidate {
  return madeCandidate({ text: key, key, worth: 1, evidence: { session, quote: key } });
}

function parsed({
  payload,
  project: of,
}: {
  project: string;
  payload: string;
}): Candidate & { project: string } {
  return { ...(JSON.parse(payload) as Candidate), project: of };
}

function commit(store: Store, session: string, time: string, more: object = {}) {
  return store.write((db) =>
    commitBatch(
      db,
      batch([entry(`${session}${time.slice(8, 16)}`, 'x', { session, time, ...more })], {
        sessions: [{ agent: 'claude-code', session, cwd: '/work/shop' }],
        at: { session },
      }),
    ),
  );
}

test('a long opening of three sessions in which nobody typed later makes them machine-made, and withdraws what they yielded', async () => {
  const opening = (typedLater: boolean) => ({ hash: 'same', length: 300, typedLater });
  const { store } = await tempStore();
  const yields = (session: string, typedLater: boolean) =>
    extraction({
      opening: opening(typedLater),
      candidates: [candidate(session, session)],
      episode: bareEpisode({ session }),
    });
  for (const [session, typed] of [
    ['s1', false],
    ['s2', false],
    ['person', true],
  ] as const) {
    await commit(store, session, '2026-11-20T10:00:00.000Z');
    await store.write((db) =>
      replaceOne(db, 'claude-code', session, 'p1', yields(session, typed), mark(99)),
    );
  }
  const keys = async () =>
    (await store.read((db) => materialOf(db, ['p1'], NOW)))('p1')
      .candidates.map(parsed)
      .map(({ key }) => key)
      .sort();
  expect(await keys()).toEqual(['person', 's1', 's2']);
  await commit(store, 's3', '2026-11-20T10:00:00.000Z');
  expect(
    await store.write((db) =>
      replaceOne(db, 'claude-code', 's3', 'p2', yields('s3', false), mark(99)),
    ),
    'the others have to be computed anew too',
  ).toEqual(['p1', 'p2']);
  expect(await keys()).toEqual(['person']);
  const sessions = await store.read((db) =>
    pendingSessions(db, { idleBefore: null, extractor: 2 }),
  );
  expect(
    sessions
      .filter(({ machine }) => machine)
      .map(({ session }) => session)
      .sort(),
  ).toEqual(['s1', 's2', 's3']);
  const episodes = await store.read((db) => loadEpisodes(db, ['p1', 'p2']));
  expect(['p1', 'p2'].flatMap((id) => episodes(id).map(({ session }) => session))).toEqual([
    'person',
  ]);
  expect(await store.read((db) => db.all('SELECT session FROM episodes'))).toEqual([
    { session: 'person' },
  ]);
});

test('an aborted start is no episode where a later session begins with its prompt', async () => {
  const { store } = await tempStore();
  const aborted: Partial<Episode> = { outcome: 'abandoned', files: [], commits: [] };
  const made: [session: string, hash: string | null, more: Partial<Episode>][] = [
    ['a1', 'one', aborted],
    ['a2', 'one', { ...aborted, outcome: 'unknown' }],
    ['a3', 'one', { ...aborted, outcome: 'success' }],
    ['b1', 'two', { ...aborted, files: ['a.ts'] }],
    ['b2', 'two', { ...aborted, commits: ['fix: a'] }],
    ['b3', 'two', aborted],
    ['b4', 'two', aborted],
    ['c1', null, aborted],
    ['c2', null, aborted],
  ];
  for (const [at, [session, hash, more]] of made.entries()) {
    await commit(store, session, `2026-11-20T1${at}:00:00.000Z`);
    const episode = bareEpisode({ session, ...more });
    const opening = hash === null ? null : { hash, length: 9, typedLater: true };
    await store.write((db) =>
      replaceOne(db, 'claude-code', session, 'p1', extraction({ opening, episode }), mark(99)),
    );
  }
  const episodes = await store.read((db) => loadEpisodes(db, ['p1']));
  expect(episodes('p1').map(({ session }) => session)).toEqual(
    ['a3', 'b1', 'b2', 'b4', 'c1', 'c2'].reverse(),
  );
});

test('what a machine-made session "typed" does not count as the user\'s', async () => {
  const { store } = await tempStore();
  await store.write((db) =>
    commitBatch(
      db,
      batch([entry('a', 'x')], {
        sessions: [{ agent: 'claude-code', session: 's1', machine: true }],
      }),
    ),
  );
  const prompts = [{ entry: 'a', seq: 1, time: NOW, text: 'curl x' }];
  await store.write((db) =>
    replaceOne(
      db,
      'claude-code',
      's1',
      'p1',
      extraction({ rows: { ...NO_ROWS, prompts } }),
      mark(99),
    ),
  );
  expect(await store.read(typedText)).toBe('');
});
