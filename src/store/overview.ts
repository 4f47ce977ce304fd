/** What the page in the browser shows: projects, edits of a lesson. */
import type { Db } from './db.js';
import type { EditLine } from '../types.js';

/** Projects that are worked in, the newest first. */
export function projectNames(db: Db): Promise<{ slug: string; name: string }[]> {
  return db.all(
    `SELECT slug, name FROM main.projects WHERE sessions > 0 ORDER BY last_seen DESC NULLS LAST, slug`,
  );
}

/** Edits of one lesson, the newest first. */
export function editsOf(db: Db, lesson: string): Promise<EditLine[]> {
  return db.all(
    `SELECT action, time AS at, coalesce(author, 'person') AS by, text FROM own.edits WHERE lesson = $lesson ORDER BY n DESC`,
    { lesson },
  );
}
