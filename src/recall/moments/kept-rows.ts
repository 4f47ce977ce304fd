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

  constructor(private readonly store: Pick<Store, 'read' | 'revision'>) {}

  projects(late: AbortSignal): Promise<readonly Project[] | null> {
    return this.rows('', late, loadProjects);
  }

  /** Lessons of a project and of the person that are shown. */
  lessons(project: string, late: AbortSignal): Promise<readonly Lesson[] | null> {
    return this.rows(project, late, (db) =>
      loadLessons(db, { owners: ['', project], statuses: ['live'] }),
    );
  }

  /**
   * Null if the database gives no answer before `late` is aborted. Then `fn` ends at its next
   * statement, and nothing else is read until it has.
   */
  async soon<T>(late: AbortSignal, fn: (db: Db) => Promise<T>): Promise<T | null> {
    if (this.late > 0 || late.aborted) return null;
    const read = this.store
      .read((db) => {
        const all: Db['all'] = (sql, params) => {
          late.throwIfAborted();
          return db.all(sql, params);
        };
        return fn({ ...db, all });
      })
      .catch((error: unknown) => {
        if (late.aborted || faultKind(error) === 'busy') return null;
        throw error;
      });
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.late++;
        void read.finally(() => this.late--);
        resolve(null);
      };
      late.addEventListener('abort', leave);
      read.then(resolve, reject).finally(() => late.removeEventListener('abort', leave));
    });
  }

  /** Null: they may have changed, and the database cannot be read now. */
  private async rows<T>(
    key: string,
    late: AbortSignal,
    load: (db: Db) => Promise<T[]>,
  ): Promise<readonly T[] | null> {
    // Taken before the read, so that commits during the read count as later.
    const revision = this.store.revision();
    const known = this.kept.get(key);
    this.kept.delete(key);
    if (known !== undefined && known.revision === revision) {
      this.kept.set(key, known);
      return known.rows as T[];
    }
    const rows = await this.soon(late, load);
    if (rows !== null && revision !== null) this.kept.set(key, { revision, rows });
    if (this.kept.size > MOST_KEPT) this.kept.delete(this.kept.keys().next().value!);
    return rows;
  }
}
