/**
 * SQL from the page: what `dripstone sql` answers, in a process of its own, within limits, for
 * nobody but the page.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { compiledFile } from '../../src/place.js';
import { answerSql } from '../../src/web/sql.js';
import { samplesStage } from '../commands/begun-stage.js';
import type { Stage } from '../commands/stage.js';
import { openWeb, PORT, type Asked, type Known, type Web } from './stage.js';

const HOLD = fileURLToPath(new URL('../faults/children/hold.mjs', import.meta.url));
/** It never ends by itself. */
const ENDLESS =
  'SELECT count(*) FROM range(1000000000) a, range(1000000000) b WHERE a.range * b.range = -1';

let stage: Stage;
let web: Web;

beforeAll(async () => {
  stage = await samplesStage();
  web = openWeb(stage);
}, 120_000);
afterAll(async () => {
  await web.close();
  stage.remove();
});

const ask = (sql: string, headers?: Record<string, string>): Promise<Asked> =>
  web.page('POST', '/view/sql', { sql }, headers);

test('it answers what the command prints, while other answers are given', async () => {
  const sql =
    'SELECT agent, count(*) AS n FROM sessions GROUP BY ALL ORDER BY n DESC -- with a comment';
  const [answer, lessons] = await Promise.all([ask(sql), web.page('GET', '/lessons')]);
  expect([answer.status, lessons.status]).toEqual([200, 200]);
  await web.rest();
  const { columns, rows } = (await stage.type('sql', '--json', sql)).json();
  expect(answer.body).toMatchObject({ version: 1, columns, rows, more: false });
});

test('of columns with one name none is lost', async () => {
  const { body } = await ask('SELECT 1 AS a, 2 AS a');
  expect([body['columns'], body['rows']]).toEqual([['a', 'a:1'], [{ a: 1, 'a:1': 2 }]]);
});

test.each([
  ['a change', 'DELETE FROM own.entries'],
  ['a file', `COPY (SELECT 1) TO 'out.csv'`],
  ['a file elsewhere', `SELECT * FROM read_text('/etc/hostname')`],
  ['a setting', 'SET enable_external_access = true'],
  ['two statements', 'SELECT 1; SELECT 2'],
  ['nonsense', 'SELEKT 1'],
  ['an option', '--vector q=x'],
])('%s is refused with what the command says', async (_, sql) => {
  const { status, body } = await ask(sql);
  expect([status, body['error'].code]).toEqual([400, 'QUERY']);
  expect(body['error'].message).not.toBe('');
  expect(body['error'].next).toMatch(/database\.md|dripstone sql/);
});

test('it is not asked over the socket, by an address, without the key, from another page, or by a form', async () => {
  const body = { sql: 'SELECT 1' };
  expect((await web.socket('POST', '/view/sql', body)).status).toBe(404);
  expect((await web.page('GET', '/view/sql?sql=SELECT+1')).status).toBe(404);
  expect((await ask('SELECT 1', { authorization: '' })).status).toBe(401);
  expect((await ask('SELECT 1', { origin: 'http://evil.example' })).status).toBe(403);
  expect((await ask('SELECT 1', { 'sec-fetch-site': 'same-site' })).status).toBe(403);
  expect((await ask('SELECT 1', { host: `rebound.example:${PORT}` })).status).toBe(403);
  expect(
    (await web.page('POST', '/view/sql', 'sql=SELECT 1', { 'content-type': 'text/plain' })).status,
  ).toBe(415);
  expect((await web.page('POST', '/view/sql', { ...body, env: 'x' })).status).toBe(400);
});

test('rows, bytes and time have limits, and who leaves is not waited for', async () => {
  const io = stage.io();
  const limits = { rows: 10, bytes: 100_000, ms: 60_000 };
  const stay = new AbortController();
  const few = await answerSql(io, 'FROM range(11)', stay.signal, limits);
  expect([few.rows.length, few.more]).toEqual([10, true]);
  expect((await answerSql(io, 'FROM range(10)', stay.signal, limits)).more).toBe(false);
  const large = answerSql(io, `SELECT repeat('x', 200000) AS text`, stay.signal, limits);
  await expect(large).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(answerSql(io, ENDLESS, stay.signal, { ...limits, ms: 2000 })).rejects.toMatchObject({
    code: 'TOO_LONG',
  });
  const left = new AbortController();
  const waiting = answerSql(io, ENDLESS, left.signal, limits);
  left.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'QUERY' });
});

test('a question whose server is gone ends, too: nobody else would end it', async () => {
  const child = spawn(process.execPath, [compiledFile('cli.js'), 'sql', '-'], {
    env: stage.io().env,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin!.end(ENDLESS);
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([130, null]);
});

test('while another program holds the database the page is told to come back', async () => {
  await web.rest();
  const child = spawn(process.execPath, [HOLD], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const held = once(child.stdout, 'data');
  child.stdin.write(`${join(stage.stone, 'memory.duckdb')}\tread-write\n`);
  await held;
  const busy = await ask('SELECT 1');
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([423, '2']);
});

test('the catalogue has every view and macro of facts with its columns', async () => {
  const { entries } = (await web.page('GET', '/view/catalogue')).body as { entries: Known[] };
  const of = (name: string): Known => entries.find((entry) => entry['name'] === name)!;
  expect(of('sessions')['columns']).toContainEqual({ name: 'active_seconds', type: 'BIGINT' });
  expect(of('fact_works')['parameters']).toEqual(['as_of', 'of_project']);
  expect(of('fact_works')['columns']).toEqual(of('facts')['columns']);
  const { rows } = (
    await ask(
      "SELECT view_name AS n FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal",
    )
  ).body;
  expect((rows as { n: string }[]).every(({ n }) => of(n) !== undefined)).toBe(true);
});
