/**
 * Replay: what it judges follows from what had happened by then, its costs count no call twice, and
 * it says so when nothing came back.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followedOf, momentsOf, judge, totalsOf, type Repeat } from '../../src/recall/replay.js';
import {
  allFactEvents,
  askFacts,
  loadRepeats,
  openStore,
  saveFactEvents,
  saveProjects,
  type RepeatRow,
} from '../../src/store/index.js';
import { asProjects, at, END, histories, history, until } from '../facts/made-history.js';
import { saveRows, type RowsOf } from '../lessons/facts-of.js';
import { runs } from '../runs.js';
import { copyEmptyStore, testClock } from '../stage.js';

/** All that replay says of histories, each learnt as of an instant. */
async function replayed(projects: readonly RowsOf[][], now = END): Promise<Repeat[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dripstone-replay-'));
  const path = join(folder, 'memory.duckdb');
  await copyEmptyStore(path);
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  const ids = projects.map(([first]) => first!.project);
  await saveRows(store, projects.flat());
  await store.write(async (db) => {
    await saveProjects(
      db,
      ids.map((id) => ({ id, slug: id, name: id, remote: null, folders: [], aliases: [] })),
    );
    const asked = await askFacts(db, null, now);
    for (const id of ids)
      await saveFactEvents(
        db,
        [id],
        asked.filter(({ project }) => project === id),
      );
  });
  const [found, events, followed] = await store.read(async (db) => {
    const found = await loadRepeats(db, { project: null, since: null, now });
    return [found, await allFactEvents(db, null), await followedOf(db, found.rows)] as const;
  });
  await store.close();
  await rm(folder, { recursive: true });
  return judge(found, { shownAtMoment: momentsOf(events, followed), dollars: () => null });
}

const verdicts = (repeats: readonly Repeat[], until = END): string[] =>
  repeats
    .filter(({ time }) => time <= until)
    .map(({ kind, session, entry, time, known, shown, cures }) =>
      JSON.stringify([kind, session, entry, time, known, shown, cures]),
    );

test('a future that is cut off changes no verdict of before', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(history, { minLength: 15, maxLength: 15 }),
      fc.nat(2600),
      async (all, minutes) => {
        const projects = asProjects(all);
        const instant = at(minutes);
        const cut = projects.map((known) => until(known, instant));
        expect(verdicts(await replayed(cut, instant))).toEqual(
          verdicts(await replayed(projects), instant),
        );
      },
    ),
    { numRuns: runs(1, 100), endOnFailure: true },
  ));

test('the made histories come back in every way, and are shown or not', async () => {
  const [all] = fc.sample(histories, { numRuns: 1, seed: 12 });
  const repeats = await replayed(asProjects(all!));
  expect([...new Set(repeats.map(({ kind }) => kind))].sort()).toEqual([
    'command',
    'error',
    'program',
  ]);
  expect(new Set(repeats.map(({ shown }) => shown))).toEqual(new Set([true, false]));
});

describe('what a repeat cost', () => {
  const row = (at: number, until: number | null, more: Partial<RepeatRow> = {}): RepeatRow => ({
    ...{
      kind: 'error',
      project: 'p',
      slug: 'p',
      agent: 'a',
      session: 's',
      entry: `e${at}`,
      time: time(at),
      program: 'x',
    },
    ...{
      form: 'x',
      command: 'x',
      error: `broken ${at}`,
      was_cured: true,
      cures: [],
      at,
      until,
      path: null,
      line: null,
    },
    ...more,
  });
  const time = (minute: number): string =>
    new Date(Date.parse('2026-11-20T10:00:00Z') + minute * 60_000).toISOString();
  const calls = [0, 1, 2, 3, 20].map((minute, at) => ({
    agent: 'a',
    session: 's',
    at,
    time: time(minute),
    ended: time(minute),
  }));
  const answer = {
    agent: 'a',
    session: 's',
    model: 'm',
    input: 10,
    cache_read: 500,
    cache_write: 5,
    output: 1,
    reasoning: 0,
    cost: null,
  };
  const answers = [0.5, 2.5, 30].map((minute) => ({ ...answer, time: time(minute) }));
  const none = { shownAtMoment: () => false, dollars: () => 0.019 };
  const costs = (...rows: RepeatRow[]) =>
    judge({ rows, calls, answers }, none).map(({ cost }) => cost);

  test('is its calls, time and new tokens until the success', () =>
    expect(costs(row(0, 3))).toEqual([{ calls: 3, seconds: 180, tokens: 32, dollars: 0.038 }]));
  test('a silence counts five minutes at most', () => expect(costs(row(3, 4))[0]!.seconds).toBe(0));
  test('no call counts twice, and a failure counts once a session', () => {
    expect(costs(row(0, 3), row(1, 3)).map((cost) => cost!.calls)).toEqual([3, 0]);
    expect(costs(row(0, 3), row(1, 3, { error: 'broken 0' })).map((cost) => cost!.calls)).toEqual([
      3,
    ]);
  });
  test('what stayed broken costs its own call', () =>
    expect(costs(row(2, null))[0]).toMatchObject({ calls: 1, seconds: 0 }));
  test('sums round down', () => {
    const { dollars, minutes } = totalsOf(judge({ rows: [row(0, 3)], calls, answers }, none));
    expect([dollars, minutes]).toEqual([0.03, 3]);
  });
});
