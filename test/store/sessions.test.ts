import { expect, test } from 'vitest';
import {
  countPending,
  loadEpisodes,
  pendingSessions,
  pendingTimes,
  projectClock,
  projectMaterial,
  typedTokens,
} from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import type { Candidate } from '../../src/types.js';
import { batch, commitBatch, entry, tempStore } from './build.js';
import { extraction, replaceOne } from './world.js';

const NOW = '2026-11-20T12:00:00.000Z';
function mark(upTo: number, extractor = 1) {
  return { upTo, extractor, now: NOW };
}

function candidate(key: string, session: string, more: Partial<Candidate> = {}): Candidate {
  return {
    kind: 'preference',
    scope: 'project',
    text: key,
    key,
    importance: 4,
    saidBy: 'user',
    alone: true,
    worth: 1,
    evidence: {
      agent: 'claude-code',
      session,
      entry: null,
      day: '2026-11-20',
      trust: 0.9,
      supports: true,
      quote: key,
    },
    tags: [],
    files: [],
    mentions: [],
    extractor: 1,
    ...more,
  };
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

test('later facts win, null never overwrites', async () => {
  const { store } = await tempStore();
  const facts = { agent: 'claude-code', session: 's1' };
  await store.write((db) =>
    commitBatch(
      db,
      batch([entry('a', 'x')], {
        sessions: [
          { ...facts, title: 'old', machine: true, remote: 'r1' },
          { ...facts, title: 'new', remote: null },
        ],
      }),
    ),
  );
  await store.write((db) =>
    commitBatch(
      db,
      batch([], { sessions: [{ ...facts, title: null, machine: false, branch: 'main' }] }),
    ),
  );
  expect(
    (await store.read((db) => pendingSessions(db, { idleBefore: null, extractor: 1 })))[0]?.facts,
  ).toEqual({
    session: 's1',
    parent: null,
    title: 'new',
    version: null,
    cwd: null,
    branch: 'main',
    remote: 'r1',
    originalCwd: null,
    machine: false,
    subagent: false,
  });
});

test('pending: newest first, idle ones only when asked, again after new entries or a newer extractor', async () => {
  const { store } = await tempStore();
  await commit(store, 's1', '2026-11-20T10:00:00.000Z');
  await commit(store, 's2', '2026-11-20T10:55:00.000Z', { cwd: '/work/shop/sub' });
  const pending = async (idleBefore: string | null = null, extractor = 1) =>
    (await store.read((db) => pendingSessions(db, { idleBefore, extractor }))).map(
      ({ session }) => session,
    );
  expect(await pending()).toEqual(['s2', 's1']);
  expect(await pending('2026-11-20T10:50:00.000Z')).toEqual(['s1']);
  expect(
    await store.read((db) =>
      countPending(db, { idleBefore: '2026-11-20T10:50:00.000Z', extractor: 1 }),
    ),
  ).toBe(1);
  const times = (idleBefore: string) =>
    store.read((db) => pendingTimes(db, { idleBefore, extractor: 1 }));
  expect(await times('2026-11-20T10:50:00.000Z')).toEqual({
    silent: 1,
    lastEntry: '2026-11-20T10:55:00.000Z',
  });
  expect(await times('2026-11-20T09:00:00.000Z')).toEqual({
    silent: 0,
    lastEntry: '2026-11-20T10:00:00.000Z',
  });
  expect(await times('2026-11-20T11:00:00.000Z')).toEqual({ silent: 2, lastEntry: null });
  const [second] = await store.read((db) =>
    pendingSessions(db, { idleBefore: null, extractor: 1 }),
  );
  expect(second).toMatchObject({
    machine: false,
    project: null,
    entries: 1,
    folders: [{ cwd: '/work/shop/sub', entries: 1 }],
  });
  await commit(store, 's2', '2026-11-20T10:56:00.000Z');
  await store.write((db) =>
    replaceOne(db, 'claude-code', 's2', 'p1', extraction(), mark(second?.lastN ?? 0)),
  );
  expect(await pending(), 'an entry came while it was extracted').toEqual(['s2', 's1']);
  await store.write((db) => replaceOne(db, 'claude-code', 's2', 'p1', extraction(), mark(1000)));
  expect(await pending()).toEqual(['s1']);
  expect(await pending(null, 2)).toEqual(['s2', 's1']);
});

test('a session whose entries claim to be from the future is idle by the time it was read', async () => {
  const { store } = await tempStore();
  await commit(store, 's1', '2031-01-01T00:00:00.000Z');
  expect(
    await store.read((db) =>
      countPending(db, { idleBefore: '2026-11-20T11:30:00.000Z', extractor: 1 }),
    ),
  ).toBe(1);
  expect(await store.read((db) => projectClock(db, null, NOW))).toBe(NOW);
});

test('a long opening of three sessions in which nobody typed later makes them machine-made, and withdraws what they yielded', async () => {
  const opening = (typedLater: boolean) => ({ hash: 'same', length: 300, typedLater });
  const { store } = await tempStore();
  const yields = (session: string, typedLater: boolean) =>
    extraction({
      opening: opening(typedLater),
      candidates: [candidate(session, session)],
      occurrences: [{ token: 'curl x', origin: 'user', time: NOW }],
      episode: {
        agent: 'claude-code',
        session,
        title: session,
        summary: '',
        day: '2026-11-20',
        outcome: 'success',
        signal: '',
        problem: null,
        solution: null,
        lesson: null,
        files: [],
        commands: [],
        commits: [],
        unfinished: false,
        nextStep: null,
      },
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
    (await store.read((db) => projectMaterial(db, 'p1', NOW))).candidates
      .map(parsed)
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
  expect(
    (await store.read((db) => loadEpisodes(db, null)))(null).map(({ session }) => session),
  ).toEqual(['person']);
  expect(await store.read((db) => db.all('SELECT session FROM episodes'))).toEqual([
    { session: 'person' },
  ]);
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
  const occurrences = [
    { token: 'curl x', origin: 'user' as const, time: NOW },
    { token: 'curl x', origin: 'external' as const, time: NOW },
  ];
  await store.write((db) =>
    replaceOne(db, 'claude-code', 's1', 'p1', extraction({ occurrences }), mark(99)),
  );
  expect(await store.read(typedTokens)).toEqual(new Set());
});
