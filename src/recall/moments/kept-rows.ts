/**
 * Projects and lessons in the daemon's memory, to answer hooks while another program uses the
 * database.
 */
import { faultKind, loadLessons, loadProjects, type Db, type Store } from '../../store/index.js';
import type { Lesson, Project } from '../../types.js';

/** Of projects that hooks asked about last, and the list of projects. */
const MOST_KEPT = 6;

/** Rows as they were at a revision of the store. */
interface Kept {
  revision: number;
  rows: readonly unknown[];
}

/**
 * The rows are read again once they may have changed, so that a forgotten lesson is never shown.
 * Only those of the projects that were asked about last are kept.
 */
export class KeptRows {
  private readonly kept = new Map<string, Kept>();
  /** A read that waits for the database longer than anybody waits for its answer. */
  private waiting: Promise<unknown> | null = null;

  /**
   * @param patienceMs how long a read may wait for the database until the answer goes without it
   */
  constructor(
    private readonly store: Pick<Store, 'read' | 'revision'>,
    private readonly patienceMs: number,
  ) {}

  projects(): Promise<readonly Project[] | null> {
    return this.rows('', loadProjects);
  }

  /** Lessons of a project and of the person that are shown. */
  lessons(project: string): Promise<readonly Lesson[] | null> {
    return this.rows(project, (db) =>
      loadLessons(db, { owners: ['', project], statuses: ['live'] }),
    );
  }

  /**
   * Null without doing anything if another program uses the database, or other reads take too long.
   */
  async soon<T>(fn: (db: Db) => Promise<T>): Promise<T | null> {
    if (this.waiting !== null) return null;
    let state: 'waits' | 'begun' | 'late' = 'waits';
    const read = this.store.read((db) => {
      if (state === 'late') return Promise.resolve(null);
      state = 'begun';
      return fn(db);
    });
    const done = read.catch((error: unknown) => {
      if (state === 'begun' || faultKind(error) !== 'busy') throw error;
      return null;
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (state !== 'waits') return;
        state = 'late';
        this.waiting = done.catch(() => null).finally(() => (this.waiting = null));
        resolve(null);
      }, this.patienceMs);
      done.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** Null: they may have changed, and the database cannot be read now. */
  private async rows<T>(key: string, load: (db: Db) => Promise<T[]>): Promise<readonly T[] | null> {
    // Taken before the read, so that commits during the read count as later.
    const revision = this.store.revision();
    const known = this.kept.get(key);
    this.kept.delete(key);
    if (known !== undefined && known.revision === revision) {
      this.kept.set(key, known);
      return known.rows as T[];
    }
    const rows = await this.soon(load);
    if (rows !== null && revision !== null) this.kept.set(key, { revision, rows });
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return rows;
  }
}
