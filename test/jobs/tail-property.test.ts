/** Nothing lost, nothing doubled, whatever happens to the files. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createReading, faultsOf } from './tail-reader.js';
import { ACTS, createWorld, type Act } from './tail-world.js';
import { runs } from '../runs.js';

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...ACTS),
  a: fc.nat(50),
  b: fc.nat(200),
});

/**
 * Acts, and between them readings: quiet, disturbed in the middle, ended by a read that fails, or
 * killed after some batches.
 */
type Event =
  | Act
  | { read: 'quiet' }
  | { read: 'dropped'; at: number }
  | { read: 'disturbed'; at: number; by: Act }
  | { read: 'killed'; after: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: act },
  { weight: 2, arbitrary: fc.constant({ read: 'quiet' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ read: fc.constant('disturbed' as const), at: fc.nat(8), by: act }),
  },
  { weight: 1, arbitrary: fc.record({ read: fc.constant('dropped' as const), at: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ read: fc.constant('killed' as const), after: fc.nat(4) }) },
);
const story = fc.array(event, { minLength: 2, maxLength: 24 });

/** Faults after each quiet reading and after the last one. */
async function play(events: readonly Event[]) {
  const world = createWorld();
  const reading = createReading(world);
  const most = new Map<string, number>();
  const note = () => {
    for (const [text, count] of world.whole()) most.set(text, Math.max(most.get(text) ?? 0, count));
  };
  const faults: ReturnType<typeof faultsOf>[] = [];
  const quiet = async () => {
    await reading.scan();
    faults.push(faultsOf(world, reading.rows, most));
  };
  for (const each of events) {
    if ('kind' in each) world.act(each);
    else if (each.read === 'quiet') await quiet();
    else if (each.read === 'killed') await reading.scan({ lives: each.after });
    else if (each.read === 'dropped') {
      // A network folder that is away for one read: the log is left where it was.
      let reads = 0;
      await reading.scan({
        disturb() {
          if (reads++ === each.at) throw new Error('gone: the network folder dropped it');
        },
      });
    } else {
      let reads = 0;
      const disturb = () => {
        if (reads++ !== each.at) return;
        world.act(each.by);
        note();
      };
      await reading.scan({ disturb });
    }
    note();
  }
  await quiet();
  return {
    rows: reading.rows.length,
    lost: faults.some((each) => each.lost.length > 0),
    doubled: faults.some((each) => each.doubled.length > 0),
    extra: faults.some((each) => each.extra.length > 0),
    misplaced: faults.some((each) => each.misplaced.length > 0),
  };
}

const fine = { lost: false, doubled: false, extra: false, misplaced: false };

describe('reading logs that are appended, cut, rotated, rewritten, moved, copied and forked', () => {
  const STORIES = runs(150, 3_000);
  test(`${STORIES} stories: lost 0, doubled 0, made up 0, under a wrong session 0`, async () => {
    let rows = 0;
    const played: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(story, async (events) => {
        const { rows: read, ...faults } = await play(events);
        rows += read;
        for (const name of events.flatMap((each) =>
          'kind' in each
            ? [each.kind]
            : each.read === 'disturbed'
              ? [each.read, `${each.by.kind} while it is read`]
              : [each.read],
        ))
          played[name] = (played[name] ?? 0) + 1;
        expect(faults).toEqual(fine);
      }),
      { numRuns: STORIES, seed: 20261122 },
    );
    expect(rows).toBeGreaterThan(STORIES * 33);
    for (const name of [
      ...ACTS,
      'quiet',
      'disturbed',
      'dropped',
      'killed',
      'rename while it is read',
      'recreate while it is read',
    ])
      expect(played[name], name).toBeGreaterThan(STORIES / 100);
  });
});
