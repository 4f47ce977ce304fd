/**
 * What hooks showed stays: in the database and in a file, through the loss of the database, an
 * export, and until it is purged.
 */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAnswers } from '../../src/hooks/answers.js';
import { askedBy } from '../../src/hooks/dialects.js';
import { CURE, CWD, ERROR, curedHome, failedCommand } from '../hooks/home.js';
import { type Stage, daemonApp, setStage } from '../stage.js';
import { claudeLog, shell } from '../jobs/made-log.js';

let stage: Stage;
/** Session `b2` met the error at 09:02 on the 21st. */
beforeEach(async () => {
  stage = await curedHome();
  stage.now = new Date('2026-11-21T09:02:30Z');
});

/** A hook asks, prints and says so; the daemon then ends. */
async function tell(payload: Record<string, unknown>, isPrinted = true): Promise<string> {
  const app = await daemonApp(stage);
  try {
    const reply = await createAnswers(app)(askedBy('claude-code', payload));
    reply?.ended(isPrinted);
    return reply?.text ?? '';
  } finally {
    await app[Symbol.asyncDispose]();
  }
}

interface Receipts {
  receipts: {
    moment: string;
    session: string;
    tokens: number;
    items: { type: string; id: string; text: string | null }[];
    followed: { again: number | null; passed: boolean | null; cured: boolean | null } | null;
  }[];
}
const receipts = async (): Promise<Receipts['receipts']> =>
  (await stage.type('replay', '--project', 'all', '--json')).json<Receipts>().receipts;

const log = (turns: Parameters<typeof claudeLog>[1]): string =>
  claudeLog({ session: 'b2', cwd: CWD, day: '2026-11-21' }, turns);

test('a receipt tells what was told and, once the log is read, what followed', async () => {
  expect(await receipts()).toEqual([]);
  const text = await tell(failedCommand('b2'));
  expect(await tell(failedCommand('c3'), false)).not.toBe('');
  const [told, none] = await receipts();
  expect(none).toBeUndefined();
  expect(told).toMatchObject({
    moment: 'failure',
    session: 'b2',
    followed: { again: null, passed: null, cured: null },
  });
  expect(told!.items.map((item) => item.type)).toContain('fact');
  expect(told!.tokens).toBeLessThanOrEqual(200);
  expect(told!.items.some((item) => text.includes(item.text ?? '?'))).toBe(true);

  const failure = shell('pnpm test:broker', ERROR, 1);
  const path = stage.put('.claude/projects/-home-mira-code-kettle/b2.jsonl', log([failure]));
  stage.now = new Date('2026-11-21T12:00:00Z');
  await stage.type('run');
  expect((await receipts())[0]!.followed).toEqual({ again: 0, passed: false, cured: false });
  writeFileSync(
    path,
    log([failure, failure, shell(CURE, 'Started', 0), shell('pnpm test:broker', '12 passed', 0)]),
  );
  await stage.type('run');
  expect((await receipts())[0]!.followed).toEqual({ again: 1, passed: true, cured: true });
  const said = (await stage.type('replay', '--project', 'all')).out;
  expect(said).toContain('the error came again 1 time, the cure ran, the command passed later');
  const status = (await stage.type('status')).out;
  expect(status).toContain('showed something at 1 moment in 30 days');
  const best =
    /^receipt {2}`pnpm test:broker` cost 5 min on 11-18; today the agent used the fix, and it passed · ~\/\S+b2\.jsonl:\d+$/m;
  expect(status).toMatch(best);
  // Alone it says so once a day, with what only dripstone has.
  rmSync(join(stage.home, '.claude/projects/-home-mira-code-kettle/a1.jsonl'));
  const person = { outIsTerminal: true, key: () => Promise.resolve(null) };
  const alone = async (): Promise<string> => (await stage.typeAs([], person)).out;
  const first = await alone();
  expect(first).toMatch(best);
  expect(first).toContain('kept     1 session that your agents have deleted\n');
  expect(await alone()).not.toMatch(/^(?:receipt|kept) /m);
  stage.now = new Date('2026-11-22T12:00:00Z');
  expect(await alone()).toMatch(/^receipt {2}.* on 11-21 the agent used the fix/m);
  stage.now = new Date('2026-11-30T12:00:00Z');
  expect(await alone()).not.toMatch(/^receipt /m);
});

describe('receipts', () => {
  test('survive the loss of the database, half a line in their file, and are not doubled', async () => {
    await tell(failedCommand('b2'));
    const before = await receipts();
    appendFileSync(
      join(stage.stone, 'receipts.jsonl'),
      'nonsense\n{"version":1,"receipt":"x","time":"2026-11-21T0',
    );
    for (const name of ['memory.duckdb', 'memory.duckdb.wal'])
      rmSync(join(stage.stone, name), { force: true });
    await stage.type('run');
    await stage.type('run');
    expect(await receipts()).toEqual(before);
  });

  test('go with an export, and an import takes them once', async () => {
    await tell(failedCommand('b2'));
    const file = join(stage.home, 'memory.json.gz');
    expect((await stage.type('export', file)).code).toBe(0);
    const other = setStage({ now: '2026-11-21T12:00:00Z' });
    for (const _ of [1, 2]) expect((await other.type('import', file)).code).toBe(0);
    const there = (await other.type('replay', '--project', 'all', '--json')).json<Receipts>()
      .receipts;
    expect(there.map(({ session, items }) => [session, items.map(({ id }) => id)])).toEqual(
      (await receipts()).map(({ session, items }) => [session, items.map(({ id }) => id)]),
    );
    expect(readFileSync(join(other.stone, 'receipts.jsonl'), 'utf8')).toBe(
      stage.read('receipts.jsonl'),
    );
  });

  test('of a purged session go, from the file, too, and do not come back', async () => {
    await tell(failedCommand('b2'));
    stage.put(
      '.claude/projects/-home-mira-code-kettle/b2.jsonl',
      log([shell('pnpm test:broker', ERROR, 1)]),
    );
    stage.now = new Date('2026-11-21T12:00:00Z');
    await stage.type('run');
    const kept = stage.read('receipts.jsonl');
    const purged = await stage.type('purge', '--session', 'b2', '--yes', '--json');
    expect(purged).toMatchObject({ code: 0, err: '' });
    expect(purged.json()).toMatchObject({ proof: { clean: true, rows: [] } });
    expect([await receipts(), stage.read('receipts.jsonl')]).toEqual([[], '']);
    writeFileSync(join(stage.stone, 'receipts.jsonl'), kept);
    await stage.type('run');
    expect(await receipts()).toEqual([]);
  });
});
