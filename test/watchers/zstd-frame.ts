/**
 * Bytes as a zstd frame of raw blocks: valid for every decoder, and no compressor is needed to make
 * it.
 */
export function zstdFrame(content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0]), size];
  const block = 100_000;
  for (let at = 0; at === 0 || at < content.length; at += block) {
    const piece = content.subarray(at, at + block);
    const head = Buffer.alloc(3);
    head.writeUIntLE((piece.length << 3) | (at + block >= content.length ? 1 : 0), 0, 3);
    parts.push(head, piece);
  }
  return Buffer.concat(parts);
}
