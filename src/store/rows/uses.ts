import { type Db, columnsOf } from '../db.js';

/** An entry or lesson was shown. */
export interface Use {
  time: string;
  type: 'lesson' | 'entry' | 'episode' | 'note';
  id: string;
  /** Command that showed it: `search`, `show`, `recall` … */
  door: string;
  agent: string | null;
  session: string | null;
  /** Slug. */
  project: string | null;
}

export function addUses(db: Db, uses: Use[]): Promise<void> {
  return db.append(
    'own.uses',
    columnsOf(uses, 'time', 'type', 'id', 'door', 'agent', 'session', 'project'),
  );
}
