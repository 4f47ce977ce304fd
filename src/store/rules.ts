/**
 * The person's present rules, with the times when they were said and what kept or broke them since.
 */
import { among, byOwner, type Db, type Owners } from './db.js';
import { waitingFor } from './reviewed.js';
import { withPlaces } from './search/numbers.js';

/** A step or an edit that broke a rule. */
interface Break {
  /** ISO 8601 UTC. */
  time: string;
  day: string;
  agent: string;
  session: string;
  /** The command as it ran, or the file. */
  what: string;
  path: string | null;
  line: number | null;
}

export interface StoredRule {
  lesson: string;
  text: string;
  /** Slug; null for a global rule. */
  project: string | null;
  commands: string[];
  paths: string[];
  instead: string | null;
  /** Times when it was said, oldest first. */
  times: string[];
  /** Sessions that could have broken the rule and kept it. */
  kept: number;
  /** Oldest first. */
  breaks: Break[];
}

type RuleRow = Omit<StoredRule, 'kept' | 'breaks'>;

/**
 * Counts from the present rows, not from the last learning, since a reworded rule has other breaks.
 * @param project id, or null for all
 */
export async function storedRules(
  db: Db,
  project: string | null,
  now: string,
): Promise<StoredRule[]> {
  const rules = await db.all<RuleRow>(
    `SELECT r.lesson, r.text, any_value(CASE WHEN r.owner = '' THEN NULL ELSE p.slug END) AS project,
       any_value(r.commands) AS commands, any_value(r.paths) AS paths, any_value(r.instead) AS instead,
       any_value(list_transform(r.times, lambda t: strftime(t, '%Y-%m-%dT%H:%M:%SZ'))) AS times
     FROM rules_at($now::TIMESTAMP, of_project := $project::VARCHAR) r LEFT JOIN own.projects p ON p.id = r.owner
     GROUP BY r.lesson, r.text ORDER BY r.lesson`,
    { now, project },
  );
  if (rules.length === 0) return [];
  const events = await withPlaces(
    db,
    await db.all<Omit<Break, 'path' | 'line'> & { lesson: string; broke: boolean; entry: string }>(
      `SELECT key AS lesson, supports AS broke, known_at AS time, day, agent, session, (fields->>'what') AS what, entry
       FROM fact_broken($now::TIMESTAMP, of_project := $project::VARCHAR)
       ORDER BY known_at, entry`,
      { now, project },
    ),
  );
  return rules.map((rule) => {
    const of = events.filter(({ lesson }) => lesson === rule.lesson);
    const breaks = of.flatMap(({ lesson: _, entry: __, broke, ...rest }) => (broke ? [rest] : []));
    const broken = new Set(breaks.map(sessionOf));
    const kept = new Set(of.map(sessionOf).filter((session) => !broken.has(session)));
    return { ...rule, kept: kept.size, breaks };
  });
}

/** A stored command or edit that a guard of the rule would have matched. */
export type Met = Pick<Break, 'time' | 'agent' | 'session' | 'what'>;

/**
 * What a rule would have matched since a time, oldest first, even before it was said; without
 * commands that the person ran.
 * @param rule of a project (id), or of all projects (null)
 */
export function metBefore(
  db: Db,
  rule: {
    project: string | null;
    commands: readonly string[];
    paths: readonly string[];
    instead: string | null;
  },
  since: string,
  now: string,
): Promise<Met[]> {
  const { project, commands, paths, instead } = rule;
  return db.all<Met>(
    `WITH rules AS (SELECT $project::VARCHAR AS owner, $commands::VARCHAR[] AS commands, $paths::VARCHAR[] AS paths,
       $instead::VARCHAR AS instead),
     found AS (
       SELECT s.of_agent AS agent, s.of_session AS session, s.entry, s.time, array_to_string(s.words, ' ') AS what, s.project
       FROM steps_at($now::TIMESTAMP) s JOIN (SELECT *, unnest(commands) AS command FROM rules) c
         ON c.owner IN ('', s.project) AND does_work(s.words, s.shown) AND breaks_command(s.words, c.command, c.instead)
       WHERE s.is_first AND s.folder IS NOT NULL AND s.time >= $since::TIMESTAMP
       UNION ALL
       SELECT e.agent, e.session, e.entry, e.time, e.file, e.project
       FROM edits_at($now::TIMESTAMP) e JOIN (SELECT *, unnest(paths) AS path FROM rules) p
         ON p.owner IN ('', e.project) AND breaks_path(e.file, p.path)
       WHERE e.agent = e.of_agent AND e.session = e.of_session AND e.time >= $since::TIMESTAMP)
     SELECT strftime(min(f.time), '%Y-%m-%dT%H:%M:%SZ') AS time, f.agent, f.session, min(f.what) AS what
     FROM found f
     WHERE NOT EXISTS (FROM own.entries x WHERE x.id = f.entry AND x.origin = 'user')
     GROUP BY f.agent, f.session, f.entry ORDER BY time, what`,
    { project: project ?? '', commands, paths, instead, since, now },
  );
}

function sessionOf({ agent, session }: Break): string {
  return `${agent}\0${session}`;
}

/**
 * A rule that was broken in two or more sessions since it was said, according to the last learning.
 */
interface BrokenRule {
  id: string;
  text: string;
  /** Number of sessions. */
  broken: number;
}

/**
 * Such rules without a guard, most broken first. @param path file of the rules that the person
 * wants no guard for
 */
export async function offeredGuards(
  db: Db,
  path: string,
  guards: Readonly<Record<string, unknown>>,
): Promise<BrokenRule[]> {
  const broken = await db.all<BrokenRule>(
    `SELECT l.id, any_value(l.text) AS text, count(DISTINCT (f.agent, f.session)) AS broken
     FROM own.fact_events f JOIN own.lessons l ON l.id = f.key AND l.status = 'live'
     WHERE f.fact = 'broken' AND f.supports GROUP BY l.id HAVING broken >= 2 ORDER BY broken DESC, l.id`,
  );
  const open = broken.filter(({ id }) => !(id in guards));
  const wanted = new Set(
    waitingFor(
      path,
      open.map(({ id }) => `guard:${id}`),
    ),
  );
  return open.filter(({ id }) => wanted.has(`guard:${id}`));
}

/**
 * Ids of the rules that were broken in two or more sessions since they were said, according to the
 * last learning.
 */
export async function brokenRules(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => Set<string>> {
  const { of, where, params } = among(owners, 'project');
  const found = await byOwner<{ id: string }>(
    db,
    `SELECT ${of}, key AS id FROM own.fact_events WHERE fact = 'broken' AND supports AND ${where}
     GROUP BY 1, 2 HAVING count(DISTINCT (agent, session)) >= 2`,
    params,
  );
  return (owner) => new Set(found(owner).map(({ id }) => id));
}
