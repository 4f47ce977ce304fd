/**
 * What an agent's format is: where its logs lie, how they are read, and the fold that makes entries
 * of their records.
 */
import type { SessionFacts, Usage } from './capture.js';
import type { RawEntry } from './entry.js';

/** A complete record handed to an adapter's fold. */
export interface LogRecord {
  value: unknown;
  /**
   * 1-based line; of a document the 1-based index of the record; of a database the number of the
   * row.
   */
  line: number;
}

/**
 * What one step of the fold gives back. `State` is plain JSON under 16 KiB; it is stored with the
 * checkpoint.
 */
export interface Step<State> {
  state: State;
  rawEntries: RawEntry[];
  session?: SessionFacts;
  usage?: Usage[];
  /**
   * When the record was made, if its raw entries have no time: ISO 8601 UTC, or local time without
   * a zone. Applies to the records that follow until one has another time. Never part of an id.
   */
  at?: string | null;
  /** Name of a record type that the adapter does not know; counted per agent and version. */
  unknown?: string;
}

/** Where an agent leaves its logs. */
export interface LogPlace {
  /** Environment variable that replaces `root` (may have a comma list), or null. */
  env: string | null;
  /**
   * Folder below the variable's value, where that names the root's parent: `opencode` for
   * `$XDG_DATA_HOME/opencode`.
   */
  below?: string;
  /** Folder below the user's home, e.g. `.claude`; one `*` may end the name of a folder in it. */
  root: string;
  /** Sub-folder of the root that has logs, e.g. `projects`. */
  under: string;
  /** Globs relative to `root/under`, e.g. `**\/*.jsonl`. */
  globs: string[];
  /**
   * Looked at only below the roots that `agents.roots` of the config names: such logs lie inside
   * repositories, and a clone brings them along.
   */
  named?: true;
  /**
   * The agent's logs lie in its projects, and it keeps a list of them: `file` is a JSON file in
   * `root`, and each text under `field` in it is a root in place of `root` itself.
   */
  list?: { file: string; field: string };
}

/**
 * How a log is read. `lines`: JSON objects, appended. `text`: plain lines, appended, each a record
 * of its own. Read whole at each change: `document` (one JSON value), `replay` (JSON lines of which
 * later ones change what earlier ones said) and `page` (text). `rows`: an SQLite database.
 */
export type Shape = 'lines' | 'text' | 'document' | 'replay' | 'page' | 'rows';

/**
 * How rows of a database become records. The record is the row: its columns by name, as numbers,
 * texts or null.
 */
export interface RowQuery {
  /**
   * What must be there for it, as `table.column`; the first query of an adapter whose tables are
   * all there is asked.
   */
  needs: string[];
  /**
   * A SELECT with the columns `mark` (a whole number that rises whenever a row is written: a time
   * or a row number) and `key` (the row's number, no two alike), of rows after (`$mark`, `$key`) in
   * the order of both, at most `$limit`.
   */
  sql: string;
  /** Its other columns, which make the record; `line` numbers the row for people. */
  columns: string[];
  /**
   * So much of the mark's unit is read again at each look: rows of the same moment may come late.
   */
  overlap: number;
}

/** Name and place of a log, as the adapter may use it (never for ids). */
export interface LogName {
  /** Path relative to `root/under`, with forward slashes. */
  relative: string;
  /**
   * The folder that the log lies in, absolute: some logs lie in the folder of the project they are
   * about.
   */
  folder?: string;
  /**
   * Small files that say what the log does not, by the names that `beside` gave; absent ones are
   * left out.
   */
  beside?: Record<string, string>;
}

/** One agent's format: its places as data and a pure fold over its records. */
export interface Adapter<State = unknown> {
  agent: string;
  title: string;
  places: LogPlace[];
  /**
   * The shape of a log by its name; absent: `document` for `.json` where there is `unfold`, else
   * `lines`.
   */
  shape?(relative: string): Shape;
  /**
   * Records of a log that is read whole: of a JSON value (`document`), a list of objects (`replay`)
   * or a text (`page`); null when it is no session of this agent.
   */
  unfold?(content: unknown, name: LogName): unknown[] | null;
  /** Of databases. */
  rows?: readonly RowQuery[];
  /**
   * Paths of small text files that belong to a log, relative to its own folder; `parts/*` is every
   * file of a folder. None may lead out of the place.
   */
  beside?(relative: string): string[];
  /**
   * Of an agent that writes a session to a log and to a database: the session that a log's name
   * gives. Its messages are not taken from the database, where their ids differ.
   */
  sessionIn?(relative: string): string | null;
  /**
   * The agent deletes its own logs so many days after their last change, unless a number in a JSON
   * file of its first place's root says otherwise; 0 days mean that it writes none.
   */
  retention?: { days: number; file: string; setting: string };
  /** No real log was seen: the format is known from descriptions alone. */
  unproven?: true;
  start(name: LogName): State;
  step(state: State, record: LogRecord): Step<State>;
}

/** How a log of an adapter is read. */
export function shapeOf(adapter: Pick<Adapter, 'shape' | 'unfold'>, relative: string): Shape {
  return (
    adapter.shape?.(relative) ??
    (relative.endsWith('.json') && adapter.unfold !== undefined ? 'document' : 'lines')
  );
}
