/**
 * Whoever else has the database open: we wait, then say who it is; two runs at once; our own lock
 * is held while the file is open.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { seeded } from '../redact/made-up.js';
import { systemClock } from '../../src/clock.js';
import { openStore } from '../../src/store/index.js';
import { createAuthor, personAtWork, type Author } from './author.js';
import { NOTHING, compare, storedTexts } from './stored.js';
import { type Stage, setStage } from '../stage.js';

const HOLD = fileURLToPath(new URL('./children/hold.mjs', import.meta.url));

let person: Stage;
let author: Author;
/** The program that holds what it is told. */
let holding: ChildProcessByStdio<Writable, Readable, null>;
beforeAll(async () => {
  ({ person, author } = personAtWork(5, 6));
  expect((await person.type('run', '--only', 'ingest')).code).toBe(0);
  holding = spawn(process.execPath, [HOLD], { stdio: ['pipe', 'pipe', 'inherit'] });
});
afterAll(() => {
  holding.kill('SIGKILL');
});

interface Holder {
  pid: number;
  letGo(): Promise<void>;
}

async function hold(file: string, mode: 'read-only' | 'read-write'): Promise<Holder> {
  const told = async (line: string): Promise<void> => {
    holding.stdin.write(`${line}\n`);
    await once(holding.stdout, 'data');
  };
  await told(`${join(person.stone, file)}\t${mode}`);
  let isHeld = true;
  const letGo = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await told('go');
  };
  onTestFinished(letGo);
  return { pid: holding.pid!, letGo };
}

describe.each(['read-only', 'read-write'] as const)('somebody holds the file %s', (mode) => {
  test.each([
    ['run', '--only', 'ingest'],
    ['search', 'note'],
    ['lessons', 'list'],
  ])('%s waits, then ends with 11 and names the process; nothing is lost', async (...args) => {
    const holder = await hold('memory.duckdb', mode);
    author.work(1);
    const begun = performance.now();
    const said = await person.type(...args);
    if (mode === 'read-only' && args[0] !== 'run') {
      // Readers share the file.
      expect(said.code, said.err).toBe(0);
    } else {
      expect(said.code).toBe(11);
      expect(said.err).toContain(String(holder.pid));
      expect(said.err).toMatch(/next: /);
      expect(performance.now() - begun).toBeGreaterThan(350);
    }
    await holder.letGo();
    if (args[0] !== 'run') return;
    expect((await person.type(...args)).code).toBe(0);
    expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
  });
});

test('a run that waits goes on as soon as the file is free', async () => {
  const patient = setStage({ isLive: true });
  const writer = createAuthor(patient, seeded(6));
  writer.work(1);
  expect((await patient.type('run', '--only', 'ingest')).code).toBe(0);
  const holder = spawn(
    process.execPath,
    [HOLD, join(patient.stone, 'memory.duckdb'), 'read-write'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  writer.work(1);
  const running = patient.type('run', '--only', 'ingest');
  holder.stdin.write('go\n');
  expect((await running).code).toBe(0);
  expect(compare(writer.written, await storedTexts(patient))).toEqual(NOTHING);
});

test('two runs at once: one works, the other waits and then works too, or ends with 11 naming it; nothing is double', async () => {
  author.work(6);
  const runs = [
    person.start(['run', '--only', 'ingest']),
    person.start(['run', '--only', 'ingest']),
  ];
  const said = await Promise.all(runs.map(({ ended }) => ended));
  const codes = said.map(({ code }) => code);
  expect(codes).toContain(0);
  expect([0, 11]).toEqual(expect.arrayContaining([...new Set(codes)]));
  said.forEach(
    ({ code, err }, i) =>
      void (code === 11 && expect(err).toContain(String(runs[1 - i]!.child.pid))),
  );
  expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
});

/**
 * POSIX locks that a process holds on a file, as Linux tells: `1: POSIX ADVISORY WRITE pid
 * major:minor:inode …`.
 */
function locksOn(path: string, pid: number): string[] {
  const { ino } = statSync(path);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter(
      (line) => line.includes(' POSIX ') && line.includes(` ${pid} `) && line.includes(`:${ino} `),
    );
}

test.runIf(existsSync('/proc/locks'))(
  'the kernel says that we hold the lock while the file is open: after reads, writes, a checkpoint, and while logs are read',
  async () => {
    const path = join(person.stone, 'memory.duckdb');
    const store = openStore({ path, clock: systemClock, lockWaitMs: 2000, checkpointMb: 0 });
    onTestFinished(() => store.close());
    const held = () => locksOn(path, process.pid).length;
    await store.read((db) => db.all('SELECT count(*) FROM entries'));
    expect(held()).toBe(1);
    await store.write((db) => db.run('CREATE TABLE main.mine AS SELECT 42 AS answer'));
    expect(
      statSync(`${path}.wal`, { throwIfNoEntry: false })?.size ?? 0,
      'the write was folded in',
    ).toBe(0);
    expect(held()).toBe(1);
    // What a run does beside the store: look for logs, ask for sizes, publish.
    for (const name of readdirSync(person.stone)) statSync(join(person.stone, name));
    expect(held()).toBe(1);
    await store.release();
    expect(held()).toBe(0);
  },
);

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

test('on the source: only the store is given the path of the memory file, and no call that opens files is', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const lines = files.flatMap((name) =>
    readFileSync(join(SRC, name), 'utf8')
      .split('\n')
      .map((text) => ({ name: name.replaceAll('\\', '/'), text })),
  );
  const named = lines.filter(
    ({ text }) =>
      /paths\.store\b|memory\.duckdb/.test(text) && !/^\s*(?:\/\*\*|\*|\/\/)/.test(text),
  );
  const opens =
    /\b(?:open|openSync|readFile|readFileSync|writeFile|writeFileSync|appendFile|appendFileSync|copyFile|copyFileSync|cp|cpSync|createReadStream|createWriteStream|openDatabase)\(/;
  expect(named.filter(({ text }) => opens.test(text))).toEqual([]);
  expect(
    lines
      .filter(({ name, text }) => /\bopenDatabase\(/.test(text) && !name.startsWith('store/'))
      .map(({ name }) => name),
  ).toEqual([]);
});
