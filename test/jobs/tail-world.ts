/**
 * An invented folder of logs: files with inodes that are used again, writers that stop in the
 * middle of a character, readers that are disturbed.
 */
import type { FoundLog, LogBytes } from '../../src/watchers/index.js';

interface FakeFile {
  inode: number;
  bytes: Buffer;
  mtimeMs: number;
  /** What the writer has still to write of its last line. */
  owed: Buffer;
  session: string;
}

/** One thing that happens to the folder; the numbers choose among what is there. */
export interface Act {
  kind: (typeof ACTS)[number];
  a: number;
  b: number;
}

export const ACTS = [
  'append',
  'append',
  'append',
  'half',
  'half',
  'finish',
  'repeat',
  'create',
  'rotate',
  'copyTruncate',
  'truncate',
  'cut',
  'rewrite',
  'rewriteTail',
  'rewriteHead',
  'replace',
  'replaceMiddle',
  'remove',
  'recreate',
  'rename',
  'copy',
  'fork',
  'sameSession',
] as const;

/** What a record says: unique unless it was repeated on purpose. */
interface Written {
  text: string;
  session: string;
}

export function createWorld() {
  const files = new Map<string, FakeFile>();
  const free: number[] = [];
  let inodes = 100;
  let clock = 1_700_000_000_000;
  let records = 0;
  let names = 0;
  const written = new Map<string, Written>();
  /** Records that were copied below another session's head. */
  const forked = new Set<string>();

  const tick = () => (clock += 1000);
  const newInode = () => free.pop() ?? ++inodes; // ext4 hands a freed inode out at once
  const unlink = (name: string) => {
    const file = files.get(name);
    if (file) free.push(file.inode);
    files.delete(name);
  };
  const head = (session: string) => `${JSON.stringify({ session, pad: 'h'.repeat(20) })}\n`;
  const record = (
    session: string,
    native: boolean,
    text = `Nº ${++records} grüßt 🚀 ${'und sagt mehr '.repeat(records % 4)}`,
  ): string => {
    const key = native ? `n${records}` : text;
    written.set(text, { text, session });
    return `${JSON.stringify(native ? { id: key, text } : { text })}\n`;
  };
  const lines = (session: string, count: number, seed: number): string =>
    Array.from({ length: count }, (_, i) => record(session, (seed + i) % 3 !== 0, undefined)).join(
      '',
    );
  const create = (name: string, content: string, session: string): FakeFile => {
    unlink(name);
    const file = {
      inode: newInode(),
      bytes: Buffer.from(content),
      mtimeMs: tick(),
      owed: Buffer.alloc(0),
      session,
    };
    files.set(name, file);
    return file;
  };
  const add = (file: FakeFile, bytes: Buffer) => {
    const start = file.bytes.length === 0 ? Buffer.from(head(file.session)) : Buffer.alloc(0); // an emptied log begins anew
    // A writer that lost the rest of its line begins a new one; records glued to a torn line have
    // their own test.
    const gap =
      file.owed.length === 0 && file.bytes.length > 0 && file.bytes[file.bytes.length - 1] !== 10
        ? Buffer.from('\n')
        : Buffer.alloc(0);
    file.bytes = Buffer.concat([start, file.bytes, gap, file.owed, bytes]);
    file.owed = Buffer.alloc(0);
    file.mtimeMs = tick();
  };
  const set = (file: FakeFile, bytes: Buffer) => {
    file.bytes = bytes;
    file.owed = Buffer.alloc(0);
    file.mtimeMs = tick();
  };
  /** A line of exactly this length, when it is not longer already. */
  const padded = (line: string, length: number): Buffer => {
    const bytes = Buffer.from(line);
    return Buffer.concat([
      bytes.subarray(0, -1),
      Buffer.alloc(Math.max(0, length - bytes.length), ' '),
      Buffer.from('\n'),
    ]);
  };
  const newName = () => `log${++names}`;
  const newSession = () => `s${names}-${records}`;
  const lineEnds = (file: FakeFile): number[] => {
    const ends: number[] = [];
    for (let at = file.bytes.indexOf(10); at >= 0; at = file.bytes.indexOf(10, at + 1))
      ends.push(at + 1);
    return ends;
  };
  const fresh = (name: string, count: number, seed: number) => {
    const session = newSession();
    return { session, content: head(session) + lines(session, count, seed), name };
  };

  const act = ({ kind, a, b }: Act): void => {
    const all = [...files.keys()];
    const name = all[a % Math.max(1, all.length)];
    const file = name === undefined ? undefined : files.get(name);
    if (file === undefined || name === undefined || kind === 'create') {
      const made = fresh(newName(), 1 + (b % 80), b);
      return void create(made.name, made.content, made.session);
    }
    switch (kind) {
      case 'append':
        return add(file, Buffer.from(lines(file.session, 1 + (b % 12), b)));
      case 'half': {
        const whole = Buffer.from(record(file.session, b % 2 === 0));
        add(file, whole.subarray(0, 1 + (b % (whole.length - 1))));
        file.owed = whole.subarray(1 + (b % (whole.length - 1)));
        return;
      }
      case 'finish':
        return add(file, Buffer.alloc(0));
      case 'repeat':
        return add(file, Buffer.from(record(file.session, false, `again ${b % 3}`)));
      case 'rotate': {
        files.delete(name);
        files.set(newName(), file);
        const made = fresh(name, 1 + (b % 10), b);
        return void create(name, made.content, made.session);
      }
      case 'copyTruncate':
        create(newName(), file.bytes.toString('latin1'), file.session).bytes = Buffer.from(
          file.bytes,
        );
        return set(file, Buffer.from(head(file.session)));
      case 'truncate':
        return set(file, b % 2 === 0 ? Buffer.alloc(0) : Buffer.from(head(file.session)));
      case 'cut': {
        const ends = lineEnds(file);
        return set(
          file,
          Buffer.from(file.bytes.subarray(0, ends[b % Math.max(1, ends.length)] ?? 0)),
        );
      }
      case 'rewrite': {
        const made = fresh(name, 1 + (b % 60), b);
        file.session = made.session;
        return set(file, Buffer.from(made.content));
      }
      case 'rewriteTail': {
        // The head stays, the rest becomes other lines of the same lengths: only the bytes before
        // the offset tell.
        const ends = lineEnds(file);
        const keep = ends[Math.floor((ends.length * (b % 10)) / 10)] ?? 0;
        return set(
          file,
          Buffer.concat([
            keep === 0 ? Buffer.from(head(file.session)) : file.bytes.subarray(0, keep),
            Buffer.from(lines(file.session, ends.length + (b % 5), b)),
          ]),
        );
      }
      case 'rewriteHead': {
        // As agents do with a padded first line; size and end stay.
        const [from, to] = [lineEnds(file)[0], lineEnds(file)[1]];
        if (from === undefined || to === undefined) return;
        file.bytes = Buffer.concat([
          file.bytes.subarray(0, from),
          padded(record(file.session, b % 2 === 0), to - from),
          file.bytes.subarray(to),
        ]);
        file.mtimeMs = tick();
        return;
      }
      case 'replaceMiddle': {
        // Written anew by rename: first and last lines as before, others between.
        const ends = lineEnds(file);
        const [from, to] = [
          ends[Math.floor(ends.length / 2)],
          ends[Math.floor(ends.length / 2) + 1],
        ];
        if (from === undefined || to === undefined) return;
        const middle = padded(record(file.session, b % 2 === 0), to - from);
        const bytes = Buffer.concat([
          file.bytes.subarray(0, from),
          middle,
          file.bytes.subarray(to),
        ]);
        // An inode that was never used: equal head and tail on a used one are the known limit.
        files.delete(name);
        files.set(name, {
          ...file,
          inode: ++inodes,
          bytes,
          mtimeMs: tick(),
          owed: Buffer.alloc(0),
        });
        return;
      }
      case 'replace': {
        const made = fresh(name, 1 + (b % 40), b);
        const old = file.inode;
        files.delete(name);
        create(name, made.content, made.session);
        free.push(old);
        return;
      }
      case 'remove':
        return unlink(name);
      case 'recreate': {
        // Deleted and made anew under its name: ext4 gives the new file the inode of the old one.
        unlink(name);
        const made = fresh(name, 1 + (b % 40), b);
        return void create(name, made.content, made.session);
      }
      case 'rename':
        files.delete(name);
        return void files.set(newName(), file);
      case 'copy': {
        const copy = create(newName(), '', file.session);
        copy.bytes = Buffer.from(file.bytes.subarray(0, lineEnds(file).at(-1) ?? 0));
        return;
      }
      case 'fork': {
        const session = newSession();
        const body = file.bytes.subarray(file.bytes.indexOf(10) + 1, lineEnds(file).at(-1) ?? 0);
        for (const each of recordsIn(body)) forked.add(each);
        const fork = create(newName(), '', session);
        fork.bytes = Buffer.concat([
          Buffer.from(head(session)),
          body,
          Buffer.from(lines(session, 1 + (b % 5), b)),
        ]);
        return;
      }
      case 'sameSession':
        return void create(
          newName(),
          head(file.session) + lines(file.session, 1 + (b % 8), b),
          file.session,
        );
    }
  };

  return {
    act,
    written,
    forked,
    now: () => clock,
    /** Newest first, as logs are looked for: a fork comes before its parent. */
    list: (): FoundLog[] =>
      [...files]
        .map(([path, file]) => ({
          agent: 'toy',
          path,
          relative: path,
          foreign: false,
          device: '1',
          inode: String(file.inode),
          size: file.bytes.length,
          mtimeMs: file.mtimeMs,
        }))
        .sort((one, other) => other.mtimeMs - one.mtimeMs),
    /** A descriptor: it follows the file, not the name. `onRead` may change the world. */
    open: (path: string, onRead?: () => void): LogBytes => {
      const file = files.get(path);
      if (file === undefined) throw new Error(`gone: ${path}`);
      return {
        device: '1',
        inode: String(file.inode),
        size: file.bytes.length,
        mtimeMs: file.mtimeMs,
        close: () => {},
        now: () => ({ size: file.bytes.length, mtimeMs: file.mtimeMs }),
        read(target, position) {
          const count =
            position >= file.bytes.length
              ? 0
              : file.bytes.copy(
                  target,
                  0,
                  position,
                  Math.min(file.bytes.length, position + target.length),
                );
          onRead?.();
          return count;
        },
      };
    },
    /**
     * Texts of the whole lines that stand in the folder now, with how often they do in one file at
     * most.
     */
    whole: (): Map<string, number> => {
      const most = new Map<string, number>();
      for (const file of files.values()) {
        const here = new Map<string, number>();
        for (const text of recordsIn(file.bytes)) here.set(text, (here.get(text) ?? 0) + 1);
        for (const [text, count] of here) most.set(text, Math.max(most.get(text) ?? 0, count));
      }
      return most;
    },
  };
}

export type World = ReturnType<typeof createWorld>;

function recordsIn(bytes: Buffer): string[] {
  return bytes
    .subarray(0, bytes.lastIndexOf(10) + 1)
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        const value = JSON.parse(line) as { text?: string };
        return value.text === undefined ? [] : [value.text];
      } catch {
        return [];
      }
    });
}
