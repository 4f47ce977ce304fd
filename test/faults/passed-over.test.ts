/**
 * A session whose learning throws is named and skipped; the others are learnt, and it is tried
 * again.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXTRACTOR_VERSION } from '../../src/parse/index.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { countPending, knownSessions } from '../../src/store/index.js';
import type { Db } from '../../src/store/db.js';
import { extractedSessions } from '../../src/store/rows/learnt.js';
import { type Stage, begunStage, setStage } from '../stage.js';
import { says, shell, type Turn } from '../jobs/made-log.js';

const [GOOD, BAD, THIRD] = ['1', '2', '3'].map((n) =>
  '11111111-1111-4111-8111-111111111111'.replaceAll('1', n),
) as [string, string, string];
let stage: Stage;

async function inStore<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const database = await openDatabase(join(stage.stone, 'memory.duckdb'));
  const result = await work(await database.connect());
  await database.fold();
  database.close();
  return result;
}
function sql(statement: string): Promise<number> {
  return inStore((db) => db.run(statement));
}
async function unlearnt(): Promise<string[]> {
  return (await stage.degraded()).filter(({ code }) => code === 'UNLEARNT').map(({ text }) => text);
}
async function lessons(): Promise<string> {
  return (await stage.type('lessons', 'list', '--project', 'all')).out;
}

test('an impossible row of one session stops no other; status names it, and a run learns it when it is mended', async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stage.log({ session: GOOD, cwd: '/home/ann/kettle', day: '2026-11-18' }, [
    says('Remember: Always indent with tabs, never with spaces.'),
  ]);
  stage.log({ session: BAD, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
    says('Remember: Always brew with rain water, never with tap water.'),
    shell('cat notes.txt', 'ok', 0),
  ]);
  expect((await stage.type('run', '--only', 'ingest')).code).toBe(0);
  await sql(
    `UPDATE own.entries SET seq = seq + 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`,
  );
  const said = await stage.type('run', '--only', 'extract,context');
  expect(said.code, said.err).toBe(0);
  expect(await lessons()).toContain('tabs');
  expect(await lessons()).not.toContain('rain water');
  expect(await unlearnt()).toEqual([
    expect.stringMatching(
      new RegExp(`^1 session could not be done and is skipped: ${BAD} claude-code: .`),
    ),
  ]);
  // Pending again at once, the daemon would try it without an end; as one that speaks for itself,
  // it would lose what the crystal remembers of it.
  const seen = await inStore(async (db) => ({
    pending: await countPending(db, { idleBefore: null, extractor: EXTRACTOR_VERSION }),
    known: [...(await knownSessions(db))],
    speaking: [...(await extractedSessions(db))],
  }));
  expect(seen).toEqual({
    pending: 0,
    known: [`claude-code ${GOOD}`],
    speaking: [`claude-code\0${GOOD}`],
  });
  const checked = await stage.type('status', '--check');
  expect([checked.code, checked.out]).toEqual([
    1,
    expect.stringMatching(/FAIL unlearnt: [^]*cure: /),
  ]);
  await sql(
    `UPDATE own.entries SET seq = seq - 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`,
  );
  expect((await stage.type('run', '--only', 'extract,context')).code).toBe(0);
  expect(await lessons()).toContain('rain water');
  expect(await unlearnt()).toEqual([]);
});

function putPlace(stage: Stage, session: string, place: string, ...words: string[]): void {
  stage.log({ session, cwd: `/home/ann/${place}`, day: '2026-11-18' }, words.map(says));
}
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  putPlace(
    stage,
    BAD,
    'kettle',
    'Remember: Always indent the kettle with tabs, never with spaces.',
  );
  putPlace(
    stage,
    GOOD,
    'teapot',
    'Remember: Always indent the teapot with tabs, never with spaces.',
  );
  expect((await stage.type('run')).code).toBe(0);
});

/** Two projects, one of them with a fault that throws; a new line in the other one. */
async function twoProjects(): Promise<{
  grow: () => void;
  codes: () => Promise<string[]>;
  fault: (code: string) => Promise<string[]>;
}> {
  stage = await begun();
  const degraded = async () => await stage.degraded();
  return {
    grow: () =>
      putPlace(
        stage,
        GOOD,
        'teapot',
        'Remember: Always indent the teapot with tabs, never with spaces.',
        'Remember: Always pour the teapot slowly, never at once.',
      ),
    codes: async () =>
      (await degraded())
        .map(({ code }) => code)
        .filter((code) => /UNPUBLISHED|UNLEARNT/.test(code)),
    fault: async (code) =>
      (await degraded()).flatMap((each) => (each.code === code ? [each.text] : [])),
  };
}

test('a project whose files cannot be written is named and skipped; the others get theirs, and it does when that is mended', async () => {
  const { grow, fault, codes } = await twoProjects();
  const folder = stage.folder('kettle');
  for (const name of ['detail', 'crystal.json']) rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'detail'), 'no folder');
  mkdirSync(join(folder, 'crystal.json'));
  grow();
  expect((await stage.type('run')).code).toBe(0);
  expect((await stage.type('crystallize')).code).toBe(0);
  const teapot = join('projects', stage.slug('teapot'));
  expect(stage.read(join(teapot, 'context.md'))).toContain('pour the teapot');
  expect(stage.read(join(teapot, 'crystal.json'))).toContain('pour the teapot');
  expect(await fault('UNPUBLISHED')).toEqual([
    expect.stringMatching(/^1 page could not be done and is skipped: kettle/),
    expect.stringMatching(/^1 crystal could not be done and is skipped: kettle/),
  ]);
  for (const name of ['detail', 'crystal.json']) rmSync(join(folder, name), { recursive: true });
  expect((await stage.type('crystallize')).code).toBe(0);
  expect((await stage.type('run')).code).toBe(0);
  expect(await codes()).toEqual([]);
});

test('a project whose fact query fails keeps its last lessons and is named; a run learns it again', async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  const put = (session: string, ...turns: Turn[]): string =>
    stage.log({ session, cwd: '/home/ann/kettle', day: '2026-11-18' }, turns);
  const asked = says('Remember: Always descale the boiler with `lemon`, never with vinegar.');
  put(GOOD, asked, shell('make test', 'ok, 12 passed', 0));
  put(BAD, says('Go on.'), shell('make test', 'ok, 12 passed', 0));
  expect((await stage.type('run')).code).toBe(0);
  const fault = async () => (await stage.degraded()).find(({ code }) => code === 'UNLEARNT')?.text;
  expect([await lessons(), await fault()]).toEqual([
    expect.stringContaining('`make test`'),
    undefined,
  ]);
  await sql(
    'CREATE OR REPLACE MACRO main.fact_works(as_of, of_project := NULL) AS TABLE SELECT 1 AS nothing',
  );
  put(THIRD, asked, shell('make lint', 'ok, 3 passed', 0));
  expect((await stage.type('run')).code).toBe(0);
  expect(await lessons()).toContain('`make test`');
  expect(await lessons()).toContain('descale the boiler');
  expect(await fault()).toMatch(
    /^1 project could not be done and is skipped: kettle-\w+: Binder Error/,
  );
  // The queries are made anew when their text changes.
  await sql("DELETE FROM main.meta WHERE key = 'views'");
  expect((await stage.type('run')).code).toBe(0);
  expect(await fault()).toBeUndefined();
});
