/** What persons typed in sessions that have no entries: their logs were gone before they were read. */
import { sessionKey, type TypedPrompt } from '../../types.js';
import { columnsOf, type Db } from '../db.js';
import { knownMarks, purgedSession } from '../repair/purged.js';
import { sessionLists, WANTED_SESSIONS } from './sessions.js';

/**
 * Stores those that are new, in the transaction that saves how far their file was read. One of a session with entries is left
 * out: the entries tell it, or a purge took it out of them, and then it must not come back this way.
 */
export async function addTypedPrompts(db: Db, given: readonly TypedPrompt[]): Promise<void> {
  if (given.length === 0) return;
  const prompts = new Map(given.map((each) => [each.id, each]));
  const marks = new Map(given.map((each) => [sessionKey(each.agent, each.session), purgedSession(each.agent, each.session)]));
  const purged = await knownMarks(db, [...prompts.keys(), ...marks.values()]);
  const known = await db.all<{ id: string }>('SELECT id FROM own.typed_prompts WHERE id IN (SELECT unnest($ids))', {
    ids: [...prompts.keys()],
  });
  const told = await db.all<{ agent: string; session: string }>(
    `SELECT s.agent, s.session FROM own.sessions s JOIN ${WANTED_SESSIONS} ON w.agent = s.agent AND w.session = s.session
     WHERE s.entries > 0`,
    sessionLists(given),
  );
  const left = new Set([...purged, ...known.map(({ id }) => id)]);
  const here = new Set(told.map(({ agent, session }) => sessionKey(agent, session)));
  const fresh = [...prompts.values()].filter((each) => {
    const key = sessionKey(each.agent, each.session);
    return !left.has(each.id) && !left.has(marks.get(key)!) && !here.has(key);
  });
  await db.append('own.typed_prompts', columnsOf(fresh, 'id', 'agent', 'session', 'cwd', 'time', 'text'));
}

/** Entries of these sessions came, which tell the same and more. */
export async function dropTypedPrompts(db: Db, sessions: readonly { agent: string; session: string }[]): Promise<void> {
  if (sessions.length > 0)
    await db.run(
      `DELETE FROM own.typed_prompts t USING ${WANTED_SESSIONS} WHERE w.agent = t.agent AND w.session = t.session`,
      sessionLists(sessions),
    );
}
