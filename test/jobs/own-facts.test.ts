/** A person's own facts: their files in a real home, asked by a process of their own. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setStage, type Stage } from '../commands/stage.js';
import { claudeLog, says, shell } from './made-log.js';

let stage: Stage;
beforeEach(() => {
  stage = setStage({ now: '2026-11-20T12:00:00Z' });
  for (const [at, id] of [
    '11111111-1111-4111-8111-111111111111',
    '22222222-2222-4222-8222-222222222222',
  ].entries())
    stage.put(
      `.claude/projects/-home-ann-kettle/${id}.jsonl`,
      claudeLog({ session: id, cwd: '/home/ann/kettle', day: `2026-11-1${8 + at}` }, [
        says('does it still pass'),
        shell('brewtool verify --cold', 'ok', 0),
      ]),
    );
});
afterEach(() => stage.remove());

const VERIFIED = `-- Which verification passed here.
SELECT 'verified' AS key, {'form': form} AS fields, 'Before a release \`' || form || '\` has to pass (token ghp_' || repeat('a1B2', 9) || ')' AS text,
  project, agent, session, entry, strftime(time, '%Y-%m-%d') AS day, time AS known_at, true AS supports, form AS quote
FROM steps WHERE program = 'brewtool' AND time <= as_of;
`;

function putFact(name: string, sql: string): void {
  mkdirSync(join(stage.stone, 'facts'), { recursive: true });
  writeFileSync(join(stage.stone, 'facts', name), sql);
}

async function faults(): Promise<string> {
  const { degraded } = (await stage.type('status', '--json')).json<{
    degraded: { code: string; text: string }[];
  }>();
  return degraded
    .filter(({ code }) => code === 'FACT_FAILS')
    .map(({ text }) => text)
    .join('');
}

const lessons = async (): Promise<string> =>
  (await stage.type('lessons', 'list', '--project', 'all')).out;

test('a query of the person makes a line, masked; while its file fails it keeps its last events, and goes with the file; no crystal holds it', async () => {
  putFact('verified.sql', VERIFIED);
  await stage.type('run');
  expect(await lessons()).toContain('Before a release `brewtool verify --cold` has to pass');
  expect((await stage.type('context', '--project', 'all')).out + (await lessons())).not.toContain(
    'ghp_a1B2',
  );
  expect(await faults()).toBe('');
  putFact('verified.sql', 'SELECT nothing FROM nowhere');
  putFact(
    'other.sql',
    VERIFIED.replaceAll('Before a release', 'Each night').replace("'verified'", "'nightly'"),
  );
  await stage.type('run');
  expect(await lessons()).toContain('Before a release');
  expect(await lessons()).toContain('Each night');
  expect(await faults()).toMatch(/facts\/verified\.sql: .*nowhere/);
  const [slug] = readdirSync(join(stage.stone, 'projects')).filter((name) =>
    name.startsWith('kettle'),
  );
  expect(stage.read(`projects/${slug!}/crystal.json`)).not.toMatch(/Before a release|Each night/);
  rmSync(join(stage.stone, 'facts/verified.sql'));
  await stage.type('run');
  expect(await lessons()).not.toContain('Before a release');
  expect(await faults()).toBe('');
});

const outside = (): string => join(stage.home, 'written.csv');
const ROW = `SELECT 'k' AS key, NULL AS fields, 'text' AS text, project, agent, session, entry, '2026-11-18' AS day, time AS known_at, true AS supports, '' AS quote FROM steps`;
test('queries that read, write, change, hang or give no rows are refused by name, each alone', async () => {
  const bad: Record<string, [sql: string, reason: RegExp]> = {
    'writes-a-file': [`COPY (SELECT 1) TO '${outside()}'`, /syntax error/],
    'writes-behind-a-query': [
      `${ROW}; COPY (SELECT 1) TO '${outside()}'`,
      /disabled by configuration/,
    ],
    'reads-a-file': [`SELECT * FROM read_text('/etc/hostname')`, /disabled by configuration/],
    'changes-the-memory': [`${ROW}; DELETE FROM own.entries`, /read-only/],
    'takes-for-ever': [
      `${ROW}, range(1000000) a, range(1000000) b WHERE a.range * b.range = -7`,
      /longer than 2 s/,
    ],
    'lacks-a-column': [`SELECT 'text' AS text`, /your_query.*entry/],
    'gives-too-many-rows': [ROW.replace('FROM steps', 'FROM steps, range(2000)'), /1000 rows/],
    'gives-a-day-that-is-none': [ROW.replace("'2026-11-18'", "'Tuesday'"), /row 1, column day/],
  };
  for (const [name, [sql]] of Object.entries(bad)) putFact(`${name}.sql`, sql);
  putFact('verified.sql', VERIFIED);
  expect((await stage.type('run')).code).toBe(0);
  expect(await faults()).toMatch(/^8 fact queries .*facts\/changes-the-memory\.sql: /);
  const { out } = await stage.type('sql', "SELECT value FROM main.meta WHERE key = 'passed_over'");
  const passed = JSON.parse((JSON.parse(out) as { value: string }).value) as {
    name: string;
    error: string;
  }[];
  expect(Object.fromEntries(passed.map(({ name, error }) => [name, error]))).toEqual(
    Object.fromEntries(
      Object.entries(bad).map(([name, [, reason]]) => [
        `facts/${name}.sql`,
        expect.stringMatching(reason) as string,
      ]),
    ),
  );
  expect(await lessons()).toContain('Before a release `brewtool verify --cold` has to pass');
  expect(existsSync(outside())).toBe(false);
  expect(
    (await stage.type('status', '--json')).json<{ store: { entries: number } }>().store.entries,
  ).toBeGreaterThan(0);
});
