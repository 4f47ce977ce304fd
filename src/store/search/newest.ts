/** A project's newest cure that became a lesson, failed step that passed later, and request. */
import type { Db } from '../db.js';

/** A text, and the id of its lesson or entry. */
export interface NewestText {
  id: string;
  text: string;
}

/** Shorter prompts ("yes", "go on") ask for nothing. */
const LEAST_BYTES = 20;

/** A live lesson with the cure of a failure. */
export function newestCureLesson(db: Db, slug: string): Promise<NewestText | null> {
  return newestOf(
    db,
    `SELECT id, text FROM main.lessons WHERE project = $slug AND status = 'live'
       AND fact IN ('changed', 'before', 'absent', 'edited') ORDER BY last_seen DESC, id LIMIT 1`,
    slug,
  );
}

/** A step that failed with an error, and whose form passed later in its session. */
export function newestCuredStep(
  db: Db,
  slug: string,
): Promise<{ form: string; error: string; session: string } | null> {
  return newestOf(
    db,
    `SELECT f.form, f.error, f.session FROM main.steps f JOIN main.steps p USING (agent, session, form)
     WHERE f.project = $slug AND f.outcome = 'failed' AND f.error IS NOT NULL AND p.outcome = 'ok' AND p.time > f.time
     ORDER BY f.time DESC, f.entry LIMIT 1`,
    slug,
  );
}

/** The last prompt that asks for something, as it was typed. */
export function lastPrompt(db: Db, slug: string): Promise<NewestText | null> {
  return newestOf(
    db,
    `SELECT entry AS id, text FROM main.prompts WHERE project = $slug AND strlen(text) >= ${LEAST_BYTES}
     ORDER BY time DESC, entry LIMIT 1`,
    slug,
  );
}

async function newestOf<T>(db: Db, statement: string, slug: string): Promise<T | null> {
  return (await db.all<T>(statement, { slug }))[0] ?? null;
}
