/** A small made-up store in which every view has rows. */
import {
  addLlmCall,
  addReceipts,
  addUses,
  askFacts,
  endRun,
  replaceExtractions,
  saveFactEvents,
  saveFolders,
  saveLessons,
  saveProjects,
  saveVectors,
  startRun,
} from '../../src/store/index.js';
import type { Db, Store } from '../../src/store/index.js';
import type { ExtractionMark } from '../../src/store/rows/extraction.js';
import type { Extraction, ParsedRows, PreparedEntry, StepRow } from '../../src/types.js';
import { bareEpisode } from '../context/build.js';
import { batch, commitBatch, entry, idOf, lesson } from './build.js';

const FINGERPRINT = 'toy-384';

/** A unit vector that points mostly to one axis. */
export function axis(index: number, lean = 0): Float32Array {
  const vector = new Float32Array(384);
  vector[index] = Math.sqrt(1 - lean * lean);
  vector[(index + 1) % 384] = lean;
  return vector;
}

interface Run {
  session: string;
  at: number;
  command: string;
  outcome: 'ok' | 'failed';
  files?: string[];
}

/** A call and its result. */
function run({ session, at, command, outcome, files = [] }: Run): PreparedEntry[] {
  const time = (second: number) =>
    new Date(Date.parse('2026-11-20T10:00:00.000Z') + (at * 60 + second) * 1000).toISOString();
  const common = {
    session,
    tool: 'Bash',
    command,
    call: `${session}-${at}`,
    cwd: '/work/shop',
    path: `/logs/${session}.jsonl`,
    line: at,
  };
  const id = `${session}${at}`;
  return [
    entry(`${id}c`, command, {
      ...common,
      role: 'tool_call',
      origin: 'agent',
      files,
      seq: at * 1000,
      time: time(0),
    }),
    entry(`${id}r`, `${outcome} ${command}`, {
      ...common,
      role: 'tool_result',
      origin: 'tool',
      outcome,
      exit: outcome === 'ok' ? 0 : 1,
      seq: at * 1000 + 1,
      time: time(30),
      error: outcome === 'ok' ? null : 'Error: connect refused',
    }),
  ];
}

/** Rows of a session in which nothing was run, changed or typed. */
export const NO_ROWS: ParsedRows = { steps: [], edits: [], prompts: [] };

export function extraction(more: Partial<Extraction> = {}): Extraction {
  return { candidates: [], dropped: [], episode: null, opening: null, rows: NO_ROWS, ...more };
}

function episode(session: string, outcome: 'success' | 'partial', unfinished: boolean) {
  const next_step = unfinished ? 'write the migration' : null;
  return bareEpisode({ session, title: `work of ${session}`, outcome, unfinished, next_step });
}

/** A prompt, a check that passed twice and an edit, as parsing gives them. */
function parsed(prompt: string, call: string): Pick<Extraction, 'rows'> {
  const at = (seq: number) => ({ seq, time: `2026-11-20T10:0${seq}:00.000Z` });
  const step = (seq: number): StepRow => ({
    ...{
      ...at(seq),
      entry: call,
      n: seq,
      at: seq,
      ended: null,
      program: 'pnpm',
      words: ['pnpm', 'test'],
      form: 'pnpm test',
    },
    ...{
      class: 'test',
      narrow: false,
      own: true,
      shown: true,
      env: [],
      folder: '',
      outcome: 'ok',
      error: null,
    },
    ...{ absent: false },
  });
  const rows = {
    steps: [step(2), step(4)],
    edits: [{ ...at(3), entry: call, file: 'src/a.ts', deleted: false }],
    prompts: [{ ...at(1), entry: prompt, text: 'please use pnpm in this repository' }],
  };
  return { rows };
}

export async function fillWorld(store: Store): Promise<void> {
  const first = [
    entry('ask', 'please use pnpm in this repository', { seq: 1, path: '/logs/s1.jsonl' }),
    ...run({ session: 's1', at: 1, command: 'pnpm test', outcome: 'ok' }),
    ...run({
      session: 's1',
      at: 2,
      command: 'pnpm test',
      outcome: 'failed',
      files: ['src/a.ts', 'src/b.ts'],
    }),
    ...run({ session: 's1', at: 3, command: 'pnpm test', outcome: 'ok' }),
  ];
  const second = [
    entry('say', 'use pnpm not npm', { session: 's2', seq: 1, path: '/logs/s2.jsonl' }),
    ...run({
      session: 's2',
      at: 4,
      command: 'make db',
      outcome: 'failed',
      files: ['src/b.ts', 'src/a.ts'],
    }),
  ];
  await store.write(async (db) => {
    await saveProjects(db, [
      {
        id: 'p1',
        slug: 'shop-3fa9',
        name: 'shop',
        remote: 'example.org/ann/shop',
        folders: [],
        aliases: ['old-shop'],
      },
    ]);
    await saveFolders(db, [{ cwd: '/work/shop', project: 'p1', facts: { root: '/work/shop' } }]);
    await commitBatch(
      db,
      batch(first, {
        at: { path: '/logs/s1.jsonl' },
        sessions: [{ agent: 'claude-code', session: 's1', title: 'checkout', cwd: '/work/shop' }],
        usage: [
          {
            ...{
              native: 'm1:r1',
              session: 's1',
              time: '2026-11-20T10:01:05.000Z',
              model: 'claude-opus-5',
              cost: null,
            },
            ...{ input: 200, cacheRead: 1600, cacheWrite: 200, output: 300, reasoning: 0 },
          },
        ],
      }),
    );
    await commitBatch(
      db,
      batch(second, {
        at: { path: '/logs/s2.jsonl', inode: '20', session: 's2' },
        sessions: [{ agent: 'claude-code', session: 's2', cwd: '/work/shop' }],
      }),
    );
    const mark = { upTo: 100, extractor: 1, now: '2026-11-20T12:00:00.000Z' };
    const yielded = {
      ...parsed(idOf('ask'), idOf('s11c')),
      episode: episode('s1', 'success', false),
    };
    await replaceOne(db, 'claude-code', 's1', 'p1', extraction(yielded), mark);
    await replaceOne(
      db,
      'claude-code',
      's2',
      'p1',
      extraction({ episode: episode('s2', 'partial', true) }),
      mark,
    );
    await saveFactEvents(db, ['p1'], await askFacts(db, ['p1'], '2026-11-20T12:00:00.000Z'));
    await saveLessons(db, 'p1', [
      lesson('usepnpm', { kind: 'correction', importance: 5, text: 'Use pnpm, not npm.' }),
    ]);
    await addReceipts(db, [
      {
        ...{
          receipt: 'r1',
          time: '2026-11-20T10:00:00.000Z',
          moment: 'failure',
          agent: 'claude-code',
          session: 's1',
        },
        ...{ project: 'p1', type: 'entry', id: 'e1', tokens: 20 },
      },
    ]);
    await addUses(db, [
      {
        time: '2026-11-20T12:00:00.000Z',
        type: 'lesson',
        id: 'usepnpm',
        door: 'search',
        agent: null,
        session: null,
        project: 'shop-3fa9',
      },
    ]);
    const id = await startRun(db, { job: 'ingest', now: '2026-11-20T12:00:00.000Z' });
    await endRun(db, id, {
      outcome: 'ok',
      counts: { entries: 9 },
      now: '2026-11-20T12:00:02.000Z',
    });
    await addLlmCall(db, {
      time: '2026-11-20T12:00:00.000Z',
      provider: 'local',
      model: 'toy',
      purpose: 'extract',
      agent: null,
      session: null,
      tokens_in: 10,
      tokens_out: 5,
      ms: 7,
      outcome: 'ok',
      error: null,
    });
    const part = (id_: string, vector: Float32Array | null) => ({
      owner: 'entry' as const,
      id: idOf(id_),
      rev: 1,
      fingerprint: FINGERPRINT,
      part: 0,
      text: id_,
      vector,
    });
    await saveVectors(db, [
      part('ask', axis(0)),
      part('say', axis(0, 0.1)),
      part('s11c', axis(5)),
      part('s12c', null),
    ]);
  });
}

/** What one session yielded, saved alone. */
export function replaceOne(
  db: Db,
  agent: string,
  session: string,
  project: string,
  of: Extraction,
  { upTo, ...mark }: ExtractionMark & { upTo: number },
): Promise<string[]> {
  return replaceExtractions(db, [{ agent, session, project, extraction: of, upTo }], mark);
}
