import { linkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Adapter, LogPlace } from '../../src/types.js';
import { discoverLogs } from '../../src/watchers/index.js';
import { put, testFolder } from '../folder.js';

function adapter(agent: string, ...places: Partial<LogPlace>[]): Adapter {
  return {
    agent,
    title: agent,
    start: () => null,
    step: (state) => ({ state, rawEntries: [] }),
    places: places.map((place) => ({
      env: null,
      root: '.agent',
      under: 'logs',
      globs: ['**/*.jsonl'],
      ...place,
    })),
  };
}
const agent = adapter('one', {});
function look(
  home: string,
  adapters = [agent],
  env: Record<string, string> = {},
  roots: Record<string, string[]> = {},
) {
  return discoverLogs(adapters, { home, env, roots });
}
async function names(home: string) {
  return (await look(home)).logs.map((log) => log.relative);
}

describe('finding logs', () => {
  test('newest first, at any depth, only what the globs name', async () => {
    const home = testFolder({
      '.agent/logs/a/old.jsonl': '{}',
      '.agent/logs/b/c/new.jsonl': '{}',
      '.agent/logs/b/notes.txt': 'x',
      '.agent/other.jsonl': '{}',
      '.agent/logs/.hidden/dot.jsonl': '{}',
    });
    utimesSync(join(home, '.agent/logs/a/old.jsonl'), 1000, 1000);
    utimesSync(join(home, '.agent/logs/.hidden/dot.jsonl'), 2000, 2000);
    expect(await names(home)).toEqual(['b/c/new.jsonl', '.hidden/dot.jsonl', 'a/old.jsonl']);
  });

  test('a path that is named is found as the walk finds it, and no folder is walked for it', async () => {
    const home = testFolder({
      '.agent/logs/a/good.jsonl': '{}',
      '.agent/logs/a/notes.txt': 'x',
      '.agent/logs/both.jsonl': '{}',
      '.agent/logs/both.jsonl.zst': '{}',
      '.agent/logs/packed.jsonl.zst': '{}',
      '.agent/logs/folder.jsonl/inside.jsonl': '{}',
      'outside/secret.jsonl': '{}',
    });
    const logs = join(home, '.agent/logs');
    symlinkSync(join(home, 'outside'), join(logs, 'linked'));
    symlinkSync(join(logs, 'a'), join(logs, 'inner'));
    symlinkSync(join(home, 'outside/secret.jsonl'), join(logs, 'out.jsonl'));
    const zst = adapter('one', { globs: ['**/*.jsonl', '**/*.jsonl.zst'] });
    const walked = (await discoverLogs([zst], { home, env: {} })).logs;
    expect(walked.map(({ relative }) => relative).sort()).toEqual([
      'a/good.jsonl',
      'both.jsonl',
      'folder.jsonl/inside.jsonl',
      'packed.jsonl.zst',
    ]);
    const named = [
      ...[
        'a/good.jsonl',
        'a/notes.txt',
        'both.jsonl',
        'both.jsonl.zst',
        'packed.jsonl.zst',
        'folder.jsonl',
      ],
      ...[
        'folder.jsonl/inside.jsonl',
        'linked/secret.jsonl',
        'inner/good.jsonl',
        'out.jsonl',
        'gone.jsonl',
        '../logs/both.jsonl',
      ],
    ].map((name) => `${logs}/${name}`);
    for (const path of [...named, join(home, 'outside/secret.jsonl')])
      expect((await discoverLogs([zst], { home, env: {} }, [path])).logs, path).toEqual(
        walked.filter((log) => log.path === path),
      );
    const one = await discoverLogs([zst], { home, env: {} }, [
      join(logs, 'a/good.jsonl'),
      join(logs, 'both.jsonl'),
    ]);
    expect(one.logs.map(({ relative }) => relative).sort()).toEqual(['a/good.jsonl', 'both.jsonl']);
    // A walk would have named the links.
    expect(one.odd).toEqual([]);
  });

  test('one file is one log, however many paths lead to it', async () => {
    const home = testFolder({ '.agent/logs/a.jsonl': '{}' });
    linkSync(join(home, '.agent/logs/a.jsonl'), join(home, '.agent/logs/b.jsonl'));
    const twice = adapter('one', {}, { root: join(home, '.agent') });
    expect((await look(home, [twice])).logs).toHaveLength(1);
  });

  test('a compressed log yields to its plain form', async () => {
    const home = testFolder({
      '.agent/logs/a.jsonl': '{}',
      '.agent/logs/a.jsonl.zst': 'z',
      '.agent/logs/b.jsonl.zst': 'z',
    });
    const zst = adapter('one', { globs: ['**/*.jsonl', '**/*.jsonl.zst'] });
    expect((await look(home, [zst])).logs.map((log) => log.relative).sort()).toEqual([
      'a.jsonl',
      'b.jsonl.zst',
    ]);
  });

  test('a star in the root stands for every folder of that name', async () => {
    const home = testFolder({
      'Packages/Claude_1/logs/a.jsonl': '{}',
      'Packages/Claude_2/logs/b.jsonl': '{}',
      'Packages/Other/logs/c.jsonl': '{}',
    });
    expect(
      (await look(home, [adapter('one', { root: 'Packages/Claude_*' })])).logs
        .map((log) => log.relative)
        .sort(),
    ).toEqual(['a.jsonl', 'b.jsonl']);
    expect(await look(home, [adapter('one', { root: 'Nowhere/Claude_*' })])).toEqual({
      logs: [],
      odd: [],
      places: [],
    });
  });

  test('the variable replaces the root and may be a list; the config adds to it', async () => {
    const home = testFolder({
      'x/logs/a.jsonl': '{}',
      'y/logs/b.jsonl': '{}',
      'z/logs/c.jsonl': '{}',
      '.agent/logs/d.jsonl': '{}',
    });
    const set = adapter('one', { env: 'AGENT_HOME' });
    const env = { AGENT_HOME: `${home}/x, ~/y` };
    expect(
      (await look(home, [set], env, { one: ['~/z'], two: ['/nowhere'] })).logs
        .map((log) => log.relative)
        .sort(),
    ).toEqual(['a.jsonl', 'b.jsonl', 'c.jsonl']);
    expect((await look(home, [set], { AGENT_HOME: '' })).logs.map((log) => log.relative)).toEqual([
      'd.jsonl',
    ]);
  });

  test('projects that the agent lists are roots; what git would bring along with a clone is foreign', async () => {
    const home = testFolder({
      '.agent/projects.json': JSON.stringify({
        projects: ['free', 'own', 'clone', 'gone'].map((name) => ({ dir: name })),
      }),
      'free/logs/a.jsonl': '{}',
      'own/.git/HEAD': '',
      'own/logs/.gitignore': '*',
      'own/logs/b.jsonl': '{}',
      'clone/.git/HEAD': '',
      'clone/logs/c.jsonl': '{}',
      '.agent/logs/not-listed.jsonl': '{}',
    });
    const listing = adapter('one', { list: { file: 'projects.json', field: 'dir' } });
    const found = (await look(home, [listing])).logs.map(
      ({ relative, foreign }) => `${relative} ${foreign}`,
    );
    expect(found.sort()).toEqual(['a.jsonl false', 'b.jsonl false', 'c.jsonl true']);
    // Ignored, and yet added by force: the clone brought it along.
    const index = (version: number, path: string) =>
      Buffer.concat([
        Buffer.from('DIRC'),
        Buffer.from([0, 0, 0, version, 0, 0, 0, 1]),
        Buffer.from(`\0\0${path}\0`),
      ]);
    const isForeign = async () =>
      (await look(home, [listing])).logs.find(({ relative }) => relative === 'b.jsonl')!.foreign;
    put(join(home, 'own/.git/index'), index(2, 'src/logs.ts'));
    expect(await isForeign()).toBe(false);
    for (const bytes of [index(2, 'logs/b.jsonl'), index(4, 'src/logs.ts'), Buffer.from('what')]) {
      put(join(home, 'own/.git/index'), bytes);
      expect(await isForeign()).toBe(true);
    }
    put(join(home, '.agent/projects.json'), '{"projects":[{"dir":');
    expect(await look(home, [listing])).toEqual({ logs: [], odd: [], places: [] });
  });

  test('a log whose name is no UTF-8 is named, and the others are read', async () => {
    const home = testFolder({
      '.agent/logs/good.jsonl': 'good',
      '.agent/logs/\\xff.jsonl': 'plain',
    });
    const bytes = [Buffer.from(join(home, '.agent/logs/')), Buffer.from([0xff, 0xfe]), '.jsonl'];
    writeFileSync(Buffer.concat(bytes.map((part) => Buffer.from(part))), 'bytes');
    const found = await look(home);
    expect(found.logs.map(({ relative }) => relative).sort()).toEqual([
      '\\xff.jsonl',
      'good.jsonl',
    ]);
    expect(found.odd).toEqual([expect.objectContaining({ reason: 'its name is not valid UTF-8' })]);
  });
});
