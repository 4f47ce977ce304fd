/** Remembers a log that could not be read, so that it is named, and not opened again before it changes. Pure. */
import type { Batch, Checkpoint } from '../types.js';
import type { FoundLog } from '../watchers/discover.js';

/**
 * A batch without entries: the last place that was stored stays, the present size and time say that this much was tried.
 * @param last the checkpoint of what could be read, or null
 */
export const markSkipped = (log: FoundLog, last: Checkpoint | null, reason: string, now: string): Batch => {
  const { agent, path, device, inode, size, mtimeMs } = log;
  const base: Checkpoint = last ?? { ...NOTHING, agent, path, device, inode, lastRead: now };
  const line = base.line + 1;
  return {
    checkpoint: { ...base, path, device, inode, size, mtimeMs, badLines: base.badLines + 1, lastRead: now },
    entries: [],
    sessions: [],
    bad: [{ path, line, offset: base.offset, reason }],
  };
};

/** sha256 of nothing, as the marks are written. */
const EMPTY = 'e3b0c44298fc1c14';

const NOTHING: Omit<Checkpoint, 'agent' | 'path' | 'device' | 'inode' | 'lastRead'> = {
  offset: 0,
  line: 0,
  headLength: 0,
  headHash: EMPTY,
  tailLength: 0,
  tailHash: EMPTY,
  size: 0,
  mtimeMs: 0,
  state: '',
  badLines: 0,
  unknownTypes: {},
  session: null,
};
