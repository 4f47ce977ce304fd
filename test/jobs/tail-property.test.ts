/**
 * Nothing is lost and nothing doubled, whatever happens to the files: an invented folder of logs
 * whose inodes are used again, the real plan, tail and batches, and a store in memory.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawEntryOf } from '../../src/agents/calls.js';
import { planLogs } from '../../src/jobs/reading/ingest.js';
import { readLog, type LogReading } from '../../src/jobs/reading/reader-log.js';
import { planSource } from '../../src/store/rows/sources.js';
import type { Adapter, Checkpoint, PreparedEntry } from '../../src/types.js';
import { runs } from '../runs.js';

interface LogFile {
  inode: number;
  bytes: Buffer;
  mtimeMs: number;
  session: string;
  /** What the writer has still to write of its last line. */
  owed: string | Buffer;
}

const KINDS = [
  ...['append', 'half', 'finish', 'repeat', 'create', 'rotate', 'copyTruncate', 'truncate', 'cut'],
  ...['rewrite', 'rewriteTail', 'rewriteHead', 'replace', 'replaceMiddle', 'remove', 'recreate'],
  ...['rename', 'copy', 'fork', 'sameSession'],
] as const;
/** One thing that happens to the folder; the numbers choose among what is there. */
type Act = { kind: string; a: number; b: number };

function textsIn(bytes: Buffer): string[] {
  const lines = bytes.toString().split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    try {
      return (JSON.parse(line) as { text?: string }).text ?? [];
    } catch {
      return [];
    }
  });
}

function endsOf({ bytes }: LogFile): number[] {
  return [...bytes].flatMap((byte, at) => (byte === 10 ? [at + 1] : []));
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function createWorld() {
  const files = new Map<string, LogFile>();
  const free: number[] = [];
  /** The session of each text. A text differs from all others unless it is repeated on purpose. */
  const written = new Map<string, string>();
  /** Texts that were copied below the head of another session. */
  const forked = new Set<string>();
  /** How often each text stood in one file at most. */
  const most = new Map<string, number>();
  let [inodes, clock, records, names] = [100, 1_700_000_000_000, 0, 0];

  const nameNext = (): string => `log${++names}`;
  const headOf = (session: string): string =>
    `${JSON.stringify({ session, pad: 'h'.repeat(20) })}\n`;
  const record = (session: string, repeated?: string): string => {
    const text = repeated ?? `Nº ${++records} grüßt 🚀 ${'und sagt mehr '.repeat(records % 4)}`;
    written.set(text, session);
    const hasId = repeated === undefined && records % 3 > 0;
    return `${JSON.stringify(hasId ? { id: `n${records}`, text } : { text })}\n`;
  };
  const lines = (session: string, count: number): string =>
    Array.from({ length: count }, () => record(session)).join('');
  const remove = (name: string): void => {
    if (files.has(name)) free.push(files.get(name)!.inode);
    files.delete(name);
  };
  const set = (file: LogFile, ...parts: (string | Buffer)[]): void => {
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    Object.assign(file, { bytes, owed: '', mtimeMs: (clock += 1000) });
  };
  /** A new file, with the inode that was given back last, as ext4 does. */
  const create = (name: string, session: string, ...parts: (string | Buffer)[]): void => {
    remove(name);
    const file = { inode: free.pop() ?? ++inodes, session } as LogFile;
    set(file, ...parts);
    files.set(name, file);
  };
  const begin = (name: string, count: number): void => {
    const session = `s${names}-${records}`;
    create(name, session, headOf(session), lines(session, count));
  };
  const add = (file: LogFile, text: string | Buffer): void => {
    // An emptied log begins anew; a writer that lost the rest of its line begins a new one.
    const start = file.bytes.length === 0 ? headOf(file.session) : '';
    const isTorn = file.owed.length === 0 && file.bytes.length > 0 && file.bytes.at(-1) !== 10;
    set(file, start, file.bytes, isTorn ? '\n' : '', file.owed, text);
  };
  /** Another record in place of the line between two offsets, as long unless it has to be longer. */
  const replaceLine = (file: LogFile, from?: number, to?: number): Buffer[] => {
    if (from === undefined || to === undefined) return [file.bytes];
    const line = record(file.session).trimEnd();
    const padding = Math.max(0, to - from - Buffer.byteLength(line) - 1);
    const middle = Buffer.from(`${line}${' '.repeat(padding)}\n`);
    return [file.bytes.subarray(0, from), middle, file.bytes.subarray(to)];
  };

  const acts: Record<(typeof KINDS)[number], (file: LogFile, name: string, b: number) => void> = {
    append: (file, _, b) => add(file, lines(file.session, 1 + (b % 12))),
    half(file, _, b) {
      const whole = Buffer.from(record(file.session));
      const cut = 1 + (b % (whole.length - 1));
      add(file, whole.subarray(0, cut));
      file.owed = whole.subarray(cut);
    },
    finish: (file) => add(file, ''),
    repeat: (file, _, b) => add(file, record(file.session, `again ${b % 3}`)),
    create: (_, __, b) => begin(nameNext(), 1 + (b % 80)),
    rotate(file, name, b) {
      files.delete(name);
      files.set(nameNext(), file);
      begin(name, 1 + (b % 10));
    },
    copyTruncate(file) {
      create(nameNext(), file.session, file.bytes);
      set(file, headOf(file.session));
    },
    truncate: (file, _, b) => set(file, b % 2 === 0 ? '' : headOf(file.session)),
    cut(file, _, b) {
      const ends = endsOf(file);
      set(file, file.bytes.subarray(0, ends[b % Math.max(1, ends.length)] ?? 0));
    },
    rewrite(file, _, b) {
      file.session = `s${names}-${records}`;
      set(file, headOf(file.session), lines(file.session, 1 + (b % 60)));
    },
    // The first KiB stays: only the bytes before the offset show it.
    rewriteTail(file, _, b) {
      const ends = endsOf(file);
      const keep = ends.find((end) => end > 1024) ?? 0;
      const start = keep === 0 ? headOf(file.session) : file.bytes.subarray(0, keep);
      set(file, start, lines(file.session, ends.length + (b % 5)));
    },
    // As agents do with a padded first line; size and end stay.
    rewriteHead(file) {
      const { owed } = file;
      set(file, ...replaceLine(file, endsOf(file)[0], endsOf(file)[1]));
      file.owed = owed;
    },
    replace(file, name, b) {
      files.delete(name);
      begin(name, 1 + (b % 40));
      free.push(file.inode);
    },
    // First and last lines as before. The inode was never used: on a used one that is not seen.
    replaceMiddle(file, name) {
      const ends = endsOf(file);
      const at = Math.floor(ends.length / 2);
      const other = { ...file, inode: ++inodes };
      set(other, ...replaceLine(file, ends[at], ends[at + 1]));
      files.set(name, other);
    },
    remove: (_, name) => remove(name),
    recreate(_, name, b) {
      remove(name);
      begin(name, 1 + (b % 40));
    },
    rename(file, name) {
      files.delete(name);
      files.set(nameNext(), file);
    },
    copy: (file) =>
      create(nameNext(), file.session, file.bytes.subarray(0, endsOf(file).at(-1) ?? 0)),
    fork(file, _, b) {
      const session = `s${names}-${records}`;
      const body = file.bytes.subarray(file.bytes.indexOf(10) + 1, endsOf(file).at(-1) ?? 0);
      for (const text of textsIn(body)) forked.add(text);
      create(nameNext(), session, headOf(session), body, lines(session, 1 + (b % 5)));
    },
    sameSession: ({ session }, _, b) =>
      create(nameNext(), session, headOf(session), lines(session, 1 + (b % 8))),
  };

  const about = (file: LogFile) => ({
    ...{ device: '1', inode: String(file.inode) },
    ...{ size: file.bytes.length, mtimeMs: file.mtimeMs },
  });
  const world = {
    written,
    forked,
    most,
    now: () => clock,
    act({ kind, a, b }: Act): void {
      const name = [...files.keys()][a % Math.max(1, files.size)];
      if (name === undefined) begin(nameNext(), 1 + (b % 80));
      else acts[kind as keyof typeof acts](files.get(name)!, name, b);
      for (const [text, count] of world.whole())
        most.set(text, Math.max(most.get(text) ?? 0, count));
    },
    /** Newest first, as logs are looked for: a fork comes before its parent. */
    list: () =>
      [...files]
        .map(([path, file]) => ({
          ...{ agent: 'toy', path, relative: path, foreign: false },
          ...about(file),
        }))
        .sort((one, other) => other.mtimeMs - one.mtimeMs),
    /** A descriptor: it follows the file, not the name. */
    open(path: string, onRead: () => void): ReturnType<LogReading['open']> {
      const file = files.get(path);
      if (file === undefined) throw new Error(`gone: ${path}`);
      return {
        ...about(file),
        close: () => {},
        now: () => about(file),
        read(target, position) {
          const count = file.bytes.subarray(position, position + target.length).copy(target);
          onRead();
          return count;
        },
      };
    },
    /** The texts of whole lines that stand in the folder now, with how often they do in one file. */
    whole(): Map<string, number> {
      const all = new Map<string, number>();
      for (const { bytes } of files.values())
        for (const [text, count] of countsOf(textsIn(bytes)))
          all.set(text, Math.max(all.get(text) ?? 0, count));
      return all;
    },
  };
  return world;
}
type World = ReturnType<typeof createWorld>;

/** A head names the session; records have a text, most an id. */
const toy: Adapter<string | null> = {
  agent: 'toy',
  title: 'Toy',
  places: [],
  start: () => null,
  step(state, { value }) {
    const { session, text, id = null } = value as { session?: string; text?: string; id?: string };
    if (session !== undefined)
      return { state: session, rawEntries: [], session: { session, cwd: '/work' } };
    const said = { native: id, text: `${state}\t${text}`, role: 'user', origin: 'user' } as const;
    return { state, rawEntries: text === undefined ? [] : [rawEntryOf(said)] };
  },
};

/** Ids from content: native, else the text and how many equal ones came before it in the file. */
const preparer: LogReading['preparer'] = {
  prepareFacts: (facts) => facts,
  prepareState: (state) => state,
  prepare(rawEntries, { agent, path }, before) {
    const equals = { ...(before as Record<string, number> | null) };
    const entries = rawEntries.map(({ raw: { native, text: said }, line }) => {
      const [session, text] = said.split('\t') as [string, string];
      if (native === null) equals[text] = (equals[text] ?? 0) + 1;
      const id = native ?? `${text}#${equals[text]}`;
      // Only what the store in memory looks at.
      return { id, agent, session, path, text, hash: text, line } as PreparedEntry;
    });
    return { entries, equals };
  },
};

function createReading(world: World) {
  const rows = new Map<string, PreparedEntry>();
  let sources: (Checkpoint & { log: number })[] = [];
  let logs = 0;
  /**
   * Looks at everything once.
   * @param onRead may change the world, or fail
   * @param lives batches that are committed before the process dies
   */
  async function scan(onRead = () => {}, lives = Infinity): Promise<void> {
    const parts = { adapter: toy as Adapter, preparer, isExcluded: () => false, pieceBytes: 500 };
    const full = { lines: 7, bytes: 1e9, characters: 1e9 };
    const open = (path: string) => world.open(path, onRead);
    for (const { log, saved } of planLogs(world.list(), sources, world.now(), '')) {
      const { path, relative } = log;
      const now = new Date(world.now()).toISOString();
      try {
        for await (const { entries, checkpoint } of readLog(
          { agent: 'toy', path, relative, saved, now },
          { ...parts, full, open },
        )) {
          if (lives-- <= 0) return;
          for (const entry of entries) if (!rows.has(entry.id)) rows.set(entry.id, entry);
          const near = sources.filter(
            (each) => each.path === checkpoint.path || each.inode === checkpoint.inode,
          );
          const number = planSource(checkpoint, near.reverse()) ?? ++logs;
          sources = [
            ...sources.filter((each) => each.log !== number),
            { ...checkpoint, log: number },
          ];
        }
      } catch (error) {
        if (!(error as Error).message.startsWith('gone')) throw error;
      }
    }
  }
  return { rows, scan };
}

/** What is wrong after an undisturbed scan. */
function faultsOf(
  { written, forked, most, whole }: World,
  rows: readonly PreparedEntry[],
): string[] {
  const counts = countsOf(rows.map(({ text }) => text));
  const isRepeat = (text: string): boolean => text.startsWith('again');
  const isMisplaced = ({ text, session }: PreparedEntry): boolean =>
    !isRepeat(text) && !forked.has(text) && written.get(text) !== session;
  return [
    ...[...whole()].flatMap(([text, n]) => ((counts.get(text) ?? 0) < n ? `lost: ${text}` : [])),
    ...[...counts].flatMap(([text, n]) =>
      n > (isRepeat(text) ? (most.get(text) ?? 0) : 1) ? `doubled: ${text}` : [],
    ),
    ...[...counts.keys()].flatMap((text) => (written.has(text) ? [] : `made up: ${text}`)),
    ...rows.filter(isMisplaced).map(({ text }) => `under a wrong session: ${text}`),
  ];
}

/** A reading that is quiet, ended by a read that fails, disturbed in its middle, or killed. */
type Reading =
  | { read: 'quiet' }
  | { read: 'dropped'; at: number }
  | { read: 'disturbed'; at: number; by: Act }
  | { read: 'killed'; after: number };

/** @returns the faults after each quiet reading and after the last one */
async function play(
  events: readonly (Act | Reading)[],
): Promise<{ rows: number; faults: string[] }> {
  const world = createWorld();
  const { rows, scan } = createReading(world);
  const faults: string[] = [];
  for (const each of [...events, { read: 'quiet' } as const]) {
    let reads = 0;
    if ('kind' in each) world.act(each);
    else if (each.read === 'killed') await scan(undefined, each.after);
    else if (each.read === 'disturbed')
      await scan(() => void (reads++ === each.at && world.act(each.by)));
    else if (each.read === 'dropped')
      await scan(() => {
        if (reads++ === each.at) throw new Error('gone: the network folder does not answer');
      });
    else {
      await scan();
      faults.push(...faultsOf(world, [...rows.values()]));
    }
  }
  return { rows: rows.size, faults };
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...KINDS, 'append', 'append', 'half'),
  a: fc.nat(50),
  b: fc.nat(200),
});
const disturbed = fc.record({ read: fc.constant('disturbed' as const), at: fc.nat(8), by: act });
const event: fc.Arbitrary<Act | Reading> = fc.oneof(
  { weight: 6, arbitrary: act },
  { weight: 2, arbitrary: fc.constant({ read: 'quiet' as const }) },
  { weight: 1, arbitrary: disturbed },
  { weight: 1, arbitrary: fc.record({ read: fc.constant('dropped' as const), at: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.record({ read: fc.constant('killed' as const), after: fc.nat(4) }) },
);

test('logs that are appended, cut, rotated, rewritten, moved, copied and forked: nothing lost, doubled, made up or under a wrong session', async () => {
  const numRuns = runs(150, 3_000);
  let read = 0;
  const played: string[] = [];
  const story = fc.asyncProperty(
    fc.array(event, { minLength: 2, maxLength: 24 }),
    async (events) => {
      const { rows, faults } = await play(events);
      expect(faults).toEqual([]);
      read += rows;
      for (const each of events) {
        played.push('kind' in each ? each.kind : each.read);
        if ('by' in each) played.push(`${each.by.kind} while it is read`);
      }
    },
  );
  await fc.assert(story, { numRuns, seed: 20261122 });
  expect(read).toBeGreaterThan(numRuns * 33);
  const counts = countsOf(played);
  const during = ['rename while it is read', 'recreate while it is read'];
  for (const name of [...KINDS, 'quiet', 'disturbed', 'dropped', 'killed', ...during])
    expect(counts.get(name) ?? 0, name).toBeGreaterThan(numRuns / 100);
});
