/**
 * A store of many sessions of real source text: one `run` learns all of it and writes every tier,
 * in memory that does not grow with the store.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface LargeFigures {
  mb: number;
  sessions: number;
  /** Sessions and tiers that wait after the run. */
  pending: { sessions: number; tiers: number };
  lessons: number;
  /** Codes of `degraded` that tell of work which was not done. */
  broken: string[];
  /** Largest resident size of the run, MiB; null where the system does not tell. */
  rssMib: number | null;
  code: number;
  fillMinutes: number;
  runMinutes: number;
}

const BROKEN =
  /^(JOB_FAILS|SESSION_UNLEARNT|TIERS_MISSING|TIERS_REMADE|CHECKPOINT_FAILS|STORE_.*)$/;
const MOST_RSS_MIB = 700;

interface Done {
  code: number;
  out: string;
  rssMib: number | null;
  minutes: number;
}

/** @param seconds then the program is killed: its code is -1 */
function start(args: string[], env: NodeJS.ProcessEnv, seconds: number): Promise<Done> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let [out, rss] = ['', 0];
    child.stdout.on('data', (bytes: Buffer) => void (out += bytes.toString('utf8')));
    const watch = setInterval(() => {
      const path = `/proc/${child.pid ?? 0}/status`;
      const peak = existsSync(path) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8')) : null;
      if (peak) rss = Number(peak[1]);
    }, 250);
    const limit = setTimeout(() => child.kill('SIGKILL'), seconds * 1000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(watch);
      clearTimeout(limit);
      resolve({
        code: code ?? -1,
        out,
        rssMib: rss === 0 ? null : Math.round(rss / 1024),
        minutes: Math.round((performance.now() - begun) / 6000) / 10,
      });
    });
  });
}

/**
 * @param mb of stored text; each part may take four minutes for 100 MB, and never less than four
 */
export async function soakLarge(mb: number): Promise<LargeFigures> {
  const root = mkdtempSync(join(tmpdir(), 'dripstone-soak-large-'));
  const [home, seconds] = [join(root, 'stone'), Math.max(240, 2.4 * mb)];
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, DRIPSTONE_HOME: home, TZ: 'UTC' };
  const cli = (...args: string[]): Promise<Done> => start(['dist/cli.js', ...args], env, seconds);
  try {
    const filled = await start(
      ['node_modules/tsx/dist/cli.mjs', 'bench/store-size.ts', home, String(mb)],
      env,
      seconds,
    );
    if (filled.code !== 0) throw new Error(`filling the store ended with ${filled.code}`);
    const run = await cli('run');
    const status = JSON.parse((await cli('status', '--json')).out) as {
      pending: { sessions: number; tiers: number };
      store: { lessons: number };
      degraded: { code: string }[];
    };
    const counted = JSON.parse(
      (await cli('sql', 'SELECT count(*) AS n FROM sessions WHERE extracted IS NOT NULL')).out,
    ) as { n: number };
    return {
      mb,
      sessions: counted.n,
      pending: { sessions: status.pending.sessions, tiers: status.pending.tiers },
      lessons: status.store.lessons,
      broken: status.degraded.map(({ code }) => code).filter((code) => BROKEN.test(code)),
      rssMib: run.rssMib,
      code: run.code,
      fillMinutes: filled.minutes,
      runMinutes: run.minutes,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What was not as promised, in words. Pure. */
export function judgeLarge({
  code,
  sessions,
  pending,
  lessons,
  broken,
  rssMib,
}: LargeFigures): string[] {
  return [
    ...(code === 0 ? [] : [`the run over the large store ended with ${code}`]),
    ...(sessions > 0 && pending.sessions === 0 && pending.tiers === 0
      ? []
      : [
          `of the large store ${sessions} sessions were learnt, ${pending.sessions} sessions and ${pending.tiers} tiers wait`,
        ]),
    ...(lessons > 0 ? [] : ['nothing was learnt from the large store']),
    ...broken.map((each) => `the large store tells ${each}`),
    ...(rssMib !== null && rssMib > MOST_RSS_MIB
      ? [`the run over the large store took ${rssMib} MiB`]
      : []),
  ];
}
