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
  /** Reads whose answer nobody waits for any more. */
  private late = 0;

  /**
   * @param patienceMs how long a read may take until the answer goes without it
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
   * Null if the database gives no answer in time. Then the signal is aborted, and until `fn` has
   * ended, at its next statement, nothing else is read.
   */
  async soon<T>(fn: (db: Db, late: AbortSignal) => Promise<T>): Promise<T | null> {
    if (this.late > 0) return null;
    const stop = new AbortController();
    const read = this.store
      .read((db) => {
        const all: Db['all'] = (sql, params) => {
          stop.signal.throwIfAborted();
          return db.all(sql, params);
        };
        return fn({ ...db, all }, stop.signal);
      })
      .catch((error: unknown) => {
        if (stop.signal.aborted || faultKind(error) === 'busy') return null;
        throw error;
      });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stop.abort();
        this.late++;
        void read.finally(() => this.late--);
        resolve(null);
      }, this.patienceMs);
      read.then(resolve, reject).finally(() => clearTimeout(timer));
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
