/**
 * Everything that may lie among the logs under the name of one: named, skipped, and never in the
 * way of the good sessions beside it.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { storedTexts } from './stored.js';
import { type Said, type Stage, setStage } from '../stage.js';

const PLACE = '.claude/projects/-home-ana-shop';
function line(text: string, more: object = {}): string {
  return JSON.stringify({
    type: 'user',
    uuid: `u ${text.slice(0, 40)}`,
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000001',
    cwd: '/home/ana/shop',
    version: '2.1.233',
    timestamp: '2025-11-03T09:00:00.000Z',
    message: { role: 'user', content: text },
    promptSource: 'typed',
    origin: { kind: 'human' },
    ...more,
  });
}

interface Bad {
  /** What lies there. */
  make(person: Stage, path: string): void;
  /** Texts that must be read from it nevertheless. */
  texts?: string[];
  /** What the check must say of it; null when it is no fault. */
  told: RegExp | null;
}

function put(bytes: string | Uint8Array) {
  return (person: Stage, path: string): void => void person.put(path, bytes);
}

const BADS: Record<string, Bad> = {
  empty: { make: put(''), told: null },
  'one line break': { make: put('\n'), told: null },
  binary: {
    make: put(
      Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919 + (i >> 8) * 31) % 256)),
    ),
    told: /binary content/,
  },
  gzip: { make: put(gzipSync(line('packed'))), told: /binary content/ },
  'cut in the middle of a line': {
    make: put(`${line('before the cut')}\n${line('cut').slice(0, 100)}`),
    texts: ['before the cut'],
    told: null,
  },
  'filled with NUL': {
    make(person, path) {
      truncateSync(person.put(path, ''), 64 * 2 ** 20);
      utimesSync(join(person.home, path), 1_760_000_000, 1_760_000_000);
    },
    told: /:1 .*67108864 NUL bytes/,
  },
  'NUL in the middle': {
    make: put(`${line('before the hole')}\n${'\0'.repeat(100_000)}\n${line('after the hole')}\n`),
    texts: ['before the hole', 'after the hole'],
    told: /:2 /,
  },
  'a line of 64 MiB': {
    make: put(
      `${line('before the long')}\n${line('x'.repeat(64 * 2 ** 20), { uuid: 'long' })}\n${line('after the long')}\n`,
    ),
    texts: ['before the long', 'after the long'],
    told: /:2 .*longer than the limit: 6710\d{4} bytes/,
  },
  'invalid UTF-8': {
    make: put(
      Buffer.concat([
        Buffer.from(`${line('before the bytes')}\n`),
        Buffer.from(line('bad #').replaceAll('#', '\u00ff'), 'latin1'),
        Buffer.from(`\n${line('after the bytes')}\n`),
      ]),
    ),
    texts: ['before the bytes', 'bad \uFFFD', 'after the bytes'],
    told: null,
  },
  'glued lines': {
    make: put(`${line('glued one')}${line('glued two')}\n${line('after the glue')}\n`),
    texts: ['glued one', 'glued two', 'after the glue'],
    told: null,
  },
  'torn into a line': {
    make: put(
      `${line('torn away').slice(0, 80)}${line('survives the tear')}\n${line('after the tear')}\n`,
    ),
    texts: ['after the tear'],
    told: /:1 /,
  },
  'deeply nested': {
    make: put(
      `${line('before the depth')}\n${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}\n${'['.repeat(200_000)}\n${line('after the depth')}\n`,
    ),
    texts: ['before the depth', 'after the depth'],
    told: /:3 /,
  },
  'values that are no records': {
    make: put(`null\n3\n"text"\n[]\n{}\nNaN\n${line('after the values')}\n`),
    texts: ['after the values'],
    told: /:6 /,
  },
  'a BOM and CRLF': {
    make: put(`\uFEFF${line('with a BOM')}\r\n${line('with CRLF')}\r\n`),
    texts: ['with a BOM', 'with CRLF'],
    told: null,
  },
  'keys of prototypes': {
    make: put(
      `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"type":"user","message":{"__proto__":{"role":"user"}}}\n${line('after the keys')}\n`,
    ),
    texts: ['after the keys'],
    told: null,
  },
  'a FIFO': {
    make: (person, path) => void spawnSync('mkfifo', [join(person.home, path)]),
    told: /not a plain file/,
  },
  'a folder': {
    make: (person, path) => void mkdirSync(join(person.home, path)),
    told: /a folder with the name of a log/,
  },
  'a dangling link': {
    make: (person, path) => symlinkSync('/nowhere/at/all', join(person.home, path)),
    told: /a link, which is not followed/,
  },
  'a link out of the place': {
    make: (person, path) => symlinkSync('/etc/passwd', join(person.home, path)),
    told: /a link, which is not followed/,
  },
  'a link to itself': {
    make: (person, path) => symlinkSync(join(person.home, path), join(person.home, path)),
    told: /a link, which is not followed/,
  },
};
const names = Object.keys(BADS);
function pathOf(name: string): string {
  return join(PLACE, `${name.replaceAll(/[^a-zA-Z0-9]+/g, '-')}.jsonl`);
}

interface Checked {
  ok: boolean;
  checks: { name: string; ok: boolean; details: string[] }[];
}

let person: Stage;
let ran: Said;
let told: string[];
let stored: Map<string, number>;
let peakMib = 0;

beforeAll(async () => {
  person = setStage({ isLive: true });
  person.put(join(PLACE, 'aaa-good.jsonl'), `${line('good at the head')}\n`);
  for (const name of names) BADS[name]!.make(person, pathOf(name));
  person.put(join(PLACE, 'zzz-good.jsonl'), `${line('good at the end')}\n`);
  const { child, ended } = person.start(['run']);
  let over = false;
  void ended.then(() => (over = true));
  while (!over) {
    peakMib = Math.max(peakMib, peakOf(child.pid!));
    await pause(20);
  }
  ran = await ended;
  told = (await person.type('status', '--json'))
    .json<{ skipped: { path: string; line: number | null; offset: number; reason: string }[] }>()
    .skipped.map(
      ({ path, line, offset, reason }) =>
        `${path}${line === null ? '' : `:${line} (byte ${offset})`}: ${reason}`,
    );
  stored = await storedTexts(person);
});

/** Peak of the resident memory as Linux tells, MiB; 0 elsewhere. */
function peakOf(pid: number): number {
  try {
    return (
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
    );
  } catch {
    return 0;
  }
}

test('run ends well or in part, in bounded memory, and the good sessions are read', () => {
  expect([0, 3], ran.err).toContain(ran.code);
  expect(ran.err).toBe('');
  expect(['good at the head', 'good at the end'].map((text) => stored.get(text))).toEqual([1, 1]);
  expect(peakMib).toBeLessThan(900);
  expect(ran.out).toMatch(/skipped \d+ bad lines: `.* status` shows which/);
});

test.each(names)('%s: named if it is a fault, what is good in it is read once', (name) => {
  const { texts = [], told: wanted } = BADS[name]!;
  expect(texts.filter((text) => stored.get(text) !== 1)).toEqual([]);
  const lines = told.filter((text) => text.includes(pathOf(name)));
  if (wanted === null) expect(lines).toEqual([]);
  else
    expect(
      lines
        .map((text) => text.slice(text.indexOf(pathOf(name)) + pathOf(name).length))
        .join('\n')
        .replaceAll(/^(?=:\d)/gm, '') + ' ',
    ).toMatch(wanted);
});

test('nothing came of garbage', () => {
  const wanted = new Set([
    'good at the head',
    'good at the end',
    ...names.flatMap((name) => BADS[name]!.texts ?? []),
  ]);
  const rest = [...stored.keys()]
    .filter((text) => !wanted.has(text))
    .map((text) => text.slice(0, 60));
  expect(rest.filter((text) => !/^x{60}$/.test(text) && text !== 'survives the tear')).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('status counts the bad lines and names the first ones, and a second run reads nothing again', async () => {
  const status = (await person.type('status', '--json')).json<{
    sources: { agent: string; bad_lines: number }[];
    skipped: { path: string; line: number | null; offset: number | null; reason: string }[];
    pending: { files: number };
  }>();
  expect(status.sources[0]!.bad_lines).toBeGreaterThan(5);
  const { path, line, offset, reason } = status.skipped.find((each) => each.line !== null)!;
  expect((await person.type('status')).out).toContain(
    `${path.replace(person.home, '~')}:${line} (byte ${offset}): ${reason}`,
  );
  expect(status.pending.files).toBe(0);
  const again = (await person.type('run', '--only', 'ingest', '--json')).json<{
    new: { entries: number };
  }>();
  expect(again.new.entries).toBe(0);
});

test('a log that may not be read is named; once it may be, it is read', async () => {
  const other = setStage({ isLive: true });
  other.put(join(PLACE, 'good.jsonl'), `${line('good')}\n`);
  const shut = other.put(join(PLACE, 'shut.jsonl'), `${line('shut')}\n`);
  const closed = join(other.home, PLACE, 'closed');
  other.put(join(PLACE, 'closed', 'in.jsonl'), `${line('closed')}\n`);
  chmodSync(shut, 0);
  chmodSync(closed, 0);
  const run = (...args: string[]) => other.start(args, { obeysModes: true }).ended;
  const first = await run('run', '--only', 'ingest');
  expect([0, 3], first.err).toContain(first.code);
  const said = (await run('status', '--check', '--json')).json<Checked>();
  const check = said.checks.find(({ name }) => name === 'readable')!;
  expect(check.ok).toBe(false);
  expect(check.details.join('\n')).toMatch(/shut\.jsonl: not readable: permission denied/);
  expect(check.details.join('\n')).toMatch(/closed: not readable: permission denied/);
  chmodSync(shut, 0o600);
  chmodSync(closed, 0o700);
  expect((await run('run', '--only', 'ingest')).code).toBe(0);
  expect([...(await storedTexts(other)).keys()].sort()).toEqual(['closed', 'good', 'shut']);
});
