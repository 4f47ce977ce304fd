/** What hooks showed in each session, in memory and as receipts. */
import { messageOf } from '../errors.js';
import type { HomePaths } from '../config.js';
import type { JobContext } from '../jobs/job.js';
import { keepReceipts, receiptsOf } from '../jobs/upkeep/receipts.js';
import { addReceipts, type Receipt } from '../store/index.js';
import { shortHash } from '../text/fingerprint.js';

/** What receipts say of a session; the oldest first. */
function shownBefore(told: readonly Receipt[]): Shown {
  const compacted = told.findLast(({ moment }) => moment === 'compaction')?.receipt;
  const from = told.findIndex(({ receipt }) => receipt === compacted);
  const since = told.slice(Math.max(0, from));
  return {
    given: new Set(since.map(({ id }) => id)),
    page: null,
    hadPage: since.some(({ type }) => type === 'page'),
    isAsked: told.some(({ type }) => type === 'notes'),
    hasPrompt: told.some(({ moment }) => moment === 'prompt'),
  };
}

/** What hooks showed in a session since it began or was compacted. */
export interface Shown {
  /** Ids of items. */
  given: Set<string>;
  /** The page at its start; null when this daemon did not see the start. */
  page: string | null;
  /** An earlier daemon showed a page, whose text is not known. */
  hadPage: boolean;
  /** The agent was asked for notes; once a session. */
  isAsked: boolean;
  /** The person typed a prompt before. */
  hasPrompt: boolean;
}

/** Sessions that are remembered, and items of each; a page is at most some kilobytes. */
const MOST_SESSIONS = 200;
const MOST_GIVEN = 500;

/**
 * Known in memory, and at a session's first request from the file of receipts: a daemon ends with
 * each change of config.yaml, and the database may not be free.
 */
export class ShownBySession {
  private readonly sessions = new Map<string, Shown>();

  constructor(private readonly paths: Pick<HomePaths, 'receipts'>) {}

  /** A session was compacted: the agent has nothing of what was shown, but what it was asked. */
  anew(session: string): void {
    Object.assign(this.of(session), { given: new Set(), page: null, hadPage: false });
  }

  /**
   * The session, as the newest of those that are remembered. Known by its id alone: some agents
   * start the hooks in another agent's settings, too.
   */
  of(session: string): Shown {
    const seen =
      this.sessions.get(session) ?? shownBefore(receiptsOf(this.paths, session).slice(-MOST_GIVEN));
    this.sessions.delete(session);
    this.sessions.set(session, seen);
    if (this.sessions.size > MOST_SESSIONS)
      this.sessions.delete(this.sessions.keys().next().value!);
    return seen;
  }
}

/** Adds ids, and lets the oldest go. */
export function giveAll(given: Set<string>, ids: readonly string[]): void {
  for (const id of ids) given.add(id);
  for (const id of given) {
    if (given.size <= MOST_GIVEN) return;
    given.delete(id);
  }
}

/** What a hook showed at one moment. */
interface Items extends Pick<Receipt, 'moment' | 'agent' | 'session' | 'project'> {
  items: readonly Pick<Receipt, 'type' | 'id' | 'tokens'>[];
}

/** The id of a text that was shown: it serves only to see a change. */
export function hashOf(text: string): string {
  return shortHash(text, 16);
}

/** Written at once into the file, and into the database as soon as it is free. */
export class Receipts {
  /** In the file, not in the database yet. */
  private waiting: Receipt[] = [];
  private writing: Promise<void> | null = null;

  constructor(private readonly context: Pick<JobContext, 'paths' | 'store' | 'clock' | 'log'>) {}

  note({ items, ...moment }: Items): void {
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
