/** Rows that parsing makes of a session; the fact queries read them. Times are ISO 8601 UTC. */

/** One simple command of a shell call. */
export interface StepRow {
  /** Id of the call's entry, and the number of the step in it. */
  entry: string;
  n: number;
  seq: number;
  /** Number of the call among the shell calls of its session. */
  at: number;
  time: string | null;
  /** When the call's result came; null without a result. */
  ended: string | null;
  program: string;
  /** Program and arguments as typed, without wrappers. */
  words: string[];
  /** The command with its variable parts replaced (`go test ./PACKAGE`), so that runs compare. */
  form: string;
  class: string;
  /** Limited to single files or names. */
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
  /** Path below the project's root, '' for the root; null outside. */
  folder: string | null;
  outcome: 'ok' | 'failed' | 'unknown';
  /** Signature of the error if the step failed. */
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
  /** Path below the project's root. */
  file: string;
  deleted: boolean;
}

/** What a person typed in one message, without pasted text. */
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
