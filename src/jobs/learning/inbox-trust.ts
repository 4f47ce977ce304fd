/**
 * Which tools of the inbox may write the person's words: only those that the person named. Entries
 * are stored as the tool sends them; trust applies when lessons are made.
 */
import { extractAgain, homeState, saveHomeState } from '../../store/index.js';
import type { Entry } from '../../types.js';
import type { JobContext } from '../job.js';

const INBOX = 'inbox';

/** The entries of a session for learning: user lines of a tool without trust are an agent's. */
export function asTrusted<E extends Pick<Entry, 'agent' | 'session' | 'origin'>>(
  entries: E[],
  trusted: readonly string[],
): E[] {
  return entries.map((entry) =>
    entry.agent === INBOX && entry.origin === 'user' && !isTrusted(entry.session, trusted)
      ? { ...entry, origin: 'agent' }
      : entry,
  );
}

/** The name of an inbox session consists of the tool and the tool's own session. */
function isTrusted(session: string, trusted: readonly string[]): boolean {
  return trusted.some((tool) => session.startsWith(`${tool}:`));
}

/** Learns the inbox again when the person names other tools. */
export async function followTrust({
  store,
  config,
}: Pick<JobContext, 'store' | 'config'>): Promise<void> {
  const now = [...config.inbox.trusted].sort();
  const { inbox_trusted: before } = await store.read(homeState);
  if (JSON.stringify(before) === JSON.stringify(now)) return;
  await store.write(async (db) => {
    await extractAgain(db, INBOX);
    await saveHomeState(db, { inbox_trusted: now });
  });
}
