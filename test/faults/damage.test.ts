/**
 * What may happen to memory.duckdb and its write-ahead log, through the whole program: quarantined,
 * rebuilt, said once; edits survive.
 */
import {
  closeSync,
  cpSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { personAtWork, type Author } from './author.js';
import { NOTHING, compare, storedTexts } from './stored.js';
import type { Stage } from '../stage.js';

interface Status {
  degraded: { code: string; text: string }[];
}
interface Summary {
  notes: string[];
  entries: number;
}

let person: Stage;
let author: Author;
/** The home after a whole run with edits, and an earlier copy of its database. */
let kept: string;
let lessons: unknown[];
/** Texts that were written when the home was kept. */
const keptTexts = new Set<string>();
function db(): string {
  return join(person.stone, 'memory.duckdb');
}
function wal(): string {
  return `${db()}.wal`;
}

function walBytes(): number {
  return existsSync(wal()) ? statSync(wal()).size : 0;
}

const ADDED = 'never deploy the shop on fridays';
const FORGOTTEN = 'always use the old cart';

/** What a person sees of lessons, without what may move with a second reading. */
async function lessonsOf(): Promise<unknown[]> {
  const { lessons: list } = (
    await person.type('lessons', 'list', '--all', '--project', 'all', '--json')
  ).json<{ lessons: Record<string, unknown>[] }>();
  return list
    .map(({ id, kind, scope, text, status, pinned }) => ({ id, kind, scope, text, status, pinned }))
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
}

beforeAll(async () => {
  ({ person, author } = personAtWork(11, 8));
  expect((await person.type('run', '--only', 'ingest,extract')).code).toBe(0);
  cpSync(db(), join(person.root, 'early.duckdb'));
  author.work(8);
  expect(await person.type('run')).toMatchObject({ code: 0, err: '' });
  for (const text of [ADDED, FORGOTTEN])
    expect((await person.type('lessons', 'add', text, '--project', 'shop')).code).toBe(0);
  const forgotten = (await person.lessons('--project', 'all')).find(
    ({ text }) => text === FORGOTTEN,
  )!;
  expect((await person.type('lessons', 'forget', forgotten.id)).code).toBe(0);
  lessons = await lessonsOf();
  kept = join(person.root, 'kept');
  cpSync(person.stone, kept, { recursive: true });
  for (const text of author.written.keys()) keptTexts.add(text);
});

/** Our own files as they were kept; the logs stay, and only grow. */
function restore(): void {
  for (const name of readdirSync(person.stone))
    if (name !== 'inbox') rmSync(join(person.stone, name), { recursive: true });
  cpSync(kept, person.stone, { recursive: true, filter: (path) => path !== join(kept, 'inbox') });
}

/**
 * A database whose last commits are in the write-ahead log only, since its process was killed; made
 * once.
 */
let walHome: string | null = null;
async function restoreWithWal(): Promise<void> {
  if (walHome !== null) {
    restore();
    return cpSync(walHome, person.stone, { recursive: true });
  }
  for (let attempt = 0; attempt < 10; attempt++) {
    restore();
    author.work(20);
    const { child, ended } = person.start(['run', '--only', 'ingest']);
    let over = false;
    void ended.then(() => (over = true));
    while (!over && walBytes() < 20_000) await pause(1);
    child.kill('SIGKILL');
    await ended;
    if (walBytes() < 20_000) continue;
    walHome = join(person.root, 'with-wal');
    mkdirSync(walHome);
    for (const path of [db(), wal()]) cpSync(path, join(walHome, basename(path)));
    return;
  }
  throw new Error('no kill met a commit');
}

/** While the agents' logs do not exist. */
async function withoutLogs(fn: () => Promise<void>): Promise<void> {
  const [hidden, inbox] = [`${person.home}.hidden`, join(person.stone, 'inbox')];
  renameSync(person.home, hidden);
  renameSync(inbox, `${hidden}.inbox`);
  mkdirSync(person.home);
  try {
    await fn();
  } finally {
    for (const path of [person.home, inbox]) rmSync(path, { recursive: true, force: true });
    renameSync(hidden, person.home);
    renameSync(`${hidden}.inbox`, inbox);
  }
}

/** Every entry of a past day stands in a tier since the last whole run. */
function inTiers(): Map<string, number> {
  return new Map([...author.written].filter(([text]) => keptTexts.has(text)));
}

function flip(path: string, at: number): void {
  const byte = readFileSync(path)[at]!;
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.from([byte ^ 0x55]), 0, 1, at);
  closeSync(fd);
}

function aside(): string[] {
  return readdirSync(person.stone).filter((name) => name.includes('.damaged-'));
}
async function status(): Promise<Status> {
  return (await person.type('status', '--json')).json<Status>();
}

/** After any damage: a run ends well and everything is there once, as before. */
async function expectHealed(...args: string[]): Promise<Summary> {
  const said = await person.type('run', '--json', ...args);
  expect(said.code, said.err).toBe(0);
  expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
  if (args.length === 0) expect(await lessonsOf()).toEqual(lessons);
  return said.json<Summary>();
}

const DAMAGES: Record<string, () => void> = {
  'random bytes': () =>
    writeFileSync(db(), Buffer.from(Array.from({ length: 50_000 }, (_, i) => (i * 7919) % 251))),
  'a database of another program': () =>
    writeFileSync(db(), Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8192)])),
  'an empty file': () => truncateSync(db(), 0),
  'a folder': () => {
    rmSync(db());
    mkdirSync(db());
  },
};

describe('the database file', () => {
  test.each(Object.keys(DAMAGES))(
    '%s in its place: quarantined with a date, rows from tiers and logs',
    async (name) => {
      restore();
      DAMAGES[name]!();
      const before = statSync(db()).isFile() ? readFileSync(db()) : null;
      const { notes } = await expectHealed('--only', 'ingest');
      expect(aside()).toHaveLength(1);
      expect(aside()[0]).toMatch(/^memory\.duckdb\.damaged-\d{8}T\d{6}Z$/);
      if (before !== null)
        expect(readFileSync(join(person.stone, aside()[0]!)).equals(before)).toBe(true);
      expect(notes.filter((note) => note.includes(aside()[0]!))).toHaveLength(1);
    },
  );

  test('half of the file is gone: said once by run with counts, shown by status, lessons and edits as before', async () => {
    restore();
    truncateSync(db(), Math.floor(statSync(db()).size / 2));
    const { notes } = await expectHealed();
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(
      /^the database could not be used .*: kept as memory\.duckdb\.damaged-\S+; [\d,]+ entries came back from [\d,]+ tiers, [\d,]+ entr(?:y|ies) were read from logs, 3 edits from crystals are kept$/,
    );
    expect((await status()).degraded.map(({ code }) => code)).toEqual(['STORE_SET_ASIDE']);
    expect((await person.type('run', '--only', 'ingest', '--json')).json<Summary>().notes).toEqual(
      [],
    );
  });

  test('an old copy in its place: the checkpoints go back with it and everything is read again once', async () => {
    restore();
    cpSync(join(person.root, 'early.duckdb'), db());
    await expectHealed();
    expect(aside()).toEqual([]);
  });

  test('an old copy in its place while all logs are gone: the later rows come back from tiers', async () => {
    restore();
    cpSync(join(person.root, 'early.duckdb'), db());
    await withoutLogs(async () => {
      const said = await person.type('run', '--json');
      expect(said.code, said.err).toBe(0);
      expect(compare(inTiers(), await storedTexts(person))).toEqual(NOTHING);
      expect(await lessonsOf()).toEqual(lessons);
    });
  });
});

const CUTS: Record<string, (size: number) => number | null> = {
  'cut by a byte': (size) => size - 1,
  'cut in half': (size) => Math.floor(size / 2),
  'cut to ten bytes': () => 10,
  emptied: () => 0,
  removed: () => null,
};

describe('the write-ahead log', () => {
  test.each(Object.keys(CUTS))(
    '%s: the file opens, what was rolled back is read again',
    async (name) => {
      await restoreWithWal();
      const length = CUTS[name]!(statSync(wal()).size);
      if (length === null) rmSync(wal());
      else {
        const fd = openSync(wal(), 'r+');
        ftruncateSync(fd, length);
        closeSync(fd);
      }
      await expectHealed('--only', 'ingest');
    },
  );

  test.each([0.1, 0.6])(
    'a flipped bit at %d of it: only it is quarantined, what was rolled back is read again',
    async (part) => {
      await restoreWithWal();
      flip(wal(), Math.floor(statSync(wal()).size * part));
      await expectHealed('--only', 'ingest');
      expect(aside().filter((name) => !name.startsWith('memory.duckdb.wal.damaged-'))).toEqual([]);
    },
  );
});
