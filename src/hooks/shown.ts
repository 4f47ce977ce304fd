/** Keeps what hooks showed in each session, in memory and as receipts. */
import { messageOf } from '../errors.js';
import type { HomePaths } from '../config.js';
import type { JobContext } from '../jobs/job.js';
import { keepReceipts, receiptsOf } from '../jobs/upkeep/receipts.js';
import { addReceipts, type Receipt } from '../store/index.js';
import { shortHash } from '../text/fingerprint.js';

/** The state of a session from its receipts, oldest first. */
function shownBefore(receipts: readonly Receipt[]): Shown {
  const compacted = receipts.findLast(({ moment }) => moment === 'compaction')?.receipt;
  const from = receipts.findIndex(({ receipt }) => receipt === compacted);
  const since = receipts.slice(Math.max(0, from));
  return {
    given: new Set(since.map(({ id }) => id)),
    page: null,
    hadPage: since.some(({ type }) => type === 'page'),
    isAsked: receipts.some(({ type }) => type === 'notes'),
    hasPrompt: receipts.some(({ moment }) => moment === 'prompt'),
  };
}

/** The items that hooks showed in a session since it began or was compacted. */
export interface Shown {
  /** Ids of items. */
  given: Set<string>;
  /** The page at the session's start; null if this daemon did not run then. */
  page: string | null;
  /** An earlier daemon showed a page; its text is unknown. */
  hadPage: boolean;
  /** The agent was already asked for notes. */
  isAsked: boolean;
  /** The person typed a prompt before. */
  hasPrompt: boolean;
}

/** Most sessions in memory, and most items of each. */
const MOST_SESSIONS = 200;
const MOST_GIVEN = 500;

/**
 * Kept in memory. At a session's first request it is read from the file of receipts: the daemon may
 * be new, and the database may be in use.
 */
export class ShownBySession {
  private readonly sessions = new Map<string, Shown>();

  constructor(private readonly paths: Pick<HomePaths, 'receipts'>) {}

  /** Forgets shown items after a compaction, since the agent lost them; asked questions stay. */
  anew(session: string): void {
    Object.assign(this.of(session), { given: new Set(), page: null, hadPage: false });
  }

  /**
   * The state of a session, the last one that memory drops. The key is the id, since some agents
   * also run the hooks in another agent's settings.
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

/** Adds ids and removes the oldest. */
export function giveAll(given: Set<string>, ids: readonly string[]): void {
  for (const id of ids) given.add(id);
  for (const id of given) {
    if (given.size <= MOST_GIVEN) return;
    given.delete(id);
  }
}

/** The items that a hook showed at one moment. */
interface Items extends Pick<Receipt, 'moment' | 'agent' | 'session' | 'project'> {
  items: readonly Pick<Receipt, 'type' | 'id' | 'tokens'>[];
}

/** The id of a shown text, used only to detect a change. */
export function hashOf(text: string): string {
  return shortHash(text, 16);
}

/** Writes receipts at once into the file, and into the database as soon as it is free. */
export class Receipts {
  /** In the file but not yet in the database. */
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

  /** Receipts that cannot be written now are written with the next ones; the file has them, too. */
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
