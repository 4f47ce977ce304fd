/**
 * The child process of the model, which exits with its parent. onnxruntime may crash and never
 * frees memory, so the parent restarts the child.
 */
import { messageOf } from '../errors.js';
import { createMutex } from '../mutex.js';
import type { Reading } from '../types.js';
import { keptOf, loadModel, type As, type Model, type ModelToLoad } from './model.js';

export type ToWorker =
  | ({ kind: 'load' } & ModelToLoad)
  | { kind: 'embed'; id: number; text: string; as: As; with?: With };
/**
 * Data to return with the vector: the pieces with their states, or only the signs of the states.
 */
export type With = 'states' | 'signs';
export type FromWorker =
  | { kind: 'ready'; dimensions: number }
  | ({ kind: 'vector'; id: number; rss: number } & Answer)
  | { kind: 'failed'; id: number | null; message: string };

export type Answer = Pick<Reading, 'vector'> & Partial<Reading> & { signs?: Uint8Array };

let model: Model | null = null;

function say(message: FromWorker): void {
  process.send?.(message);
}

async function answer(message: ToWorker): Promise<void> {
  const id = message.kind === 'embed' ? message.id : null;
  try {
    if (message.kind === 'load') {
      model = await loadModel(message);
      say({ kind: 'ready', dimensions: model.dimensions });
      return;
    }
    if (!model) throw new Error('embed before load');
    const reading = await model.read(message.text, message.as);
    const { vector, pieces, states } = reading;
    const beside =
      message.with === 'states'
        ? { pieces, states }
        : message.with === 'signs'
          ? { signs: keptOf(reading) }
          : {};
    say({ kind: 'vector', id: message.id, vector, ...beside, rss: process.memoryUsage.rss() });
  } catch (error) {
    say({ kind: 'failed', id, message: messageOf(error) });
  }
}

const inTurn = createMutex();
process.on('message', (message: ToWorker) => void inTurn(() => answer(message)));
process.on('disconnect', () => process.exit(0));
// A terminal's Ctrl-C is sent to all processes of the group, but only the parent ends this one.
process.on('SIGINT', () => undefined);
