/**
 * Measures the cost of a very large store. Reads an invented history, multiplies its rows inside
 * the database, then runs the program like a person and the daemon, a new process each time: wall
 * time and peak memory.
 * Needs `make build`. Usage: tsx bench/large.ts [MILLION ENTRIES = 5] [--keep FOLDER]
 */
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openStore, saveVectors, type Store } from '../src/store/index.js';
import { answers, claudeLog, says } from '../test/jobs/made-log.js';
import { makeHome } from './made-home.js';
import { shippedFingerprint, vector } from './made-store.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: 'string' } },
});
const wanted = Number(positionals[0] ?? 5) * 1e6;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'dripstone-large-'));
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: join(folder, 'home'),
  DRIPSTONE_HOME: join(folder, 'stone'),
};
const clock = { now: () => new Date(), mono: () => performance.now() };

/** Runs the program and reads its peak resident memory in MB from /proc (Linux only). */
function run(
  ...args: string[]
): Promise<{ ms: number; peakMb: number; code: number | null; out: string }> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let [peakKb, out] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const look = setInterval(() => {
      const path = `/proc/${child.pid}/status`;
      if (existsSync(path))
        peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? peakKb);
    }, 20);
    child.on('close', (code) => {
      clearInterval(look);
      resolve({ ms: performance.now() - begun, peakMb: peakKb / 1024, code, out });
    });
  });
}

/** Copies the first `n` entries with new ids, sessions and logs. */
function copyOf(n: number, i: number): string[] {
  return [
    `INSERT INTO own.entries SELECT * REPLACE (n + ${n * i} AS n, md5(id || '${i}') AS id, session || '-${i}' AS session, log + ${1e6 * i} AS log, replace(path, '.jsonl', '-${i}.jsonl') AS path)
     FROM own.entries WHERE n <= ${n}`,
    `INSERT INTO own.texts SELECT n + ${n * i}, text FROM own.texts WHERE n <= ${n}`,
    `INSERT INTO own.postings SELECT hash, n + ${n * i}, count FROM own.postings WHERE n <= ${n}`,
    `INSERT INTO own.vectors SELECT * REPLACE (md5(id || '${i}') AS id, n + ${n * i} AS n) FROM own.vectors WHERE owner = 'entry' AND id IN (SELECT id FROM own.entries WHERE n <= ${n})`,
    `INSERT INTO own.sessions SELECT * REPLACE (session || '-${i}' AS session, last_n + ${n * i} AS last_n, extracted_n + ${n * i} AS extracted_n) FROM own.sessions WHERE last_n <= ${n}`,
  ];
}

/**
 * Makes a vector for every text, then copies; large transactions spill to disk, so each is small.
 */
async function multiply(store: Store): Promise<void> {
  const fingerprint = await shippedFingerprint();
  const rows = await store.read((db) =>
    db.all<{ id: string; rev: number; text: string }>(
      'SELECT id, rev, left(text, 200) AS text FROM own.entries JOIN own.texts USING (n) WHERE length > 0',
    ),
  );
  for (let at = 0; at < rows.length; at += 1000) {
    const made = rows
      .slice(at, at + 1000)
      .map((row) => ({ ...row, owner: 'entry' as const, fingerprint, part: 0, vector: vector() }));
    await store.write((db) => saveVectors(db, made));
  }
  const [{ n }] = (await store.read((db) =>
    db.all<{ n: number }>('SELECT max(n) AS n FROM own.entries'),
  )) as [{ n: number }];
  for (let i = 1; i * n < wanted; i++) {
    await store.write(async (db) => {
      for (const sql of copyOf(n, i)) await db.run(sql);
    });
    if (i % 10 === 0) process.stderr.write(`${((i * n) / 1e6).toFixed(1)} million entries\n`);
  }
}

function say(
  what: string,
  { ms, peakMb, code }: { ms: number; peakMb: number; code: number | null },
): void {
  return console.log(
    `${what.padEnd(34)} ${(ms / 1000).toFixed(2).padStart(7)} s, peak ${peakMb.toFixed(0).padStart(5)} MB, exit ${code}`,
  );
}

try {
  if (!existsSync(env.DRIPSTONE_HOME)) {
    mkdirSync(env.DRIPSTONE_HOME, { recursive: true });
    writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), 'embed: {enabled: false}\n');
    makeHome(env.HOME, {
      sessions: 250,
      projects: 20,
      days: 200,
      until: '2026-11-20',
      seed: 4,
      rounds: 16,
    });
    say('reading what is multiplied', await run('run', '--json'));
    const store = openStore({
      path: join(env.DRIPSTONE_HOME, 'memory.duckdb'),
      clock,
      lockWaitMs: 0,
    });
    await multiply(store);
    await store.close();
  }
  const status = await run('status', '--json');
  const { store } = JSON.parse(status.out) as {
    store: { bytes: number; entries: number; lessons: number };
  };
  console.log(
    `${(store.entries / 1e6).toFixed(2)} million entries, ${store.lessons} lessons, ${(store.bytes / 1e9).toFixed(1)} GB`,
  );
  say('status', status);
  say('status', await run('status', '--json'));
  say('lessons list', await run('lessons', 'list', '--json', '--project', 'all'));
  say('a look with nothing new', await run('run', '--only', 'ingest', '--json'));
  const project = readdirSync(join(env.HOME, '.claude/projects'))[0]!;
  const log = join(
    env.HOME,
    '.claude/projects',
    project,
    readdirSync(join(env.HOME, '.claude/projects', project))[0]!,
  );
  appendFileSync(
    log,
    claudeLog({ session: `late-${Date.now()}`, cwd: '/home/ann/work/made-0', day: '2026-11-21' }, [
      says('Always rinse the beacon before the sampler starts.'),
      answers('Noted.'),
    ]),
  );
  say('a look with two new lines', await run('run', '--only', 'ingest', '--json'));
  say('context of what is new', await run('run', '--only', 'extract,context', '--json'));
  // Removed only now, because lessons would be embedded first.
  rmSync(join(env.DRIPSTONE_HOME, 'config.yaml'), { force: true });
  for (const mode of ['keyword', 'hybrid']) {
    for (const project of ['made-3', 'all'])
      say(
        `search, ${mode}, ${project}`,
        await run(
          'search',
          'ledger drops checksum after retry',
          '--json',
          '--mode',
          mode,
          '--project',
          project,
        ),
      );
  }
  console.log(
    `${(statSync(join(env.DRIPSTONE_HOME, 'memory.duckdb')).size / 1e9).toFixed(1)} GB in the end`,
  );
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
