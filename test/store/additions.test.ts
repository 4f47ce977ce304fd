import { describe, expect, test } from 'vitest';
import { planAdditions } from '../../src/store/rows/additions.js';
import type { KnownRow } from '../../src/store/rows/additions.js';
import { entry, idOf } from './build.js';

const none: KnownRow[] = [];
function plan(entries: ReturnType<typeof entry>[], known = none, purged = new Set<string>()) {
  return planAdditions(entries, known, [], purged, 1);
}
function row(id: string, text: string, rev: number, n: number, session = 's1'): KnownRow {
  const { hash, origin, length } = entry(id, text);
  return {
    id: idOf(id),
    hash,
    length,
    origin,
    rev,
    n,
    agent: 'claude-code',
    session,
    copied: false,
    superseded: false,
  };
}

function current({ rows, superseded }: ReturnType<typeof plan>) {
  return rows.filter(({ n }) => !superseded.includes(n)).map(({ entry: each }) => each);
}

describe('planAdditions', () => {
  test('a hash stored under any rev is known: reading an old copy of a document brings nothing back', () => {
    const done = plan([entry('a', 'one')], [row('a', 'one', 1, 4), row('a', 'two', 2, 9)]);
    expect(done).toMatchObject({ rows: [], known: 1, copies: [] });
  });

  test('a prompt of a log that is foreign, then the own, then foreign again is not the own in the end', () => {
    const own = entry('a', 'one', { role: 'user', origin: 'user' });
    const theirs = { ...own, origin: 'external' as const, hash: idOf('external').slice(0, 16) };
    const rows: KnownRow[] = [];
    for (const reading of [theirs, own, theirs, own, theirs]) {
      const [added] = plan([reading], rows).rows;
      const { id, hash, length, origin, agent, session, copied } = reading;
      const superseded = false;
      rows.push({
        id,
        hash,
        length,
        superseded,
        origin,
        agent,
        session,
        copied,
        rev: added!.rev,
        n: added!.rev,
      });
    }
    expect(rows.at(-1)).toMatchObject({ origin: 'external', rev: 5 });
    expect(plan([theirs], rows)).toMatchObject({ rows: [], known: 1 });
  });

  test('of two sessions the longer text counts, of one the newest reading', () => {
    const [short, long] = [entry('a', 'one'), entry('a', 'one and two', { session: 's2' })];
    for (const order of [
      [short, long],
      [long, short],
    ])
      expect(current(plan(order))).toEqual([long]);
    const later = entry('a', 'two');
    expect(current(plan([entry('a', 'one and two'), later]))).toEqual([later]);
  });

  test('a purged id never comes back', () => {
    expect(plan([entry('a', 'one')], none, new Set([idOf('a')]))).toMatchObject({
      rows: [],
      added: 0,
      nextN: 1,
    });
  });

  test('a known entry in another session is a copy, once', () => {
    const fork = entry('a', 'one', { session: 's2' });
    const done = plan([fork, fork], [row('a', 'one', 1, 4)]);
    expect(done.copies.map(({ entry: e, n }) => [e.session, n])).toEqual([['s2', 1]]);
    const again = planAdditions(
      [fork],
      [row('a', 'one', 1, 4)],
      [{ id: idOf('a'), agent: 'claude-code', session: 's2', copied: false }],
      new Set(),
      2,
    );
    expect(again).toMatchObject({ copies: [], rows: [], nextN: 2 });
  });
});
