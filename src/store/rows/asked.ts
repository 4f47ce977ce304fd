/** The sessions that were sent to a model, and the kept parts of its answers. */
import type { Candidate, Lesson } from '../../types.js';
import { type Db, appendRows, toJson } from '../db.js';
import { addEdit } from './edits.js';

/** A session that waits for a model. */
export interface Question {
  agent: string;
  session: string;
  project: string;
  /** `seq` up to which the session was sent before; -1 for never. */
  after: number;
}

/** A question with the data for its order; all counts are of entries that were not sent yet. */
export interface OpenQuestion extends Question {
  newest: string | null;
  entries: number;
  /** Entries that a person typed. */
  typed: number;
  /** Among the newest sessions of its project, including those that were sent. */
  recent: boolean;
}

/** A session with a person's prompt and this many entries is sent even without a note. */
const LED_ENTRIES = 10;
/** A small budget is spent first on this many of a project's newest sessions. */
const RECENT = 10;
const SHOWABLE = `NOT s.is_machine AND NOT coalesce(s.subagent, false) AND s.extracted IS NOT NULL AND s.project_id IS NOT NULL`;
const TYPED = `e.role = 'user' AND e.origin = 'user'`;

/**
 * Sessions with unsent entries, newest first: long ones with a person's prompt, shorter ones with a
 * note. No automated session and no subagent.
 */
export function openQuestions(db: Db, limit: number): Promise<OpenQuestion[]> {
  return db.all(
    `WITH fresh AS (
       SELECT e.agent, e.session, count(*)::BIGINT AS entries, count(*) FILTER (WHERE ${TYPED})::BIGINT AS typed,
         count(*) FILTER (WHERE e.time <= a.time)::BIGINT AS rest
       FROM own.entries e LEFT JOIN own.asked a ON a.agent = e.agent AND a.session = e.session
       WHERE e.rev = 1 AND NOT (e.copied AND e.id IN (SELECT id FROM own.copies)) AND e.seq > coalesce(a.seq, -1) GROUP BY e.agent, e.session),
     found AS (
       SELECT c.agent, c.session, count(*)::BIGINT AS sentences
       FROM own.candidates c JOIN own.entries e ON e.id = (c.payload->>'$.evidence.entry')
       LEFT JOIN own.asked a ON a.agent = c.agent AND a.session = c.session
       WHERE (c.payload->>'$.kind') <> 'command' AND e.seq > coalesce(a.seq, -1) GROUP BY c.agent, c.session),
     placed AS (
       SELECT s.agent, s.session, s.project_id, s.newest, row_number() OVER (
         PARTITION BY s.project_id ORDER BY s.newest DESC NULLS LAST, s.agent, s.session) AS place
       FROM own.session_facts s WHERE ${SHOWABLE} AND s.entries >= $led)
     SELECT s.agent, s.session, s.project_id AS project, coalesce(a.seq, -1) AS after, s.newest,
       coalesce(f.entries, 0) AS entries, coalesce(f.typed, 0) AS typed, coalesce(p.place <= $recent, false) AS recent
     FROM own.session_facts s LEFT JOIN own.asked a ON a.agent = s.agent AND a.session = s.session
     LEFT JOIN fresh f ON f.agent = s.agent AND f.session = s.session
     LEFT JOIN found t ON t.agent = s.agent AND t.session = s.session
     LEFT JOIN placed p ON p.agent = s.agent AND p.session = s.session
     WHERE ${SHOWABLE} AND (t.sentences > 0 OR f.rest > 0 OR (f.typed > 0 AND f.entries >= $led))
     ORDER BY s.newest DESC NULLS LAST, s.agent, s.session LIMIT $limit`,
    { limit, led: LED_ENTRIES, recent: RECENT },
  );
}

/** Sessions whose id begins with `prefix`, to be sent from their beginning. */
export function questionsNamed(db: Db, prefix: string, limit: number): Promise<Question[]> {
  return db.all(
    `SELECT s.agent, s.session, s.project_id AS project, -1 AS after FROM own.session_facts s
     WHERE ${SHOWABLE} AND starts_with(lower(s.session), $prefix) ORDER BY s.session, s.agent LIMIT $limit`,
    { prefix, limit },
  );
}

interface Answered {
  agent: string;
  session: string;
  /** `seq` of the last entry that was shown. */
  upTo: number;
  candidates?: readonly Candidate[];
  /** Lessons to forget, so that learning does not restore them. */
  drops?: readonly Pick<Lesson, 'id' | 'project'>[];
  time: string;
}

/**
 * Stores the claims of an answer and marks the session as sent; call it with `finishLlmCall` in one
 * transaction.
 */
export async function saveAnswer(db: Db, answered: Answered): Promise<void> {
  const { agent, session, upTo, candidates = [], drops = [], time } = answered;
  await db.run('DELETE FROM own.asked WHERE agent = $agent AND session = $session', {
    agent,
    session,
  });
  await appendRows(db, 'own.asked', [{ agent, session, seq: upTo, time }]);
  await appendRows(
    db,
    'own.claims',
    candidates.map((candidate) => ({ agent, session, payload: toJson(candidate) })),
  );
  for (const { id, project } of drops)
    await addEdit(db, project, {
      lesson: id,
      action: 'forget',
      text: null,
      kind: null,
      scope: null,
      time,
      author: 'model',
    });
}
