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
import type { LlmCall } from '../../src/store/rows/llm-calls.js';
import type { Use } from '../../src/store/rows/uses.js';
import type { Receipt } from '../../src/store/search/receipts.js';
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
  const place = { session, cwd: '/work/shop', path: `/logs/${session}.jsonl`, line: at };
  const common = { ...place, tool: 'Bash', command, call: `${session}-${at}` };
  const isOk = outcome === 'ok';
  const asked = {
    role: 'tool_call',
    origin: 'agent',
    files,
    seq: at * 1000,
    time: time(0),
  } as const;
  const ended = {
    role: 'tool_result',
    origin: 'tool',
    seq: at * 1000 + 1,
    time: time(30),
  } as const;
  const error = isOk ? null : 'Error: connect refused';
  return [
    entry(`${session}${at}c`, command, { ...common, ...asked }),
    entry(`${session}${at}r`, `${outcome} ${command}`, {
      ...{ ...common, ...ended, outcome, exit: isOk ? 0 : 1, error },
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
  const form = {
    program: 'pnpm',
    words: ['pnpm', 'test'],
    form: 'pnpm test',
    class: 'test',
  } as const;
  const plain = { narrow: false, own: true, shown: true, env: [], folder: '', absent: false };
  const step = (seq: number): StepRow => ({
    ...{ ...at(seq), entry: call, n: seq, at: seq, ended: null, ...form, ...plain },
    words: ['pnpm', 'test'],
    ...{ outcome: 'ok', error: null },
  });
  const edits = [{ ...at(3), entry: call, file: 'src/a.ts', deleted: false }];
  const prompts = [{ ...at(1), entry: prompt, text: 'please use pnpm in this repository' }];
  return { rows: { steps: [step(2), step(4)], edits, prompts } };
}

const NOON = '2026-11-20T12:00:00.000Z';
const SHOP = { id: 'p1', slug: 'shop-3fa9', name: 'shop', remote: 'example.org/ann/shop' };
const [S1, S2] = [
  { agent: 'claude-code', session: 's1', title: 'checkout', cwd: '/work/shop' },
  { agent: 'claude-code', session: 's2', cwd: '/work/shop' },
];
const USAGE = {
  ...{ native: 'm1:r1', session: 's1', time: '2026-11-20T10:01:05.000Z', model: 'claude-opus-5' },
  ...{ cost: null, input: 200, cacheRead: 1600, cacheWrite: 200, output: 300, reasoning: 0 },
};
const RECEIPT: Receipt = {
  ...{ receipt: 'r1', time: '2026-11-20T10:00:00.000Z', moment: 'failure', agent: 'claude-code' },
  ...{ session: 's1', project: 'p1', type: 'entry', id: 'e1', tokens: 20 },
};
const USE: Use = {
  ...{ time: NOON, type: 'lesson', id: 'usepnpm', door: 'search', agent: null, session: null },
  project: 'shop-3fa9',
};
const CALL: LlmCall = {
  ...{
    time: NOON,
    provider: 'local',
    model: 'toy',
    purpose: 'extract',
    agent: null,
    session: null,
  },
  ...{ tokens_in: 10, tokens_out: 5, ms: 7, outcome: 'ok', error: null },
};

export async function fillWorld(store: Store): Promise<void> {
  const test = { session: 's1', command: 'pnpm test' };
  const first = [
    entry('ask', 'please use pnpm in this repository', { seq: 1, path: '/logs/s1.jsonl' }),
    ...run({ ...test, at: 1, outcome: 'ok' }),
    ...run({ ...test, at: 2, outcome: 'failed', files: ['src/a.ts', 'src/b.ts'] }),
    ...run({ ...test, at: 3, outcome: 'ok' }),
  ];
  const made = { session: 's2', at: 4, command: 'make db', files: ['src/b.ts', 'src/a.ts'] };
  const second = [
    entry('say', 'use pnpm not npm', { session: 's2', seq: 1, path: '/logs/s2.jsonl' }),
    ...run({ ...made, outcome: 'failed' }),
  ];
  await store.write(async (db) => {
    await saveProjects(db, [{ ...SHOP, folders: [], aliases: ['old-shop'] }]);
    await saveFolders(db, [{ cwd: '/work/shop', project: 'p1', facts: { root: '/work/shop' } }]);
    const at = { path: '/logs/s1.jsonl' };
    await commitBatch(db, batch(first, { at, sessions: [S1], usage: [USAGE] }));
    const other = { path: '/logs/s2.jsonl', inode: '20', session: 's2' };
    await commitBatch(db, batch(second, { at: other, sessions: [S2] }));
    const mark = { upTo: 100, extractor: 1, now: NOON };
    const rows = parsed(idOf('ask'), idOf('s11c'));
    const yielded = [
      extraction({ ...rows, episode: episode('s1', 'success', false) }),
      extraction({ episode: episode('s2', 'partial', true) }),
    ];
    for (const [n, of] of yielded.entries())
      await replaceOne(db, 'claude-code', `s${n + 1}`, 'p1', of, mark);
    await saveFactEvents(db, ['p1'], await askFacts(db, ['p1'], NOON));
    const usePnpm = { kind: 'correction', importance: 5, text: 'Use pnpm, not npm.' } as const;
    await saveLessons(db, 'p1', [lesson('usepnpm', usePnpm)]);
    await addReceipts(db, [RECEIPT]);
    await addUses(db, [USE]);
    const id = await startRun(db, { job: 'ingest', now: NOON });
    const now = '2026-11-20T12:00:02.000Z';
    await endRun(db, id, { outcome: 'ok', counts: { entries: 9 }, now });
    await addLlmCall(db, CALL);
    const part = (text: string, vector: Float32Array | null) => ({
      ...{ owner: 'entry' as const, id: idOf(text), rev: 1, fingerprint: FINGERPRINT, part: 0 },
      ...{ text, vector },
    });
    const [asked, said, called] = [axis(0), axis(0, 0.1), axis(5)];
    await saveVectors(db, [
      part('ask', asked),
      part('say', said),
      part('s11c', called),
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
