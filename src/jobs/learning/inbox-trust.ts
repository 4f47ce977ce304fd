/**
 * Which tools of the inbox may write the person's words: only those that the person named. Entries
 * are stored as the tool claims; trust applies when they are learnt from.
 */
import { extractAgain, homeState, saveHomeState } from '../../store/index.js';
import type { Entry } from '../../types.js';
import type { JobContext } from '../job.js';

const INBOX = 'inbox';

/**
 * The entries of a session as they may be learnt from: a line that an unnamed tool calls the user's
 * is an agent's.
 */
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

/** Sessions of the inbox are named by the tool and its own session. */
function isTrusted(session: string, trusted: readonly string[]): boolean {
  return trusted.some((tool) => session.startsWith(`${tool}:`));
}

/** When the person names other tools, the inbox is learnt again. */
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
