/**
 * Measures the page's server over an invented store: time and processor time of the first page,
 * each view and each edit, and peak memory. Needs `make build`.
 * Usage: tsx bench/ui.ts [ENTRIES] [LESSONS] [HOME] (default 1000000 10000; an existing HOME is
 * used again)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createApp } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { EXTRACTOR_VERSION } from '../src/parse/index.js';
import { learnAll } from '../src/jobs/learning/learn.js';
import { publishProjects } from '../src/jobs/publishing/context.js';
import {
  commitBatches,
  replaceExtractions,
  saveFolders,
  saveProjects,
  saveVectors,
  type Store,
} from '../src/store/index.js';
import type { Candidate, Project } from '../src/types.js';
import { extraction } from '../test/store/world.js';
import { checkpointAt, makeEntry, shippedFingerprint, vector, word } from './made-store.js';

const ROUNDS = 15;
const PROJECTS = 40;
const PER_SESSION = 256;
const root = join(import.meta.dirname, '..');
const [entries = 1_000_000, lessons = 10_000] = process.argv.slice(2, 4).map(Number);
const home = process.argv[4] ?? mkdtempSync(join(tmpdir(), 'dripstone-ui-'));

const project = (n: number): Project => ({
  id: (n + 1).toString(16).padStart(16, '0'),
  slug: `made-${n}-0000`,
  name: `made-${n}`,
  remote: null,
  folders: [`/w/${n}`],
  aliases: [],
});

/** Times spread over two years, up to this week. */
function timeOf(session: number, sessions: number): string {
  return new Date(Date.now() - ((sessions - session) / sessions) * 730 * 86_400_000).toISOString();
}

function candidate(session: number, n: number, day: string): Candidate {
  const text = `Always ${word()} the ${word()} before ${word()} with ${word()} ${n}`;
  return {
    ...{
      kind: 'preference',
      scope: 'project',
      text,
      key: text,
      importance: 4,
      said_by: 'user',
      alone: true,
      worth: 0.7,
    },
    evidence: {
      agent: 'claude-code',
      session: `s${session}`,
      entry: null,
      day,
      trust: 0.9,
      supports: true,
      quote: text,
    },
    ...{
      tags: [],
      files: [],
      subject: null,
      value: null,
      mentions: [],
      extractor: EXTRACTOR_VERSION,
    },
  };
}

async function fillEntries(store: Store, fingerprint: string): Promise<void> {
  const sessions = Math.ceil(entries / PER_SESSION);
  for (let from = 0; from < entries; from += 5_120) {
    const made = Array.from({ length: Math.min(5_120, entries - from) }, (_, i) => {
      const session = Math.floor((from + i) / PER_SESSION);
      return {
        ...makeEntry(from + i),
        time: timeOf(session, sessions),
        cwd: `/w/${session % PROJECTS}`,
      };
    });
    const told = [...new Set(made.map(({ session, cwd }) => `${session} ${cwd}`))].map((each) =>
      each.split(' '),
    );
    const facts = told.map(([session, cwd]) => ({
      agent: 'claude-code',
      session: session!,
      cwd: cwd!,
      title: `Work ${session}`,
    }));
    await store.write(async (db) => {
      await commitBatches(db, [
        { checkpoint: checkpointAt(from), entries: made, sessions: facts, bad: [] },
      ]);
      await saveVectors(
        db,
        made.map(({ id }) => ({
          owner: 'entry',
          id,
          rev: 1,
          fingerprint,
          part: 0,
          text: 'x',
          vector: vector(),
          states: null,
        })),
      );
    });
  }
}

async function fillLessons(store: Store): Promise<void> {
  const sessions = Math.ceil(entries / PER_SESSION);
  const each = Math.ceil(lessons / sessions);
  for (let from = 0; from < sessions; from += 100) {
    const yields = Array.from({ length: Math.min(100, sessions - from) }, (_, i) => {
      const session = from + i;
      const day = timeOf(session, sessions).slice(0, 10);
      const candidates = Array.from({ length: each }, (__, n) =>
        candidate(session, session * each + n, day),
      ).filter((___, n) => session * each + n < lessons);
      return {
        ...{
          agent: 'claude-code',
          session: `s${session}`,
          project: project(session % PROJECTS).id,
          upTo: entries * 2,
        },
        extraction: extraction({ candidates }),
      };
    });
    await store.write((db) =>
      replaceExtractions(db, yields, {
        extractor: EXTRACTOR_VERSION,
        now: new Date().toISOString(),
      }),
    );
  }
}

async function make(): Promise<void> {
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, DRIPSTONE_HOME: join(home, 'stone') };
  await using app = await createApp({
    env,
    clock: systemClock,
    signal: new AbortController().signal,
    access: 'write',
  });
  const projects = Array.from({ length: PROJECTS }, (_, n) => project(n));
  await app.store.write(async (db) => {
    await saveProjects(db, projects);
    await saveFolders(
      db,
      projects.map(({ id, folders }) => ({
        cwd: folders[0]!,
        project: id,
        facts: { top: null, remote: null, belongsTo: [] } as never,
      })),
    );
  });
  await fillEntries(app.store, await shippedFingerprint());
  await fillLessons(app.store);
  await learnAll(app, projects, projects);
  for (const one of [...projects, null]) await publishProjects(app, [one]);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/** Peak memory in MiB since the last call; Linux only. */
function peakOf(pid: number): number {
  const peak =
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peak;
}

/** Processor milliseconds of the process, from Linux, which counts in hundredths of a second. */
function processorOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

if (!existsSync(join(home, 'stone', 'memory.duckdb'))) await make();
const begun = performance.now();
const server = spawn(process.execPath, [join(root, 'dist/cli.js'), 'ui', '--json'], {
  env: { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, 'stone') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => server.kill('SIGKILL'));
const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
const { url } = JSON.parse(line) as { url: string };
const { origin, hash } = new URL(url);
const json = { 'content-type': 'application/json' };
const ticket = hash.slice('#ticket='.length);
const opened = await fetch(`${origin}/ticket`, {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ ticket }),
});
const { token } = (await opened.json()) as { token: string };

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(origin + path, {
    method,
    headers: { ...json, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

async function time(name: string, run: (round: number) => Promise<unknown>): Promise<void> {
  const taken: number[] = [];
  const used = processorOf(server.pid!);
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await run(round);
    taken.push(performance.now() - from);
  }
  const processor = (processorOf(server.pid!) - used) / ROUNDS;
  console.log(
    `  ${name}: p50 ${median(taken).toFixed(0)} ms, worst ${taken.at(-1)!.toFixed(0)} ms, ${processor.toFixed(0)} ms of ` +
      `processor each, ${peakOf(server.pid!).toFixed(0)} MiB at most`,
  );
}

await ask('GET', '/start');
console.log(
  `${entries} entries, ${lessons} lessons: first page ${(performance.now() - begun).toFixed(0)} ms from the start of the program`,
);
const slug = project(3).slug;
const some = (await ask('GET', `/lessons?project=${slug}`))['lessons'] as { id: string }[];
for (const path of [
  '/start',
  `/lessons?project=${slug}`,
  '/lessons',
  `/lessons/${some[0]!.id}`,
  `/context?project=${slug}`,
  '/sessions',
  '/session?agent=claude-code&session=s1',
  '/review',
  '/status',
  '/usage',
])
  await time(path, () => ask('GET', path));
await time('pin', (n) => ask('PATCH', `/lessons/${some[n]!.id}`, { pinned: true }));
await time('edit', (n) => ask('PATCH', `/lessons/${some[n]!.id}`, { text: `Never again ${n}` }));
await time('forget', (n) => ask('DELETE', `/lessons/${some[n]!.id}`));
await time('undo', () => ask('POST', '/undo', {}));
await time('search by words', () => ask('GET', `/search?mode=keyword&q=${word()}+${word()}`));
await time('search', () => ask('GET', `/search?q=${word()}+${word()}`));
server.kill('SIGTERM');
console.log(home);
