/**
 * What a person meets on the first days: an interrupted run, a new repository, a memory brought
 * from another machine.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calls, says, shell } from '../jobs/made-log.js';
import { type Stage, begunStage, setStage } from '../stage.js';
import type { Io } from '../../src/io.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const RULE = 'Remember: always use pnpm in this repository.';

function work(stage: Stage): void {
  stage.put('shop/.git/HEAD', 'ref: refs/heads/main\n');
  stage.log({ session: SESSION, cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [says(RULE)]);
}
const NOW = '2026-11-20T12:00:00Z';
/** One session of two days ago, read and learnt from. */
const worked = begunStage({ now: NOW }, async (stage) => {
  work(stage);
  await stage.type('run');
});

test('a run with news ends with the last cure, request and session of the newest project, and with one step that can be typed here', async () => {
  const [stage, bin] = [setStage({ now: NOW }), join('node_modules', '.bin')];
  work(stage);
  const ran = async (path: string): Promise<string> => {
    stage.log({ session: randomUUID(), cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
      says('Look.'),
      shell('npm test', 'FAIL a.test.ts\nTypeError: cart total is not a function', 1),
      calls('Edit', { file_path: 'src/cart.ts', old_string: 'total', new_string: 'sum' }, 'done'),
      shell('npm test', 'ok', 0),
    ]);
    return (await stage.typeAs(['run'], { env: { PATH: path } })).out;
  };
  const endOf = (out: string): string[] => out.trimEnd().split('\n\n').slice(-2);
  const [newest, next] = endOf(await ran('/nowhere'));
  expect(newest).toMatch(
    /^shop-\w{4}\n {2}cured {3}`npm test` failed so on 2026-11-18; then edited `src\/cart.ts`, and it passed \(`node \S+ show \w{10}`\)\n {2}asked {3}"Remember: always use pnpm .*" \(`node \S+ show \w{10}`\)\n {2}ended {3}2026-11-18 claude-code `/,
  );
  expect(next).toMatch(/^next: `node \S*dist\/cli\.js link ~\/shop` leads your agents/);
  for (const folder of ['bin', bin]) chmodSync(stage.put(join(folder, 'dripstone'), ''), 0o755);
  expect(endOf(await ran(join(stage.home, 'bin')))[1]).toMatch(/^next: `dripstone link /);
  // A folder that npx lends to the command alone is not on the person's PATH.
  expect(endOf(await ran(join(stage.home, bin)))[1]).toMatch(/^next: `node /);
  stage.put('.claude/settings.json', '{}');
  stage.cwd = join(stage.home, 'shop');
  await stage.type('link');
  expect(endOf(await ran(join(stage.home, 'bin')))[1]).toMatch(
    /^next: `dripstone service install`/,
  );
  expect((await stage.type('run')).out).toMatch(/^nothing new in [^\n]*\n$/);
});

test('alone at a terminal it prints five lines of status; to anybody else the help', async () => {
  const fresh = setStage({ now: NOW });
  const stage = await worked();
  stage.now = new Date('2026-11-18T14:00:00Z');
  const alone = (more: Partial<Io> = {}, on = stage) =>
    on.typeAs([], { outIsTerminal: true, key: () => Promise.resolve(null), ...more });
  expect(await alone({}, fresh)).toMatchObject({
    code: 2,
    out: expect.stringContaining('usage: dripstone COMMAND') as string,
  });
  const { code, out } = await alone();
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^daemon {3}not running/),
    expect.stringMatching(/^store {4}.*, 1 entry, 1 lesson$/),
    'pending  nothing',
    'review   1 lesson to look through: `dripstone review`',
    expect.stringMatching(/^next {5}`dripstone /),
  ]);
  expect((await alone({ outIsTerminal: false })).code).toBe(2);
  expect((await alone({ caller: () => ({ kind: 'agent', name: 'codex' }) })).code).toBe(2);
});

test('a repository without a session is a project of which nothing is known, not every project', async () => {
  const stage = await worked();
  stage.put('fresh/.git/HEAD', 'ref: refs/heads/main\n');
  stage.cwd = join(stage.home, 'fresh');
  expect((await stage.type('search', 'pnpm', '--json')).json()).toMatchObject({ hits: [] });
  expect((await stage.type('search', 'pnpm')).err).toContain(
    '`--project all` searches every project',
  );
  expect((await stage.type('context', '--json')).json()).toMatchObject({
    project: expect.stringMatching(/^fresh-/) as string,
  });
  expect((await stage.type('context')).out).not.toContain('pnpm');
  expect((await stage.type('search', 'pnpm', '--project', 'all', '--json')).out).toContain('pnpm');
  // Outside any repository all of them are meant.
  stage.cwd = stage.home;
  expect((await stage.type('search', 'pnpm', '--json')).out).toContain('pnpm');
});
