/** Rules of the person as they are now, with when they were said and what kept or broke them since. */
import type { Db } from './db.js';

/** A step or an edit that broke a rule. */
export interface Break {
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
  /** When it was said, oldest first. */
  times: string[];
  /** Sessions that had the occasion and kept it. */
  kept: number;
  /** Oldest first. */
  breaks: Break[];
}

type RuleRow = Omit<StoredRule, 'kept' | 'breaks'>;

/**
 * What is counted is asked now, not as it was learnt: a rule that was reworded a minute ago has other breaks.
 * @param project id, or null for all
 * @param since ISO 8601: breaks and occasions from then on; null: since the rule was said
 */
export async function storedRules(
  db: Db,
  project: string | null,
  now: string,
  since: string | null = null,
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
  const events = await db.all<Break & { lesson: string; broke: boolean }>(
    `SELECT b.key AS lesson, b.supports AS broke, b.known_at AS time, b.day, b.agent, b.session, (b.fields->>'what') AS what,
       e.path, e.line::INTEGER AS line
     FROM fact_broken($now::TIMESTAMP, of_project := $project::VARCHAR) b LEFT JOIN own.current_entries e ON e.id = b.entry
     WHERE $since::TIMESTAMP IS NULL OR b.known_at >= $since::TIMESTAMP
     ORDER BY b.known_at, b.entry`,
    { now, project, since },
  );
  return rules.map((rule) => {
    const of = events.filter(({ lesson }) => lesson === rule.lesson);
    const breaks = of.flatMap(({ lesson: _, broke, ...rest }) => (broke ? [rest] : []));
    const broken = new Set(breaks.map(sessionOf));
    const kept = new Set(of.map(sessionOf).filter((session) => !broken.has(session)));
    return { ...rule, kept: kept.size, breaks };
  });
}

function sessionOf({ agent, session }: Break): string {
  return `${agent}\0${session}`;
}

/**
 * Ids of the rules that were broken in at least so many sessions, as it was learnt last.
 * @param project id; null: everywhere
 */
export async function brokenRules(db: Db, project: string | null, least: number): Promise<Set<string>> {
  const rows = await db.all<{ id: string }>(
    `SELECT key AS id FROM own.fact_events
     WHERE fact = 'broken' AND supports AND ($project::VARCHAR IS NULL OR project = $project)
     GROUP BY key HAVING count(DISTINCT (agent, session)) >= $least`,
    { project, least },
  );
  return new Set(rows.map(({ id }) => id));
}
