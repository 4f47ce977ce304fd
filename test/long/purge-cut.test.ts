/**
 * A purge that ends in the middle, by a fault at every step or by kill -9, and is asked for again:
 * nothing of it is left, nothing else is lost.
 */
import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { importHome } from '../../src/jobs/sharing/import.js';
import { purge, type PurgeRequest } from '../../src/jobs/upkeep/purge.js';
import { isPurgeOpen } from '../../src/store/index.js';
import { type Store } from '../../src/store/index.js';
import { type Stage, begunStage } from '../stage.js';
import { answers, claudeLog, says, shell } from '../jobs/made-log.js';
import { holding } from '../folder.js';

const [ONE, TWO, THREE] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
] as const;
function logOf(folder: string, session: string): string {
  return `.claude/projects/-home-ann-${folder}/${session}.jsonl`;
}
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  stage.put(
    logOf('kettle', ONE),
    claudeLog({ session: ONE, cwd: '/home/ann/kettle', day: '2026-11-10' }, [
      says(
        'Remember: Always start the pump with the phrase plover sapphire forty-one, never without it.',
      ),
      shell('pump fill --phrase plover', 'ok', 0),
      answers('The pump needs its phrase plover.'),
    ]),
  );
  stage.put(
    logOf('kettle', TWO),
    claudeLog({ session: TWO, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
      says('Remember: Always run the kettle tests with `make brew` here, never with npm.'),
      shell('make brew', 'ok, 12 passed', 0),
    ]),
  );
  stage.put(
    logOf('orchard', THREE),
    claudeLog({ session: THREE, cwd: '/home/ann/orchard', day: '2026-11-12' }, [
      says('Remember: Always prune the orchard branches in winter, never in spring.'),
      shell('make prune', 'ok', 0),
    ]),
  );
  expect((await stage.type('run')).err).toBe('');
});
/** A store that fails at its nth use and ever after. */
function failing(store: Store, nth: number): Store {
  let uses = 0;
  return new Proxy(store, {
    get: (real, name: keyof Store) =>
      name !== 'read' && name !== 'write' && name !== 'rebuild'
        ? real[name]
        : (...given: unknown[]) =>
            ++uses >= nth
              ? Promise.reject(new Error('cut'))
              : (real[name] as (...args: unknown[]) => Promise<unknown>).apply(real, given),
  });
}

/** A purge that is cut. @returns whether it came to its end */
async function cutAt(
  stage: Stage,
  request: PurgeRequest,
  nth: number,
): Promise<'cut early' | 'cut late' | 'done'> {
  await using app = await createApp({ ...stage.io(), access: 'write', mode: 'once' });
  try {
    expect((await purge({ ...app, store: failing(app.store, nth) }, request)).proof).toMatchObject({
      clean: true,
      hits: [],
      rows: [],
    });
    return 'done';
  } catch (error) {
    expect((error as Error).message).toBe('cut');
    return (await app.store.read(isPurgeOpen)) ? 'cut late' : 'cut early';
  }
}

test('cut at every step and asked for again, then killed and finished by the next run', async () => {
  const stage = await begun();
  const none = { match: null, session: null, project: null, before: null, notes: false };
  const session = { ...none, session: { agent: 'claude-code', session: ONE } };
  const ends: string[] = [];
  for (let nth = 3; ends.at(-1) !== 'done'; nth += 8) {
    ends.push(await cutAt(stage, session, nth));
    if (ends.at(-1) === 'cut late' && ends.at(-2) !== 'cut late') {
      const said = await stage.type('purge', '--session', ONE.slice(0, 8), '--yes');
      expect([said.code, said.err]).toEqual([
        1,
        expect.stringContaining('`dripstone run` finishes'),
      ]);
    }
  }
  expect(ends.filter((end) => end === 'cut early').length).toBeGreaterThan(0);
  expect(ends.filter((end) => end === 'cut late').length).toBeGreaterThan(1);
  expect(holding(stage.stone, 'plover')).toEqual([]);
  expect((await stage.type('purge', '--session', ONE.slice(0, 8), '--dry-run')).code).toBe(2);
  const lessons = async () =>
    (await stage.type('lessons', 'list', '--project', 'all', '--json')).out;
  expect(await lessons()).toContain('make brew');
  expect(await lessons()).toContain('prune');

  // Its name goes with it: folder and rows are told by the text alone.
  const { child, ended } = stage.start(['purge', '--match', 'orchard', '--yes']);
  const watcher = watch(stage.stone, (_, name) => name === 'purged.txt' && child.kill('SIGKILL'));
  expect((await ended).signal).toBe('SIGKILL');
  watcher.close();
  expect((await stage.type('run')).code).toBe(0);
  expect(holding(stage.stone, 'orchard')).toEqual([]);
  const again = await stage.type('purge', '--match', 'orchard', '--yes', '--json');
  expect([again.code, again.json()]).toEqual([
    0,
    expect.objectContaining({
      entries: 0,
      proof: expect.objectContaining({ clean: true }) as unknown,
    }),
  ]);
  expect(await lessons()).toContain('make brew');
  expect(
    JSON.parse(
      (
        await stage.type(
          'sql',
          'SELECT count(*)::INT AS n, count(DISTINCT session)::INT AS s FROM entries',
        )
      ).out,
    ),
  ).toEqual({ n: 3, s: 1 });
});

/**
 * Learnt from another machine, and of one log that both have read; that machine purged it since.
 */
const told = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  const other = await begun();
  stage.put(
    logOf('kettle', THREE),
    claudeLog({ session: THREE, cwd: '/home/ann/kettle', day: '2026-11-18' }, [
      says('Remember: Always rinse the kettle, never scrub it.'),
    ]),
  );
  const both = readFileSync(join(other.home, logOf('kettle', ONE)), 'utf8');
  for (const name of ['before', 'after']) {
    expect((await other.type('export', join(stage.home, `${name}.json.gz`))).code).toBe(0);
    if (name === 'before')
      expect((await other.type('purge', '--match', 'plover', '--yes')).code).toBe(0);
  }
  stage.put(logOf('kettle', ONE), both);
  expect((await stage.type('run')).err).toBe('');
  expect((await stage.type('import', join(stage.home, 'before.json.gz'))).code).toBe(0);
});

test.each([5, 8, 13, 17, 21, 26, 31])(
  'an import that brings a purge, cut at step %i and asked for again, leaves nothing of it',
  async (nth) => {
    const stage = await told();
    expect(holding(stage.stone, 'plover')).not.toEqual([]);
    const file = join(stage.home, 'after.json.gz');
    {
      await using app = await createApp({ ...stage.io(), access: 'write', mode: 'once' });
      await expect(importHome({ ...app, store: failing(app.store, nth) }, file)).rejects.toThrow(
        'cut',
      );
    }
    expect((await stage.type('import', file)).code).toBe(0);
    expect(holding(stage.stone, 'plover')).toEqual([]);
    expect((await stage.type('lessons', 'list', '--project', 'all', '--json')).out).toContain(
      'rinse the kettle',
    );
  },
);
