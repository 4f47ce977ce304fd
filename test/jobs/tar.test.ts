import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unpackHome } from '../../src/jobs/sharing/exported.js';
import { packTar, unpackTar, type TarFile } from '../../src/jobs/sharing/tar.js';

const files: TarFile[] = [
  { name: 'manifest.json', bytes: Buffer.from('{"format":"dripstone","version":1}') },
  { name: 'global/notes.md', bytes: Buffer.alloc(1500, 'x') },
  { name: 'purged.txt', bytes: Buffer.alloc(0) },
];
function manifest(version: number): TarFile {
  return {
    name: 'manifest.json',
    bytes: Buffer.from(JSON.stringify({ format: 'dripstone', version })),
  };
}
function archive(...list: TarFile[]): Buffer {
  return gzipSync(packTar(list));
}

test('what is packed is unpacked, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({
          name: fc.stringMatching(/^[a-z./]{1,90}$/),
          bytes: fc.uint8Array({ maxLength: 2000 }),
        }),
        { selector: ({ name }) => name },
      ),
      (list) => {
        const packed = list.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }));
        expect(unpackTar(packTar(packed))).toEqual(packed);
      },
    ),
    { numRuns: 100 },
  );
});

test('damage, links and a missing end are refused', () => {
  const good = packTar(files);
  const link = Buffer.from(good);
  link[156] = 0x32;
  expect(() => unpackTar(link)).toThrow(/damaged/);
  const flipped = Buffer.from(good);
  flipped[3]! ^= 1;
  expect(() => unpackTar(flipped)).toThrow(/damaged/);
  expect(() => unpackTar(good.subarray(0, 900))).toThrow();
  expect(() => unpackTar(good.subarray(0, good.length - 1024))).toThrow(/no end/);
});

test.each([
  '../config.yaml',
  '/etc/passwd',
  'projects/../../x/crystal.json',
  'projects/.hidden/crystal.json',
  'projects/a/b/crystal.json',
  'projects/a/context.md',
  'memory.duckdb',
  'projects\\..\\crystal.json',
  'global/notes.md/../x',
])('%s in an archive is refused', (name) => {
  expect(() =>
    unpackHome('x.tar.gz', archive(manifest(1), { name, bytes: Buffer.from('x') })),
  ).toThrow(expect.objectContaining({ code: 'NOT_AN_EXPORT', exitCode: 1 }));
});

test('what would fill the memory is refused before anything is parsed', () => {
  const crystal = (text: string): TarFile => ({
    name: 'projects/x/crystal.json',
    bytes: Buffer.from(text),
  });
  for (const [bytes, why] of [
    [
      archive(manifest(1), crystal(`{"lessons":[${'{},'.repeat(1_100_000)}{}]}`)),
      /more than 2,000,000 values/,
    ],
    [
      archive(manifest(1), { name: 'global/notes.md', bytes: Buffer.alloc(2 ** 20 + 1, 'x') }),
      /notes.md is larger than 1 MiB/,
    ],
    [gzipSync(Buffer.alloc(65 * 2 ** 20)), /larger than/],
    [
      archive(
        manifest(1),
        ...Array.from({ length: 4100 }, (_, i) => ({
          name: `projects/p${i}/crystal.json`,
          bytes: Buffer.alloc(0),
        })),
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
