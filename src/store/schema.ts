/**
 * The version of the store: a new file gets `CREATE`, and `UPGRADE_FROM_8` makes the same tables of
 * those of the version before.
 */
import { TABLE_NAMES, TABLES, createTable } from './tables.js';

/** The version that this program writes, and the oldest that it reads. */
export const STORE_VERSION = 13;
export const PREVIOUS_VERSION = 8;

export const CREATE: readonly string[] = [`CREATE SCHEMA own`, ...TABLE_NAMES.map(createTable)];

/** Adds what a table of this version has and an older store lacks, if it may be NULL. */
export const ADD_COLUMNS: readonly string[] = TABLE_NAMES.flatMap((table) =>
  Object.entries(TABLES[table].columns)
    .filter(([, type]) => type.endsWith('?'))
    .map(
      ([column, type]) =>
        `ALTER TABLE own.${table} ADD COLUMN IF NOT EXISTS "${column}" ${type.slice(0, -1)}`,
    ),
);

/** One statement for each table or column that version 8 has and `CREATE` has not, or the reverse. */
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
  // Calls for a search, and answers of an agent that was not called.
  `DELETE FROM own.llm_calls WHERE purpose = 'search' OR provider = 'tidy'`,
  // Version 8 does not know the tables of OpenCode 2: its databases are opened again.
  `UPDATE own.sources SET mtime_ms = 0 WHERE agent IN ('opencode', 'kilo', 'mimocode')`,
  // Vectors of a second model go, and those of another length, which had a column of their own.
  "DELETE FROM own.vectors WHERE fingerprint <> (SELECT value->>'$.fingerprint' FROM main.meta WHERE key = 'vector_model')",
  'DELETE FROM own.vectors WHERE vector IS NULL AND text IS NOT NULL',
  "DELETE FROM main.meta WHERE key = 'vector_lengths'",
  'DROP TABLE IF EXISTS own.wishes',
  // Both of two lessons that seemed to contradict each other are lessons again.
  'ALTER TABLE own.lessons DROP COLUMN IF EXISTS conflicts_with',
  "UPDATE own.lessons SET status = 'live' WHERE status = 'conflict'",
  'ALTER TABLE own.steps DROP COLUMN IF EXISTS named',
  `DELETE FROM own.fact_events WHERE fact IN ('restated', 'habit', 'flaky', 'together', 'own')`,
  `DELETE FROM main.meta WHERE key = 'own_facts'`,
  // A field that is kept in JSON has the name of a column, too.
  ...['own.candidates SET payload', 'own.lessons SET learnt'].map(
    (kept) => `UPDATE ${kept} = replace(${kept.split(' ').at(-1)}, '"saidBy":', '"said_by":')`,
  ),
  // What was kept as JSON by key has columns; every project is learnt again.
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
  // That a purge is not done is one value; what it was about goes.
  'CREATE TABLE IF NOT EXISTS own.open_purge (agent VARCHAR)',
  `INSERT INTO main.meta SELECT 'purge_open', 'yes' FROM own.open_purge LIMIT 1`,
  'DROP TABLE own.open_purge',
  `UPDATE main.meta SET key = 'purge_open', value = 'yes' WHERE key = 'purge'`,
  'ALTER TABLE own.job_runs DROP COLUMN IF EXISTS subject',
  'ALTER TABLE own.tiers DROP COLUMN IF EXISTS last_n',
  `DELETE FROM main.meta WHERE key IN ('unlearnt', 'learnt_at', 'passed_over', 'edit_authors', 'inbox_trusted', 'vector_model',
     'embed_fault') OR regexp_matches(key, '^(clock|hand|page):')`,
];
