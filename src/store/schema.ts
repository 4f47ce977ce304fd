/**
 * The tables. A new file gets `CREATE`; `UPGRADE_FROM_8` makes the same tables of those of the
 * version before. Columns of entries, lessons, events and edits come from their lists in src/types.
 * No table has a key or an index: `planAdditions` keeps (id, rev) unique in the one writing
 * transaction, and an index of random ids is rewritten with every checkpoint
 * (docs/decisions/store-file.md). The views in `views.ts` are what others may rely on.
 */
import {
  columnOf,
  EDIT_COLUMNS,
  ENTRY_COLUMNS,
  EVENT_COLUMNS,
  FACT_COLUMNS,
  LESSON_ROW,
  type Column,
  type EntryColumn,
} from '../types.js';

/** The version that this program writes, and the only older one that it reads. */
export const STORE_VERSION = 9;
export const PREVIOUS_VERSION = 8;

type ColumnList = Readonly<Record<string, Column>>;

function entryColumns(...of: readonly EntryColumn['of'][]): ColumnList {
  return Object.fromEntries(
    Object.entries(ENTRY_COLUMNS).filter(([, column]) => of.includes(column.of)),
  );
}

/** Tables whose columns a list tells, beside those that only the table itself needs. */
const LISTED = {
  entries: entryColumns('entry', 'place'),
  copies: entryColumns('place'),
  lessons: LESSON_ROW,
  evidence: EVENT_COLUMNS,
  fact_events: FACT_COLUMNS,
  edits: EDIT_COLUMNS,
} as const satisfies Readonly<Record<string, ColumnList>>;

/** A table: the columns of its list, and those that only the table needs. */
function table(name: keyof typeof LISTED, ...own: readonly string[]): string {
  const columns = Object.entries<Column>(LISTED[name]).map(
    ([field, { type, unknown, isOptional }]) =>
      `"${columnOf(field)}" ${type}${unknown === undefined && isOptional !== true ? ' NOT NULL' : ''}`,
  );
  return `CREATE TABLE own.${name} (${[...own, ...columns].join(', ')})`;
}

export const CREATE: readonly string[] = [
  `CREATE SCHEMA own`,
  // n: running number over entries and copies, never reused; hash: of content, so that a re-read
  // adds nothing; log: the row of own.sources that the entry was read from, whose path is the
  // present one.
  table('entries', 'n BIGINT NOT NULL', 'log BIGINT', 'length INTEGER NOT NULL'),
  // n of entries that a higher rev replaced, so that the views need no window over all rows.
  `CREATE TABLE own.superseded (n BIGINT NOT NULL)`,
  // The same entry seen in another session (fork, resume), with its place and time there.
  table('copies', 'n BIGINT NOT NULL', 'log BIGINT'),
  `CREATE TABLE own.texts (n BIGINT NOT NULL, text VARCHAR NOT NULL)`,
  // Term hash instead of a dictionary: insert-only, and two homes agree.
  `CREATE TABLE own.postings (hash BIGINT NOT NULL, n BIGINT NOT NULL, count INTEGER NOT NULL)`,
  `CREATE TABLE own.purged (id VARCHAR NOT NULL)`,
  `CREATE TABLE own.sources (
        log BIGINT NOT NULL, agent VARCHAR NOT NULL, path VARCHAR NOT NULL, device VARCHAR NOT NULL, inode VARCHAR NOT NULL,
        "offset" BIGINT NOT NULL, line BIGINT NOT NULL, head_length INTEGER NOT NULL, head_hash VARCHAR NOT NULL,
        tail_length INTEGER NOT NULL, tail_hash VARCHAR NOT NULL, size BIGINT NOT NULL, mtime_ms DOUBLE NOT NULL,
        state VARCHAR NOT NULL, bad_lines BIGINT NOT NULL, unknown_types VARCHAR NOT NULL, session VARCHAR,
        last_read TIMESTAMP)`,
  'CREATE TABLE own.bad_lines (log BIGINT NOT NULL, path VARCHAR NOT NULL, line BIGINT NOT NULL, "offset" BIGINT NOT ' +
    'NULL, reason VARCHAR NOT NULL)',
  // active_seconds: sum of the gaps between the session's entries, each counted at most five
  // minutes; NULL until it is learnt from.
  `CREATE TABLE own.sessions (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, parent VARCHAR, title VARCHAR, version VARCHAR, cwd VARCHAR,
        branch VARCHAR, remote VARCHAR, original_cwd VARCHAR, machine BOOLEAN, subagent BOOLEAN, project VARCHAR,
        oldest TIMESTAMP, newest TIMESTAMP, touched TIMESTAMP, last_n BIGINT NOT NULL, entries BIGINT NOT NULL,
        extracted_n BIGINT, extractor INTEGER, extracted TIMESTAMP, opening_hash VARCHAR, opening_length INTEGER,
        typed_later BOOLEAN, active_seconds BIGINT)`,
  `CREATE TABLE own.folders (cwd VARCHAR NOT NULL, project VARCHAR NOT NULL, facts VARCHAR NOT NULL)`,
  `CREATE TABLE own.projects (id VARCHAR NOT NULL, slug VARCHAR NOT NULL, name VARCHAR NOT NULL, remote VARCHAR)`,
  `CREATE TABLE own.project_aliases (project VARCHAR NOT NULL, alias VARCHAR NOT NULL)`,
  'CREATE TABLE own.candidates (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL, payload ' +
    'VARCHAR NOT NULL)',
  // Sentences behind `Remember:` that are no claims.
  `CREATE TABLE own.dropped_notes (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL,
        entry VARCHAR NOT NULL, said_by VARCHAR NOT NULL, text VARCHAR NOT NULL, reason VARCHAR NOT NULL)`,
  `CREATE TABLE own.episodes (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL, title VARCHAR NOT NULL,
        summary VARCHAR NOT NULL, day DATE, outcome VARCHAR NOT NULL, signal VARCHAR NOT NULL, problem VARCHAR,
        solution VARCHAR, lesson VARCHAR, files VARCHAR[] NOT NULL, commands VARCHAR[] NOT NULL, commits VARCHAR[] NOT NULL,
        unfinished BOOLEAN NOT NULL, next_step VARCHAR)`,
  // owner: project id, or '' for global; the lessons of one owner are replaced together.
  table('lessons', 'owner VARCHAR NOT NULL'),
  table('evidence', 'lesson VARCHAR NOT NULL', 'owner VARCHAR NOT NULL', 'ord INTEGER NOT NULL'),
  table('edits', 'n BIGINT NOT NULL', 'owner VARCHAR NOT NULL'),
  'CREATE TABLE own.uses (time TIMESTAMP NOT NULL, type VARCHAR NOT NULL, id VARCHAR NOT NULL, door VARCHAR NOT NULL, ' +
    'agent VARCHAR, session VARCHAR, project VARCHAR)',
  `CREATE TABLE own.job_runs (
        id BIGINT NOT NULL, job VARCHAR NOT NULL, subject VARCHAR, period VARCHAR, attempt INTEGER NOT NULL,
        started TIMESTAMP NOT NULL, ended TIMESTAMP, outcome VARCHAR NOT NULL, counts VARCHAR NOT NULL, error VARCHAR,
        next_attempt TIMESTAMP)`,
  `CREATE TABLE own.llm_calls (
        time TIMESTAMP NOT NULL, provider VARCHAR NOT NULL, model VARCHAR NOT NULL, purpose VARCHAR NOT NULL, agent VARCHAR,
        session VARCHAR, tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL, ms BIGINT NOT NULL, outcome VARCHAR NOT NULL,
        error VARCHAR, kept INTEGER, dropped VARCHAR)`,
  `CREATE TABLE own.tiers (
        project VARCHAR NOT NULL, agent VARCHAR NOT NULL, session VARCHAR NOT NULL, day VARCHAR NOT NULL, path VARCHAR NOT NULL,
        state VARCHAR NOT NULL, entries BIGINT NOT NULL, last_n BIGINT NOT NULL, sha256 VARCHAR NOT NULL,
        written TIMESTAMP NOT NULL)`,
  // A row without a vector says that there is nothing to embed in this entry. states: where
  // vectors.bin has the states of this window's tokens, and how many (offset x 16384 + their
  // 8ths). n: of the entry; b0 to b5: the sign of each dimension.
  // The column has the length of the shipped model's vectors until another one makes any.
  `CREATE TABLE own.vectors (
        owner VARCHAR NOT NULL, id VARCHAR NOT NULL, rev INTEGER NOT NULL, fingerprint VARCHAR NOT NULL, part INTEGER NOT NULL,
        text VARCHAR, vector FLOAT[384], states BIGINT, n BIGINT, b0 BIGINT, b1 BIGINT, b2 BIGINT, b3 BIGINT,
        b4 BIGINT, b5 BIGINT)`,
  // How far a model was shown a session (seq of the last entry), and what it claimed that the
  // session bears out.
  `CREATE TABLE own.asked (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, seq BIGINT NOT NULL, time TIMESTAMP NOT NULL)`,
  `CREATE TABLE own.claims (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, payload VARCHAR NOT NULL)`,
  // A tier as its file was when its bytes were last compared with `own.tiers`.
  `CREATE TABLE own.tier_checks (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, day VARCHAR NOT NULL, size BIGINT NOT NULL, mtime_ms DOUBLE NOT NULL)`,
  // A tier that was missing or not as we wrote it.
  'CREATE TABLE own.tier_faults (path VARCHAR NOT NULL, what VARCHAR NOT NULL, time TIMESTAMP NOT NULL)',
  // Tokens of an answer; id: hash of the agent and its own id of it, each once. cost: what the
  // log says, in US dollars.
  `CREATE TABLE own.usage (
        id BIGINT NOT NULL, agent VARCHAR NOT NULL, session VARCHAR NOT NULL, time TIMESTAMP, model VARCHAR,
        input BIGINT NOT NULL, cache_read BIGINT NOT NULL, cache_write BIGINT NOT NULL, output BIGINT NOT NULL,
        reasoning BIGINT NOT NULL, cost DOUBLE)`,
  // Rows that facts are asked from (src/types/parsed.ts); replaced whole when their session is
  // parsed again.
  `CREATE TABLE own.steps (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL, entry VARCHAR NOT NULL, n INTEGER NOT NULL,
        seq BIGINT NOT NULL, "at" INTEGER NOT NULL, time TIMESTAMP, ended TIMESTAMP, program VARCHAR NOT NULL,
        words VARCHAR[] NOT NULL, form VARCHAR NOT NULL, class VARCHAR NOT NULL, narrow BOOLEAN NOT NULL, own BOOLEAN NOT NULL,
        shown BOOLEAN NOT NULL, env VARCHAR[] NOT NULL, folder VARCHAR, outcome VARCHAR NOT NULL, error VARCHAR,
        absent BOOLEAN NOT NULL)`,
  `CREATE TABLE own.file_edits (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL, entry VARCHAR NOT NULL, seq BIGINT NOT NULL,
        time TIMESTAMP, file VARCHAR NOT NULL, deleted BOOLEAN)`,
  `CREATE TABLE own.prompts (
        agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT NULL, entry VARCHAR NOT NULL, seq BIGINT NOT NULL,
        time TIMESTAMP, text VARCHAR NOT NULL)`,
  // What the fact queries said of a project when it was learnt last.
  table('fact_events', 'project VARCHAR NOT NULL'),
  // What hooks showed in sessions: insert-only, a row for each item. type: page, lesson, fact,
  // entry or notes; id: of that.
  `CREATE TABLE own.receipts (
        receipt VARCHAR NOT NULL, time TIMESTAMP NOT NULL, moment VARCHAR NOT NULL, agent VARCHAR NOT NULL,
        session VARCHAR NOT NULL, project VARCHAR NOT NULL, type VARCHAR NOT NULL, id VARCHAR NOT NULL,
        tokens INTEGER NOT NULL)`,
];

/** One statement for each table or column that version 8 has and `CREATE` has not, or the reverse. */
export const UPGRADE_FROM_8: readonly string[] = [
  'DROP TABLE IF EXISTS own.relations',
  'DROP VIEW IF EXISTS main.evidence',
  'DROP TABLE IF EXISTS own.rewordings',
  'DROP VIEW IF EXISTS main.occurrences',
  'DROP TABLE IF EXISTS own.occurrences',
  'DROP TABLE IF EXISTS own.transitions',
  'DROP TABLE IF EXISTS own.typed_prompts',
  'ALTER TABLE own.tier_checks DROP COLUMN IF EXISTS texts',
  'ALTER TABLE own.tier_faults DROP COLUMN IF EXISTS texts',
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
  'CREATE TABLE IF NOT EXISTS own.dropped_notes (agent VARCHAR NOT NULL, session VARCHAR NOT NULL, project VARCHAR NOT ' +
    'NULL, entry VARCHAR NOT NULL, said_by VARCHAR NOT NULL, text VARCHAR NOT NULL, reason VARCHAR NOT NULL)',
  'ALTER TABLE own.file_edits ADD COLUMN IF NOT EXISTS deleted BOOLEAN',
  `DELETE FROM own.fact_events WHERE fact IN ('restated', 'habit', 'flaky', 'together', 'own')`,
  `DELETE FROM main.meta WHERE key = 'own_facts'`,
];

/**
 * What parsing a session gives: replaced, moved and purged with it. Each has the columns agent,
 * session and project.
 */
export const PARSED_TABLES = [
  'candidates',
  'dropped_notes',
  'episodes',
  'steps',
  'file_edits',
  'prompts',
] as const;
