/** What the reader's host and its thread say to each other. Plain data. */
import type { LogEnd, LogTask } from './reader-log.js';
import type { PackedBatch } from './reader-wire.js';

/** What the thread is given once. */
export interface ReaderOptions {
  /** The home's secret, with which marks are keyed. */
  redactKey: string;
  deadlineMs: number;
  emails: boolean;
  phones: boolean;
  ibans: boolean;
  /** Globs of folders that are never read. */
  exclude: string[];
  userHome: string;
}

export type ToThread = { type: 'read'; task: LogTask } | { type: 'stored' };

export type FromThread =
  | { type: 'batch'; packed: PackedBatch }
  | { type: 'end'; end: LogEnd; heapBytes: number }
  | { type: 'failed'; why: 'absent' | 'changed'; reason: string; heapBytes: number };

/** Batches on their way that were not stored yet: one is prepared while the other is committed. */
export const WINDOW = 2;
