/**
 * `make fuzz ARGS="60 7"` (seconds, seed): mutated logs of every agent and shape through the real
 * tail, parser, adapter and redaction. Exits 1 when a reading throws, hangs, takes unbounded
 * memory, makes an entry of garbage, or changes what another log gives.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { adapters } from '../../src/agents/index.js';
import { readLog, type LogReading } from '../../src/jobs/reading/reader-log.js';
import { createPreparer } from '../../src/jobs/reading/read-part.js';
import {
  type Adapter,
  type Checkpoint,
  type PreparedEntry,
  type Shape,
  shapeOf,
} from '../../src/types.js';
import { ChangedLog, openLog } from '../../src/watchers/index.js';
import { logsOf } from '../agents/fold.js';
import { type Random, seeded } from '../redact/made-up.js';
import { createMutator } from './mutate.js';
import { recordsOf, removeBeside, spoilFile } from './shapes.js';

const HANG_MS = 60_000;
const MEMORY_MIB = 900;
const STATE_BYTES = 128 * 1024;
const [seconds = 60, seed = 7, child = 0] = process.argv.slice(2).map(Number);

interface Source {
  adapter: Adapter;
  relative: string;
  lines: string[];
}

/** A log that is spoilt where it lies, since small files beside it belong to it. */
interface Placed extends Source {
  shape: Shape;
  path: string;
  good: Buffer;
}

const preparer = createPreparer({
  redactKey: 'fuzz',
  emails: true,
  exclude: [],
  userHome: '/home/ana',
  zone: 'UTC',
});
const folder = mkdtempSync(join(tmpdir(), 'dripstone-fuzz-'));

function sources(): Placed[] {
  return adapters.flatMap((adapter) => {
    const home = join(folder, 'homes', adapter.agent);
    cpSync(fileURLToPath(new URL(`../fixtures/${adapter.agent}`, import.meta.url)), home, {
      recursive: true,
    });
    return logsOf(adapter, home).map(({ relative, path }): Placed => {
      const good = readFileSync(path);
      return {
        adapter,
        relative,
        path,
        good,
        shape: shapeOf(adapter, relative),
        lines: recordsOf(good),
      };
    });
  });
}

interface Read {
  entries: PreparedEntry[];
  checkpoint: Checkpoint | null;
}

async function read(source: Source, path: string, saved: Checkpoint | null): Promise<Read> {
  const parts: LogReading = {
    adapter: source.adapter,
    open: openLog,
    preparer,
    isExcluded: () => false,
    full: { lines: 40, bytes: 1e6, characters: 1e6 },
    pieceBytes: 4096,
  };
  const entries: PreparedEntry[] = [];
  let checkpoint = saved;
  for await (const batch of readLog(
    {
      agent: source.adapter.agent,
      path,
      relative: source.relative,
      saved,
      now: '2026-11-22T00:00:00.000Z',
    },
    parts,
  )) {
    entries.push(...batch.entries);
    const bad = batch.bad.find(({ reason }) => reason.startsWith('the adapter cannot read it'));
    if (bad !== undefined) throw new Error(`line ${bad.line}: ${bad.reason}`);
    checkpoint = JSON.parse(JSON.stringify(batch.checkpoint)) as Checkpoint;
    if (batch.checkpoint.state.length > STATE_BYTES)
      throw new Error(`a state of ${batch.checkpoint.state.length} bytes`);
  }
  return { entries, checkpoint };
}

function brief(entries: readonly PreparedEntry[]): string {
  return JSON.stringify(
    entries.map(({ id, session, role, text, line }) => [id, session, role, text, line]),
  );
}

const ROLES = new Set(['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'system']);
const ORIGINS = new Set(['user', 'agent', 'tool', 'external', 'injected']);

/** What is wrong with an entry, or null. */
function faultOf(
  entry: PreparedEntry,
  garbage: ReadonlySet<number>,
  isNamed: (session: string) => boolean,
): string | null {
  if (
    !ROLES.has(entry.role) ||
    !ORIGINS.has(entry.origin) ||
    typeof entry.text !== 'string' ||
    !/^[0-9a-f]{32}$/.test(entry.id)
  )
    return 'is not well formed';
  if (entry.time !== null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(entry.time))
    return `has the time ${entry.time}`;
  if (garbage.has(entry.line)) return 'was made of garbage';
  return isNamed(entry.session)
    ? null
    : `has the session ${JSON.stringify(entry.session)}, which its log never names`;
}

/**
 * A log of another shape: nothing may throw, garbage gives nothing, and reading again adds nothing.
 */
async function playPlaced(
  source: Placed,
  random: Random,
  mutator: ReturnType<typeof createMutator>,
): Promise<number> {
  const { path, good, shape } = source;
  try {
    const isGarbage = spoilFile(path, good, shape, mutator, random);
    const first = await read(source, path, null);
    if (isGarbage && first.entries.length > 0)
      throw new Error(`${first.entries.length} entries were made of garbage`);
    for (const entry of first.entries) {
      const fault = faultOf(entry, new Set(), () => true);
      if (fault !== null) throw new Error(`record ${entry.line}: an entry ${fault}`);
    }
    const known = new Set(first.entries.map(({ id }) => id));
    const again = [
      ...(await read(source, path, null)).entries,
      ...(await read(source, path, first.checkpoint)).entries,
    ];
    const made = again.filter(({ id }) => !known.has(id));
    if (made.length > 0)
      throw new Error(`${made.length} entries that the first reading does not give`);
    return first.entries.length;
  } catch (error) {
    if (error instanceof ChangedLog) return 0; // a database in the middle of a write, as far as its bytes tell
    throw new Error(`${source.adapter.agent} ${source.relative}: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    writeFileSync(path, good);
    removeBeside(path);
  }
}

async function playRound(all: readonly Placed[], round: number): Promise<number> {
  const random = seeded(seed * 1_000_003 + round);
  const donors = all[Math.floor(random() * all.length)]!.lines.map(
    (line) => JSON.parse(line) as unknown,
  );
  const mutator = createMutator(
    random,
    donors.length === 0 ? [{ role: 'user', content: 'x' }] : donors,
  );
  const { spoil, below } = mutator;
  const source = all[below(all.length)]!;
  if (source.shape !== 'lines') return playPlaced(source, random, mutator);
  const { bytes, garbage } = spoil(source.lines);
  const path = join(folder, `${round}.jsonl`);
  writeFileSync(path, bytes);
  const whole = await read(source, path, null);
  const names = new Set<string>();
  // Every string that the log holds, as its parser would see it: a session must be one of them, or
  // the file's name.
  const isNamed = (session: string): boolean => {
    if (names.has(session) || source.relative.includes(session)) return true;
    // The inbox puts the agent before the session's own name, others a folder's name before a
    // file's.
    const own = session.slice(session.indexOf(':') + 1);
    const text = bytes.toString('utf8');
    const isThere = (name: string): boolean => text.includes(JSON.stringify(name).slice(1, -1));
    const isOfName = session
      .split(':')
      .every((part) => source.relative.includes(part) || isThere(part));
    const seen =
      isThere(session) ||
      isThere(own) ||
      isOfName ||
      session.length > 200 ||
      session.startsWith('[blob ');
    if (seen) names.add(session);
    return seen;
  };
  for (const entry of whole.entries) {
    const fault = faultOf(entry, garbage, isNamed);
    if (fault !== null) throw new Error(`line ${entry.line}: an entry ${fault}`);
  }
  // The same log, found when it was shorter: the second reading goes on where the first one
  // stopped.
  const cut = below(bytes.length + 1);
  writeFileSync(path, bytes.subarray(0, cut));
  const head = await read(source, path, null);
  writeFileSync(path, bytes);
  const tail = await read(source, path, head.checkpoint);
  const parts = new Map([...head.entries, ...tail.entries].map((entry) => [entry.id, entry]));
  const lost = whole.entries.filter(({ id }) => !parts.has(id));
  if (lost.length > 0)
    throw new Error(
      `cut at ${cut}: ${lost.length} of ${whole.entries.length} entries lost, first in line ${lost[0]!.line}`,
    );
  const known = new Set(whole.entries.map(({ id }) => id));
  const made = [...parts.values()].filter(({ id }) => !known.has(id));
  if (made.length > 0)
    throw new Error(
      `cut at ${cut}: ${made.length} entries that the whole does not give, first in line ${made[0]!.line}`,
    );
  if (Object.keys(Object.prototype).length > 0) throw new Error('Object.prototype was changed');
  rmSync(path);
  return whole.entries.length;
}

/** The rounds themselves; tells each one before it begins, so that the one that hangs is known. */
async function work(): Promise<void> {
  const all = sources();
  const clean = all[0]!;
  const cleanPath = join(folder, 'clean.jsonl');
  writeFileSync(cleanPath, clean.lines.map((line) => `${line}\n`).join(''));
  const expected = brief((await read(clean, cleanPath, null)).entries);
  const until = performance.now() + seconds * 1000;
  let [entries, round, failures] = [0, 0, 0];
  for (; performance.now() < until && failures < 10; round++) {
    console.log(JSON.stringify({ round }));
    try {
      entries += await playRound(all, round);
      if (round % 50 === 0 && brief((await read(clean, cleanPath, null)).entries) !== expected)
        throw new Error('an untouched log gives something else than before');
    } catch (error) {
      failures++;
      console.log(
        JSON.stringify({
          round,
          fault: (error as Error).stack?.split('\n').slice(0, 6).join('\n'),
        }),
      );
    }
  }
  console.log(
    JSON.stringify({
      rounds: round,
      entries,
      failures,
      peakMib: Math.round(process.resourceUsage().maxRSS / 1024),
    }),
  );
}

/** Watches the rounds from outside: nothing inside a loop that never ends could say so. */
async function watch(): Promise<void> {
  const process_ = spawn(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), String(seconds), String(seed), '1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let last = { at: performance.now(), round: -1 };
  let result = { rounds: 0, failures: 1, peakMib: 0 };
  const timer = setInterval(() => {
    const rss = Number(/VmRSS:\s+(\d+)/.exec(statusOf(process_.pid!))?.[1] ?? 0) / 1024;
    if (performance.now() - last.at < HANG_MS && rss < MEMORY_MIB) return;
    console.log(
      `round ${last.round} of seed ${seed}: ${rss >= MEMORY_MIB ? `${Math.round(rss)} MiB of memory` : 'hangs'}`,
    );
    process_.kill('SIGKILL');
  }, 1000);
  for await (const line of createInterface({ input: process_.stdout })) {
    const told = JSON.parse(line) as { round?: number; rounds?: number; fault?: string };
    if (told.fault !== undefined) console.log(`round ${told.round} of seed ${seed}: ${told.fault}`);
    else if (told.rounds !== undefined) result = { ...result, ...told };
    last = { at: performance.now(), round: told.round ?? last.round };
  }
  clearInterval(timer);
  console.log(JSON.stringify({ seed, seconds, ...result }));
  process.exitCode = result.failures === 0 ? 0 : 1;
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

try {
  await (child === 1 ? work() : watch());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
