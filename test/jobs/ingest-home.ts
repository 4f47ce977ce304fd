/** A home with invented Claude Code logs, and the ingest job on them. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.js';
import type { Config } from '../../src/config.js';
import { ingestJob } from '../../src/jobs/reading/ingest.js';
import type { JobContext, JobResult, Trigger } from '../../src/jobs/job.js';
import { loadBadLines, loadCheckpoints, type Store } from '../../src/store/index.js';
import { put } from '../folder.js';
import { setStage } from '../stage.js';

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
  stone: string;
  store: Store;
  config: Config;
  /** Path of a log below `.claude/projects`. */
  log(name: string, content?: string | Buffer): string;
  run(trigger?: Partial<Trigger>, more?: Partial<JobContext>): Promise<JobResult>;
  texts(): Promise<string[]>;
  bad(): Promise<{ path: string; line: number; offset: number; reason: string }[]>;
  checkpoints(): ReturnType<typeof loadCheckpoints>;
  warnings: unknown[];
}

export async function testHome(): Promise<TestHome> {
  const { home, stone, io } = setStage({ now: new Date().toISOString() });
  const app = await createApp({ ...io(), access: 'write', mode: 'daemon' });
  onTestFinished(() => app[Symbol.asyncDispose]());
  const { store, config } = app;
  const warnings: unknown[] = [];
  const warn = (fact: unknown): void => void warnings.push(fact);
  const log = { ...app.log, warn, error: warn };
  return {
    ...{ home, stone, store, config, warnings },
    log: (name, content = '') => put(join(home, '.claude/projects', name), content),
    run: (trigger = {}, more = {}) =>
      ingestJob.run({ ...app, log, ...more }, { job: 'ingest', ...trigger }),
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
