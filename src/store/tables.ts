/**
 * A description of each table of ours: its columns, the module that writes it, what a purge does
 * with its rows, and where else they are. The schema, the purge and its proof loop over it. No
 * table has a key or an index: `planAdditions` keeps (id, rev) unique in the one writing
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

/** Which rows a purge deletes, and how. A row that holds the text of `--match` always goes. */
export interface TablePurge {
  /** SQL of the id of the entry that a row is about. */
  entry?: string;
  /**
   * Rows with this agent and session. `parsed`: of each session that loses an entry, since it is
   * parsed again; `whole`: of a session that keeps none.
   */
  session?: 'parsed' | 'whole';
  /** Column with the id of the project. */
  project?: 'project' | 'owner' | 'id';
  /** SQL of rows that belong to no row of a table before this one. */
  stray?: string;
  /**
   * What jobs note of their work: names of what was purged go from it as well. A column with the
   * SQL of its empty value, which its row keeps; null: the row goes.
   */
  notes?: Readonly<Record<string, string | null>>;
}

export interface Table {
  /** Names and SQL types; `?` follows the type of one that may be NULL. */
  columns: Readonly<Record<string, string>>;
  /** The module that writes it, below `src/store`. */
  writer: string;
  /** Null: it has hashes alone, by which what was purged stays away. */
  purge: TablePurge | null;
  /**
   * Where its rows come from when the database is lost. `logs`: logs and tiers; `crystals`: also in
   * bundles; `learnt`: made of rows of other tables; `nowhere`: they are lost.
   */
  source: 'logs' | 'crystals' | 'learnt' | 'nowhere';
}

/** `n BIGINT, log BIGINT?` as columns. */
function columns(text: string, listed: Readonly<Record<string, Column>> = {}): Table['columns'] {
  const own = text.split(', ').map((column) => column.split(' ') as [string, string]);
  const others = Object.entries(listed).map(([field, { type, unknown, isOptional }]) => [
    columnOf(field),
    `${type}${unknown === undefined && isOptional !== true ? '' : '?'}`,
  ]);
  return Object.fromEntries([...own, ...others]) as Table['columns'];
}

function entryColumns(...of: readonly EntryColumn['of'][]): Record<string, EntryColumn> {
  return Object.fromEntries(
    Object.entries(ENTRY_COLUMNS).filter(([, column]) => of.includes(column.of)),
  );
}

/** Columns of what parsing a session gives: replaced, moved and purged with it. */
const PARSED = 'agent VARCHAR, session VARCHAR, project VARCHAR';
const OF_PARSED = { session: 'parsed', project: 'project' } as const;
const OF_NUMBER = { stray: 'n NOT IN (SELECT n FROM own.entries)' } as const;

/** A purge goes through them in this order. */
export const TABLES = {
  // n: running number over entries and copies, never reused; hash: of content, so that a re-read
  // adds nothing; log: the row of own.sources that the entry was read from, whose path is the
  // present one.
  entries: {
    columns: columns('n BIGINT, log BIGINT?, length INTEGER', entryColumns('entry', 'place')),
    writer: 'rows/entries',
    purge: { entry: 'id' },
    source: 'logs',
  },
  // n of entries that a higher rev replaced, so that the views need no window over all rows.
  superseded: {
    columns: columns('n BIGINT'),
    writer: 'rows/entries',
    purge: OF_NUMBER,
    source: 'logs',
  },
  // The same entry seen in another session (fork, resume), with its place and time there.
  copies: {
    columns: columns('n BIGINT, log BIGINT?', entryColumns('place')),
    writer: 'rows/entries',
    purge: { entry: 'id' },
    source: 'logs',
  },
  texts: {
    columns: columns('n BIGINT, text VARCHAR'),
    writer: 'rows/entries',
    purge: OF_NUMBER,
    source: 'logs',
  },
  // Term hash instead of a dictionary: insert-only, and two homes agree.
  postings: {
    columns: columns('hash BIGINT, n BIGINT, count INTEGER'),
    writer: 'rows/entries',
    purge: OF_NUMBER,
    source: 'logs',
  },
  purged: {
    columns: columns('id VARCHAR'),
    writer: 'repair/purged',
    purge: null,
    source: 'crystals',
  },
  sources: {
    columns: columns(
      'log BIGINT, agent VARCHAR, path VARCHAR, device VARCHAR, inode VARCHAR, offset BIGINT, line BIGINT, ' +
        'head_length INTEGER, head_hash VARCHAR, tail_length INTEGER, tail_hash VARCHAR, size BIGINT, mtime_ms DOUBLE, ' +
        'state VARCHAR, bad_lines BIGINT, unknown_types VARCHAR, session VARCHAR?, last_read TIMESTAMP?',
    ),
    writer: 'rows/sources',
    purge: { notes: { unknown_types: `'{}'` } },
    source: 'logs',
  },
  bad_lines: {
    columns: columns('log BIGINT, path VARCHAR, line BIGINT, offset BIGINT, reason VARCHAR'),
    writer: 'rows/sources',
    purge: { stray: 'log NOT IN (SELECT log FROM own.sources)' },
    source: 'logs',
  },
  // active_seconds: sum of the gaps between the session's entries, each counted at most five
  // minutes; NULL until it is learnt from.
  sessions: {
    columns: columns(
      'agent VARCHAR, session VARCHAR, parent VARCHAR?, title VARCHAR?, version VARCHAR?, cwd VARCHAR?, branch VARCHAR?, ' +
        'remote VARCHAR?, original_cwd VARCHAR?, machine BOOLEAN?, subagent BOOLEAN?, project VARCHAR?, ' +
        'oldest TIMESTAMP?, newest TIMESTAMP?, touched TIMESTAMP?, last_n BIGINT, entries BIGINT, extracted_n BIGINT?, ' +
        'extractor INTEGER?, extracted TIMESTAMP?, opening_hash VARCHAR?, opening_length INTEGER?, typed_later BOOLEAN?, ' +
        'active_seconds BIGINT?',
    ),
    writer: 'rows/session-rows',
    purge: { session: 'whole' },
    source: 'logs',
  },
  folders: {
    columns: columns('cwd VARCHAR, project VARCHAR, facts VARCHAR'),
    writer: 'rows/projects',
    purge: { project: 'project' },
    source: 'logs',
  },
  projects: {
    columns: columns('id VARCHAR, slug VARCHAR, name VARCHAR, remote VARCHAR?'),
    writer: 'rows/projects',
    purge: { project: 'id' },
    source: 'crystals',
  },
  project_aliases: {
    columns: columns('project VARCHAR, alias VARCHAR'),
    writer: 'rows/projects',
    purge: { project: 'project' },
    source: 'crystals',
  },
  candidates: {
    columns: columns(`${PARSED}, payload VARCHAR`),
    writer: 'rows/extraction',
    purge: { ...OF_PARSED, entry: `payload->>'$.evidence.entry'` },
    source: 'learnt',
  },
  // Sentences behind `Remember:` that are no claims.
  dropped_notes: {
    columns: columns(`${PARSED}, entry VARCHAR, said_by VARCHAR, text VARCHAR, reason VARCHAR`),
    writer: 'rows/extraction',
    purge: { ...OF_PARSED, entry: 'entry' },
    source: 'learnt',
  },
  episodes: {
    columns: columns(
      `${PARSED}, title VARCHAR, summary VARCHAR, day DATE?, outcome VARCHAR, signal VARCHAR, problem VARCHAR?, ` +
        'solution VARCHAR?, lesson VARCHAR?, files VARCHAR[], commands VARCHAR[], commits VARCHAR[], ' +
        'unfinished BOOLEAN, next_step VARCHAR?',
    ),
    writer: 'rows/extraction',
    purge: OF_PARSED,
    source: 'learnt',
  },
  // Rows that facts are asked from (src/types/parsed.ts).
  steps: {
    columns: columns(
      `${PARSED}, entry VARCHAR, n INTEGER, seq BIGINT, at INTEGER, time TIMESTAMP?, ended TIMESTAMP?, program VARCHAR, ` +
        'words VARCHAR[], form VARCHAR, class VARCHAR, narrow BOOLEAN, own BOOLEAN, shown BOOLEAN, env VARCHAR[], ' +
        'folder VARCHAR?, outcome VARCHAR, error VARCHAR?, absent BOOLEAN',
    ),
    writer: 'rows/extraction',
    purge: { ...OF_PARSED, entry: 'entry' },
    source: 'learnt',
  },
  file_edits: {
    columns: columns(
      `${PARSED}, entry VARCHAR, seq BIGINT, time TIMESTAMP?, file VARCHAR, deleted BOOLEAN?`,
    ),
    writer: 'rows/extraction',
    purge: { ...OF_PARSED, entry: 'entry' },
    source: 'learnt',
  },
  prompts: {
    columns: columns(`${PARSED}, entry VARCHAR, seq BIGINT, time TIMESTAMP?, text VARCHAR`),
    writer: 'rows/extraction',
    purge: { ...OF_PARSED, entry: 'entry' },
    source: 'learnt',
  },
  // owner: project id, or '' for global; the lessons of one owner are replaced together.
  lessons: {
    columns: columns('owner VARCHAR', LESSON_ROW),
    writer: 'rows/lessons',
    purge: { project: 'owner' },
    source: 'crystals',
  },
  evidence: {
    columns: columns('lesson VARCHAR, owner VARCHAR, ord INTEGER', EVENT_COLUMNS),
    writer: 'rows/lessons',
    purge: { project: 'owner', entry: 'entry' },
    source: 'crystals',
  },
  edits: {
    columns: columns('n BIGINT, owner VARCHAR', EDIT_COLUMNS),
    writer: 'rows/edits',
    purge: { project: 'owner' },
    source: 'crystals',
  },
  uses: {
    columns: columns(
      'time TIMESTAMP, type VARCHAR, id VARCHAR, door VARCHAR, agent VARCHAR?, session VARCHAR?, project VARCHAR?',
    ),
    writer: 'rows/uses',
    purge: { entry: `CASE type WHEN 'entry' THEN id END` },
    source: 'nowhere',
  },
  job_runs: {
    columns: columns(
      'id BIGINT, job VARCHAR, subject VARCHAR?, period VARCHAR?, attempt INTEGER, started TIMESTAMP, ended TIMESTAMP?, ' +
        'outcome VARCHAR, counts VARCHAR, error VARCHAR?, next_attempt TIMESTAMP?',
    ),
    writer: 'rows/job-runs',
    purge: { notes: { error: 'NULL', counts: `'{}'`, subject: 'NULL' } },
    source: 'nowhere',
  },
  llm_calls: {
    columns: columns(
      'time TIMESTAMP, provider VARCHAR, model VARCHAR, purpose VARCHAR, agent VARCHAR?, session VARCHAR?, ' +
        'tokens_in BIGINT, tokens_out BIGINT, ms BIGINT, outcome VARCHAR, error VARCHAR?, kept INTEGER?, dropped VARCHAR?',
    ),
    writer: 'rows/llm-calls',
    purge: { session: 'whole', notes: { error: 'NULL' } },
    source: 'nowhere',
  },
  tiers: {
    columns: columns(
      'project VARCHAR, agent VARCHAR, session VARCHAR, day VARCHAR, path VARCHAR, state VARCHAR, entries BIGINT, ' +
        'last_n BIGINT, sha256 VARCHAR, written TIMESTAMP',
    ),
    writer: 'rows/tiers',
    purge: { session: 'whole', project: 'project' },
    source: 'learnt',
  },
  // A row without a vector says that there is nothing to embed in this entry. states: where
  // vectors.bin has the states of this window's tokens, and how many (offset x 16384 + their
  // 8ths). n: of the entry; b0 to b5: the sign of each dimension. The column has the length of the
  // shipped model's vectors until another one makes any.
  vectors: {
    columns: columns(
      'owner VARCHAR, id VARCHAR, rev INTEGER, fingerprint VARCHAR, part INTEGER, text VARCHAR?, vector FLOAT[384]?, ' +
        'states BIGINT?, n BIGINT?, b0 BIGINT?, b1 BIGINT?, b2 BIGINT?, b3 BIGINT?, b4 BIGINT?, b5 BIGINT?',
    ),
    writer: 'search/vectors',
    purge: { entry: `CASE owner WHEN 'entry' THEN id END` },
    source: 'learnt',
  },
  // How far a model was shown a session (seq of the last entry), and what it claimed that the
  // session bears out.
  asked: {
    columns: columns('agent VARCHAR, session VARCHAR, seq BIGINT, time TIMESTAMP'),
    writer: 'rows/asked',
    purge: { session: 'parsed' },
    source: 'nowhere',
  },
  claims: {
    columns: columns('agent VARCHAR, session VARCHAR, payload VARCHAR'),
    writer: 'rows/asked',
    purge: { session: 'parsed' },
    source: 'crystals',
  },
  // A tier as its file was when its bytes were last compared with `own.tiers`.
  tier_checks: {
    columns: columns('agent VARCHAR, session VARCHAR, day VARCHAR, size BIGINT, mtime_ms DOUBLE'),
    writer: 'rows/health',
    purge: { session: 'whole' },
    source: 'learnt',
  },
  // A tier that was missing or not as we wrote it.
  tier_faults: {
    columns: columns('path VARCHAR, what VARCHAR, time TIMESTAMP'),
    writer: 'rows/health',
    purge: { notes: { path: null } },
    source: 'learnt',
  },
  // Tokens of an answer; id: hash of the agent and its own id of it, each once. cost: what the log
  // says, in US dollars.
  usage: {
    columns: columns(
      'id BIGINT, agent VARCHAR, session VARCHAR, time TIMESTAMP?, model VARCHAR?, input BIGINT, cache_read BIGINT, ' +
        'cache_write BIGINT, output BIGINT, reasoning BIGINT, cost DOUBLE?',
    ),
    writer: 'usage',
    purge: { session: 'whole' },
    source: 'logs',
  },
  // What the fact queries said of a project when it was learnt last.
  fact_events: {
    columns: columns('project VARCHAR', FACT_COLUMNS),
    writer: 'facts',
    purge: { entry: 'entry', session: 'whole', project: 'project' },
    source: 'learnt',
  },
  // What hooks showed in sessions: insert-only, a row for each item. type: page, lesson, fact,
  // entry or notes; id: of that.
  receipts: {
    columns: columns(
      'receipt VARCHAR, time TIMESTAMP, moment VARCHAR, agent VARCHAR, session VARCHAR, project VARCHAR, type VARCHAR, ' +
        'id VARCHAR, tokens INTEGER',
    ),
    writer: 'search/receipts',
    purge: { entry: `CASE type WHEN 'entry' THEN id END`, session: 'whole', project: 'project' },
    source: 'crystals',
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** The tables of what parsing a session gives; each has the columns agent, session and project. */
export const PARSED_TABLES: readonly TableName[] = TABLE_NAMES.filter((name) => {
  const { columns: of, purge }: Table = TABLES[name];
  return purge?.session === 'parsed' && 'project' in of;
});

export function createTable(name: TableName): string {
  const list = Object.entries<string>(TABLES[name].columns).map(
    ([column, type]) =>
      `"${column}" ${type.endsWith('?') ? type.slice(0, -1) : `${type} NOT NULL`}`,
  );
  return `CREATE TABLE IF NOT EXISTS own.${name} (${list.join(', ')})`;
}

/** SQL of each column of a table that may hold words. */
export function textsIn(name: TableName): string[] {
  return Object.entries<string>(TABLES[name].columns).flatMap(([column, type]) =>
    type.startsWith('VARCHAR[]')
      ? `array_to_string("${column}", chr(10))`
      : type.startsWith('VARCHAR')
        ? `"${column}"`
        : [],
  );
}
