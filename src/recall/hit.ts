/** What a search asks for, and a hit that it gives. */

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
  /** Also look through the archive's files, for entries whose text left the database. */
  archive?: boolean;
}

export interface SearchHit {
  type: HitType;
  id: string;
  score: number;
  text: string;
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
  at: string | null;
  role: string | null;
  path: string | null;
  line: number | null;
  source: 'log' | 'archive';
  citation: string;
}
