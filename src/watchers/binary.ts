/** Tells text from bytes that only carry the name of a log. Pure. */

/** How much of a file decides. */
const SAMPLE_BYTES = 64 * 1024;

/** Text shows itself within this: every log is looked at, so the look must be short. */
const GLANCE_BYTES = 1024;

/** NUL runs longer than this are holes left by a power loss, not binary content. */
const HOLE_BYTES = 64;

const MAGIC: [string, number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['SQLite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
];

/** Whether a file that starts with these bytes is no text: a known magic, or over 1 % control bytes and not one record. */
export const isBinary = (start: Buffer): boolean => {
  const sample = start.subarray(0, SAMPLE_BYTES);
  if (MAGIC.some(([, magic]) => magic.every((byte, at) => sample[at] === byte))) return true;
  if (controlBytes(sample.subarray(0, GLANCE_BYTES)) === 0) return false;
  return controlBytes(sample) > sample.length / 100 && !hasRecord(sample);
};

/** Bytes that JSON text never holds raw: below 0x20 but tab, newline, return; NULs only in short runs. */
const controlBytes = (sample: Buffer): number => {
  let count = 0;
  let zeros = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at]!;
    if (byte === 0) zeros++;
    else {
      if (zeros > 0 && zeros <= HOLE_BYTES) count += zeros;
      zeros = 0;
      if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) count++;
    }
  }
  return zeros <= HOLE_BYTES ? count + zeros : count;
};

const hasRecord = (sample: Buffer): boolean =>
  sample
    .toString('utf8')
    .split('\n')
    .some((line) => {
      if (!line.startsWith('{')) return false;
      try {
        JSON.parse(line);
        return true;
      } catch {
        return false;
      }
    });
