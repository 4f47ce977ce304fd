/** A session whose learning throws is named and passed over; the others are learnt, and it is tried again. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { extractorVersion } from '../../src/jobs/learning/judge-weights.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { countPending, knownSessions } from '../../src/store/index.js';
import type { Db } from '../../src/store/db.js';
import { extractedSessions } from '../../src/store/rows/learnt.js';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says, shell } from './made-log.js';

const [GOOD, BAD] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
let stage: Stage;
afterEach(() => stage.remove());

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
  return (await stage.type('status', '--json'))
    .json<{ degraded: { code: string; text: string }[] }>()
    .degraded.filter(({ code }) => code === 'SESSION_UNLEARNT')
    .map(({ text }) => text);
}
async function lessons(): Promise<string> {
  return (await stage.type('lessons', 'list', '--project', 'all')).out;
}

test('an impossible row of one session stops nobody else; status and doctor name it, and a run learns it when it is mended', async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stage.put(
    `.claude/projects/-home-ann-kettle/${GOOD}.jsonl`,
    claudeLog({ session: GOOD, cwd: '/home/ann/kettle', day: '2026-11-18' }, [
      says('Always indent with tabs, never with spaces.'),
    ]),
  );
  stage.put(
    `.claude/projects/-home-ann-kettle/${BAD}.jsonl`,
    claudeLog({ session: BAD, cwd: '/home/ann/kettle', day: '2026-11-19' }, [
      says('Always brew with rain water, never with tap water.'),
      shell('cat notes.txt', 'ok', 0),
    ]),
  );
  expect((await stage.type('run', '--only', 'ingest')).code).toBe(0);
  await sql(`UPDATE own.entries SET seq = seq + 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`);
  const said = await stage.type('run', '--only', 'extract,context');
  expect(said.code, said.err).toBe(0);
  expect(await lessons()).toContain('tabs');
  expect(await lessons()).not.toContain('rain water');
  expect(await unlearnt()).toEqual([
    expect.stringMatching(new RegExp(`^1 session could not be learnt from and is passed over: ${BAD} \\(claude-code\\): .`)),
  ]);
  // Pending again at once, the daemon would try it without an end; as one that speaks for itself, it would lose what the crystal
  // remembers of it.
  const seen = await inStore(async (db) => ({
    pending: await countPending(db, { idleBefore: null, extractor: extractorVersion() }),
    known: [...(await knownSessions(db))],
    speaking: [...(await extractedSessions(db))],
  }));
  expect(seen).toEqual({ pending: 0, known: [`claude-code ${GOOD}`], speaking: [`claude-code\0${GOOD}`] });
  const doctor = await stage.type('doctor');
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/session unlearnt: [^]*cure: /)]);
  await sql(`UPDATE own.entries SET seq = seq - 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`);
  expect((await stage.type('run', '--only', 'extract,context')).code).toBe(0);
  expect(await lessons()).toContain('rain water');
  expect(await unlearnt()).toEqual([]);
});

test("without the judge's weights nothing is passed over: the run fails and says how to mend it, and learns when they are there", async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stage.put(
    `.claude/projects/-home-ann-kettle/${GOOD}.jsonl`,
    claudeLog({ session: GOOD, cwd: '/home/ann/kettle', day: '2026-11-18' }, [
      says('Always indent with tabs, never with spaces.'),
    ]),
  );
  // An installation of its own: the thread finds its files beside dist/.
  const place = join(stage.home, '..', 'installed');
  const top = fileURLToPath(new URL('../../', import.meta.url));
  for (const part of ['dist', 'config', 'package.json', 'models/lesson-judge'])
    cpSync(join(top, part), join(place, part), { recursive: true });
  symlinkSync(realpathSync(join(top, 'node_modules')), join(place, 'node_modules'));
  const weights = join(place, 'models/lesson-judge/weights.bin');
  renameSync(weights, `${weights}.away`);
  const failed = spawnSync(process.execPath, [join(place, 'dist/cli.js'), 'run', '--only', 'ingest,extract,context'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: stage.home, DRIPSTONE_HOME: stage.stone },
  });
  expect([failed.status, failed.stderr]).toEqual([3, expect.stringMatching(/judge's weights/)]);
  expect(await unlearnt()).toEqual([]);
  expect(await inStore((db) => countPending(db, { idleBefore: null, extractor: extractorVersion() }))).toBe(1);
  expect((await stage.type('run', '--only', 'ingest,extract,context')).code).toBe(0);
  expect(await lessons()).toContain('tabs');
});

test('a project whose lessons cannot be computed is passed over by the aging too; the others age', async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  for (const [session, place] of [
    [GOOD, 'kettle'],
    [BAD, 'teapot'],
  ] as const) {
    stage.put(
      `.claude/projects/-home-ann-${place}/${session}.jsonl`,
      claudeLog({ session, cwd: `/home/ann/${place}`, day: '2026-11-18' }, [
        says(`Always indent the ${place} with tabs, never with spaces.`),
      ]),
    );
  }
  expect((await stage.type('run')).code).toBe(0);
  await sql(`UPDATE own.candidates SET payload = '{"kind": 7, "scope": "project"}' WHERE session = '${BAD}'`);
  const said = await stage.type('run', '--only', 'decay');
  expect([said.code, said.err]).toEqual([0, '']);
  const { degraded } = (await stage.type('status', '--json')).json<{ degraded: { code: string; text: string }[] }>();
  expect(degraded.filter(({ code }) => code === 'PROJECT_UNLEARNT').map(({ text }) => text)).toEqual([
    expect.stringMatching(/^1 project .*teapot/),
  ]);
});

/** Two projects, one of them with a fault that throws; a new line in the other one. */
async function twoProjects(): Promise<{
  slugOf: (name: string) => string;
  grow: () => void;
  codes: () => Promise<string[]>;
  fault: (code: string) => Promise<string | undefined>;
}> {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  const put = (session: string, place: string, ...words: string[]): string =>
    stage.put(
      `.claude/projects/-home-ann-${place}/${session}.jsonl`,
      claudeLog({ session, cwd: `/home/ann/${place}`, day: '2026-11-18' }, words.map(says)),
    );
  put(BAD, 'kettle', 'Always indent the kettle with tabs, never with spaces.');
  put(GOOD, 'teapot', 'Always indent the teapot with tabs, never with spaces.');
  expect((await stage.type('run')).code).toBe(0);
  const degraded = async () =>
    (await stage.type('status', '--json')).json<{ degraded: { code: string; text: string }[] }>().degraded;
  return {
    slugOf: (name) => readdirSync(join(stage.stone, 'projects')).find((slug) => slug.startsWith(name))!,
    grow: () =>
      put(
        GOOD,
        'teapot',
        'Always indent the teapot with tabs, never with spaces.',
        'Always pour the teapot slowly, never at once.',
      ),
    codes: async () => (await degraded()).map(({ code }) => code).filter((code) => /PROJECT|CRYSTAL/.test(code)),
    fault: async (code) => (await degraded()).find((each) => each.code === code)?.text,
  };
}

test('a project whose files cannot be written is named and passed over; the others get theirs, and it does when that is mended', async () => {
  const { slugOf, grow, fault, codes } = await twoProjects();
  const folder = join(stage.stone, 'projects', slugOf('kettle'));
  for (const name of ['detail', 'crystal.json']) rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'detail'), 'no folder');
  mkdirSync(join(folder, 'crystal.json'));
  grow();
  expect((await stage.type('run')).code).toBe(0);
  expect((await stage.type('crystallize')).code).toBe(0);
  const teapot = join('projects', slugOf('teapot'));
  expect(stage.read(join(teapot, 'context.md'))).toContain('pour the teapot');
  expect(stage.read(join(teapot, 'crystal.json'))).toContain('pour the teapot');
  expect(await fault('PROJECT_UNPUBLISHED')).toMatch(/^1 project could not be published and is passed over: kettle/);
  expect(await fault('CRYSTAL_UNWRITTEN')).toMatch(/^1 project could not be folded into crystal.json and is passed over: kettle/);
  for (const name of ['detail', 'crystal.json']) rmSync(join(folder, name), { recursive: true });
  expect((await stage.type('crystallize')).code).toBe(0);
  expect((await stage.type('run')).code).toBe(0);
  expect(await codes()).toEqual([]);
});

test('global lessons that cannot be computed keep no project from being learnt', async () => {
  const { grow, fault, slugOf } = await twoProjects();
  await sql(`UPDATE own.candidates SET payload = '{"kind": 7, "scope": "global"}' WHERE session = '${BAD}'`);
  grow();
  expect((await stage.type('run')).code).toBe(0);
  expect(stage.read(join('projects', slugOf('teapot'), 'context.md'))).toContain('pour the teapot');
  expect(await fault('PROJECT_UNLEARNT')).toMatch(/passed over: .*global: /);
});
