/**
 * The version of the store. A new file gets `CREATE`; `UPGRADE_FROM_8` turns the tables of older
 * versions into the same tables.
 */
import { TABLE_NAMES, TABLES, createTable } from './tables.js';

/** The version that this program writes, and the oldest that it reads. */
export const STORE_VERSION = 13;
export const PREVIOUS_VERSION = 8;

export const CREATE: readonly string[] = [`CREATE SCHEMA own`, ...TABLE_NAMES.map(createTable)];

/** Adds the columns that may be NULL and that an older store lacks. */
export const ADD_COLUMNS: readonly string[] = TABLE_NAMES.flatMap((table) =>
  Object.entries(TABLES[table].columns)
    .filter(([, type]) => type.endsWith('?'))
    .map(
      ([column, type]) =>
        `ALTER TABLE own.${table} ADD COLUMN IF NOT EXISTS "${column}" ${type.slice(0, -1)}`,
    ),
);

/** One statement for each difference in tables or columns between version 8 and `CREATE`. */
export const UPGRADE_FROM_8: readonly string[] = [
  ...TABLE_NAMES.map(createTable),
  ...ADD_COLUMNS,
  'DROP TABLE IF EXISTS own.relations',
  'DROP VIEW IF EXISTS main.evidence',
  'DROP TABLE IF EXISTS own.rewordings',
  'DROP VIEW IF EXISTS main.occurrences',
  'DROP TABLE IF EXISTS own.occurrences',
  'DROP TABLE IF EXISTS own.transitions',
  'DROP TABLE IF EXISTS own.typed_prompts',
  'DROP TABLE IF EXISTS own.tier_checks',
  'DROP TABLE IF EXISTS own.tier_faults',
  'ALTER TABLE own.sessions DROP COLUMN IF EXISTS frame_hash',
  'DROP TABLE IF EXISTS own.proposals',
  'DROP TABLE IF EXISTS own.offered',
  'DROP TABLE IF EXISTS own.consolidated',
  // Removed kinds of rows: calls for a search, and answers of an agent that was not called.
  `DELETE FROM own.llm_calls WHERE purpose = 'search' OR provider = 'tidy'`,
  // Version 8 did not read the tables of OpenCode 2, so its databases are opened again.
  `UPDATE own.sources SET mtime_ms = 0 WHERE agent IN ('opencode', 'kilo', 'mimocode')`,
  // Deletes vectors of a second model, and those of another length, which had a separate column.
  "DELETE FROM own.vectors WHERE fingerprint <> (SELECT value->>'$.fingerprint' FROM main.meta WHERE key = 'vector_model')",
  'DELETE FROM own.vectors WHERE vector IS NULL AND text IS NOT NULL',
  "DELETE FROM main.meta WHERE key = 'vector_lengths'",
  'DROP TABLE IF EXISTS own.wishes',
  // Two lessons that seemed to contradict each other are both live again.
  'ALTER TABLE own.lessons DROP COLUMN IF EXISTS conflicts_with',
  "UPDATE own.lessons SET status = 'live' WHERE status = 'conflict'",
  'ALTER TABLE own.steps DROP COLUMN IF EXISTS named',
  `DELETE FROM own.fact_events WHERE fact IN ('restated', 'habit', 'flaky', 'together', 'own')`,
  `DELETE FROM main.meta WHERE key = 'own_facts'`,
  // A field in JSON has the new name of its column, too.
  ...['own.candidates SET payload', 'own.lessons SET learnt'].map(
    (kept) => `UPDATE ${kept} = replace(${kept.split(' ').at(-1)}, '"saidBy":', '"said_by":')`,
  ),
  // Values that were JSON by key get columns; every project is learnt again.
  `INSERT INTO own.project_state (project, unlearnt, active_days, withheld, crystal)
     SELECT p.id, p.id <> '', [], 0, m.value FROM (SELECT id FROM own.projects UNION ALL SELECT '') p
     LEFT JOIN main.meta m ON m.key = 'hand:' || p.id
     WHERE p.id NOT IN (SELECT project FROM own.project_state)`,
  `INSERT INTO own.home_state
     SELECT coalesce((state->>'$.edit_authors.entry')::BIGINT, 0), coalesce((state->>'$.edit_authors.edit')::BIGINT, 0),
       (state->>'$.inbox_trusted')::VARCHAR[], state->>'$.vector_model.fingerprint',
       (state->>'$.vector_model.dimensions')::INTEGER, state->>'$.embed_fault.text',
       (state->>'$.embed_fault.since')::TIMESTAMP
     FROM (SELECT json_group_object(key, value::JSON) AS state FROM main.meta
       WHERE key IN ('edit_authors', 'inbox_trusted', 'vector_model', 'embed_fault') HAVING count(*) > 0)`,
  // An unfinished purge is one value now, without its targets.
  'CREATE TABLE IF NOT EXISTS own.open_purge (agent VARCHAR)',
  `INSERT INTO main.meta SELECT 'purge_open', 'yes' FROM own.open_purge LIMIT 1`,
  'DROP TABLE own.open_purge',
  `UPDATE main.meta SET key = 'purge_open', value = 'yes' WHERE key = 'purge'`,
  'ALTER TABLE own.job_runs DROP COLUMN IF EXISTS subject',
  'ALTER TABLE own.tiers DROP COLUMN IF EXISTS last_n',
  `DELETE FROM main.meta WHERE key IN ('unlearnt', 'learnt_at', 'passed_over', 'edit_authors', 'inbox_trusted', 'vector_model',
     'embed_fault') OR regexp_matches(key, '^(clock|hand|page):')`,
];
