/**
 * Logs that a crash, a foreign program or a new version spoilt, through the real tail, parser,
 * adapter and masking. Nothing throws or is made of garbage; a log in two parts gives what it gives
 * whole, and reading again adds nothing.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import { adapters } from '../../src/agents/index.js';
import { createPreparer } from '../../src/jobs/reading/read-part.js';
import { readLog } from '../../src/jobs/reading/reader-log.js';
import { type Adapter, type Checkpoint, type PreparedEntry, shapeOf } from '../../src/types.js';
import { ChangedLog, openLog } from '../../src/watchers/index.js';
import { testFolder } from '../folder.js';
import { type Random, seeded } from '../redact/made-up.js';
import { runs } from '../runs.js';
import { expectWellFormed, logsOf } from './fold.js';
import { placesOf } from './places.js';

/** A log that is spoilt where it lies, since small files beside it belong to it. */
interface Log {
  adapter: Adapter;
  relative: string;
  path: string;
  good: Buffer;
}

const TEXTS = [
  ...[
    '',
    '\0',
    '\uD800',
    '\u202E\u2066',
    '\u2028',
    '__proto__',
    '../../../etc/passwd',
    '"}',
    '\\u00',
  ],
  ...['<system-reminder>', '[REDACTED:', '9'.repeat(400), 'é'.repeat(3000), 'x'.repeat(70_000)],
  ...['0001-01-01T00:00:00Z', '+275760-09-13T00:00:00.000Z', '2026-13-45T99:99:99Z', '1700000000'],
];
const NUMBERS = [1.7e12, 1.7e15, -1, 1e308, 2 ** 53 - 1];
const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  '',
  '\0',
  'length',
  'type',
  'message',
  'uuid',
];
const GARBAGE = [
  ...['null', '17', '"a string"', '[1,2]', 'NaN', 'hello there', '}{', '{', '"', '[[[[', '\u0007'],
  ...['<html></html>', Buffer.from([0xff, 0xfe, 0xc3, 0x28]).toString('latin1')],
];

function spoilerOf(random: Random, donors: readonly unknown[]) {
  const below = (n: number): number => Math.floor(random() * n);
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const nested = (depth: number): unknown => (depth === 0 ? '' : { content: [nested(depth - 1)] });
  const junk = (): unknown =>
    oneOf<() => unknown>([
      () => oneOf(TEXTS),
      () => oneOf<unknown>([...NUMBERS, null, true, {}, []]),
      () => nested(2 + below(90)),
      () => Array.from({ length: below(400) }, () => oneOf(TEXTS.slice(0, 10))),
      () => oneOf(donors),
      () => [oneOf(donors)],
    ])();
  /** One place of the tree takes another value, another name, or goes. */
  const tree = (value: unknown): unknown => {
    const copy = JSON.parse(JSON.stringify(value)) as unknown;
    const places = placesOf(copy);
    if (places.length === 0) return copy;
    const { holder, key } = oneOf(places);
    const kind = below(5);
    if (kind === 0) delete holder[key];
    else if (kind === 1 && !Array.isArray(holder)) {
      const property = { value: junk(), enumerable: true, configurable: true, writable: true };
      Object.defineProperty(holder, oneOf(KEYS), property);
    } else holder[key] = junk();
    return copy;
  };
  const bytes = (line: Buffer): Buffer => {
    const at = below(line.length);
    const [head, tail] = [line.subarray(0, at), line.subarray(at)];
    return Buffer.concat(
      oneOf<Buffer[]>([
        [head],
        [tail],
        [head, Buffer.alloc(1 + below(2000)), tail],
        [head, Buffer.from([0xff, 0xfe, 0xc3, 0x28]), tail],
        [line, line],
        [head, line],
        [Buffer.from('\uFEFF'), line, Buffer.from('\r')],
        [Buffer.from(`${'{"a":'.repeat(1000 + below(20_000))}1`)],
      ]),
    );
  };
  /** Lines with the numbers of those that are nothing but garbage. */
  const lines = (
    all: readonly string[],
    isJson: boolean,
  ): { bytes: Buffer; garbage: Set<number> } => {
    const out: Buffer[] = [];
    const garbage = new Set<number>();
    for (const text of all) {
      if (random() < 0.05) continue;
      const isTree = isJson && random() < 0.35;
      const line = Buffer.from(isTree ? JSON.stringify(tree(JSON.parse(text))) : text);
      out.push(random() < 0.08 && line.length > 1 ? bytes(line) : line);
      if (random() < 0.06) garbage.add(out.push(Buffer.from(oneOf(GARBAGE))));
      if (random() < 0.03) out.push(oneOf(out));
    }
    return { bytes: Buffer.concat(out.flatMap((line) => [line, Buffer.from('\n')])), garbage };
  };
  /** Bytes of the file, or values of some rows. */
  const database = (path: string): void => {
    if (random() < 0.3) {
      const file = readFileSync(path);
      for (let times = 1 + below(40); times > 0; times--) file[below(file.length)] = below(256);
      return writeFileSync(path, random() < 0.3 ? file.subarray(0, below(file.length)) : file);
    }
    // Only `exec`: a prepared statement keeps the closed database open until garbage collection.
    const db = new DatabaseSync(path);
    let names: string[] = [];
    db.function('give_name', (name: string) => void names.push(name));
    const named = (from: string): string[] => {
      names = [];
      db.exec(`SELECT give_name(name) FROM ${from}`);
      return names;
    };
    for (let times = 1 + below(12); times > 0; times--) {
      const table = oneOf(named("sqlite_master WHERE type = 'table'"));
      const column = oneOf(named(`pragma_table_info('${table}')`));
      const odd = oneOf<string | number | null>([...TEXTS, ...NUMBERS, null]);
      const value =
        typeof odd === 'string' ? `CAST(x'${Buffer.from(odd).toString('hex')}' AS TEXT)` : odd;
      try {
        db.exec(`UPDATE "${table}" SET "${column}" = ${value} WHERE rowid % 3 = ${below(3)}`);
      } catch {
        // A key, or a value that its column refuses.
      }
    }
    db.close();
  };
  return { below, lines, tree, database };
}

function parsed(line: string): object | null {
  try {
    return JSON.parse(line) as object | null;
  } catch {
    return null;
  }
}

const preparer = createPreparer({
  ...{ redactKey: 'home', emails: true, exclude: [], userHome: '/home/ana', zone: 'UTC' },
});

async function read({ adapter, relative, path }: Log, saved: Checkpoint | null = null) {
  const entries: PreparedEntry[] = [];
  let checkpoint = saved;
  const task = { agent: adapter.agent, path, relative, saved, now: '2026-11-22T00:00:00.000Z' };
  const full = { lines: 40, bytes: 1e6, characters: 1e6 };
  for await (const batch of readLog(task, {
    ...{ adapter, open: openLog, preparer, isExcluded: () => false, full, pieceBytes: 4096 },
  })) {
    entries.push(...batch.entries);
    const bad = batch.bad.find(({ reason }) => reason.startsWith('the adapter cannot read it'));
    expect(bad).toBeUndefined();
    checkpoint = JSON.parse(JSON.stringify(batch.checkpoint)) as Checkpoint;
    expect(checkpoint.state.length).toBeLessThan(128 * 1024);
  }
  return { entries, checkpoint, ids: new Set(entries.map(({ id }) => id)) };
}

async function play(log: Log, random: Random, donors: readonly unknown[]): Promise<void> {
  const { path, good, adapter, relative } = log;
  const shape = shapeOf(adapter, relative);
  const spoiler = spoilerOf(random, donors);
  let spoilt = { bytes: good, garbage: new Set<number>() };
  const text = good.toString().split('\n');
  if (shape === 'rows') spoiler.database(path);
  else if (shape === 'text') spoilt = spoiler.lines(text, false);
  else if (shape !== 'document') spoilt = spoiler.lines(text.filter(parsed), true);
  else spoilt.bytes = Buffer.from(JSON.stringify(spoiler.tree(parsed(good.toString()))));
  if (shape !== 'rows') writeFileSync(path, spoilt.bytes);
  const whole = await read(log);
  for (const entry of whole.entries) {
    expectWellFormed(entry);
    expect(entry.id).toMatch(/^[0-9a-f]{32}$/);
    if (shape === 'lines') expect(spoilt.garbage.has(entry.line)).toBe(false);
  }
  for (const saved of [null, whole.checkpoint])
    expect([...(await read(log, saved)).ids].filter((id) => !whole.ids.has(id))).toEqual([]);
  expect(Object.keys(Object.prototype)).toEqual([]);
  if (shape !== 'lines') return;
  writeFileSync(path, spoilt.bytes.subarray(0, spoiler.below(spoilt.bytes.length + 1)));
  const head = await read(log);
  writeFileSync(path, spoilt.bytes);
  const rest = await read(log, head.checkpoint);
  expect(new Set([...head.ids, ...rest.ids])).toEqual(whole.ids);
}

test('a spoilt log of any agent is read as far as it goes', async () => {
  const homes = testFolder();
  const logs = adapters.flatMap((adapter) => {
    const home = join(homes, adapter.agent);
    cpSync(join(import.meta.dirname, '../fixtures', adapter.agent), home, { recursive: true });
    return logsOf(adapter, home).map(({ relative, path }): Log => {
      return { adapter, relative, path, good: readFileSync(path) };
    });
  });
  const donors = logs
    .flatMap(({ good }) => good.toString().split('\n').map(parsed))
    .filter(Boolean);
  const isLong = process.env['DRIPSTONE_FUZZ'] !== undefined;
  const first = isLong ? Date.now() : 7;
  for (let n = 0; n < runs(120, 20_000); n++) {
    const log = logs[n % logs.length]!;
    try {
      await play(log, seeded(first + n), donors);
    } catch (error) {
      // A database in the middle of a write, as far as its bytes tell.
      if (!(error instanceof ChangedLog))
        throw new Error(`${log.adapter.agent} ${log.relative}, seed ${first + n}`, {
          cause: error,
        });
    }
    writeFileSync(log.path, log.good);
    for (const end of ['-wal', '-shm', '-journal']) rmSync(log.path + end, { force: true });
  }
});
