import { appendFileSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchLogs, type WatchOptions } from '../../src/watchers/watch.js';
import { put, testFolder } from '../folder.js';

/** Hints as they come; `next` resolves with the first that has not been taken. */
const placesAt = (roots: readonly string[]) =>
  roots.map((path) => ({ path, globs: ['**/*.jsonl', '**/*.db'] }));

async function watching(roots: string[], options: Partial<WatchOptions> = {}) {
  const hints: string[] = [];
  const facts: { code: string; text: string }[] = [];
  let folders = 0;
  let arrived = () => {};
  const watch = watchLogs({
    places: placesAt(roots),
    silentSince: 0,
    onHint: (path) => {
      hints.push(path);
      arrived();
    },
    onFolder: () => folders++,
    onDegraded: (fact) => facts.push(fact),
    ...options,
  });
  onTestFinished(() => watch.close());
  await watch.ready;
  const next = async (): Promise<string> => {
    while (hints.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
    return hints.shift()!;
  };
  return { watch, next, hints, facts, folders: () => folders };
}

describe('watching', () => {
  test('tells of a log that grows or appears, and of nothing else', async () => {
    const root = testFolder({ 'a/one.jsonl': '{}\n', 'a/notes.txt': 'x' });
    const { next, hints } = await watching([root]);
    put(join(root, 'a/other.txt'), 'x');
    appendFileSync(join(root, 'a/one.jsonl'), '{}\n');
    expect(await next()).toBe(join(root, 'a/one.jsonl'));
    put(join(root, 'deep/er/two.jsonl'), '{}\n');
    for (let hint = await next(); hint !== join(root, 'deep/er/two.jsonl'); hint = await next())
      expect(hint).toBe(join(root, 'a/one.jsonl'));
    expect(hints.filter((path) => path.endsWith('.txt'))).toEqual([]);
  });

  test('of many folders each is watched, and a scan is asked for after the last', async () => {
    const names = Array.from({ length: 40 }, (_, at) => `year${at % 4}/day${at}/one.jsonl`);
    const root = testFolder(Object.fromEntries(names.map((name) => [name, '{}\n'])));
    const { next, folders } = await watching([root]);
    expect(folders()).toBe(1);
    const left = new Set(names.map((name) => join(root, name)));
    const poke = setInterval(() => left.forEach((path) => appendFileSync(path, '{}\n')), 20);
    while (left.size > 0) left.delete(await next());
    clearInterval(poke);
  });

  test('a file beside a place within its folder: both are told of, and what else lies there is not watched', async () => {
    const root = testFolder({
      'history.jsonl': '{}\n',
      'other.jsonl': '',
      'projects/a/one.jsonl': '{}\n',
      'todos/1.jsonl': '',
    });
    const places = [
      { path: join(root, 'projects'), globs: ['**/*.jsonl'] },
      { path: root, globs: ['history.jsonl'] },
    ];
    const { next, hints } = await watching([], { places });
    for (const name of ['other.jsonl', 'todos/1.jsonl', 'projects/a/one.jsonl'])
      appendFileSync(join(root, name), '{}\n');
    expect(await next()).toBe(join(root, 'projects/a/one.jsonl'));
    appendFileSync(join(root, 'history.jsonl'), '{}\n');
    for (let hint = await next(); hint !== join(root, 'history.jsonl'); hint = await next())
      expect(hint).toBe(join(root, 'projects/a/one.jsonl'));
    expect(hints.filter((path) => !path.endsWith('history.jsonl'))).toEqual([]);
  });

  test('a root that was missing is watched once it is added', async () => {
    const root = testFolder();
    const late = join(root, 'late');
    const { watch, next } = await watching([]);
    mkdirSync(late);
    put(join(late, 'first.jsonl'), '{}\n');
    watch.follow(placesAt([late]));
    watch.follow(placesAt([late]));
    // The first look at an added folder tells nothing, as at the start; a change does.
    const poke = setInterval(() => appendFileSync(join(late, 'first.jsonl'), '{}\n'), 20);
    expect(await next()).toBe(join(late, 'first.jsonl'));
    clearInterval(poke);
  });

  test.each([
    ['a folder', 'a'],
    ['the folder above', '.'],
    ['a folder within', 'a/b'],
  ])('%s that is deleted and made again at once is watched again', async (_, replaced) => {
    const root = testFolder({ 'p/a/b/one.jsonl': '{}\n' });
    const log = join(root, 'p/a/b/one.jsonl');
    const { next, folders } = await watching([root]);
    for (let round = 0; round < 3; round++) {
      const before = folders();
      rmSync(join(root, 'p', replaced), { recursive: true });
      put(log, '{}\n');
      // A late hint of this change is no proof that the new folder is watched.
      const poke = setInterval(() => appendFileSync(log, '{}\n'), 100);
      for (let hint = 0; hint < 4; hint++) expect(await next()).toBe(log);
      clearInterval(poke);
      expect(folders()).toBeGreaterThan(before);
    }
  });

  test('a log that has been silent for long has no watch of its own', async () => {
    const root = testFolder({ 'old.jsonl': '{}\n', 'new.jsonl': '{}\n' });
    utimesSync(join(root, 'old.jsonl'), 1000, 1000);
    const { next, hints } = await watching([root], { silentSince: 2_000_000 });
    appendFileSync(join(root, 'old.jsonl'), '{}\n');
    appendFileSync(join(root, 'new.jsonl'), '{}\n');
    expect(await next()).toBe(join(root, 'new.jsonl'));
    expect(hints).not.toContain(join(root, 'old.jsonl'));
  });
});
