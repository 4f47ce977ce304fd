/** What parsing makes of a session: rows that facts are asked from. Times are ISO 8601 UTC. */

/** One simple command of a shell call. */
export interface StepRow {
  /** Entry of the call, and the step's place in it. */
  entry: string;
  n: number;
  seq: number;
  /** The call's place among the shell calls of its session. */
  at: number;
  time: string | null;
  /** When its result came; null without one. */
  ended: string | null;
  program: string;
  /** Program and arguments as they were typed, wrappers taken off. */
  words: string[];
  /**
   * The command with its variable parts as places (`go test ./PACKAGE`), so that two runs compare.
   */
  form: string;
  class: string;
  /** Narrowed to single files or names. */
  narrow: boolean;
  /** The project's own script, target or task. */
  own: boolean;
  /**
   * Whether the command can be shown as it is: no script, here-document, substitution, foreign
   * folder or temporary path.
   */
  shown: boolean;
  /** `NAME=value` before the program, without secrets. */
  env: string[];
  /** Below the project's root, '' for the root; null outside. */
  folder: string | null;
  outcome: 'ok' | 'failed' | 'unknown';
  /** Signature of the error when the step failed. */
  error: string | null;
  /** The shell did not find the program. */
  absent: boolean;
}

/** A step of a command that is about to run, as its row will have it. */
export type StepAhead = Pick<StepRow, 'words' | 'shown'>;

/** A file that a session changed. */
export interface EditRow {
  entry: string;
  seq: number;
  time: string | null;
  /** Below the project's root. */
  file: string;
  deleted: boolean;
}

/** What a person typed in one message, without what was pasted. */
export interface PromptRow {
  entry: string;
  seq: number;
  time: string | null;
  text: string;
}

/** All rows of one session. */
export interface ParsedRows {
  steps: StepRow[];
  edits: EditRow[];
  prompts: PromptRow[];
}
