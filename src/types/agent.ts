/**
 * What an agent's format is: the places of its logs, how they are read, and the fold that makes
 * entries of their records.
 */
import type { SessionFacts, Usage } from './capture.js';
import type { RawEntry } from './entry.js';

/** A complete record handed to an adapter's fold. */
export interface LogRecord {
  value: unknown;
  /**
   * The line, from 1; in a document the index of the record, from 1; in a database the row number.
   */
  line: number;
}

/**
 * Result of one step of the fold. `State` is plain JSON under 16 KiB, stored with the checkpoint.
 */
export interface Step<State> {
  state: State;
  rawEntries: RawEntry[];
  session?: SessionFacts;
  usage?: Usage[];
  /**
   * Time of the record if its raw entries have none: ISO 8601 UTC, or local time without a zone.
   * Also used for the next records, up to one with another time. Never part of an id.
   */
  at?: string | null;
  /** Name of a record type that the adapter does not know; counted per agent and version. */
  unknown?: string;
}

/** Where an agent writes its logs. */
export interface LogPlace {
  /** Environment variable that replaces `root` (may have a comma list), or null. */
  env: string | null;
  /**
   * Folder below the variable's value, if the value is the root's parent: `opencode` for
   * `$XDG_DATA_HOME/opencode`.
   */
  below?: string;
  /** Folder below the user's home, e.g. `.claude`; the name of one folder in it may end in `*`. */
  root: string;
  /** Sub-folder of the root that has logs, e.g. `projects`. */
  under: string;
  /** Globs relative to `root/under`, e.g. `**\/*.jsonl`. */
  globs: string[];
  /**
   * Searched only below the roots in `agents.roots` of the config: such logs lie inside
   * repositories, so a clone can contain logs of others.
   */
  named?: true;
  /**
   * The agent's logs lie in its projects, and the agent keeps a list of them: `file` is a JSON file
   * in `root`. Each text under `field` in it replaces `root`.
   */
  list?: { file: string; field: string };
}

/**
 * How a log is read. `lines` (JSON objects) and `text` (each plain line is a record) are appended
 * to. The next three are read whole at each change: `document` (one JSON value), `replay` (JSON
 * lines; later ones change earlier ones) and `page` (text). `rows`: an SQLite database.
 */
export type Shape = 'lines' | 'text' | 'document' | 'replay' | 'page' | 'rows';

/**
 * How rows of a database become records. A record is the row: its columns by name, as numbers,
 * texts or null.
 */
export interface RowQuery {
  /**
   * Columns that must exist, as `table.column`. The first query of an adapter whose columns all
   * exist is used.
   */
  needs: string[];
  /**
   * A SELECT of at most `$limit` rows after (`$mark`, `$key`), in that order. Columns: `mark` (a
   * whole number that rises whenever a row is written: a time or a row number) and `key` (the row's
   * unique number).
   */
  sql: string;
  /**
   * The other columns, which make the record; `line` numbers the row for people. Where `mark` is the
   * row's number, the first text identifies the row.
   */
  columns: string[];
  /** Rows so far below the last mark are read again: one with an older mark may come late. */
  overlap: number;
}

/** Name and place of a log, as the adapter may use it (never for ids). */
export interface LogName {
  /** Path relative to `root/under`, with forward slashes. */
  relative: string;
  /** Absolute path of the log's folder: some logs lie in the folder of their project. */
  folder?: string;
  /**
   * Contents of small files with more facts, by the names from `beside`; absent files are left out.
   */
  beside?: Record<string, string>;
}

/** One agent's format: its places as data and a pure fold over its records. */
export interface Adapter<State = unknown> {
  agent: string;
  title: string;
  places: LogPlace[];
  /**
   * The shape of a log by its name; the default is `document` for `.json` if there is `unfold`,
   * else `lines`.
   */
  shape?(relative: string): Shape;
  /**
   * Records of a log that is read whole: of a JSON value (`document`), a list of objects (`replay`)
   * or a text (`page`). Null if it is no session of this agent.
   */
  unfold?(content: unknown, name: LogName): unknown[] | null;
  /** Queries of an agent with databases. */
  rows?: readonly RowQuery[];
  /**
   * Paths of small text files that belong to a log, relative to its folder; `parts/*` means every
   * file of a folder. No path may lead out of the place.
   */
  beside?(relative: string): string[];
  /**
   * For an agent that writes a session to a log and to a database: the session in a log's name. Its
   * messages are not read from the database, because their ids differ there.
   */
  sessionIn?(relative: string): string | null;
  /**
   * The agent deletes a log so many days after its last change. A number in a JSON file of its
   * first place's root replaces `days`; 0 means that the agent writes no logs.
   */
  retention?: { days: number; file: string; setting: string };
  /** Nobody has seen a real log: the format is known only from descriptions. */
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
