/**
 * What a dataset of many people costs: one person's invented year is written by the program (time,
 * peak memory, bytes), its files are laid out for more writers, and DuckDB's Python answers the
 * questions of test/engines over 1, 10 and 100 of them. Needs `make build`, and for the questions
 * Python as `make test-engines` installs it. Usage: tsx bench/dataset.ts [ENTRIES OF A YEAR =
 * 264000] [--keep FOLDER] [--python PROGRAM] [--people 1,10,100]
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  addUses,
  commitBatches,
  openStore,
  replaceExtractions,
  saveFolders,
  saveLessons,
  saveProjects,
  type Store,
} from '../src/store/index.js';
import type { Batch, PreparedEntry, Role } from '../src/types.js';
import { extraction } from '../test/store/world.js';
import { lesson } from '../test/store/build.js';
import { checkpointAt, clock, makeEntry, word } from './made-store.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string' },
    python: {
      type: 'string',
      default: join(ROOT, 'node_modules/.cache/dripstone-engines/bin/python'),
    },
    people: { type: 'string', default: '1,10,100' },
  },
});
const wanted = Number(positionals[0] ?? 264_000);
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'dripstone-dataset-'));
const stone = join(folder, 'stone');
const PROJECTS = 12;
const SESSION = 100;
const DAY_MS = 86_400_000;

let seed = 7;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/**
 * Share and lengths (10, 50, 90, 99 of a hundred, in characters) of what 5,866 entries of real logs
 * of one agent hold.
 */
const SHAPES: { role: Role; share: number; lengths: [number, number, number, number] }[] = [
  { role: 'user', share: 0.06, lengths: [15, 128, 787, 2228] },
  { role: 'thinking', share: 0.15, lengths: [53, 157, 936, 3092] },
  { role: 'assistant', share: 0.19, lengths: [50, 114, 955, 3938] },
  { role: 'tool_call', share: 0.3, lengths: [72, 152, 1243, 5658] },
  { role: 'tool_result', share: 0.3, lengths: [59, 457, 3784, 24_353] },
];

/** A length whose logarithm lies evenly between two of those. */
function lengthOf([low, middle, high, top]: (typeof SHAPES)[number]['lengths']): number {
  const [at, points, shares] = [
    random(),
    [8, low, middle, high, top, 2 * top],
    [0, 0.1, 0.5, 0.9, 0.99, 1],
  ];
  const i = shares.findIndex((share, n) => n > 0 && at <= share);
  const part = (at - shares[i - 1]!) / (shares[i]! - shares[i - 1]!);
  return Math.round(Math.exp(Math.log(points[i - 1]!) * (1 - part) + Math.log(points[i]!) * part));
}

function textOf(length: number): string {
  let text = '';
  while (text.length < length) text += `${word()} `;
  return text.slice(0, length);
}

/** A session's entries: calls are followed by their results. */
function sessionOf(number: number, from: number): PreparedEntry[] {
  const begun = Date.parse('2025-11-21T08:00:00Z') + ((number * SESSION) / wanted) * 364 * DAY_MS;
  const project = Math.floor(random() ** 2 * PROJECTS);
  const entries: PreparedEntry[] = [];
  let call: PreparedEntry | null = null;
  for (let i = 0; i < SESSION; i++) {
    const role: Role = call === null ? pick() : 'tool_result';
    const shape = SHAPES.find((each) => each.role === role)!;
    const fails = random() < 0.12;
    const made: PreparedEntry = {
      ...{
        ...makeEntry(from + i, ''),
        text: textOf(lengthOf(shape.lengths)),
        session: `s${number}`,
        seq: i,
        role,
        line: i,
      },
      time: new Date(begun + i * 20_000).toISOString(),
      origin: role === 'user' ? 'user' : role === 'tool_result' ? 'tool' : 'agent',
      ...{
        cwd: `/home/ann/work/made-${project}`,
        path: `/home/ann/.claude/projects/made-${project}/s${number}.jsonl`,
        branch: 'main',
      },
    };
    if (role === 'tool_call') {
      const isShell = random() < 0.5;
      const command = isShell ? `make ${word()}` : null;
      call = {
        ...made,
        tool: isShell ? 'Bash' : 'Edit',
        command,
        call: `c${from + i}`,
        files: isShell ? [] : [`src/${word()}.ts`],
      };
      entries.push(call);
    } else if (role === 'tool_result') {
      const { tool, command, call: id } = call!;
      const outcome = {
        outcome: fails ? ('failed' as const) : ('ok' as const),
        exit: fails ? 1 : 0,
      };
      entries.push({
        ...made,
        tool,
        command,
        call: id,
        ...outcome,
        error: fails ? `Error: ${word()} is not ${word()}` : null,
      });
      call = null;
    } else entries.push(made);
  }
  return entries;
}

/** What is not a result, by its share. */
function pick(): Role {
  let at = random() * 0.7;
  return SHAPES.find(({ share }) => (at -= share) < 0)?.role ?? 'tool_call';
}

async function makeYear(store: Store): Promise<void> {
  const now = '2026-11-20T12:00:00.000Z';
  const slug = (i: number): string => `made-${i}-${(4096 + i).toString(16)}`;
  await store.write(async (db) => {
    const ids = Array.from({ length: PROJECTS }, (_, i) => i);
    await saveProjects(
      db,
      ids.map((i) => ({
        id: `p${i}`,
        slug: slug(i),
        name: `made-${i}`,
        remote: null,
        folders: [],
        aliases: [],
      })),
    );
    await saveFolders(
      db,
      ids.map((i) => ({ cwd: `/home/ann/work/made-${i}`, project: `p${i}`, facts: {} as never })),
    );
    for (const i of ids)
      await saveLessons(
        db,
        `p${i}`,
        Array.from({ length: 60 }, (_, n) => ({
          ...lesson(`l${i}x${n}`, { kind: n % 10 === 0 ? 'correction' : 'fact' }),
          text: textOf(120),
          project: `p${i}`,
        })),
      );
    await addUses(
      db,
      Array.from({ length: 500 }, (_, n) => ({
        time: now,
        type: 'lesson' as const,
        id: `l0x${n % 60}`,
        door: 'search' as const,
        agent: null,
        session: null,
        project: slug(0),
      })),
    );
  });
  for (let number = 0; number * SESSION < wanted; number += 50) {
    const batches: Batch[] = [];
    for (let i = number; i < number + 50 && i * SESSION < wanted; i++) {
      const entries = sessionOf(i, i * SESSION);
      const { cwd, path } = entries[0]!;
      batches.push({
        checkpoint: { ...checkpointAt(i), path, inode: String(i), session: `s${i}` },
        entries,
        sessions: [{ agent: 'claude-code', session: `s${i}`, title: textOf(40), cwd }],
        usage: entries
          .filter(({ role }) => role === 'assistant')
          .map((entry) => ({
            ...{
              native: entry.id,
              session: entry.session,
              time: entry.time,
              model: 'made-1',
              cost: null,
            },
            ...{ input: 20, cacheRead: 40_000, cacheWrite: 900, output: 300, reasoning: 0 },
          })),
        bad: [],
      });
    }
    await store.write(async (db) => {
      await commitBatches(db, batches);
      await replaceExtractions(
        db,
        batches.map(({ entries, sessions: [session] }) => ({
          ...{ agent: 'claude-code', session: session!.session, upTo: 2 ** 40 },
          project: `p${/-(\d+)$/.exec(entries[0]!.cwd!)![1]}`,
          extraction: extraction({
            episode: {
              ...{
                agent: 'claude-code',
                session: session!.session,
                title: textOf(50),
                summary: textOf(60),
                day: entries[0]!.time!.slice(0, 10),
              },
              ...{
                outcome: 'success' as const,
                signal: 'last test run',
                problem: null,
                solution: null,
                lesson: null,
              },
              ...{
                files: [],
                commands: [],
                commits: [],
                unfinished: random() < 0.1,
                nextStep: null,
              },
            },
          }),
        })),
        { extractor: 4, now },
      );
    });
  }
}

/** Runs the program; peak resident memory in MB from /proc, so on Linux only. */
function dripstone(...args: string[]): Promise<{ seconds: number; peakMb: number; out: string }> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const env = { ...process.env, HOME: folder, DRIPSTONE_HOME: stone };
    const child = spawn(process.execPath, [join(ROOT, 'dist/cli.js'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let [peakKb, out] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const look = setInterval(() => {
      const path = `/proc/${child.pid}/status`;
      if (existsSync(path))
        peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? peakKb);
    }, 20);
    child.on('close', () => {
      clearInterval(look);
      resolve({
        seconds: Math.round((performance.now() - begun) / 100) / 10,
        peakMb: Math.round(peakKb / 1024),
        out,
      });
    });
  });
}

/**
 * The same files once more for other writers, as links: what is asked tells sessions apart by
 * writer too.
 */
function copyFor(people: number, from: string): string {
  const to = join(folder, `people-${people}`);
  const files = readdirSync(from, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.parquet'),
  );
  for (let i = 0; i < people; i++)
    for (const path of files) {
      const target = join(to, path.replace(/writer=\w+/, `writer=w${String(i).padStart(12, '0')}`));
      mkdirSync(dirname(target), { recursive: true });
      linkSync(join(from, path), target);
    }
  return to;
}

try {
  const dataset = join(folder, 'dataset');
  if (!existsSync(join(stone, 'memory.duckdb'))) {
    mkdirSync(stone, { recursive: true });
    writeFileSync(join(stone, 'config.yaml'), 'embed: {enabled: false}\n');
    writeFileSync(join(stone, 'redact.key'), '0'.repeat(64));
    const store = openStore({ path: join(stone, 'memory.duckdb'), clock, lockWaitMs: 0 });
    await makeYear(store);
    await store.close();
  }
  for (const what of ['first write', 'nothing new']) {
    const { out, ...cost } = await dripstone('dataset', dataset, '--json');
    const { tables, files } = JSON.parse(out) as {
      tables: Record<string, { rows: number; bytes: number }>;
      files: unknown;
    };
    const bytes = Object.values(tables).reduce((sum, table) => sum + table.bytes, 0);
    const rows = tables['entries']!.rows;
    console.log(
      JSON.stringify({
        what,
        ...cost,
        entries: rows,
        mb: Math.round(bytes / 1e6),
        bytesAnEntry: Math.round(bytes / rows),
        files,
        tables,
      }),
    );
  }
  for (const people of values.people.split(',').map(Number)) {
    const copy = copyFor(people, dataset);
    console.log(JSON.stringify({ people }));
    spawnSync(values.python, [join(ROOT, 'bench/dataset-questions.py'), copy], {
      stdio: 'inherit',
    });
    rmSync(copy, { recursive: true });
  }
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
