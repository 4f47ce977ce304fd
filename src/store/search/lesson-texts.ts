/** Lessons and episodes that contain words of a query, with the evidence and vectors of lessons. */
import type { LessonKind, Status } from '../../types.js';
import type { Db, Params } from '../db.js';
import { ownerOf } from '../rows/edits.js';
import { EPISODES } from '../rows/material.js';

/** A lesson, or an episode as one text. */
export interface StoredText {
  type: 'lesson' | 'episode';
  /** Id of the lesson, or of the episode's session. */
  id: string;
  /** Project id; null: valid everywhere. */
  owner: string | null;
  /** Only of a lesson. */
  kind: LessonKind | null;
  status: Status | null;
  /** A day, or empty. */
  day: string;
  /** Only of an episode. */
  agent: string | null;
  text: string;
}

/** Which texts a search may find; null allows all. */
export interface TextFilter {
  /** Project id; also finds global lessons. */
  project: string | null;
  agent: string | null;
  /** `lesson`, `episode`, or a kind of lesson. */
  kind: string | null;
  since: string | null;
  until: string | null;
}

/** Forgotten lessons are not searched; faded and superseded ones are. */
const TEXTS = `
  SELECT 'lesson' AS type, id, owner, kind, status, coalesce(last_seen, '') AS day, NULL AS agent, text
  FROM own.lessons WHERE status <> 'forgotten'
  UNION ALL
  SELECT 'episode', session, project, NULL, NULL, coalesce(day::VARCHAR, ''), agent,
    concat_ws('. ', nullif(title, ''), IF(starts_with(title, summary), NULL, nullif(summary, '')),
      nullif(problem, ''), nullif(solution, ''), nullif(lesson, ''))
  FROM (${EPISODES})`;

/**
 * Characters that may change when a text is cut into terms; those of Chinese, Japanese and Korean
 * do not.
 */
const MAY_FOLD = String.raw`[\x{80}-\x{1fff}\x{2070}-\x{218f}\x{2460}-\x{24ff}\x{2c00}-\x{2dff}\x{a000}-\x{abff}\x{d7b0}-\x{ffff}]`;

/**
 * Texts that contain the literal, or that may contain one of the parts of terms (`partOf`). The
 * caller cuts them into terms to check.
 * @returns `among`: number of texts that match the filter
 */
export async function textsContaining(
  db: Db,
  { project, agent, kind, since, until }: TextFilter,
  asked: { literal: string } | { parts: readonly string[] },
): Promise<{ texts: StoredText[]; among: number }> {
  const params: Params = {};
  const where: string[] = [];
  const add = (value: string | null, name: string, condition: string): void => {
    if (value === null) return;
    where.push(condition);
    params[name] = value;
  };
  add(project, 'project', `owner IN ('', $project)`);
  add(kind, 'kind', '(type = $kind OR kind = $kind)');
  add(since, 'since', 'day >= $since::VARCHAR');
  add(until, 'until', `day <> '' AND day <= $until::VARCHAR`);
  const ofAgent = 'SELECT lesson FROM own.evidence WHERE agent = $agent AND supports';
  add(agent, 'agent', `(agent = $agent OR type = 'lesson' AND id IN (${ofAgent}))`);
  const words = 'literal' in asked ? [asked.literal] : asked.parts;
  if (words.length === 0 || words.includes('')) return { texts: [], among: 0 };
  const has = words.map((word, i) => {
    params[`word${i}`] = word;
    return 'literal' in asked
      ? `contains(text, $word${i})`
      : `contains(lower(text), $word${i}) AND regexp_matches(text, '${beginning(word)}')`;
  });
  if ('parts' in asked)
    has.push(`strlen(text) > length(text) AND regexp_matches(text, '${MAY_FOLD}')`);
  const found = await db.all<StoredText & { among: number }>(
    `WITH t AS MATERIALIZED (
       SELECT * REPLACE (nullif(owner, '') AS owner) FROM (${TEXTS}) WHERE ${['true', ...where].join(' AND ')})
     SELECT n.among, f.* FROM (SELECT count(*) AS among FROM t) n LEFT JOIN (FROM t WHERE ${has.join(' OR ')}) f ON true`,
    params,
  );
  return { texts: found.filter(({ id }) => id !== null), among: found[0]!.among };
}

/** The part where a term can begin: `port` in `the port` and `serverPort`, not in `important`. */
function beginning(part: string): string {
  const [, one, two, rest] = /^([a-z])([a-z])(.*)$/s.exec(part) ?? [];
  if (one === undefined) return '';
  const capital = one.toUpperCase();
  const end = rest!.replace(/[^a-z]/g, (sign) =>
    /\w/.test(sign) ? sign : `\\x{${sign.codePointAt(0)!.toString(16)}}`,
  );
  return `(?i:(?:^|[^a-z])${one}${two}${end})|[a-z]${capital}(?i:${two}${end})|${capital}${two}(?i:${end})`;
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

/**
 * Cosines between a query's vector and the vectors of lessons with these texts, by text. The engine
 * computes them, so that no vectors are copied.
 */
export async function lessonCosines(
  db: Db,
  { vector, fingerprint }: { vector: Float32Array; fingerprint: string },
  texts: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.all<{ text: string; cosine: number }>(
    `SELECT text, arg_min(array_inner_product(vector, $vector), id)::DOUBLE AS cosine FROM own.vectors
     WHERE owner = 'lesson' AND fingerprint = $fingerprint AND vector IS NOT NULL
       AND text IN (SELECT unnest($texts::VARCHAR[])) GROUP BY text`,
    { vector, fingerprint, texts },
  );
  return new Map(rows.map(({ text, cosine }) => [text, cosine]));
}
