/** The worker thread: reads one log after the other and posts batches, never more than the window allows. Its entry point is compiled. */
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.js';
import { adapters } from '../agents/index.js';
import { matchFolders } from '../watchers/globs.js';
import { ChangedLog, openLog, UnreadableLog } from '../watchers/log-file.js';
import { readLog, type LogEnd, type LogReading, type LogTask } from './reader-log.js';
import { WINDOW, type FromThread, type ReaderOptions, type ToThread } from './reader-messages.js';
import { createPreparer } from './reader-preparer.js';
import { packBatch, transfersOf } from './reader-wire.js';

const port = parentPort!;
const options = workerData as ReaderOptions;
const parts: Omit<LogReading, 'adapter'> = {
  open: openLog,
  preparer: createPreparer(options),
  isExcluded: matchFolders(options.exclude, options.userHome),
};

let free = WINDOW;
let proceed: (() => void) | null = null;

const post = (message: FromThread, transfers: ArrayBuffer[] = []): void => port.postMessage(message, transfers);
const heapBytes = (): number => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
};

const readAll = async (task: LogTask): Promise<LogEnd> => {
  const adapter = adapters.find((each) => each.agent === task.agent);
  if (adapter === undefined) throw new UnreadableLog(`no adapter for ${task.agent}`);
  const reading = readLog(task, { ...parts, adapter });
  let next = await reading.next();
  for (; next.done !== true; next = await reading.next()) {
    while (free === 0) await new Promise<void>((resolve) => (proceed = resolve));
    free -= 1;
    const packed = packBatch(next.value);
    post({ type: 'batch', packed }, transfersOf(packed));
  }
  return next.value;
};

const read = async (task: LogTask): Promise<void> => {
  try {
    const end = await readAll(task);
    post({ type: 'end', end, heapBytes: heapBytes() });
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof UnreadableLog) post({ type: 'failed', why: 'absent', reason, heapBytes: heapBytes() });
    else if (error instanceof ChangedLog) post({ type: 'failed', why: 'changed', reason, heapBytes: heapBytes() });
    else throw error; // a fault of ours: the thread ends, its host tries once more
  }
};

port.on('message', (message: ToThread) => {
  if (message.type === 'stored') {
    free += 1;
    proceed?.();
    proceed = null;
  } else
    void read(message.task).catch((error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
    );
});
