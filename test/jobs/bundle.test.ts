import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { unpackHome } from '../../src/jobs/sharing/bundle.js';

function bundle(files: Record<string, string>, version = 2): Buffer {
  return gzipSync(JSON.stringify({ format: 'dripstone', version, files }));
}

test('what is whole is read; what is cut, of another program or of another version is not', () => {
  const good = bundle({ 'global/notes.md': 'a note', 'purged.txt': '' });
  expect([...unpackHome('x', good)]).toEqual([
    ['global/notes.md', 'a note'],
    ['purged.txt', ''],
  ]);
  for (const [bytes, exitCode] of [
    [good.subarray(0, good.length - 4), 1],
    [gzipSync('{"format":"other","version":2,"files":{}}'), 1],
    [gzipSync('{"format":"dripstone","version":2,"files":{"purged.txt":{}}}'), 1],
    [bundle({}, 3), 13],
  ] as const)
    expect(() => unpackHome('x', bytes)).toThrow(expect.objectContaining({ exitCode }));
  expect(() => unpackHome('x', gzipSync(`manifest.json${'\0'.repeat(512)}`))).toThrow(
    /an older build wrote it: update dripstone there/,
  );
});

test.each([
  '../config.yaml',
  '/etc/passwd',
  'projects/../../x/crystal.json',
  'projects/.hidden/crystal.json',
  'projects/a/b/crystal.json',
  'projects/a/context.md',
  'memory.duckdb',
  'config.yaml',
  '__proto__',
  'projects\\..\\crystal.json',
  'global/notes.md/../x',
])('%s in a bundle is refused', (name) => {
  expect(() => unpackHome('x', bundle({ [name]: 'x' }))).toThrow(
    expect.objectContaining({ code: 'NOT_AN_EXPORT', exitCode: 1 }),
  );
});

test('what would fill the memory is refused before anything is parsed', () => {
  for (const [bytes, why] of [
    [
      bundle({ 'projects/x/crystal.json': `{"lessons":[${'{},'.repeat(1_100_000)}{}]}` }),
      /more than 2,000,000 values/,
    ],
    [gzipSync(`{"files":[${'{},'.repeat(1_100_000)}{}]}`), /more than 2,000,000 values/],
    [bundle({ 'global/notes.md': 'x'.repeat(2 ** 20 + 1) }), /notes.md is larger than 1 MiB/],
    [gzipSync(Buffer.alloc(65 * 2 ** 20)), /larger than/],
    [
      bundle(
        Object.fromEntries(
          Array.from({ length: 4100 }, (_, i) => [`projects/p${i}/crystal.json`, '']),
        ),
      ),
      /more than 4096 files/,
    ],
  ] as const)
    expect(() => unpackHome('x', bytes)).toThrow(
      expect.objectContaining({
        code: 'NOT_AN_EXPORT',
        message: expect.stringMatching(why) as string,
      }),
    );
});
