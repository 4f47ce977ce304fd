/**
 * Runs in the thread: each call returns the next part of a log. The thread keeps the log open
 * between calls; another thread begins at the checkpoint of the last part.
 */
import { getHeapStatistics } from 'node:v8';
import { adapters } from '../../agents/index.js';
import { createRedactor, redactFacts, redactState } from '../../redact/index.js';
import { rememberTops } from '../../projects/folder-project.js';
import { matchFolders } from '../../projects/globs.js';
import type { Batch } from '../../types.js';
import { ChangedLog, createIgnoredPath, openLog, UnreadableLog } from '../../watchers/index.js';
import { type PrepareState, prepareEntries } from './prepare.js';
import { excludesOf } from './reader-fold.js';
import { processorMs } from '../processor-time.js';
import {
  type LogEnd,
  type LogReading,
  type LogTask,
  type Preparer,
  readLog,
} from './reader-log.js';

export interface ReaderOptions {
  /** The home's secret key, for the marks of masked secrets. */
  redactKey: string;
  emails: boolean;
  /** Globs of folders that are never read. */
  exclude: string[];
  userHome: string;
  /** IANA name of the machine's time zone, because some logs have local times. */
  zone: string;
}

/** A reading of one log, whose parts all come from the same thread. */
export interface PartTask extends LogTask {
  reading: string;
}

export type Part =
  | { kind: 'part'; batches: Batch[]; end: LogEnd | null; heapBytes: number }
  /** The log cannot be opened, or no longer. */
  | { kind: 'absent'; reason: string }
  /** The log keeps changing. */
  | { kind: 'changed' }
  /** A fault of the program. Its message may quote the log, which is not masked yet. */
  | { kind: 'broken'; reason: string };

/** Makes the thread's preparer, with a clock for threads and the ignore rules of the projects. */
export function createPreparer({ redactKey, emails }: ReaderOptions): Preparer {
  const mono = (): number => process.uptime() * 1000;
  const redactor = createRedactor({ key: redactKey, mono, cpu: processorMs, emails });
  const rules = { isIgnored: createIgnoredPath(rememberTops()) };
  return {
    prepare(rawEntries, log, before) {
      const saved = before as PrepareState | null;
      const { entries, state } = prepareEntries(rawEntries, log, saved, redactor, rules);
      return { entries, equals: state };
    },
    prepareFacts: (facts) => redactFacts(facts, redactor),
    prepareState: (state) => redactState(state, redactor),
  };
}

/** The preparer for the options of the last call. */
let home: { of: string; parts: Omit<LogReading, 'adapter'> } | null = null;
/** The log that is being read. */
let open: { reading: string; batches: AsyncGenerator<Batch, LogEnd> } | null = null;

function partsOf(options: ReaderOptions): Omit<LogReading, 'adapter'> {
  const of = JSON.stringify(options);
  const { exclude, userHome, zone } = options;
  if (home?.of !== of)
    home = {
      of,
      parts: {
        open: openLog,
        preparer: createPreparer(options),
        isExcluded: matchFolders(exclude, userHome),
        excludes: excludesOf(exclude),
        zone,
      },
    };
  return home.parts;
}

async function begin(options: ReaderOptions, task: PartTask): Promise<typeof open> {
  await open?.batches.return({ excluded: false });
  open = null;
  const adapter = adapters.find((each) => each.agent === task.agent);
  if (adapter === undefined) throw new UnreadableLog(`no adapter for ${task.agent}`);
  return { reading: task.reading, batches: readLog(task, { ...partsOf(options), adapter }) };
}

/** Reads to the next batch in the middle of the log, or to its end. */
export async function readPart(options: ReaderOptions, task: PartTask): Promise<Part> {
  try {
    if (open?.reading !== task.reading) open = await begin(options, task);
    const batches: Batch[] = [];
    for (;;) {
      const next = await open!.batches.next();
      if (next.done !== true) batches.push(next.value);
      // A batch with a time is the last one, or only moves the checkpoint.
      if (next.done !== true && next.value.checkpoint.mtime_ms !== 0) continue;
      const { used_heap_size, external_memory } = getHeapStatistics();
      const heapBytes = used_heap_size + external_memory;
      return { kind: 'part', batches, end: next.done === true ? next.value : null, heapBytes };
    }
  } catch (error) {
    open = null;
    if (error instanceof UnreadableLog) return { kind: 'absent', reason: error.message };
    if (error instanceof ChangedLog) return { kind: 'changed' };
    return { kind: 'broken', reason: (error as Error).name };
  }
}
