/** What each session has heard, in memory: each item once a session, and never what its page holds. */

/** A session as far as hooks know it. */
export interface Hearer {
  /** Ids that it was told. */
  given: Set<string>;
  /** The page that stood before it at its start; null when no hook saw the start. */
  page: string | null;
}

/** Sessions that are remembered, and items of each; a page is at most some kilobytes. */
const MOST_SESSIONS = 200;
const MOST_GIVEN = 500;

export class Hearers {
  private readonly sessions = new Map<string, Hearer>();

  /**
   * The session, as the newest of those that are remembered. Known by its id alone: some agents start the hooks in another
   * agent's settings, too.
   */
  of(session: string): Hearer {
    const hearer = this.sessions.get(session) ?? { given: new Set<string>(), page: null };
    this.sessions.delete(session);
    this.sessions.set(session, hearer);
    if (this.sessions.size > MOST_SESSIONS) this.sessions.delete(this.sessions.keys().next().value!);
    return hearer;
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
