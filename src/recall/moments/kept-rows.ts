/** Keeps projects and lessons in memory, to answer hooks while the database is in use. */
import { faultKind, loadLessons, loadProjects, type Db, type Store } from '../../store/index.js';
import type { Lesson, Project } from '../../types.js';

/** Number of lists in memory: of the last projects of hooks, and all projects. */
const MOST_KEPT = 6;

/** Rows at a revision of the store. */
interface Kept {
  revision: number;
  rows: readonly unknown[];
}

/**
 * Rows are read again when they may have changed, so that a forgotten lesson is never shown. Only
 * the last projects' rows are kept.
 */
export class KeptRows {
  private readonly kept = new Map<string, Kept>();
  /** Number of reads that are still running after their deadline. */
  private late = 0;

  constructor(private readonly store: Pick<Store, 'read' | 'revision'>) {}

  projects(late: AbortSignal): Promise<readonly Project[] | null> {
    return this.rows('', late, loadProjects);
  }

  /** Shown lessons of a project and of the person. */
  lessons(project: string, late: AbortSignal): Promise<readonly Lesson[] | null> {
    return this.rows(project, late, (db) =>
      loadLessons(db, { owners: ['', project], statuses: ['live'] }),
    );
  }

  /**
   * Null if the database does not answer before `late` is aborted. Then `fn` ends at its next
   * statement, and no other read starts before that.
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

  /** Null: the rows may have changed, and the database cannot be read now. */
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
