-- States: how to test, build, lint, format, typecheck, run and release, and commands that the person asked for in three
-- sessions. One event per run, with form and milliseconds. An often requested command has its form as key, and is known from
-- the third session on.
-- Wrong if the run was a trial. A failed run contradicts nothing, since tests may fail; it is only counted.
CREATE OR REPLACE MACRO main.fact_works(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (
    SELECT *, class IN ('test', 'build', 'lint', 'format', 'typecheck', 'check', 'run', 'release', 'generate', 'db') AS is_task
    FROM steps_at(as_of, of_project := of_project)
    WHERE is_first AND shown AND outcome IN ('ok', 'failed') AND len(form) <= 100 AND class NOT IN ('read', 'search', 'vcs')
      AND NOT regexp_matches(form, '(^|[ =])(TEXT|URL|SHA)( |$)|[$`]|--help|--version')),
  -- Only short prompts: a longer one is mostly pasted.
  typed AS (
    SELECT project, form, list_sort(list(DISTINCT first))[3] AS since FROM (
      SELECT w.project, w.form, min(p.time) AS first
      FROM (SELECT DISTINCT project, form FROM s WHERE contains(form, ' ')) w
      JOIN own.session_facts f ON f.project_id = w.project AND NOT f.is_machine
      JOIN own.prompts p ON p.agent = f.agent AND p.session = f.session AND p.time <= as_of AND len(p.text) <= 900
        AND contains(lower(p.text), lower(w.form))
      GROUP BY w.project, w.form, p.agent, p.session)
    GROUP BY project, form HAVING since IS NOT NULL),
  keyed AS (
    SELECT s.*, class AS key, known AS since FROM s WHERE is_task
    UNION ALL SELECT s.*, s.form, greatest(s.known, t.since) FROM s JOIN typed t ON t.project = s.project AND t.form = s.form)
  SELECT 'works' AS fact, key,
    json_object('form', form, 'narrow', narrow, 'own', own, 'program', program,
      'ms', CASE WHEN alone AND ended >= time THEN date_diff('millisecond', time, ended) END) AS fields,
    project, of_agent AS agent, of_session AS session, entry, strftime(since, '%Y-%m-%d') AS day, since AS known_at, outcome = 'ok' AS supports,
    array_to_string(list_concat(env, words), ' ')[:300] AS quote
  FROM keyed;
