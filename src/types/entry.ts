/**
 * An entry and its columns. The table, its rows, the view `entries` and the tiers follow from this
 * list. CONTRIBUTING.md shows how to add a column.
 */

import type { Column } from './columns.js';

export const ORIGINS = ['user', 'agent', 'tool', 'external', 'injected'] as const;

/** Who really wrote a text. Only `user` means that a person typed it. */
export type Origin = (typeof ORIGINS)[number];

export const ROLES = [
  'user',
  'assistant',
  'thinking',
  'tool_call',
  'tool_result',
  'system',
] as const;

export type Role = (typeof ROLES)[number];

export const OUTCOMES = ['ok', 'failed', 'rejected', 'interrupted'] as const;

/**
 * How a tool's result ended. `rejected`: the user refused the call; `interrupted`: the user stopped
 * it.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** What an adapter makes of one block of a log record, before redaction. */
export interface RawEntry {
  /** The agent's own record id plus the block's index in it, or null when the record has none. */
  native: string | null;
  time: string | null;
  role: Role;
  origin: Origin;
  /** Tool name for tool_call and tool_result. */
  tool: string | null;
  /**
   * The text as the person, agent or tool wrote it: of a tool_call its command or main argument, of
   * an edit the path and changed lines.
   */
  text: string;
  /** The agent's own call id, which joins a tool_call with its tool_result. */
  call: string | null;
  /**
   * The whole shell command of a tool_call, or of the call that this tool_result answers, not
   * normalised.
   */
  command: string | null;
  /** Exit status of a tool_result, if the log has it. */
  exit: number | null;
  outcome: Outcome | null;
  /** Files that the call names as path arguments (absolute, or relative to cwd). */
  files: string[];
  /** Working folder at that moment. */
  cwd: string | null;
  branch: string | null;
  /** The record repeats an earlier session (resume, fork): kept for search, never evidence. */
  copied?: boolean;
  /**
   * Marks for the extractor: `interrupt` (user stopped the agent), `rejection`, `compaction`,
   * `plan`, `subagent`, `question` (agent asked, user chose), `final` (last text of a turn),
   * `todo`, `unsandboxed` (the agent asked to run a command outside its sandbox), `running` (a
   * partial result: the command still runs).
   */
  marks?: string[];
  /**
   * For records without id: equal texts of two sessions are two entries, since no fork or resume of
   * this agent repeats a text.
   */
  bySession?: true;
  /**
   * Ids of calls whose output a tool_result may contain. If one of them reads a secret file, the
   * result's content is not stored.
   */
  among?: string[];
  /** Place in the session, instead of the line: some agents write each record into its own file. */
  order?: number;
}

/** Fields that every event of a record may have; a missing one is taken from the record's place. */
export const PLACE_FIELDS = ['order', 'copied'] as const satisfies readonly (keyof RawEntry)[];

/**
 * Whether a field of a raw entry is masked; its text always is. The other fields are hashed, one of
 * a few words, or join records. A new field does not compile without a row here.
 */
export const IS_MASKED: Readonly<Record<Exclude<keyof RawEntry, 'text'>, boolean>> = {
  native: false,
  time: false,
  role: false,
  origin: false,
  tool: true,
  call: false,
  command: true,
  exit: false,
  outcome: false,
  files: true,
  cwd: true,
  branch: true,
  copied: false,
  marks: false,
  bySession: false,
  among: false,
  order: false,
};

/** A stored entry, as the reader passes it to the store. */
export interface Entry {
  /** 32 hex characters, computed only from content: never from path, offset or session. */
  id: string;
  agent: string;
  session: string;
  /** Order inside the log: line * 1000 + block. */
  seq: number;
  time: string | null;
  role: Role;
  origin: Origin;
  tool: string | null;
  text: string;
  /**
   * 16 hex characters: hash of outcome, exit, and the redacted text with marks reduced to their
   * type. The same id with another hash is a new rev.
   */
  hash: string;
  call: string | null;
  command: string | null;
  exit: number | null;
  outcome: Outcome | null;
  /** Error signature of a failed result (paths, numbers and hashes taken out), or null. */
  error: string | null;
  files: string[];
  cwd: string | null;
  branch: string | null;
  marks: string[];
  copied: boolean;
  path: string;
  line: number;
}

/** A column of entries. */
export interface EntryColumn extends Column<null | string | number | boolean | readonly string[]> {
  /**
   * Where the column is stored. `entry`: in own.entries. `place`: there and in own.copies, since a
   * fork repeats an entry at another place. `text`: in own.texts. `view`: not stored; views and
   * tiers compute it from other tables.
   */
  of: 'entry' | 'place' | 'text' | 'view';
  /** The only allowed values. */
  values?: readonly string[];
}

const VARCHAR = { type: 'VARCHAR', unknown: null } as const;
const REQUIRED = { type: 'VARCHAR' } as const;
const LIST = { type: 'VARCHAR[]', unknown: [] } as const;

/** Columns of the view `entries` and of a tier's line, in order. Add a new one at the end. */
export const ENTRY_COLUMNS: Readonly<Record<keyof Entry | 'rev' | 'project', EntryColumn>> = {
  id: { ...REQUIRED, of: 'place' },
  rev: { type: 'INTEGER', unknown: 1, of: 'entry' },
  agent: { ...REQUIRED, of: 'place' },
  session: { ...REQUIRED, of: 'place' },
  project: { ...VARCHAR, of: 'view' },
  time: { ...VARCHAR, type: 'TIMESTAMP', of: 'place' },
  role: { ...REQUIRED, values: ROLES, of: 'entry' },
  origin: { ...REQUIRED, values: ORIGINS, of: 'entry' },
  tool: { ...VARCHAR, of: 'entry' },
  text: { ...VARCHAR, unknown: '', of: 'text' },
  command: { ...VARCHAR, of: 'entry' },
  exit: { ...VARCHAR, type: 'INTEGER', of: 'entry' },
  outcome: { ...VARCHAR, values: OUTCOMES, of: 'entry' },
  error: { ...VARCHAR, of: 'entry' },
  files: { ...LIST, of: 'entry' },
  cwd: { ...VARCHAR, of: 'place' },
  branch: { ...VARCHAR, of: 'place' },
  marks: { ...LIST, of: 'entry' },
  call: { ...VARCHAR, of: 'entry' },
  seq: { type: 'BIGINT', unknown: 0, of: 'place' },
  copied: { type: 'BOOLEAN', unknown: false, of: 'place' },
  hash: { ...REQUIRED, of: 'entry' },
  path: { ...VARCHAR, unknown: '', of: 'place' },
  line: { type: 'BIGINT', unknown: 0, of: 'place' },
};

/** Fields of an entry by where they are stored, in the order of {@link ENTRY_COLUMNS}. */
export function entryFields(...of: readonly EntryColumn['of'][]): (keyof Entry)[] {
  const names = Object.keys(ENTRY_COLUMNS) as (keyof typeof ENTRY_COLUMNS)[];
  return names.filter(
    (name): name is keyof Entry =>
      name !== 'rev' && name !== 'project' && of.includes(ENTRY_COLUMNS[name].of),
  );
}

/**
 * A tier's line as an entry; null if it is none. Its texts were redacted before they were written.
 */
export function entryOfRow(row: Readonly<Record<string, unknown>>): Entry | null {
  const entry: Record<string, unknown> = {};
  for (const name of entryFields('entry', 'place', 'text')) {
    const column = ENTRY_COLUMNS[name];
    const value = valueOf(column, row[name]) ?? column.unknown;
    if (value === undefined) return null;
    entry[name] = value;
  }
  return /^[0-9a-f]{32}$/.test(String(entry['id'])) ? (entry as unknown as Entry) : null;
}

function valueOf({ type, values }: EntryColumn, value: unknown): unknown {
  switch (type) {
    case 'VARCHAR':
    case 'TIMESTAMP':
      return typeof value === 'string' && (values?.includes(value) ?? true) ? value : null;
    case 'VARCHAR[]':
      return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
    case 'BOOLEAN':
      return value === true;
    default:
      return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }
}
