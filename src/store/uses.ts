import type { Db } from './db.js';

/** Something remembered was shown or cited. */
export interface Use {
  time: string;
  type: 'lesson' | 'entry' | 'episode' | 'note';
  id: string;
  /** Where: `search`, `show`, `recall`, `cited` … */
  door: string;
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
}

export const addUses = (db: Db, uses: Use[]): Promise<void> =>
  db.append('own.uses', {
    time: uses.map((u) => u.time),
    type: uses.map((u) => u.type),
    id: uses.map((u) => u.id),
    door: uses.map((u) => u.door),
    agent: uses.map((u) => u.agent),
    session: uses.map((u) => u.session),
    project: uses.map((u) => u.project),
  });
