/** The real program as a background process, ready to serve. */
import type { Person, Running } from '../faults/person.js';

/**
 * Starts the daemon of a person's home and waits until it says that it runs.
 * @param words what is typed; `start` and its options
 */
export async function startDaemon(person: Person, words: string[] = ['start']): Promise<Running> {
  const running = person.start(words);
  const ready = new Promise<boolean>((resolve) => {
    let err = '';
    running.child.stderr!.on('data', (data: Buffer) => {
      err += data.toString();
      if (err.includes('runs as process')) resolve(true);
    });
  });
  const isReady = await Promise.race([ready, running.ended.then(() => false)]);
  if (!isReady)
    throw new Error(`the daemon ended before it was ready: ${(await running.ended).err}`);
  return running;
}
