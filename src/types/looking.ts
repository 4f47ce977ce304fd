/** What a person looks at, in rows: the store reads them, a page shows them as they are. Times ISO 8601 UTC. */

/** A session in a list. */
export interface SessionLine {
  agent: string;
  session: string;
  project: string | null;
  title: string | null;
  parent: string | null;
  branch: string | null;
  started: string | null;
  ended: string | null;
  entries: number;
  active_seconds: number | null;
  machine: boolean;
  subagent: boolean;
  outcome: 'success' | 'partial' | 'abandoned' | 'unknown' | null;
  unfinished: boolean | null;
}

/** An entry as a reader of its session sees it. */
export interface WindowEntry {
  id: string;
  role: 'user' | 'assistant' | 'thinking' | 'tool_call' | 'tool_result' | 'system';
  origin: string;
  tool: string | null;
  /** Its beginning; null when it has none. */
  text: string | null;
  /** Characters of the whole. */
  length: number;
  command: string | null;
  exit: number | null;
  outcome: 'ok' | 'failed' | 'rejected' | 'interrupted' | null;
  files: string[];
  time: string | null;
  path: string;
  line: number;
  call: string | null;
}
