/**
 * How long until a line that an agent wrote can be found: a real daemon, appends at random moments, and `search` asked as a
 * person would until it answers with the line.
 *   npx tsx bench/append.ts [appends 40] [other logs 200] [backfill]
 * `backfill` appends from the first moment on, while the daemon reads and learns from the other logs and does its first night.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makePerson, type Person } from '../test/faults/person.js';
import { claudeLog, says } from '../test/jobs/made-log.js';
import { seeded } from '../test/redact/made-up.js';
import { makeHome } from './made-home.js';

const [appends = 40, others = 200] = process.argv.slice(2, 4).map(Number);
const backfill = process.argv[4] === 'backfill';
const random = seeded(11);
const SESSION = 'aaaaaaaa-0000-4000-8000-000000000001';

async function isFound(person: Person, word: string): Promise<boolean> {
  const { code, out } = await person.type('search', word, '--mode', 'keyword', '--kind', 'entry', '--project', 'all', '--json');
  return code === 0 && out.includes(word);
}

async function until(holds: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await holds())) await pause(50);
  return performance.now() - begun;
}

function quantile(sorted: readonly number[], part: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!);
}

/** What the daemon did last and what is left. */
async function doing(person: Person): Promise<string> {
  const rows = await person
    .ask((db) =>
      db.all<{ job: string; n: number; sessions: number }>(
        `SELECT job, (SELECT count(*) FROM own.entries) AS n, (SELECT count(*) FROM own.sessions WHERE extracted_n IS NOT NULL) AS sessions FROM job_runs ORDER BY id DESC LIMIT 1`,
      ),
    )
    .catch(() => []);
  return rows.map(({ job, n, sessions }) => `${job}, ${n} entries, ${sessions} sessions learnt from`).join();
}

/** Every other log was read, and learnt from. */
async function isLearnt(person: Person): Promise<boolean> {
  return (
    (
      await person
        .ask((db) => db.all(`SELECT 1 FROM own.sessions HAVING count(*) FILTER (extracted_n IS NOT NULL) >= $others`, { others }))
        .catch(() => [])
    ).length > 0
  );
}

const person = makePerson();
try {
  makeHome(person.home, { sessions: others, projects: 4, days: 20, until: '2026-11-20', seed: 5, rounds: 2 });
  const log = join(person.home, '.claude/projects/-home-ann-kettle', `${SESSION}.jsonl`);
  mkdirSync(dirname(log), { recursive: true });
  const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };
  writeFileSync(log, claudeLog(about, [says('this is zerothword')]));
  const daemon = person.start(['start']);
  await until(() => isFound(person, 'zerothword'));
  // The night that was never done, and what it wakes.
  const isSettled = async (): Promise<boolean> =>
    (await person.ask((db) => db.all(`SELECT 1 FROM job_runs WHERE job = 'crystallize' AND outcome = 'ok'`)).catch(() => []))
      .length > 0;
  if (!backfill) await until(isSettled);
  if (!backfill) await pause(5000);
  const [took, begun]: [number[], number] = [[], performance.now()];
  for (let i = 1; i <= appends; i++) {
    await pause(random() * 4000);
    const word = `word${i}of${Math.floor(random() * 1e9)}`;
    appendFileSync(log, claudeLog({ ...about, from: i }, [says(`please look at ${word}`)]));
    took.push(await until(() => isFound(person, word)));
    if (backfill)
      process.stderr.write(
        `${Math.round((performance.now() - begun) / 1000)} s: ${Math.round(took.at(-1)!)} ms · ${await doing(person)}\n`,
      );
    if (backfill && (await isLearnt(person))) break;
  }
  daemon.child.kill('SIGTERM');
  const { code } = await daemon.ended;
  const sorted = [...took].sort((a, b) => a - b);
  console.log(
    JSON.stringify({
      appends: took.length,
      backfill,
      otherLogs: others,
      ms: { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9), max: quantile(sorted, 1) },
      daemonExit: code,
    }),
  );
} finally {
  person.remove();
}
