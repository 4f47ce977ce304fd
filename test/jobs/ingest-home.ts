/** A temporary home with invented Claude Code logs, a real store, and the ingest job on both. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { defaultConfig, pathsOf, type Config } from '../../src/config.js';
import { ingestJob } from '../../src/jobs/reading/ingest.js';
import { createReading } from '../../src/jobs/reading/reader.js';
import type { JobContext, JobResult, Trigger } from '../../src/jobs/job.js';
import { bootStore, loadBadLines, loadCheckpoints, type Store } from '../../src/store/index.js';
import { copyEmptyStore } from '../store/build.js';
import { threads } from '../threads.js';

let serial = 0;

/** A prompt as a person types it. */
export function prompt(text: string, more: Record<string, unknown> = {}): string {
  serial += 1;
  return `${JSON.stringify({
    type: 'user',
    uuid: `00000000-0000-4000-8000-${String(serial).padStart(12, '0')}`,
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    sessionId: '11111111-1111-4111-8111-111111111111',
    cwd: '/home/ana/shop',
    version: '2.1.200',
    entrypoint: 'cli',
    promptSource: 'typed',
    timestamp: new Date(1_780_000_000_000 + serial * 1000).toISOString(),
    message: { role: 'user', content: text },
    ...more,
  })}\n`;
}

export interface TestHome {
  home: string;
  store: Store;
  /** Path of a log below `.claude/projects`. */
  log(name: string, content?: string | Buffer): string;
  run(trigger?: Partial<Trigger>, more?: Partial<JobContext>): Promise<JobResult>;
  texts(): Promise<string[]>;
  bad(): Promise<{ path: string; line: number; offset: number; reason: string }[]>;
  checkpoints(): ReturnType<typeof loadCheckpoints>;
  config: Config;
  warnings: unknown[];
  remove(): Promise<void>;
}

/** A home of this test alone. */
export async function testHome(): Promise<TestHome> {
  const home = await makeTestHome();
  onTestFinished(() => home.remove());
  return home;
}

/** A home that several tests look at; whoever makes it removes it. */
async function makeTestHome(): Promise<TestHome> {
  const home = mkdtempSync(join(tmpdir(), 'dripstone-ingest-'));
  const clock = { now: () => new Date(), mono: () => performance.now() };
  const path = join(home, '.dripstone/memory.duckdb');
  mkdirSync(dirname(path), { mode: 0o700 });
  await copyEmptyStore(path);
  const { store } = await bootStore({ path, clock, lockWaitMs: 1000 });
  const config = defaultConfig();
  const warnings: unknown[] = [];
  const log = {
    warn: (fact: unknown) => warnings.push(fact),
    info: () => {},
    error: (fact: unknown) => warnings.push(fact),
    debug: () => {},
  };
  const reading = createReading(threads.readerThreads);
  const context = {
    // Time stands still for the job, so that a slow machine does not end its slice.
    config,
    paths: pathsOf(join(home, '.dripstone')),
    clock: { now: clock.now, mono: () => 0 },
    store,
    reading,
    env: {},
    userHome: home,
    redactKey: 'a test key',
    mode: 'daemon',
    signal: new AbortController().signal,
    progress: () => {},
    isOver: () => false,
    log,
  } as unknown as JobContext;
  return {
    home,
    store,
    config,
    warnings,
    async remove() {
      await reading.rest();
      await store.close();
      rmSync(home, { recursive: true, force: true });
    },
    log(name, content = '') {
      const path = join(home, '.claude/projects', name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    run: (trigger = {}, more = {}) =>
      ingestJob.run({ ...context, ...more }, { job: 'ingest', ...trigger }),
    texts: () =>
      store.read(async (db) =>
        (await db.all<{ text: string }>('SELECT text FROM main.entries ORDER BY path, line')).map(
          (row) => row.text,
        ),
      ),
    bad: () => store.read((db) => loadBadLines(db, 1000)),
    checkpoints: () => store.read(loadCheckpoints),
  };
}
