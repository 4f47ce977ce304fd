/**
 * The plain half of the ustar format: regular files with short names, nothing else. A library reads
 * much more than an export may hold (links, devices, long names, absolute paths), and every bit of
 * it would have to be refused again.
 */

const BLOCK = 512;
const MOST_NAME = 100;

export interface TarFile {
  name: string;
  bytes: Buffer;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function headerOf({ name, bytes }: TarFile): Buffer {
  if (Buffer.byteLength(name) > MOST_NAME) throw new Error(`${name} is too long for the archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  // No time and no owner: the same knowledge gives the same bytes.
  header.write(octal(0, 12), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  header.write(`${octal(checksum(header), 7)} `, 148);
  return header;
}

function checksum(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/** The files in the order given. @throws Error for a name of more than 100 bytes */
export function packTar(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap((file) => [
    headerOf(file),
    file.bytes,
    Buffer.alloc((BLOCK - (file.bytes.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function textAt(header: Buffer, from: number, to: number): string {
  return header
    .subarray(from, to)
    .toString('utf8')
    .replace(/\0[\s\S]*$/, '')
    .trim();
}

/**
 * @throws Error naming what is no plain file of ours: a link, a wrong checksum, an end that is
 * missing
 */
export function unpackTar(bytes: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    const name = textAt(header, 0, MOST_NAME);
    const size = textAt(header, 124, 136);
    if (Number.parseInt(textAt(header, 148, 156), 8) !== checksum(header))
      throw new Error(`the archive is damaged at byte ${at}`);
    const isPlain = header[156] === 0x30 || header[156] === 0;
    if (!isPlain || textAt(header, 345, 500) !== '' || !/^[0-7]+$/.test(size))
      throw new Error(`${name} is no plain file`);
    const end = at + BLOCK + Number.parseInt(size, 8);
    if (end > bytes.length) throw new Error(`the archive ends within ${name}`);
    files.push({ name, bytes: bytes.subarray(at + BLOCK, end) });
    at = end + ((BLOCK - (end % BLOCK)) % BLOCK);
  }
  throw new Error('the archive has no end');
}
