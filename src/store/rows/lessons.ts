import {
  EVENT_COLUMNS,
  LESSON_ROW,
  type LessonEvent,
  type LessonKind,
  type Lesson,
  type Status,
} from '../../types.js';
import { type Db, columnsOf, fromRow, listed, toColumns } from '../db.js';
import { ownerOf } from './edits.js';

/**
 * Replaces the lessons and evidence of a project (null: of the person); call it inside
 * `store.write`.
 *
 * @param before the owner's lessons, if the caller loaded them in the same transaction
 * @returns false if the lessons were already the same and nothing was written
 */
export async function saveLessons(
  db: Db,
  project: string | null,
  lessons: Lesson[],
  before?: readonly Lesson[],
): Promise<boolean> {
  const owner = ownerOf(project);
  const known = new Map(
    (before ?? (await loadLessons(db, { owner: project }))).map((lesson) => [lesson.id, lesson]),
  );
  const kept = new Set(lessons.map(({ id }) => id));
  // The number of uses is not stored; reading counts it.
  const sorted = lessons
    .filter((lesson) => !isSame({ ...lesson, uses: 0 }, { ...known.get(lesson.id), uses: 0 }))
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const old = [...[...known.keys()].filter((id) => !kept.has(id)), ...sorted.map(({ id }) => id)];
  if (old.length === 0) return false;
  await db.run('DELETE FROM own.lessons WHERE owner = $owner AND id IN (SELECT unnest($old))', {
    owner,
    old,
  });
  await db.run(
    'DELETE FROM own.evidence WHERE owner = $owner AND lesson IN (SELECT unnest($old))',
    { owner, old },
  );
  await db.append('own.lessons', {
    ...toColumns(sorted, LESSON_ROW),
    owner: sorted.map(() => owner),
  });
  const events = sorted.flatMap(({ id, evidence }) =>
    evidence.map((event, ord) => ({ lesson: id, owner, ord, ...event })),
  );
  await db.append('own.evidence', {
    ...columnsOf(events, 'lesson', 'owner', 'ord'),
    ...toColumns(events, EVENT_COLUMNS),
  });
  return true;
}

/**
 * Compares field by field, since sorted JSON of thousands of lessons blocks the event loop. An
 * undefined field counts as missing.
 */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false;
  const [x, y] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  return (
    Object.keys(x).every((key) => isSame(x[key], y[key])) &&
    Object.keys(y).every((key) => key in x || y[key] === undefined)
  );
}

interface LessonFilter {
  /** Project id, or null for the person; absent: all owners. */
  owner?: string | null;
  /** Ids of projects. */
  owners?: readonly string[];
  statuses?: Status[];
  kinds?: LessonKind[];
  /** Beginning of the id. */
  prefix?: string;
  /** Only lessons with evidence from this session. */
  from?: { agent: string; session: string };
}

/** Lessons with their evidence, in the order of their ids. */
export async function loadLessons(
  db: Db,
  { owner, owners, statuses, kinds, prefix, from }: LessonFilter = {},
): Promise<Lesson[]> {
  // Adds only the needed conditions, since planning takes longer than running on most stores.
  const narrowing = [
    ...(statuses === undefined ? [] : ['list_contains($statuses, l.status)']),
    ...(kinds === undefined ? [] : ['list_contains($kinds, l.kind)']),
    ...(prefix === undefined ? [] : ['starts_with(l.id, $prefix)']),
    ...(from === undefined
      ? []
      : [
          '(l.id, l.owner) IN (SELECT (lesson, owner) FROM own.evidence WHERE agent = $agent AND session = $session)',
        ]),
  ];
  const given = {
    owner: owner === undefined ? undefined : ownerOf(owner),
    owners,
    statuses,
    kinds,
    prefix,
    ...from,
  };
  const params = Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const whereOf = (table: 'l' | 'e'): string =>
    [
      ...['true', ...narrowing],
      ...(owner === undefined ? [] : [`${table}.owner = $owner`]),
      ...(owners === undefined ? [] : [`list_contains($owners::VARCHAR[], ${table}.owner)`]),
    ].join(' AND ');
  const rows = await db.all<Omit<Lesson, 'evidence'>>(
    `SELECT ${listed('l', LESSON_ROW)}, nullif(l.owner, '') AS project, coalesce(u.uses, 0) AS uses
     FROM own.lessons l LEFT JOIN (SELECT id, count(*) AS uses FROM own.uses WHERE type = 'lesson' GROUP BY id) u ON u.id = l.id
     WHERE ${whereOf('l')} ORDER BY l.id, l.owner`,
    params,
  );
  if (rows.length === 0) return [];
  const events = await db.all<LessonEvent & { lesson: string; owner: string }>(
    `SELECT e.lesson, e.owner, ${listed('e', EVENT_COLUMNS)}
     FROM own.evidence e ${narrowing.length === 0 ? '' : `JOIN own.lessons l ON l.id = e.lesson AND l.owner = e.owner AND ${whereOf('l')}`}
     WHERE ${whereOf('e')} ORDER BY e.lesson, e.owner, e.ord`,
    params,
  );
  const byLesson = new Map<string, LessonEvent[]>();
  for (const { lesson, owner: of, ...event } of events) {
    const key = `${of}\0${lesson}`;
    const list = byLesson.get(key);
    if (list) list.push(event);
    else byLesson.set(key, [event]);
  }
  return rows
    .map(fromRow(LESSON_ROW))
    .map((row) => ({ ...row, evidence: byLesson.get(`${ownerOf(row.project)}\0${row.id}`) ?? [] }));
}

/**
 * Hash of the rows behind each project's page ('' for the person). Its episodes, days and files
 * change only when the project is learnt.
 */
export async function pageVersions(db: Db): Promise<Map<string, string>> {
  const rows = await db.all<{ of: string; version: string }>(
    `SELECT of, sum(h)::VARCHAR AS version FROM (
       SELECT l.owner AS of, hash(l, u.uses) AS h FROM own.lessons l
       LEFT JOIN (SELECT id, count(*) AS uses FROM own.uses WHERE type = 'lesson' GROUP BY id) u ON u.id = l.id
       UNION ALL SELECT owner, hash(e) FROM own.evidence e
       UNION ALL SELECT owner, hash(e) FROM own.edits e
       UNION ALL SELECT project, hash(f) FROM own.fact_events f WHERE fact = 'broken'
       UNION ALL SELECT coalesce(s.project, f.project), hash(s) FROM own.sessions s LEFT JOIN own.folders f ON f.cwd = s.cwd
       UNION ALL SELECT project, hash(learnt, clock_day, active_days, withheld) FROM own.project_state
         WHERE learnt IS NOT NULL AND project <> '')
     WHERE of IS NOT NULL GROUP BY of`,
  );
  return new Map(rows.map(({ of, version }) => [of, version]));
}

/** Lessons whose id begins with `prefix`. */
export function lessonByPrefix(db: Db, prefix: string): Promise<Lesson[]> {
  return loadLessons(db, { prefix });
}

/** Ids of the lessons to review: live ones without an edit or a pin. */
export async function reviewableLessons(db: Db): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    `SELECT DISTINCT id FROM own.lessons
     WHERE status = 'live' AND NOT pinned AND id NOT IN (
       SELECT lesson FROM own.edits GROUP BY lesson
       HAVING count(*) FILTER (action <> 'undo') > count(*) FILTER (action = 'undo'))
     ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

/** A prompt that may contain a sentence like a rule. */
export interface RulePrompt {
  text: string;
  /** Project id. */
  project: string;
  slug: string;
  agent: string;
  session: string;
  entry: string;
  day: string;
}

/** Short prompts of people, oldest first; `said`: sentences that claims contain or quote. */
export async function rulePrompts(
  db: Db,
): Promise<{ prompts: RulePrompt[]; claimed: Set<string> }> {
  const prompts = await db.all<RulePrompt>(
    `SELECT p.text, f.project_id AS project, f.slug, p.agent, p.session, p.entry, strftime(p.time, '%Y-%m-%d') AS day
     FROM own.prompts p JOIN own.session_facts f ON f.agent = p.agent AND f.session = p.session
     WHERE NOT f.is_machine AND p.time IS NOT NULL AND f.project_id IS NOT NULL
       AND regexp_matches(p.text, '(?i)\\b(never|don.?t|do not|always|no|not|instead of|rather than)\\b')
     ORDER BY p.time, p.entry`,
  );
  const claimed = await db.all<{ text: string }>(
    `SELECT text FROM own.lessons WHERE fact IS NULL
     UNION SELECT v.quote FROM own.evidence v JOIN own.lessons l ON l.id = v.lesson AND l.owner = v.owner WHERE l.fact IS NULL`,
  );
  return { prompts, claimed: new Set(claimed.map(({ text }) => text)) };
}
