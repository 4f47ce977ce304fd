/** A session whose learning throws is named and passed over; the others are learnt, and it is tried again. */
import { afterEach, expect, test } from 'vitest';
import { extractorVersion } from '../../src/jobs/judge-weights.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { countPending, knownSessions } from '../../src/store/index.js';
import type { Db } from '../../src/store/db.js';
import { extractedSessions } from '../../src/store/learnt.js';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says, shell } from './made-log.js';
import { join } from 'node:path';

const [GOOD, BAD] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
let stage: Stage;
afterEach(() => stage.remove());

const inStore = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  const database = await openDatabase(join(stage.stone, 'memory.duckdb'));
  const result = await work(await database.connect());
  await database.fold();
  database.close();
  return result;
};
const sql = (statement: string): Promise<number> => inStore((db) => db.run(statement));
const unlearnt = async (): Promise<string[]> =>
  (await stage.type('status', '--json')).json<{ degraded: { code: string; text: string }[] }>().degraded.filter(({ code }) => code === 'SESSION_UNLEARNT').map(({ text }) => text);
const lessons = async (): Promise<string> => (await stage.type('lessons', 'list', '--project', 'all')).out;

test('an impossible row of one session stops nobody else; status and doctor name it, and a run learns it when it is mended', async () => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  stage.put(`.claude/projects/-home-ann-kettle/${GOOD}.jsonl`, claudeLog({ session: GOOD, cwd: '/home/ann/kettle', day: '2026-11-18' }, [says('Always indent with tabs, never with spaces.')]));
  stage.put(`.claude/projects/-home-ann-kettle/${BAD}.jsonl`, claudeLog({ session: BAD, cwd: '/home/ann/kettle', day: '2026-11-19' }, [says('Always brew with rain water, never with tap water.'), shell('cat notes.txt', 'ok', 0)]));
  expect((await stage.type('run', '--only', 'ingest')).code).toBe(0);
  await sql(`UPDATE own.entries SET seq = seq + 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`);
  const said = await stage.type('run', '--only', 'extract,context');
  expect(said.code, said.err).toBe(0);
  expect(await lessons()).toContain('tabs');
  expect(await lessons()).not.toContain('rain water');
  expect(await unlearnt()).toEqual([expect.stringMatching(new RegExp(`^1 session could not be learnt from and is passed over: ${BAD} \\(claude-code\\): .`))]);
  // Pending again at once, the daemon would try it without an end; as one that speaks for itself, it would lose what the crystal remembers of it.
  const seen = await inStore(async (db) => ({
    pending: await countPending(db, { idleBefore: null, extractor: extractorVersion() }), known: [...(await knownSessions(db))], speaking: [...(await extractedSessions(db))],
  }));
  expect(seen).toEqual({ pending: 0, known: [`claude-code ${GOOD}`], speaking: [`claude-code\0${GOOD}`] });
  const doctor = await stage.type('doctor');
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/session unlearnt: [^]*cure: /)]);
  await sql(`UPDATE own.entries SET seq = seq - 9007199254740993 WHERE session = '${BAD}' AND role = 'user'`);
  expect((await stage.type('run', '--only', 'extract,context')).code).toBe(0);
  expect(await lessons()).toContain('rain water');
  expect(await unlearnt()).toEqual([]);
});
