/**
 * Queries for the rows of OpenCode's databases; README.md beside this file describes the tables.
 */
import type { RowQuery } from '../../types.js';

/** @param key sorts the rows of all tables */
const SELECT = (table: string, key: string, message = 'm') =>
  `SELECT ${table}.time_updated AS mark, ${key} AS key, ${table}.rowid AS line, s.id AS session, s.parent_id AS parent,
     s.directory AS directory, s.title AS title, s.version AS version, ${message}.id AS message, ${message}.data AS info`;

/** In one order, after the last row that was read. */
const ORDERED = (sql: string) =>
  `SELECT * FROM (${sql}) WHERE (mark, key) > ($mark, $key) ORDER BY mark, key LIMIT $limit`;

/**
 * Parts and messages in the order of their last change. A message's tokens are known at its end,
 * after its parts.
 */
const PARTS = `
  ${SELECT('p', 'p.rowid * 3')}, p.id AS part, p.data AS data, NULL AS kind
    FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = m.session_id WHERE p.time_updated >= $mark
  UNION ALL
  ${SELECT('m', 'm.rowid * 3 + 1')}, NULL AS part, NULL AS data, NULL AS kind
    FROM message m JOIN session s ON s.id = m.session_id WHERE m.time_updated >= $mark`;

/** Messages of the newest versions. */
const WHOLE = `
  ${SELECT('w', 'w.rowid * 3 + 2', 'w')}, NULL AS part, NULL AS data, w.type AS kind
    FROM session_message w JOIN session s ON s.id = w.session_id WHERE w.time_updated >= $mark`;

/**
 * The messages that are not in the older tables: a version that keeps both writes each message to
 * both.
 */
const WHOLE_ALONE = `${WHOLE} AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = w.id)
    AND w.time_created > coalesce((SELECT max(m.time_created) FROM message m WHERE m.session_id = w.session_id), -1)`;

const SESSION = ['session.directory', 'session.parent_id'];
const NEEDS = ['part.time_updated', 'message.time_updated', ...SESSION];
const NEEDS_WHOLE = ['session_message.type', 'session_message.time_updated', ...SESSION];
const COLUMNS = [
  'line',
  'session',
  'parent',
  'directory',
  'title',
  'version',
  'message',
  'info',
  'part',
  'data',
  'kind',
];

/**
 * One for each kind of database: with both kinds of tables, only the older, or only the newest
 * ones.
 */
export const tables: readonly RowQuery[] = [
  {
    needs: [...NEEDS, ...NEEDS_WHOLE],
    sql: ORDERED(`${PARTS} UNION ALL ${WHOLE_ALONE}`),
    columns: COLUMNS,
    overlap: 2000,
  },
  { needs: NEEDS, sql: ORDERED(PARTS), columns: COLUMNS, overlap: 2000 },
  { needs: NEEDS_WHOLE, sql: ORDERED(WHOLE), columns: COLUMNS, overlap: 2000 },
];
