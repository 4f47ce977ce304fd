/**
 * The daemon in this process: real files, real watchers and store, a clock and beats that the test
 * owns.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { type App } from '../../../src/app.js';
import { createBackground } from '../../../src/jobs/daemon-work.js';
import { runDaemon, type Timers } from '../../../src/daemon.js';
import type { JobResult, Trigger } from '../../../src/jobs/job.js';
import { daemonApp, type Stage, setStage } from '../../stage.js';
import { claudeLog, says, shell } from '../../jobs/made-log.js';

const HOLD = fileURLToPath(new URL('../../faults/children/hold.mjs', import.meta.url));
const SESSION = '11111111-1111-4111-8111-111111111111';
const LOG = `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`;
const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };

interface Event {
  job: Trigger['job'];
  outcome: JobResult | Error;
}

/** Timers by hand, and a promise for the next event that fits. */
class Daemon {
  private readonly beats: { ms: number; beat: () => void }[] = [];
  private readonly events: Event[] = [];
  private waiters: (() => void)[] = [];
  private ended: Promise<void> = Promise.resolve();
  renewals = 0;
  private constructor(
    readonly stage: Stage,
    readonly app: App,
  ) {}

  static async start(stage: Stage): Promise<Daemon> {
    const app = await daemonApp(stage);
    const daemon = new Daemon(stage, app);
    const timers: Timers = {
      every: (ms, beat) => {
        daemon.beats.push({ ms, beat });
        return { stop: () => {} };
      },
    };
    await new Promise<void>((ready) => {
      daemon.ended = runDaemon(app, {
        version: '0',
        pid: process.pid,
        timers,
        ready,
        renew: () => void daemon.renewals++,
        onJobDone: (job, outcome) => daemon.tell({ job, outcome }),
      });
    });
    return daemon;
  }

  private tell(event: Event): void {
    this.events.push(event);
    this.waiters.splice(0).forEach((wake) => wake());
  }

  /** Moves the clock and strikes every beat that is at most that long. */
  async pass(seconds: number): Promise<void> {
    this.stage.now = new Date(this.stage.now.getTime() + seconds * 1000);
    for (const { ms, beat } of this.beats) if (ms <= seconds * 1000) beat();
    await Promise.resolve();
  }

  async until(job: Trigger['job'], fits: (outcome: JobResult | Error) => boolean): Promise<void> {
    for (;;) {
      const found = this.events.findIndex((event) => event.job === job && fits(event.outcome));
      if (found >= 0) return void this.events.splice(0, found + 1);
      await new Promise<void>((wake) => this.waiters.push(wake));
    }
  }

  async stop(): Promise<void> {
    this.stage.stop.abort();
    await this.ended;
    await this.app[Symbol.asyncDispose]();
  }
}

function did(least: number) {
  return (outcome: JobResult | Error): boolean =>
    !(outcome instanceof Error) && outcome.done >= least;
}

let daemon: Daemon | null = null;
afterEach(async () => {
  await daemon?.stop();
  daemon = null;
});

function contextOf(stage: Stage): string {
  return stage.read(`projects/${stage.slug()}/context.md`);
}

/** Another program gets hold of the database as soon as it is free. */
async function holdStore(app: App): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  for (;;) {
    await app.store.release();
    const holder = spawn(process.execPath, [HOLD, app.paths.store, 'read-write'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    const held = await Promise.race([
      once(holder.stdout, 'data').then(() => true),
      once(holder, 'exit').then(() => false),
    ]);
    if (held) return holder;
  }
}

describe('the daemon', () => {
  test('a line that is written is read at once; its lesson comes when the session fell silent', async () => {
    const stage = setStage({ now: '2026-11-20T09:00:30Z' });
    const path = stage.put(LOG, claudeLog(about, [says('hello')]));
    daemon = await Daemon.start(stage);
    await daemon.until('ingest', did(1));
    appendFileSync(
      path,
      claudeLog({ ...about, from: 1 }, [says('Remember: Always use tabs, never spaces.')]),
    );
    await daemon.until('ingest', did(1));
    expect(
      await daemon.app.store.read(
        async (db) =>
          (await db.all('SELECT text FROM main.entries WHERE text LIKE $text', { text: '%tabs%' }))
            .length,
      ),
    ).toBe(1);
    await daemon.pass(60);
    stage.now = new Date('2026-11-20T09:20:00Z');
    await daemon.pass(1);
    await daemon.until('extract', did(1));
    await daemon.until('context', did(1));
    expect(contextOf(stage)).toContain('tabs');
  });

  test('a folder of logs that appears, or is deleted and made again at once: its first line is read within a few seconds, before the next scan of all places', async () => {
    const stage = setStage({ now: '2026-11-20T09:00:30Z' });
    stage.put(LOG, claudeLog(about, [says('hello')]));
    daemon = await Daemon.start(stage);
    await daemon.until('ingest', did(1));
    for (let n = 1; n <= 20; n++) {
      rmSync(dirname(join(stage.home, LOG)), { recursive: true });
      for (const project of ['-home-ann-kettle', `-home-ann-cup-${n}`]) {
        const session = randomUUID();
        const path = join(stage.home, '.claude/projects', project, `${session}.jsonl`);
        mkdirSync(dirname(path));
        // The log comes at another moment after its folder each time.
        for (let turn = 0; turn < n * 5; turn++) await new Promise((next) => setImmediate(next));
        writeFileSync(path, claudeLog({ ...about, session }, [says(`line ${n} of ${project}`)]));
        const seconds = setInterval(() => void daemon?.pass(1), 100);
        await daemon.until('ingest', did(1));
        clearInterval(seconds);
      }
    }
  });

  test('a log that is written to is read in the middle of a job, and lets the jobs that wait have their turns', async () => {
    const stage = setStage({ now: '2026-11-21T12:00:00Z' });
    const path = stage.put(LOG, claudeLog(about, [says('hello')]));
    const app = await daemonApp(stage, 'once');
    const done: string[] = [];
    let started = (): void => {};
    let [lines, mono] = [1, 0];
    const write = (): void => {
      if (lines > 20) return;
      appendFileSync(
        path,
        claudeLog({ ...about, from: lines++ }, [says('the copper spout drips')]),
      );
      background.hint(path);
    };
    const background = createBackground(
      {
        ...app,
        clock: { ...app.clock, mono: () => (mono += 100) },
        progress: ({ job }) => job === 'extract' && started(),
      },
      {
        onJobDone: (job) => {
          done.push(job);
          if (lines > 1) write();
        },
      },
    );
    started = () => {
      started = () => {};
      write();
    };
    try {
      await background.look();
      await background.idle();
      expect(done.slice(0, 2)).toEqual(['ingest', 'ingest']);
      expect(done.indexOf('extract')).toBeLessThan(done.lastIndexOf('ingest'));
      expect(done.indexOf('context')).toBeLessThan(done.lastIndexOf('ingest'));
    } finally {
      await background.close();
      await app[Symbol.asyncDispose]();
    }
  });

  test('while a long history is read, a line that is typed is read at once, and lessons are not learnt again for each', async () => {
    const stage = setStage({ now: '2026-11-21T12:00:00Z' });
    for (let n = 0; n < 100; n++) {
      const session = randomUUID();
      stage.put(
        LOG.replace(SESSION, session),
        claudeLog({ ...about, session }, [says(`cup ${n}`), shell('make cups', 'ok', 0)]),
      );
    }
    const path = stage.put(LOG, claudeLog(about, [says('hello')]));
    const app = await daemonApp(stage, 'once');
    const done: string[] = [];
    let [lines, mono] = [1, 0];
    const background = createBackground(
      {
        ...app,
        clock: { ...app.clock, mono: () => (mono += 100) },
        progress: ({ job }) => {
          if (job !== 'ingest' || lines > 50) return;
          if (lines === 1) background.night();
          if (done.includes('crystallize')) background.tick();
          appendFileSync(path, claudeLog({ ...about, from: lines++ }, [says('it drips')]));
          background.hint(path);
        },
      },
      { onJobDone: (job) => done.push(job) },
    );
    try {
      await background.look();
      await background.idle();
      const history = done.slice(0, done.lastIndexOf('ingest'));
      expect(history.filter((job) => job === 'ingest').length).toBeGreaterThan(6);
      // The missed night learns from what was read before it, then the first pages come.
      expect(history.filter((job) => job === 'extract').length).toBeLessThanOrEqual(5);
      expect(history.slice(history.indexOf('crystallize'))).toContain('extract');
    } finally {
      await background.close();
      await app[Symbol.asyncDispose]();
    }
  });

  test('a person holds the database for ten minutes: the daemon asks ever less often, status names the holder, nothing is lost', async () => {
    const stage = setStage({ now: '2026-11-20T09:00:30Z' });
    stage.lockWaitMs = 0;
    const path = stage.put(LOG, claudeLog(about, [says('hello')]));
    daemon = await Daemon.start(stage);
    await daemon.until('crystallize', did(0));
    const holder = await holdStore(daemon.app);

    const isBusy = (outcome: JobResult | Error): boolean =>
      outcome instanceof Error && /in use|held|holds/.test(outcome.message);
    appendFileSync(
      path,
      claudeLog({ ...about, from: 1 }, [says('while somebody else was in there')]),
    );
    await daemon.until('ingest', isBusy);
    for (let tries = 0, waited = 0; waited < 600; tries++) {
      const pause = Math.min(30, 2 ** tries);
      waited += pause;
      await daemon.pass(pause);
      await daemon.until('ingest', isBusy);
    }
    const told = readFileSync(join(stage.stone, 'logs/dripstone.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('another program has the store open; nothing is lost'));
    const pauses = told
      .map((line) => JSON.parse(line) as { job: string; retry_seconds: number })
      .filter(({ job }) => job === 'ingest')
      .map(({ retry_seconds: seconds }) => seconds);
    expect(pauses.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 30]);
    expect(Math.max(...pauses)).toBe(30);
    // Here daemon and command are one process, which cannot open the file twice: a try of the
    // daemon's may stand in the way.
    await expect
      .poll(async () => (await stage.type('status')).out, { interval: 50 })
      .toContain(String(holder.pid));

    holder.stdin.write('go\n');
    await once(holder, 'exit');
    await daemon.pass(30);
    await daemon.until('ingest', did(1));
    expect(
      await daemon.app.store.read(
        async (db) => (await db.all('SELECT text FROM main.entries ORDER BY path, line')).length,
      ),
    ).toBe(2);
  });
});
