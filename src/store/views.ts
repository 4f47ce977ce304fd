/**
 * The public contract: views in `main`; docs/database.md describes each column. New columns come
 * last; columns are never renamed or removed. Tables in `own` may change at any time.
 */
import { factStatements } from './facts.js';
import { archiveView } from './search/archive.js';
import {
  ENTRY_COLUMNS,
  EVENT_COLUMNS,
  FACT_COLUMNS,
  LESSON_COLUMNS,
  RELATION_ENDS,
  lessonFields,
  type Column,
} from '../types.js';

/** Every public view by name, in the order of creation. */
function views(projects: string): [name: string, select: string][] {
  return [
    ['own.session_facts', SESSION_FACTS],
    ['own.current_entries', CURRENT_ENTRIES],
    ['projects', PROJECTS],
    ['sessions', SESSIONS],
    ['entries', ENTRIES],
    ['usage', USAGE],
    ['tool_calls', TOOL_CALLS],
    ['commands', COMMANDS],
    ['errors', ERRORS],
    ['files_touched', FILES_TOUCHED],
    ['steps', STEPS],
    ['edits', FILE_EDITS],
    ['prompts', PROMPTS],
    ['facts', FACTS],
    ['lessons', LESSONS],
    ['claims', 'SELECT * EXCLUDE (fact) FROM main.lessons WHERE fact IS NULL'],
    ['events', EVENTS],
    ['own.session_relations', SESSION_RELATIONS],
    ['relations', RELATIONS],
    ['entities', ENTITIES],
    ['episodes', EPISODES],
    ['uses', USES],
    ['receipts', RECEIPTS],
    ['sources', SOURCES],
    ['job_runs', JOB_RUNS],
    [
      'llm_calls',
      'SELECT time, provider, model, purpose, agent, session, tokens_in, tokens_out, ms, outcome, error, kept, dropped FROM ' +
        'own.llm_calls',
    ],
    ['vectors', VECTORS],
    ['archive_entries', archiveView(projects)],
  ];
}

/** @param projects folder of the projects' files, with the archive tiers for `archive_entries` */
export function viewStatements(projects: string): string[] {
  return [
    ...views(projects).map(
      ([name, select]) =>
        `CREATE OR REPLACE VIEW ${name.includes('.') ? name : `main.${name}`} AS ${select}`,
    ),
    NEIGHBOURS,
    ...factStatements(),
  ];
}

/** First prompts that three or more sessions share in which nobody typed later. */
const OPENED_THREE = `SELECT opening_hash FROM own.sessions WHERE NOT typed_later GROUP BY opening_hash HAVING count(*) >= 3`;

/** Whether a program started the session `s` of own.sessions. */
export const IS_MACHINE = `(coalesce(s.machine, false)
  OR coalesce(s.opening_length >= 200 AND NOT s.typed_later AND s.opening_hash IN (${OPENED_THREE}), false))`;

const SESSION_FACTS = `
  SELECT s.*, coalesce(s.project, f.project) AS project_id, p.slug, ${IS_MACHINE} AS is_machine
  FROM own.sessions s
  LEFT JOIN own.folders f ON f.cwd = s.cwd
  LEFT JOIN own.projects p ON p.id = coalesce(s.project, f.project)`;

/** Highest rev of every entry, with project and the present path of its log, without the text. */
const CURRENT_ENTRIES = `
  SELECT e.* EXCLUDE (path), coalesce(l.path, e.path) AS path, coalesce(s.project_id, f.project) AS project_id,
    coalesce(s.slug, p.slug) AS project, coalesce(s.is_machine, false) AS machine
  FROM own.entries e
  LEFT JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
  LEFT JOIN own.folders f ON f.cwd = e.cwd
  LEFT JOIN own.projects p ON p.id = f.project
  LEFT JOIN own.sources l ON l.log = e.log
  WHERE NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)`;

const PROJECTS = `
  SELECT p.id, p.slug, p.name, p.remote,
    coalesce((SELECT list(f.cwd ORDER BY f.cwd) FROM own.folders f WHERE f.project = p.id), []) AS folders,
    coalesce((SELECT list(a.alias ORDER BY a.alias) FROM own.project_aliases a WHERE a.project = p.id), []) AS aliases,
    coalesce(s.sessions, 0) AS sessions, coalesce(s.entries, 0) AS entries, s.first_seen, s.last_seen
  FROM own.projects p
  LEFT JOIN (
    SELECT project_id, count(*) AS sessions, sum(entries)::BIGINT AS entries, min(oldest) AS first_seen, max(newest) AS last_seen
    FROM own.session_facts GROUP BY project_id) s ON s.project_id = p.id`;

const SESSIONS = `
  SELECT agent, session, slug AS project, parent, title, version, cwd, branch, remote, is_machine AS machine,
    coalesce(subagent, false) AS subagent, oldest AS started, newest AS ended, entries, extracted, active_seconds
  FROM own.session_facts`;

const USAGE = `
  SELECT u.agent, u.session, s.slug AS project, u.time, u.time::DATE AS day, u.model, u.input, u.cache_read, u.cache_write,
    u.output, u.reasoning, u.cost AS logged_cost
  FROM own.usage u LEFT JOIN own.session_facts s ON s.agent = u.agent AND s.session = u.session`;

const ENTRIES = `
  SELECT ${Object.keys(ENTRY_COLUMNS)
    .map((name) => (name === 'text' ? 't.text' : `e."${name}"`))
    .join(', ')}
  FROM own.current_entries e LEFT JOIN own.texts t ON t.n = e.n`;

/** For call ids that a session uses again: which use a call or a result belongs to. */
const USES_OF_CALLS = `
  SELECT e.agent, e.session, e.id,
    count(*) FILTER (role = 'tool_call') OVER (PARTITION BY e.agent, e.session, e.call ORDER BY log, seq) AS use
  FROM own.entries e
  JOIN (SELECT agent, session, call FROM own.entries WHERE role = 'tool_call' AND call IS NOT NULL
    GROUP BY ALL HAVING count(DISTINCT id) > 1) USING (agent, session, call)
  WHERE NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)`;

const TOOL_CALLS = `
  SELECT c.id, c.agent, c.session, c.project, c.time, c.tool, t.text, c.command, c.files, c.cwd, c.branch, r.exit, r.outcome,
    r.error,
    r.id AS result, r.time AS ended, date_diff('millisecond', c.time, r.time) AS ms, c.path, c.line
  FROM own.current_entries c
  LEFT JOIN own.texts t ON t.n = c.n
  LEFT JOIN (${USES_OF_CALLS}) v ON v.agent = c.agent AND v.session = c.session AND v.id = c.id
  LEFT JOIN (
    SELECT e.agent, e.session, e.call, u.use + (u.use = 0)::INTEGER AS use, arg_max(e.id, seq) AS id, arg_max(exit, seq) AS exit,
      arg_max(outcome, seq) AS outcome, arg_max(error, seq) AS error, max(time) AS time
    FROM own.current_entries e
    LEFT JOIN (${USES_OF_CALLS}) u ON u.agent = e.agent AND u.session = e.session AND u.id = e.id
    WHERE e.role = 'tool_result' AND e.call IS NOT NULL GROUP BY ALL) r
    ON r.agent = c.agent AND r.session = c.session AND r.call = c.call AND r.use IS NOT DISTINCT FROM v.use
  WHERE c.role = 'tool_call'`;

const COMMANDS = `
  SELECT id, agent, session, project, time, command, cwd, branch, exit, outcome, error, ms, result, path, line
  FROM main.tool_calls WHERE command IS NOT NULL`;

const ERRORS = `
  SELECT e.id, e.agent, e.session, e.project, e.time, e.error, e.tool, e.command, e.exit, e.outcome, t.text, e.path, e.line
  FROM own.current_entries e LEFT JOIN own.texts t ON t.n = e.n WHERE e.error IS NOT NULL`;

const FILES_TOUCHED = `
  SELECT unnest(files) AS file, id, agent, session, project, time, tool, outcome, path, line FROM main.tool_calls
    WHERE len(files) > 0`;

const STEPS = `
  SELECT s.agent, s.session, f.slug AS project, s.entry, s.n, s.time, s.ended, date_diff('millisecond', s.time, s.ended) AS ms,
    s.program, s.words, s.form, s.class, s.env, s.folder, s.outcome, s.error
  FROM own.steps s JOIN own.session_facts f ON f.agent = s.agent AND f.session = s.session`;

const FILE_EDITS = `
  SELECT e.agent, e.session, f.slug AS project, e.entry, e.time, e.file
  FROM own.file_edits e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session`;

const PROMPTS = `
  SELECT e.agent, e.session, f.slug AS project, e.entry, e.time, e.text
  FROM own.prompts e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session WHERE NOT f.is_machine`;

/** Columns under their own names. */
function shown(of: string, list: Readonly<Record<string, Column>>): string {
  return Object.entries(list)
    .map(([name, { isJson }]) => (isJson ? `${of}.${name}::JSON AS ${name}` : `${of}.${name}`))
    .join(', ');
}

/** Computed columns of a lesson. */
const LESSON_VALUES: Readonly<Record<string, string>> = {
  project: 'p.slug AS project',
  uses: 'coalesce(u.uses, 0) AS uses',
};

const FACTS = `
  SELECT p.slug AS project, ${shown('e', FACT_COLUMNS)}
  FROM own.fact_events e LEFT JOIN own.projects p ON p.id = e.project`;

const LESSONS = `
  SELECT ${lessonFields('answers', 'view')
    .map((field) => LESSON_VALUES[field] ?? shown('l', { [field]: LESSON_COLUMNS[field] }))
    .join(', ')}
  FROM own.lessons l LEFT JOIN own.projects p ON p.id = l.owner
  LEFT JOIN (SELECT id, count(*) AS uses FROM own.uses WHERE type = 'lesson' GROUP BY id) u ON u.id = l.id`;

const EVENTS = `
  SELECT e.lesson, p.slug AS project, ${shown('e', EVENT_COLUMNS)}
  FROM own.evidence e LEFT JOIN own.projects p ON p.id = e.owner`;

/** The name of a file without folders and extension. */
const STEM = String.raw`regexp_extract(lower(e.file), '([^/.]+)[^/]*$', 1)`;

/**
 * Relations in each session: the check after an edit, files edited between two prompts (at most
 * six), packages, releases, and the last command before a failed one passed.
 */
const SESSION_RELATIONS = String.raw`
  SELECT DISTINCT e.project, e.agent, e.session, e.file AS source, IF(s.class = 'test', 'tested_by', 'built_by') AS rel,
    s.form AS target
  FROM (SELECT project, agent, session, seq, file, unnest(['test', 'build']) AS class FROM own.file_edits) e
  ASOF JOIN (FROM own.steps WHERE shown AND outcome = 'ok' AND class IN ('test', 'build')) s
    ON s.project = e.project AND s.agent = e.agent AND s.session = e.session AND s.class = e.class AND s.seq > e.seq
  WHERE NOT s.narrow OR contains(lower(array_to_string(s.words, ' ')), ${STEM})
  UNION ALL
  SELECT DISTINCT project, agent, session, pair.a, 'edited_with', pair.b
  FROM (SELECT *, unnest(flatten([[{a: x, b: y} FOR y IN files IF x < y] FOR x IN files])) AS pair FROM (
    SELECT e.project, e.agent, e.session, list(DISTINCT e.file) AS files
    FROM own.file_edits e ASOF LEFT JOIN own.prompts p
      ON p.project = e.project AND p.agent = e.agent AND p.session = e.session AND p.seq < e.seq
    GROUP BY e.project, e.agent, e.session, p.seq HAVING count(DISTINCT e.file) BETWEEN 2 AND 6))
  UNION ALL
  SELECT DISTINCT s.project, agent, session, p.name, IF(class = 'release', 'deployed_via', 'depends_on'), target
  FROM (SELECT project, agent, session, class, form, unnest(IF(class = 'release', IF(shown, [form], []),
      [regexp_extract(w, '^@?[^@]+') FOR w IN words[3:] IF regexp_full_match(w, '@?[a-z][\w./@-]{1,60}')])) AS target
    FROM own.steps WHERE outcome = 'ok' AND (class = 'release' OR class = 'install' AND program <> 'brew'
      AND words[2] IN ('add', 'install', 'i', 'get', 'require') AND NOT list_has_any(words, ['-g', '--global']))) s
  JOIN own.projects p ON p.id = s.project
  UNION ALL
  SELECT DISTINCT o.project, o.agent, o.session, o.error_before, 'cured_by', arg_max(d.form, (d.seq, d.n))
  FROM (
    SELECT project, agent, session, entry, n, seq, form, outcome, lag(outcome) OVER same AS outcome_before,
      lag(error) OVER same AS error_before, lag(seq) OVER same AS seq_before
    FROM own.steps WHERE shown WINDOW same AS (PARTITION BY project, agent, session, form, folder ORDER BY seq, n)) o
  JOIN own.steps d ON d.project = o.project AND d.agent = o.agent AND d.session = o.session
    AND d.seq > o.seq_before AND d.seq < o.seq AND d.outcome <> 'failed' AND d.form <> o.form AND d.shown
  WHERE o.outcome = 'ok' AND o.outcome_before = 'failed' AND o.error_before IS NOT NULL
    AND NOT EXISTS (FROM own.file_edits e WHERE e.project = o.project AND e.agent = o.agent AND e.session = o.session
      AND e.seq > o.seq_before AND e.seq < o.seq)
  GROUP BY o.project, o.agent, o.session, o.entry, o.n, o.error_before`;

const RELATIONS = `
  SELECT p.slug AS project, r.source, r.rel, r.target, count(*) AS sessions, max(s.newest) AS last_seen
  FROM own.session_relations r
  JOIN own.session_facts s ON s.agent = r.agent AND s.session = r.session AND NOT s.is_machine
  LEFT JOIN own.projects p ON p.id = r.project
  GROUP BY p.slug, r.source, r.rel, r.target`;

/** The type of the first or second end of a relation. */
function endType(end: 0 | 1): string {
  const types = Object.entries(RELATION_ENDS).map(
    ([rel, ends]) => `WHEN '${rel}' THEN '${ends[end]}'`,
  );
  return `CASE rel ${types.join(' ')} END`;
}

const ENTITIES = `
  SELECT project, name, type, count(*) AS relations, max(sessions) AS sessions, max(last_seen) AS last_seen FROM (
    SELECT project, source AS name, ${endType(0)} AS type, sessions, last_seen FROM main.relations
    UNION ALL
    SELECT project, target, ${endType(1)}, sessions, last_seen FROM main.relations) GROUP BY project, name, type`;

const EPISODES = `
  SELECT e.agent, e.session, p.slug AS project, e.day, e.title, e.summary, e.outcome, e.signal, e.problem, e.solution, e.lesson,
    e.files,
    e.commands, e.commits, e.unfinished, e.next_step
  FROM own.episodes e
  JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session AND NOT s.is_machine
  LEFT JOIN own.projects p ON p.id = e.project`;

const USES = `SELECT u.time, u.type, u.id, u.door, u.agent, u.session, u.project FROM own.uses u`;

const RECEIPTS = `
  SELECT r.receipt, r.time, r.moment, r.agent, r.session, p.slug AS project, r.type, r.id, r.tokens
  FROM own.receipts r LEFT JOIN own.projects p ON p.id = r.project`;

const SOURCES = `
  SELECT s.agent, s.path, s.size, s."offset" AS read_bytes, s.line AS read_lines, coalesce(e.entries, 0) AS entries, s.bad_lines,
    s.session, s.last_read
  FROM own.sources s LEFT JOIN (SELECT log, count(*) AS entries FROM own.entries WHERE rev = 1 GROUP BY log) e ON e.log = s.log`;

const JOB_RUNS = `
  SELECT id, job, period, attempt, started, ended, date_diff('millisecond', started, ended) AS ms, outcome, counts,
    error, next_attempt
  FROM own.job_runs`;

export const VECTORS = 'SELECT owner, id, rev, fingerprint, part, text, vector FROM own.vectors';

/** Entries with nearly the same meaning as a given entry, by the best pair of their parts. */
const NEIGHBOURS = `
  CREATE OR REPLACE MACRO main.semantic_neighbours(entry_id, k) AS TABLE (
    SELECT e.id, e.project, e.session, e.time, e.text, n.similarity, e.path, e.line
    FROM (
      SELECT b.id, max(array_cosine_similarity(a.vector, b.vector))::DOUBLE AS similarity
      FROM own.vectors a JOIN own.vectors b ON b.fingerprint = a.fingerprint AND b.owner = 'entry' AND b.id <> a.id
        AND b.vector IS NOT NULL
      WHERE a.owner = 'entry' AND a.id = entry_id AND a.vector IS NOT NULL GROUP BY b.id) n
    JOIN main.entries e ON e.id = n.id
    QUALIFY row_number() OVER (ORDER BY n.similarity DESC, e.id) <= k
    ORDER BY n.similarity DESC, e.id)`;
