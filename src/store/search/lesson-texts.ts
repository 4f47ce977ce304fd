/** Lessons as texts to search and their vectors, without their evidence, which is much longer. */
import type { LessonKind, Status } from '../../types.js';
import type { Db } from '../db.js';
import { ownerOf } from '../rows/edits.js';

export interface LessonText {
  id: string;
  /** Null: valid everywhere. */
  project: string | null;
  kind: LessonKind;
  text: string;
  status: Status;
  /** A day, or empty. */
  last_seen: string;
}

/** Visible lessons, and history: faded and superseded ones. Forgotten lessons are not searched. */
export async function lessonTexts(db: Db): Promise<LessonText[]> {
  return db.all(
    `SELECT id, nullif(owner, '') AS project, kind, text, status, coalesce(last_seen, '') AS last_seen FROM own.lessons
     WHERE status <> 'forgotten' ORDER BY id, owner`,
  );
}

/** Ids of the lessons with evidence from an agent's sessions. */
export async function lessonsOfAgent(db: Db, agent: string): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    'SELECT DISTINCT lesson AS id FROM own.evidence WHERE agent = $agent AND supports',
    { agent },
  );
  return rows.map(({ id }) => id);
}

interface NewestEvidence {
  lesson: string;
  project: string | null;
  agent: string;
  session: string;
  entry: string;
}

/** The newest event of each of these lessons that names an entry. */
export async function newestEvidence(
  db: Db,
  lessons: readonly { lesson: string; project: string | null }[],
): Promise<NewestEvidence[]> {
  if (lessons.length === 0) return [];
  const rows = await db.all<NewestEvidence>(
    `SELECT DISTINCT ON (lesson, owner) lesson, nullif(owner, '') AS project, agent, session, entry FROM own.evidence
     WHERE entry IS NOT NULL AND lesson IN (SELECT unnest($ids)) AND owner IN (SELECT unnest($owners))
     ORDER BY lesson, owner, coalesce(day, '') DESC, ord`,
    {
      ids: lessons.map(({ lesson }) => lesson),
      owners: lessons.map(({ project }) => ownerOf(project)),
    },
  );
  return rows;
}

/** Vectors of lessons with these texts, by their text. Those of ten thousand others are 15 MB. */
export async function lessonVectors(
  db: Db,
  fingerprint: string,
  texts: readonly string[],
): Promise<Map<string, Float32Array>> {
  const rows = await db.all<{ text: string; vector: number[] }>(
    `SELECT DISTINCT ON (text) text, vector FROM own.vectors WHERE owner = 'lesson' AND fingerprint = $fingerprint AND ` +
      'vector IS NOT NULL AND text IN (SELECT unnest($texts::VARCHAR[])) ORDER BY text, id',
    { fingerprint, texts },
  );
  return new Map(rows.map(({ text, vector }) => [text, Float32Array.from(vector)]));
}
