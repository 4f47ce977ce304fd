/**
 * What persons typed in sessions that have no entries: their logs were gone before they were read.
 */
import { sessionKey, type TypedPrompt } from '../../types.js';
import { columnsOf, type Db } from '../db.js';
import { knownMarks, purgedSession, purgedTyped } from '../repair/purged.js';
import { sessionLists, WANTED_SESSIONS } from './sessions.js';

interface Place {
  agent: string;
  session: string;
}

/**
 * Stores those that are new, in the transaction that saves how far their file was read. One of a
 * session with entries is left out, since these tell it; so is one of a session that a purge took
 * entries from: it may say again what had to go.
 */
export async function addTypedPrompts(db: Db, given: readonly TypedPrompt[]): Promise<void> {
  if (given.length === 0) return;
  const prompts = [...new Map(given.map((each) => [each.id, each])).values()];
  const marksOf = ({ id, agent, session }: TypedPrompt): string[] => [
    id,
    purgedSession(agent, session),
    purgedTyped(agent, session),
  ];
  const purged = await knownMarks(db, [...new Set(prompts.flatMap(marksOf))]);
  const known = await db.all<{ id: string }>(
    'SELECT id FROM own.typed_prompts WHERE id IN (SELECT unnest($ids))',
    { ids: prompts.map(({ id }) => id) },
  );
  const left = new Set(known.map(({ id }) => id));
  const told = new Set(
    (await withEntries(db, prompts)).map(({ agent, session }) => sessionKey(agent, session)),
  );
  const fresh = prompts.filter(
    (each) =>
      !left.has(each.id) &&
      !told.has(sessionKey(each.agent, each.session)) &&
      !marksOf(each).some((mark) => purged.has(mark)),
  );
  await db.append(
    'own.typed_prompts',
    columnsOf(fresh, 'id', 'agent', 'session', 'cwd', 'time', 'text'),
  );
}

/** Those of the sessions that have entries. */
export function withEntries(db: Db, sessions: readonly Place[]): Promise<Place[]> {
  return db.all(
    `SELECT DISTINCT s.agent, s.session FROM own.sessions s JOIN ${WANTED_SESSIONS} ON w.agent = s.agent AND w.session = s.session
     WHERE s.entries > 0`,
    sessionLists(sessions),
  );
}

/** Ids of those whose session stands under one of these marks. */
export async function typedUnder(db: Db, marks: readonly string[]): Promise<string[]> {
  const known = new Set(marks);
  const sessions = await db.all<Place>('SELECT DISTINCT agent, session FROM own.typed_prompts');
  const gone = sessions.filter(
    ({ agent, session }) =>
      known.has(purgedSession(agent, session)) || known.has(purgedTyped(agent, session)),
  );
  const rows = await db.all<{ id: string }>(
    `SELECT t.id FROM own.typed_prompts t JOIN ${WANTED_SESSIONS} ON w.agent = t.agent AND w.session = t.session`,
    sessionLists(gone),
  );
  return rows.map(({ id }) => id);
}

/** Entries of these sessions came, which tell the same and more. */
export async function dropTypedPrompts(db: Db, sessions: readonly Place[]): Promise<void> {
  if (sessions.length > 0)
    await db.run(
      `DELETE FROM own.typed_prompts t USING ${WANTED_SESSIONS} WHERE w.agent = t.agent AND w.session = t.session`,
      sessionLists(sessions),
    );
}
