/**
 * Tables of a dataset: the public views as Parquet files, one per table, month and project. Columns
 * are those of the views; `project` is only in the path, as engines expect of a partition.
 */
import { ENTRY_COLUMNS, columnOf } from '../../types.js';
import { toolCalls } from '../views.js';

interface DatasetTable {
  name: string;
  /** Rows as the view has them, with `project`. */
  from: string;
  /**
   * Rows of one month by a condition on the entry behind an alias, if a condition on the view would
   * be too slow.
   */
  ofMonth: ((within: (alias: string) => string) => string) | null;
  /**
   * The time column by which rows are split into months. null: few rows per project, all in one
   * file (`month=all`).
   */
  month: string | null;
  /**
   * Columns to sort rows by. Sorting by every column took more memory than everything else, because
   * quotes are long keys.
   */
  order: string[];
  /** Columns with texts of people, agents and tools; left out on request. */
  words: string[];
  /** Rows that may lack their `text` are counted by this condition. */
  texts: string | null;
  /**
   * Selects `project`, `time`, `h` (a hash) and `counted` (1 for a row, 0 for anything else that
   * affects it) without any text.
   */
  facts: ((where: string, hashed: (alias: string) => string) => string) | null;
}

/** A tool call consists of the call and its result. */
function callFacts(where: string): string {
  const calls = `own.current_entries v WHERE v.role = 'tool_call' AND ${where}`;
  return `SELECT v.project, v.time, 1 AS counted,
        hash(v.id, v.rev, v.hash, v.agent, v.session, v.tool, v.command, v.files, v.cwd, v.branch, v.path, v.line) AS h
      FROM ${calls}
    UNION ALL
    SELECT v.project, v.time, 0, hash(r.id, r.rev, r.seq, r.exit, r.outcome, r.error, r.time)
      FROM (SELECT * FROM ${calls}) v JOIN own.entries r ON r.agent = v.agent AND r.session = v.session AND r.call = v.call
      WHERE r.role = 'tool_result' AND NOT EXISTS (FROM own.superseded o WHERE o.n = r.n)`;
}

const WRITTEN = Object.entries(ENTRY_COLUMNS).flatMap(([field, { isWords }]) =>
  isWords ? [columnOf(field)] : [],
);
const ALL_MONTHS = { month: null, ofMonth: null, texts: null, facts: null };

/** Every table of a dataset, in the order of writing. */
export const DATASET_TABLES: readonly DatasetTable[] = [
  {
    ...{
      name: 'entries',
      from: 'main.entries',
      month: 'time',
      order: ['time', 'session', 'seq', 'id'],
      words: WRITTEN,
    },
    ...{ ofMonth: null, texts: 'true' },
    facts: (where, hashed) =>
      `SELECT v.project, v.time, 1 AS counted, hash(${hashed('v')}) AS h FROM own.current_entries v WHERE ${where}`,
  },
  {
    ...{
      name: 'tool_calls',
      from: 'main.tool_calls',
      month: 'time',
      order: ['time', 'session', 'id'],
      words: WRITTEN,
    },
    ...{ ofMonth: toolCalls, texts: `e.role = 'tool_call'`, facts: callFacts },
  },
  {
    ...ALL_MONTHS,
    name: 'sessions',
    from: 'main.sessions',
    order: ['started', 'session'],
    words: ['title'],
  },
  {
    ...ALL_MONTHS,
    name: 'projects',
    from: '(SELECT *, slug AS project FROM main.projects)',
    order: ['id'],
    words: [],
  },
  { ...ALL_MONTHS, name: 'lessons', from: 'main.lessons', order: ['id'], words: ['text', 'tags'] },
  {
    ...ALL_MONTHS,
    name: 'evidence',
    from: 'main.evidence',
    order: ['day', 'session', 'entry', 'lesson'],
    words: ['quote'],
  },
  {
    ...{ ...ALL_MONTHS, name: 'episodes', from: 'main.episodes', order: ['day', 'session'] },
    words: ['title', 'summary', 'signal', 'problem', 'solution', 'lesson', 'commands', 'next_step'],
  },
  { ...ALL_MONTHS, name: 'uses', from: 'main.uses', order: ['time', 'id'], words: [] },
  {
    ...ALL_MONTHS,
    name: 'receipts',
    from: 'main.receipts',
    order: ['time', 'receipt', 'id'],
    words: [],
  },
  {
    ...ALL_MONTHS,
    name: 'usage',
    from: 'main.usage',
    order: ['time', 'session', 'model', 'output'],
    words: [],
  },
  {
    ...{
      ...ALL_MONTHS,
      name: 'job_runs',
      from: '(SELECT *, NULL::VARCHAR AS project FROM main.job_runs)',
    },
    ...{ order: ['started', 'id'], words: ['error'] },
  },
];

/** What a file of a dataset contains. */
export interface DatasetPart {
  table: string;
  /** `2026-11`, `all`, or null for rows without a time. */
  month: string | null;
  /** Slug; null for rows of no project. */
  project: string | null;
}

/** How rows are changed in the dataset. */
export interface DatasetShape {
  /** Texts of people, agents and tools become NULL. */
  isWordless: boolean;
  /** Names of user accounts and their aliases; empty: names stay. */
  users: ReadonlyMap<string, string>;
}

/** A column of a view with its type, as DuckDB names it. */
export interface DatasetColumn {
  name: string;
  type: string;
}

/** Shorter names are replaced only as whole words: `ann` is part of `channel`. */
const WHOLE_WORD = 6;

/** A name as a pattern with the same meaning in DuckDB and JavaScript. */
function patternOf(name: string): string {
  const plain = name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  return name.length < WHOLE_WORD ? `(\\b|_)${plain}(\\b|_)` : `()${plain}()`;
}

/** Replaces all user names in a text. Pure. */
export function withoutUsers(text: string, users: DatasetShape['users']): string {
  return [...users].reduce(
    (left, [name, alias]) => left.replace(new RegExp(patternOf(name), 'gi'), `$1${alias}$2`),
    text,
  );
}

/** A text as a literal of SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** The columns of a table as its files hold them. */
export function datasetColumns(
  { words }: DatasetTable,
  columns: readonly DatasetColumn[],
  { isWordless, users }: DatasetShape,
): string {
  const masked = (text: string): string =>
    [...users].reduce(
      (left, [name, alias]) =>
        `regexp_replace(${left}, ${quoted(patternOf(name))}, ${quoted(`\\1${alias}\\2`)}, 'gi')`,
      text,
    );
  return columns
    .filter(({ name }) => name !== 'project')
    .map(({ name, type }) => {
      const own = `v."${name}"`;
      if (isWordless && words.includes(name)) return `NULL::${type} AS "${name}"`;
      if (users.size === 0 || !type.startsWith('VARCHAR')) return `${own} AS "${name}"`;
      return `${type === 'VARCHAR' ? masked(own) : `list_transform(${own}, lambda each: ${masked('each')})`} AS "${name}"`;
    })
    .join(', ');
}

/** Rows of one month (absent: of all) and, when named, of one project. */
export function datasetRows(
  { month: time }: DatasetTable,
  part: Partial<DatasetPart>,
  alias = 'v',
): string {
  const { month, project } = part;
  const column = `${alias}."${time}"`;
  return [
    ...(project === undefined
      ? []
      : [project === null ? `${alias}.project IS NULL` : `${alias}.project = ${quoted(project)}`]),
    ...(time === null || month === undefined
      ? []
      : [
          month === null
            ? `${column} IS NULL`
            : `${column} >= TIMESTAMP '${month}-01' AND ${column} < TIMESTAMP '${month}-01' + INTERVAL 1 MONTH`,
        ]),
    'true',
  ].join(' AND ');
}
