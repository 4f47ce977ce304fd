/**
 * Replays an invented history of a given size: sessions run commands, fail, try again and succeed,
 * with lessons of earlier sessions.
 *   npx tsx bench/replay.ts [sessions = 2000] [forms = 480]
 * `forms` is the number of different commands in each project. With 480 a session has as many facts
 * as a real one; fewer forms give more facts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.js';
import { historyOf, judgeHistory, totalsOf } from '../src/recall/replay.js';
import { appendRows } from '../src/store/db.js';
import { askFacts, saveFactEvents, saveProjects } from '../src/store/index.js';

const [sessions, forms] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 480)];
const [PROJECTS, DAYS, CALLS] = [20, 200, 60];
const START = Date.parse('2026-05-01T08:00:00Z');
const root = mkdtempSync(join(tmpdir(), 'dripstone-replay-'));
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: join(root, 'home'),
  DRIPSTONE_HOME: join(root, 'stone'),
};
let seed = 7;
const random = (below: number): number =>
  (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) % below;

/** A step of a session: a quarter of the forms sometimes fails, and works with another option. */
function stepOf(project: number, session: number, call: number, began: number) {
  const [pick, luck] = [random(forms), random(10)];
  const failed = pick < forms / 4 && luck < 3;
  const words = [
    ['pytest', 'npm', 'make', 'go'][pick % 4]!,
    'test',
    `part${pick >> 2}`,
    ...(pick < forms / 4 && luck > 6 ? ['--frozen'] : []),
  ];
  const time = new Date(began + call * 40_000).toISOString();
  return {
    ...{
      agent: 'made',
      session: `s${session}`,
      project: `p${project}`,
      entry: `e${session}-${call}`,
      n: 0,
      seq: call,
      at: call,
    },
    ...{
      time,
      ended: new Date(began + call * 40_000 + 5000).toISOString(),
      program: words[0]!,
      words,
      form: words.join(' '),
    },
    ...{
      class: 'test',
      narrow: false,
      own: false,
      shown: true,
      env: [],
      folder: '',
      outcome: failed ? 'failed' : 'ok',
    },
    ...{
      error: failed ? `Error: part${pick >> 2} needs --frozen` : null,
      absent: false,
      named: null,
    },
  };
}

try {
  for (const folder of [env.HOME, env.DRIPSTONE_HOME]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), 'embed: {enabled: false}\n');
  const now = new Date(START + (DAYS + 1) * 86_400_000);
  const io = {
    env,
    cwd: root,
    clock: { now: () => now, mono: () => performance.now() },
    signal: new AbortController().signal,
  };
  {
    await using app = await createApp({ ...io, access: 'write', mode: 'once' });
    const ids = Array.from({ length: PROJECTS }, (_, n) => `p${n}`);
    await app.store.write(async (db) => {
      await saveProjects(
        db,
        ids.map((id) => ({ id, slug: id, name: id, remote: null, folders: [], aliases: [] })),
      );
      for (let session = 0; session < sessions; session++) {
        const began =
          START + Math.floor((session * DAYS) / sessions) * 86_400_000 + random(6) * 3_600_000;
        const [project, time] = [session % PROJECTS, new Date(began).toISOString()];
        const row = {
          agent: 'made',
          session: `s${session}`,
          project: `p${project}`,
          oldest: time,
          newest: time,
          machine: false,
        };
        await appendRows(db, 'own.sessions', [{ ...row, last_n: 1, entries: 1 }]);
        await appendRows(
          db,
          'own.steps',
          Array.from({ length: CALLS }, (_, call) => stepOf(project, session, call, began)),
        );
      }
    });
    const begun = performance.now();
    for (const id of ids) {
      const asked = await app.store.read((db) => askFacts(db, [id], now.toISOString()));
      await app.store.write((db) => saveFactEvents(db, [id], asked));
    }
    console.log(
      JSON.stringify({
        sessions,
        steps: sessions * CALLS,
        factsSeconds: Math.round(performance.now() - begun) / 1000,
      }),
    );
  }
  const begun = performance.now();
  await using app = await createApp({ ...io, access: 'read' });
  const found = await historyOf(app, null, null);
  const repeats = await judgeHistory(app, found);
  console.log(
    JSON.stringify({ seconds: Math.round(performance.now() - begun) / 1000, ...totalsOf(repeats) }),
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
