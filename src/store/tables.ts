/**
 * Each table: its columns, and what a purge does with its rows. The schema, the purge and its proof
 * read this list. No table has a key or an index: `planAdditions` keeps (id, rev) unique in the one
 * writing transaction, and an index of random ids is rewritten with every checkpoint
 * (docs/decisions/store-file.md). The public contract is the views in `views.ts`.
 */
import {
  EDIT_COLUMNS,
  ENTRY_COLUMNS,
  EVENT_COLUMNS,
  FACT_COLUMNS,
  LESSON_ROW,
  type Column,
  type EntryColumn,
  type SessionFacts,
} from '../types.js';

/** Which rows a purge deletes, and how. It always deletes a row with the text of `--match`. */
export interface TablePurge {
  /** SQL of the id of the row's entry. */
  entry?: string;
  /**
   * Rows of a session. `parsed`: if the session loses an entry, since it is parsed again; `whole`:
   * if it keeps no entry.
   */
  session?: 'parsed' | 'whole';
  /** Column with the id of the project. */
  project?: 'project' | 'owner' | 'id';
  /** SQL of rows whose row in an earlier table is missing. */
  stray?: string;
  /**
   * Notes of jobs, from which a purge also removes names: columns with the SQL of their empty
   * value; null: delete the row.
   */
  notes?: Readonly<Record<string, string | null>>;
}

export interface Table {
  /** Names and SQL types; `?` after a type allows NULL. */
  columns: Readonly<Record<string, string>>;
  /** Null: a purge changes nothing, since the table has only hashes. */
  purge: TablePurge | null;
}

/**
 * @param listed columns from a list of src/types
 * @returns a template tag for the other columns, e.g. `n BIGINT, log BIGINT?, path`; default type:
 * VARCHAR
 */
function table(
  purge: TablePurge | null,
  listed: Readonly<Record<string, Column>> = {},
): (own: TemplateStringsArray) => Table {
  const others = Object.entries(listed).map(([name, { type, unknown, isOptional }]) => [
    name,
    `${type}${unknown === undefined && isOptional !== true ? '' : '?'}`,
  ]);
  return ([own]) => {
    const columns = own!.split(',').map((column) => {
      const [name, type] = column.trim().split(' ') as [string, string | undefined];
      return [name.replace('?', ''), type ?? (name.endsWith('?') ? 'VARCHAR?' : 'VARCHAR')];
    });
    return { columns: Object.fromEntries([...columns, ...others]), purge };
  };
}

function entryColumns(...of: readonly EntryColumn['of'][]): Record<string, EntryColumn> {
  return Object.fromEntries(
    Object.entries(ENTRY_COLUMNS).filter(([, column]) => of.includes(column.of)),
  );
}

type SessionFact = Exclude<keyof SessionFacts, 'session'>;
/** Texts that logs give a session; a purge may remove them. */
export const SESSION_TEXTS = [
  'parent',
  'title',
  'version',
  'cwd',
  'branch',
  'remote',
  'original_cwd',
] as const satisfies readonly SessionFact[];
export const SESSION_FACTS: Record<SessionFact, Column> = {
  ...fromNames(SESSION_TEXTS, { type: 'VARCHAR', unknown: null }),
  ...fromNames(['machine', 'subagent'] as const, { type: 'BOOLEAN', unknown: false }),
};

function fromNames<Name extends string>(
  names: readonly Name[],
  column: Column,
): Record<Name, Column> {
  return Object.fromEntries(names.map((name) => [name, column])) as Record<Name, Column>;
}

/** Rows from parsing a session; replaced, moved and purged with the session. */
const OF_PARSED = { session: 'parsed', project: 'project' } as const;
const OF_ENTRY = { entry: 'entry' } as const;
const OF_NUMBER = { stray: 'n NOT IN (SELECT n FROM own.entries)' } as const;

/** A purge uses this order. */
export const TABLES = {
  // n: running number over entries and copies, never reused; hash: of content, so that a re-read
  // adds nothing; log: its row of own.sources.
  entries: table({ entry: 'id' }, entryColumns('entry', 'place'))`
    n BIGINT, log BIGINT?, length INTEGER`,
  // n of entries that a higher rev replaced, so that the views need no window over all rows.
  superseded: table(OF_NUMBER)`n BIGINT`,
  // The same entry seen in another session (fork, resume), with its place and time there.
  copies: table({ entry: 'id' }, entryColumns('place'))`
    n BIGINT, log BIGINT?`,
  texts: table(OF_NUMBER)`n BIGINT, text`,
  // Term hashes instead of a dictionary, so that rows are only inserted and are equal in all homes.
  postings: table(OF_NUMBER)`hash BIGINT, n BIGINT, count INTEGER`,
  purged: table(null)`id`,
  sources: table({ notes: { unknown_types: `'{}'` } })`
    log BIGINT, agent, path, device, inode, offset BIGINT, line BIGINT, head_length INTEGER,
    head_hash, tail_length INTEGER, tail_hash, size BIGINT, mtime_ms DOUBLE, state,
    bad_lines BIGINT, unknown_types, session?, last_read TIMESTAMP?`,
  bad_lines: table({ stray: 'log NOT IN (SELECT log FROM own.sources)' })`
    log BIGINT, path, line BIGINT, offset BIGINT, reason`,
  // active_seconds: sum of the gaps between the session's entries, each counted at most five
  // minutes; NULL until it is learnt from.
  sessions: table({ session: 'whole' }, SESSION_FACTS)`
    agent, session, project?, oldest TIMESTAMP?, newest TIMESTAMP?, touched TIMESTAMP?, last_n BIGINT, entries BIGINT, extracted_n BIGINT?, extractor INTEGER?,
    extracted TIMESTAMP?, opening_hash?, opening_length INTEGER?, typed_later BOOLEAN?,
    active_seconds BIGINT?`,
  folders: table({ project: 'project' })`cwd, project, facts`,
  projects: table({ project: 'id' })`id, slug, name, remote?`,
  project_aliases: table({ project: 'project' })`project, alias`,
  project_state: table({ project: 'project', notes: { page_names: 'NULL' } })`
    project, unlearnt BOOLEAN, learnt TIMESTAMP?, clock_day?, active_days VARCHAR[],
    withheld INTEGER, crystal?, page_sources?, page_files?, page_names?`,
  home_state: table({ notes: { embed_fault: 'NULL' } })`
    looked_entry BIGINT, looked_edit BIGINT, inbox_trusted VARCHAR[]?, model?, dimensions INTEGER?,
    embed_fault?, embed_fault_since TIMESTAMP?`,
  // Sessions, projects and facts that are skipped after an error. name: of the session, of the
  // project, or of a fact and its project.
  passed_over: table({ notes: { name: null, error: null } })`
    kind, agent, name, error, since TIMESTAMP`,
  candidates: table({ ...OF_PARSED, entry: `payload->>'$.evidence.entry'` })`
    agent, session, project, payload`,
  // Sentences after `Remember:` that are not claims.
  dropped_notes: table({ ...OF_PARSED, ...OF_ENTRY })`
    agent, session, project, entry, said_by, text, reason`,
  episodes: table(OF_PARSED)`
    agent, session, project, title, summary, day DATE?, outcome, signal, problem?, solution?,
    lesson?, files VARCHAR[], commands VARCHAR[], commits VARCHAR[], unfinished BOOLEAN, next_step?`,
  // Input rows of the fact queries (src/types/parsed.ts).
  steps: table({ ...OF_PARSED, ...OF_ENTRY })`
    agent, session, project, entry, n INTEGER, seq BIGINT, at INTEGER, time TIMESTAMP?,
    ended TIMESTAMP?, program, words VARCHAR[], form, class, narrow BOOLEAN, own BOOLEAN,
    shown BOOLEAN, env VARCHAR[], folder?, outcome, error?, absent BOOLEAN`,
  file_edits: table({ ...OF_PARSED, ...OF_ENTRY })`
    agent, session, project, entry, seq BIGINT, time TIMESTAMP?, file, deleted BOOLEAN?`,
  prompts: table({ ...OF_PARSED, ...OF_ENTRY })`
    agent, session, project, entry, seq BIGINT, time TIMESTAMP?, text`,
  // owner: project id, or '' for global; the lessons of one owner are replaced together.
  lessons: table({ project: 'owner' }, LESSON_ROW)`owner`,
  evidence: table({ project: 'owner', entry: 'entry' }, EVENT_COLUMNS)`
    lesson, owner, ord INTEGER`,
  edits: table({ project: 'owner' }, EDIT_COLUMNS)`n BIGINT, owner`,
  uses: table({ entry: `CASE type WHEN 'entry' THEN id END` })`
    time TIMESTAMP, type, id, door, agent?, session?, project?`,
  job_runs: table({ notes: { error: 'NULL', counts: `'{}'` } })`
    id BIGINT, job, period?, attempt INTEGER, started TIMESTAMP, ended TIMESTAMP?,
    outcome, counts, error?, next_attempt TIMESTAMP?`,
  llm_calls: table({ session: 'whole', notes: { error: 'NULL' } })`
    time TIMESTAMP, provider, model, purpose, agent?, session?, tokens_in BIGINT,
    tokens_out BIGINT, ms BIGINT, outcome, error?, kept INTEGER?, dropped?`,
  // Fulfilled requests of commands, so that none is fulfilled twice.
  requests: table({})`id, time TIMESTAMP`,
  tiers: table({ session: 'whole', project: 'project' })`
    project, agent, session, day, path, state, entries BIGINT, content?, sha256,
    written TIMESTAMP`,
  // Without a vector: nothing to embed. states: place and number of its tokens' states in
  // vectors.bin (offset x 16384 + their 8ths). n: of the entry; b0 to b5: the sign of each
  // dimension.
  vectors: table({ entry: `CASE owner WHEN 'entry' THEN id END` })`
    owner, id, rev INTEGER, fingerprint, part INTEGER, text?, vector FLOAT[384]?, states BIGINT?,
    n BIGINT?, b0 BIGINT?, b1 BIGINT?, b2 BIGINT?, b3 BIGINT?, b4 BIGINT?, b5 BIGINT?`,
  // How far a session was sent to a model (seq of the last entry), and the model's proven claims.
  asked: table({ session: 'parsed' })`
    agent, session, seq BIGINT, time TIMESTAMP`,
  claims: table({ session: 'parsed' })`agent, session, payload`,
  // Tokens of an answer, one row each. id: hash of the agent and its id of the answer. cost: from
  // the log, in US dollars.
  usage: table({ session: 'whole' })`
    id BIGINT, agent, session, time TIMESTAMP?, model?, input BIGINT, cache_read BIGINT,
    cache_write BIGINT, output BIGINT, reasoning BIGINT, cost DOUBLE?`,
  // Results of the fact queries at the last learning.
  fact_events: table({ entry: 'entry', session: 'whole', project: 'project' }, FACT_COLUMNS)`
    project`,
  // What hooks showed in sessions: insert-only, a row for each item. type: page, lesson, fact,
  // entry or notes; id: its id.
  receipts: table({
    entry: `CASE type WHEN 'entry' THEN id END`,
    session: 'whole',
    project: 'project',
  })`
    receipt, time TIMESTAMP, moment, agent, session, project, type, id, tokens INTEGER`,
} satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;

export const TABLE_NAMES = Object.keys(TABLES) as TableName[];

/** The tables of parsed sessions; each has the columns agent, session and project. */
export const PARSED_TABLES: readonly TableName[] = TABLE_NAMES.filter((name) => {
  const { columns, purge } = TABLES[name];
  return purge?.session === 'parsed' && 'project' in columns;
});

export function createTable(name: TableName): string {
  const list = Object.entries(TABLES[name].columns).map(
    ([column, type]) =>
      `"${column}" ${type.endsWith('?') ? type.slice(0, -1) : `${type} NOT NULL`}`,
  );
  return `CREATE TABLE IF NOT EXISTS own.${name} (${list.join(', ')})`;
}

/**
 * Columns with only dripstone's own words. Excluded, so that a purge of `user` does not match the
 * role.
 */
const OUR_WORDS = new Set(
  'role origin outcome kind scope status said_by action type door moment job purpose class'.split(
    ' ',
  ),
);

export function hasOurWords(table: string, column: string): boolean {
  return table in TABLES && OUR_WORDS.has(column);
}

/** SQL of each column of a table that may contain foreign text. */
export function textsIn(name: TableName): string[] {
  const columns = Object.entries(TABLES[name].columns).filter(
    ([column]) => !hasOurWords(name, column),
  );
  return columns.flatMap(([column, type]) =>
    type.startsWith('VARCHAR[]')
      ? `array_to_string("${column}", chr(10))`
      : type.startsWith('VARCHAR')
        ? `"${column}"`
        : [],
  );
}
