/** What each session has heard: each item once a session, and never what its page holds. */

/** A session as far as hooks know it. */
export interface Hearer {
  /** Ids that it was told. */
  given: Set<string>;
  /** The page that stood before it at its start; null when this daemon did not see the start. */
  page: string | null;
  /** Whether a hook told it a page before this daemon began, whose text nobody knows any more. */
  hadPage: boolean;
}

/** Sessions that are remembered, and items of each; a page is at most some kilobytes. */
const MOST_SESSIONS = 200;
const MOST_GIVEN = 500;

/**
 * Known in memory, and at a session's first request from its receipts: a daemon ends with each
 * change of config.yaml.
 */
export class Hearers {
  private readonly sessions = new Map<string, Promise<Hearer | null>>();

  /**
   * @param before what receipts say that a session has heard, at most so many items; null while
   * they cannot be read
   */
  constructor(private readonly before: (session: string, most: number) => Promise<Hearer | null>) {}

  /**
   * The session, as the newest of those that are remembered. Known by its id alone: some agents
   * start the hooks in another agent's settings, too. Null: what it heard is not known, and
   * whatever it is told may be told twice.
   */
  of(session: string): Promise<Hearer | null> {
    const hearer = this.sessions.get(session) ?? this.before(session, MOST_GIVEN);
    this.sessions.delete(session);
    this.sessions.set(session, hearer);
    if (this.sessions.size > MOST_SESSIONS)
      this.sessions.delete(this.sessions.keys().next().value!);
    // Receipts that could not be read are read at the next request.
    void hearer.catch(() => null).then((known) => known === null && this.sessions.delete(session));
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
