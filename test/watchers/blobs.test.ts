import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOB_BYTES, createBlobFilter, withoutBlobs } from '../../src/watchers/blobs.js';

function base64(length: number) {
  return Buffer.alloc(length, 'QUJDRGVmZ2g0').toString();
}

/** The rule in its plainest form. */
function slow(line: string): string {
  return line.replace(/[A-Za-z0-9+/=_\\-]+/g, (run) =>
    run.length < BLOB_BYTES
      ? run
      : `[BLOB${run.length}]${'\\'.repeat(/\\*$/.exec(run)![0].length % 2)}`,
  );
}
function named(bytes: Buffer): string {
  return bytes.toString().replace(/\[blob [^\]]*\]/g, '[BLOB]');
}

function filtered(line: string, cuts: number[]): string {
  const filter = createBlobFilter();
  const bytes = Buffer.from(line);
  const stops = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const parts: Buffer[] = [];
  let from = 0;
  for (const stop of [...stops, bytes.length]) {
    // A copy that is overwritten afterwards, as the read buffer is.
    const piece = Buffer.from(bytes.subarray(from, stop));
    parts.push(...filter.write(piece).map((kept) => Buffer.from(kept)));
    piece.fill(0x21);
    from = stop;
  }
  return Buffer.concat([...parts, ...filter.end()]).toString();
}

const segment = fc.oneof(
  fc.constantFrom(
    '"text":"',
    ' words and more ',
    '\\"',
    '\\\\"',
    '\\n',
    '","',
    '{',
    '}',
    'é',
    ': ',
  ),
  fc.constantFrom(100, BLOB_BYTES - 1, BLOB_BYTES, BLOB_BYTES + 1, 3 * BLOB_BYTES).map(base64),
);
const line = fc.array(segment, { maxLength: 8 }).map((parts) => parts.join(''));

describe('blobs', () => {
  test('a long run of base64 becomes its size and hash; the text around it stays', () => {
    const clean = withoutBlobs(
      Buffer.from(`{"source":"data:image/png;base64,${base64(20_000)}","text":"see the picture"}`),
    ).toString();
    expect(clean).toMatch(
      /^\{"source":"data:image\/png;base64,\[blob 20 kB sha256:[0-9a-f]{12}\]","text":"see the picture"\}$/,
    );
    expect(JSON.parse(clean)).toHaveProperty('text', 'see the picture');
  });

  test('base64 that was wrapped to lines is one blob, and an escape at its end keeps its backslash', () => {
    const wrapped = Array.from({ length: 400 }, () => base64(76)).join('\\n');
    const clean = withoutBlobs(Buffer.from(`{"output":"${wrapped}\\"quoted\\" end"}`)).toString();
    expect(JSON.parse(clean).output).toMatch(/^\[blob \d+ kB sha256:[0-9a-f]{12}\]"quoted" end$/);
  });

  test('equal blobs have equal marks', () => {
    const mark = (text: string) => withoutBlobs(Buffer.from(text)).toString();
    expect(mark(`a "${base64(30_000)}"`).slice(2)).toBe(mark(`b "${base64(30_000)}"`).slice(2));
    expect(mark(`"${base64(30_000)}"`)).not.toBe(mark(`"${base64(30_001)}"`));
  });

  test('the result does not depend on how the bytes were cut', () => {
    fc.assert(
      fc.property(line, fc.array(fc.nat(200_000), { maxLength: 6 }), (text, cuts) => {
        const whole = withoutBlobs(Buffer.from(text)).toString();
        expect(filtered(text, cuts) === whole).toBe(true);
        expect(named(Buffer.from(whole)) === slow(text).replace(/\[BLOB\d+\]/g, '[BLOB]')).toBe(
          true,
        );
      }),
      { numRuns: 300 },
    );
  });
});
