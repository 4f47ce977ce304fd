import { appendRows, first, type Db } from '../db.js';

/** State of jobs for the whole home, in one row. */
export interface HomeState {
  /** Last entry and last edit of the search for authors of edits. */
  looked_entry: number;
  looked_edit: number;
  /** Tools whose inbox lines were learnt as the person's words; null: never learnt. */
  inbox_trusted: readonly string[] | null;
  /** The model of the stored vectors, and their length; null without vectors. */
  model: string | null;
  dimensions: number | null;
  /** Why no vectors are made, and since when. */
  embed_fault: string | null;
  embed_fault_since: string | null;
}

const NEW: HomeState = {
  looked_entry: 0,
  looked_edit: 0,
  inbox_trusted: null,
  model: null,
  dimensions: null,
  embed_fault: null,
  embed_fault_since: null,
};

export async function homeState(db: Db): Promise<HomeState> {
  return (await first<HomeState>(db, 'FROM own.home_state')) ?? NEW;
}

/** Saves these columns; the others stay. */
export async function saveHomeState(db: Db, changed: Partial<HomeState>): Promise<void> {
  const state = { ...(await homeState(db)), ...changed };
  await db.run('DELETE FROM own.home_state');
  await appendRows(db, 'own.home_state', [state]);
}
