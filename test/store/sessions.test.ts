import { expect, test } from 'vitest';
import {
  activeDays,
  countPending,
  loadEpisodes,
  loadFolders,
  loadProjects,
  loadRelations,
  pendingSessions,
  pendingTimes,
  projectClock,
  projectMaterial,
  typedTokens,
  replaceExtractions,
  saveFolders,
  saveProjects,
} from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import type { Candidate, Project } from '../../src/types.js';
import { batch, commitBatch, entry, tempStore } from './build.js';
import { extraction, replaceOne } from './world.js';

const NOW = '2026-11-20T12:00:00.000Z';
function mark(upTo: number, extractor = 1) {
  return { upTo, extractor, now: NOW };
}
function project(id: string, more: Partial<Project> = {}): Project {
  return { id, slug: `${id}-1`, name: id, remote: null, folders: [], aliases: [], ...more };
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

test('a session that is extracted again replaces what it yielded, also when its project changed', async () => {
  const { store } = await tempStore();
  await commit(store, 's1', '2026-11-20T10:00:00.000Z');
  const yielded = (key: string) =>
    extraction({
      candidates: [candidate(key, 's1')],
      relations: [{ from: 'a.ts', rel: 'tested_by', to: 'pnpm test' }],
      occurrences: [{ token: key, origin: 'user', time: NOW }],
    });
  expect(
    await store.write((db) => replaceOne(db, 'claude-code', 's1', 'p1', yielded('one'), mark(1))),
  ).toEqual(['p1']);
  expect(
    await store.write((db) => replaceOne(db, 'claude-code', 's1', 'p2', yielded('two'), mark(1))),
  ).toEqual(['p1', 'p2']);
  await store.read(async (db) => {
    expect((await projectMaterial(db, 'p1', NOW)).candidates).toEqual([]);
    expect((await projectMaterial(db, 'p2', NOW)).candidates.map(parsed)).toEqual([
      { ...candidate('two', 's1'), project: 'p2' },
    ]);
    expect(await loadRelations(db, 'p2')).toEqual([
      { from: 'a.ts', rel: 'tested_by', to: 'pnpm test', sessions: 1 },
    ]);
    expect(await loadRelations(db, 'p1')).toEqual([]);
  });
});

test('what many sessions yielded is replaced in one go as it is one by one', async () => {
  const [together, apart] = [(await tempStore()).store, (await tempStore()).store];
  const opening = (n: number) =>
    n % 2 === 0 ? null : { hash: `h${n}`, length: 10 * n, typedLater: n % 3 === 0 };
  const yields = (round: number) =>
    [1, 2, 3, 4].map((n) => ({
      agent: 'claude-code',
      session: `s${n}`,
      project: `p${(n + round) % 2}`,
      upTo: 10 * round + n,
      extraction: extraction({
        candidates: n === 3 ? [] : [candidate(`k${round}-${n}`, `s${n}`)],
        relations: [{ from: `f${n}`, rel: 'tested_by', to: `t${round}` }],
        occurrences: [{ token: `t${n}`, origin: 'user', time: n === 2 ? 'no time' : NOW }],
        opening: opening(n),
      }),
    }));
  for (const store of [together, apart])
    for (const n of [1, 2, 3, 4, 5]) await commit(store, `s${n}`, '2026-11-20T10:00:00.000Z');
  for (const round of [1, 2]) {
    const asOne = await together.write((db) => replaceExtractions(db, yields(round), mark(0)));
    const single = new Set<string>();
    for (const { upTo, ...each } of yields(round))
      for (const id of await apart.write((db) =>
        replaceOne(db, each.agent, each.session, each.project, each.extraction, mark(upTo)),
      ))
        single.add(id);
    expect(asOne).toEqual([...single].sort());
  }
  const all = (store: Store) =>
    store.read(async (db) =>
      Promise.all(
        ['candidates', 'occurrences', 'relations', 'episodes', 'sessions'].map((table) =>
          db.all(`SELECT * FROM own.${table} ORDER BY ALL`),
        ),
      ),
    );
  expect(await all(together)).toEqual(await all(apart));
  expect(await together.write((db) => replaceExtractions(db, [], mark(0)))).toEqual([]);
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

test('half of a surrogate pair in one candidate stops no other', async () => {
  const { store } = await tempStore();
  await commit(store, 's1', '2026-11-20T10:00:00.000Z');
  const cut = 'a smile \ud83d';
  await store.write((db) =>
    replaceOne(
      db,
      'claude-code',
      's1',
      'p1',
      extraction({
        candidates: [
          candidate('cut', 's1', { scope: 'global', text: cut }),
          candidate('whole', 's1', { scope: 'global' }),
        ],
      }),
      mark(9),
    ),
  );
  const keys = async (owner: string | null) =>
    (await store.read((db) => projectMaterial(db, owner, NOW))).candidates
      .map(parsed)
      .map(({ key, text }) => [key, key === 'cut' ? text : ''])
      .sort();
  expect(await keys(null)).toEqual([
    ['cut', 'a smile \ufffd'],
    ['whole', ''],
  ]);
});

test("the person's material comes from what users said everywhere", async () => {
  const { store } = await tempStore();
  await commit(store, 's1', '2026-11-20T10:00:00.000Z');
  await commit(store, 's2', '2026-11-20T11:00:00.000Z');
  await store.write(async (db) => {
    await replaceOne(
      db,
      'claude-code',
      's1',
      'p1',
      extraction({
        candidates: [
          candidate('mine', 's1'),
          candidate('cmd', 's1', { kind: 'command', saidBy: 'observed' }),
        ],
      }),
      mark(9),
    );
    await replaceOne(
      db,
      'claude-code',
      's2',
      'p2',
      extraction({
        candidates: [candidate('everywhere', 's2', { kind: 'fact', scope: 'global' })],
      }),
      mark(9),
    );
  });
  await store.read(async (db) => {
    expect(
      (await projectMaterial(db, null, NOW)).candidates
        .map(parsed)
        .map(({ key, project: of }) => [key, of]),
    ).toEqual([
      ['mine', 'p1'],
      ['everywhere', 'p2'],
    ]);
    expect((await projectMaterial(db, 'p1', NOW)).clockDay).toBe('2026-11-20');
    expect((await projectMaterial(db, 'none', NOW)).clockDay).toBeNull();
    expect(await activeDays(db, 'p1', NOW)).toEqual(['2026-11-20']);
    expect(await activeDays(db, null, '2026-11-19T00:00:00.000Z')).toEqual([]);
    expect(await activeDays(db, 'none', NOW)).toEqual([]);
  });
});

test('sessions that share entries, directly or through a third, are one group', async () => {
  const { store } = await tempStore();
  const shared = (id: string, session: string) => entry(id, 'x', { session });
  for (const list of [
    [shared('a', 's3')],
    [shared('a', 's2'), shared('b', 's2')],
    [shared('b', 's1')],
    [shared('c', 's9')],
  ])
    await store.write((db) => commitBatch(db, batch(list)));
  const groups = (await store.read((db) => projectMaterial(db, null, NOW))).groups;
  const name = (session: string) => groups.get(`claude-code\0${session}`);
  expect(name('s1')).toBeDefined();
  expect(new Set([name('s1'), name('s2'), name('s3')]).size).toBe(1);
  expect(name('s9')).toBeUndefined();
});

test('projects keep their id, gather aliases and folders', async () => {
  const { store } = await tempStore();
  await store.write(async (db) => {
    await saveProjects(db, [project('p1', { remote: 'r', aliases: ['a'] })]);
    await saveProjects(db, [project('p1', { name: 'shop', aliases: ['b', 'a'] }), project('p0')]);
    await saveFolders(db, [
      { cwd: '/work/shop', project: 'p0', facts: 1 },
      { cwd: '/work/shop', project: 'p1', facts: { root: '/work' } },
    ]);
  });
  expect(await store.read(loadProjects)).toEqual([
    project('p0'),
    project('p1', { name: 'shop', remote: 'r', aliases: ['a', 'b'], folders: ['/work/shop'] }),
  ]);
  expect(await store.read(loadFolders)).toEqual([
    { cwd: '/work/shop', project: 'p1', facts: { root: '/work' } },
  ]);
});
