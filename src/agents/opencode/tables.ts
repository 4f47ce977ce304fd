/**
 * Queries for the rows of OpenCode's databases; docs/formats.md describes the tables.
 */
import type { RowQuery } from '../../types.js';

/** Rows after the last one that was read, in one order. */
const ORDERED = (sql: string) =>
  `SELECT * FROM (${sql}) WHERE (mark, key) > ($mark, $key) ORDER BY mark, key LIMIT $limit`;

/** The table of sessions: version 2 has a new one, and may also have the older one. */
const SESSION = 'SELECT id, parent_id, directory, title, version, time_created FROM session';
const SESSION_V2 = 'SELECT id, parent_id, directory, title, version, time_created FROM session_v2';

/**
 * A subagent may begin with a copy of its parent's history. Messages that are older than the
 * session are not marked as a subagent's.
 * @param key sorts the rows of all tables
 */
const SELECT = (table: string, key: string, message: string) =>
  `SELECT ${table}.time_updated AS mark, ${key} AS key, ${table}.rowid AS line, s.id AS session,
     CASE WHEN ${message}.time_created >= s.time_created THEN s.parent_id END AS parent,
     s.directory AS directory, s.title AS title, s.version AS version, coalesce(o.id, ${message}.id) AS message,
     ${message}.data AS info`;

/**
 * A fork copies messages with new ids and the same times. So a message older than its session is a
 * copy, and the first message of that time and kind is the original.
 */
const ORIGINAL = (table: string, message: string, kindOf: (of: string) => string) =>
  `LEFT JOIN (SELECT min(x.id) AS id, x.time_created, ${kindOf('x')} AS kind FROM ${table} x GROUP BY 2, 3) o
     ON ${message}.time_created < s.time_created AND o.time_created = ${message}.time_created AND o.kind IS ${kindOf(message)}`;

const ORIGINAL_MESSAGE = ORIGINAL(
  'message',
  'm',
  (of) => `CASE WHEN json_valid(${of}.data) THEN json_extract(${of}.data, '$.role') END`,
);

/** The original's part at the same place, since a copy keeps the order of parts. */
const PLACE = (of: string) =>
  `(SELECT count(*) FROM part x WHERE x.message_id = ${of}.message_id AND x.id < ${of}.id)`;
const ORIGINAL_PART = `CASE WHEN o.id IS NULL OR o.id = m.id THEN p.id
    ELSE coalesce((SELECT q.id FROM part q WHERE q.message_id = o.id AND ${PLACE('q')} = ${PLACE('p')}), p.id) END`;

/**
 * Parts and messages in the order of their last change, since a message's tokens come after its
 * parts.
 */
const PARTS = `
  ${SELECT('p', 'p.rowid * 3', 'm')}, ${ORIGINAL_PART} AS part, p.data AS data, NULL AS kind
    FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = m.session_id ${ORIGINAL_MESSAGE}
    WHERE p.time_updated >= $mark
  UNION ALL
  ${SELECT('m', 'm.rowid * 3 + 1', 'm')}, NULL AS part, NULL AS data, NULL AS kind
    FROM message m JOIN session s ON s.id = m.session_id ${ORIGINAL_MESSAGE} WHERE m.time_updated >= $mark`;

/** Messages of version 2, each whole. */
const WHOLE = (sessions: string) => `
  ${SELECT('w', 'w.rowid * 3 + 2', 'w')}, NULL AS part, NULL AS data, w.type AS kind
    FROM session_message w JOIN (${sessions}) s ON s.id = w.session_id ${ORIGINAL('session_message', 'w', (of) => `${of}.type`)}
    WHERE w.time_updated >= $mark`;

/**
 * Only messages that are not in the older tables, since a version with both writes each message to
 * both.
 */
const ALONE = ` AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = w.id)
    AND w.time_created > coalesce((SELECT max(m.time_created) FROM message m WHERE m.session_id = w.session_id), -1)`;

const OLDER = ['part.time_updated', 'message.time_updated'];
const NEWER = ['session_message.type', 'session_message.time_updated'];
const V1 = ['session.directory', 'session.parent_id'];
const V2 = ['session_v2.directory', 'session_v2.parent_id'];
const BOTH = `${SESSION_V2} UNION ALL ${SESSION} WHERE id NOT IN (SELECT id FROM session_v2)`;
const COLUMNS = 'line session parent directory title version message info part data kind'.split(
  ' ',
);

/** One query for each kind of database, the fullest first. */
export const tables: readonly RowQuery[] = (
  [
    [[...OLDER, ...V1, ...NEWER, ...V2], `${PARTS} UNION ALL ${WHOLE(BOTH)}${ALONE}`],
    [[...OLDER, ...V1, ...NEWER], `${PARTS} UNION ALL ${WHOLE(SESSION)}${ALONE}`],
    [[...NEWER, ...V2, ...V1], WHOLE(BOTH)],
    [[...NEWER, ...V2], WHOLE(SESSION_V2)],
    [[...OLDER, ...V1], PARTS],
    [[...NEWER, ...V1], WHOLE(SESSION)],
  ] as const
).map(([needs, sql]) => ({
  needs: [...needs],
  sql: ORDERED(sql),
  columns: COLUMNS,
  overlap: 2000,
}));
