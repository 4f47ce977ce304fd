/**
 * Writes down what hooks told: at once into the file, and into the database as soon as it is free.
 */
import { createHash } from 'node:crypto';
import { messageOf } from '../errors.js';
import type { JobContext } from '../jobs/job.js';
import { keepReceipts } from '../jobs/upkeep/receipts.js';
import { addReceipts, type Receipt } from '../store/index.js';

/** What was told at one moment. */
export interface ToldThen extends Pick<Receipt, 'moment' | 'agent' | 'session' | 'project'> {
  items: readonly Pick<Receipt, 'type' | 'id' | 'tokens'>[];
}

/** The id of a thing that was told, of which only whether it changed matters. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export class Receipts {
  /** In the file, not in the database yet. */
  private waiting: Receipt[] = [];
  private writing: Promise<void> | null = null;

  constructor(private readonly context: Pick<JobContext, 'paths' | 'store' | 'clock' | 'log'>) {}

  note({ items, ...moment }: ToldThen): void {
    const time = this.context.clock.now().toISOString();
    const receipt = hashOf(
      [moment.agent, moment.session, time, ...items.map(({ id }) => id)].join('\0'),
    );
    const receipts = items.map((item) => ({ receipt, time, ...moment, ...item }));
    try {
      keepReceipts(this.context.paths, receipts);
    } catch (error) {
      this.context.log.warn(
        { error: messageOf(error) },
        'a receipt could not be written to its file',
      );
    }
    this.waiting.push(...receipts);
    void this.settle();
  }

  /** What could not be written waits for the next one; the file has it, too. */
  settle(): Promise<void> {
    return (this.writing ??= this.write().finally(() => (this.writing = null)));
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const receipts = this.waiting;
      this.waiting = [];
      try {
        await this.context.store.write((db) => addReceipts(db, receipts));
      } catch (error) {
        this.context.log.debug({ error: messageOf(error) }, 'receipts wait for the database');
        return;
      }
    }
  }
}
