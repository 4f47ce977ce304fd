/** Lines that come over a socket. */
import type { Socket } from 'node:net';

/**
 * Calls `take` with each whole line, in order.
 * @param most longest line in bytes; a longer one ends the connection
 * @returns takes no more lines
 */
export function readLines(socket: Socket, most: number, take: (line: string) => void): () => void {
  let [parts, size, isOff]: [Buffer[], number, boolean] = [[], 0, false];
  const read = (part: Buffer): void => {
    for (let rest = part; rest.length > 0 && !isOff;) {
      const end = rest.indexOf(0x0a);
      const piece = end < 0 ? rest : rest.subarray(0, end);
      size += piece.length;
      if (size > most) return void socket.destroy();
      parts.push(piece);
      if (end < 0) return;
      const line = Buffer.concat(parts).toString('utf8');
      [parts, size, rest] = [[], 0, rest.subarray(end + 1)];
      take(line);
    }
  };
  socket.on('data', read);
  return () => {
    isOff = true;
    socket.off('data', read);
  };
}
