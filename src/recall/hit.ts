/** What a search asks for, and a hit that it gives. */
import type { Origin, Status } from '../types.js';
import type { Range } from './passage.js';

export type Mode = 'hybrid' | 'keyword' | 'semantic' | 'exact';
export type HitType = 'entry' | 'lesson' | 'episode' | 'note';

export interface SearchOptions {
  query: string;
  /** Project id, or null for all. */
  project: string | null;
  limit: number;
  mode: Mode;
  agent: string | null;
  /** A hit type or a kind of lesson. */
  kind: string | null;
  role: string | null;
  /** Only entries of this tool, by its name in any case. */
  tool?: string | null;
  /** Only entries that touched a file with this in its path. */
  file?: string | null;
  /** Days, both inclusive. */
  since: string | null;
  until: string | null;
}

export interface SearchHit {
  type: HitType;
  id: string;
  /** What `show` takes: the beginning of the id of the entry, lesson or (for an episode) session; null for a note. */
  short: string | null;
  score: number;
  /** The passage that matches: 400 characters, 600 of the first three. */
  text: string;
  /** Where words of the query stand in `text`. */
  matches: Range[];
  /** What the person had typed last before it in its session, at most 80 characters; null when nothing is near. */
  question: string | null;
  /** Hits that say nearly the same, folded into this one. */
  similar: { id: string; path: string | null; line: number | null }[];
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
  at: string | null;
  role: string | null;
  origin: Origin | null;
  tool: string | null;
  /** Of a lesson: `faded` and `superseded` are history, which no page shows; null for other hits. */
  status: Status | null;
  path: string | null;
  line: number | null;
  /** Every text is in the database, read from a log: always `log`. The name is one that others read. */
  source: 'log';
  citation: string;
}
