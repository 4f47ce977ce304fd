-- The questions of docs/database.md in the SQL that DuckDB, Spark and DataFusion share; `example` and likeness are left out.
-- name: Which commands fail most?
SELECT project, command, count(*) AS runs, count(*) FILTER (WHERE outcome = 'failed') AS failures
FROM commands GROUP BY project, command HAVING count(*) FILTER (WHERE outcome = 'failed') > 0
ORDER BY failures DESC, command LIMIT 20;

-- name: Where does the time go?
SELECT project, tool, count(*) AS calls, round(sum(ms) / 60000.0, 1) AS minutes
FROM tool_calls WHERE ms < 3600000 GROUP BY project, tool ORDER BY minutes DESC, tool;

-- name: Which files are touched together in sessions where something failed?
WITH touched AS (
  SELECT DISTINCT f.agent, f.session, f.file FROM files_touched f
  WHERE EXISTS (SELECT 1 FROM commands c WHERE c.agent = f.agent AND c.session = f.session AND c.outcome = 'failed'))
SELECT a.file, b.file AS with_file, count(*) AS sessions
FROM touched a JOIN touched b ON b.agent = a.agent AND b.session = a.session AND a.file < b.file
GROUP BY a.file, b.file ORDER BY sessions DESC, a.file, with_file LIMIT 20;

-- name: How do the agents compare?
SELECT agent, count(*) AS sessions, count(*) FILTER (WHERE outcome = 'success') AS succeeded,
  count(*) FILTER (WHERE unfinished) AS unfinished
FROM episodes GROUP BY agent ORDER BY agent;

-- name: What does the user want, in their own words?
SELECT l.project, l.text, e.day, e.quote
FROM lessons l JOIN evidence e ON e.lesson = l.id AND e.supports
WHERE l.said_by = 'user' ORDER BY e.day DESC, l.text;

-- name: What does a flaky command cost: runs that failed although the same command passed before and after in the same session?
WITH runs AS (
  SELECT command, outcome, ms,
    lag(outcome) OVER (PARTITION BY agent, session, command ORDER BY time, id) AS before,
    lead(outcome) OVER (PARTITION BY agent, session, command ORDER BY time, id) AS after
  FROM commands)
SELECT command, count(*) AS flakes, round(sum(ms) / 1000.0, 1) AS seconds
FROM runs WHERE outcome = 'failed' AND before = 'ok' AND after = 'ok' GROUP BY command ORDER BY flakes DESC, command;

-- name: Which errors came back in several sessions?
SELECT error, count(DISTINCT agent || session) AS sessions, max(time) AS last_time
FROM errors GROUP BY error HAVING count(DISTINCT agent || session) > 1 ORDER BY sessions DESC, error;

-- name: Which lessons are really used?
SELECT l.text, u.door, count(*) AS times FROM uses u JOIN lessons l ON l.id = u.id
WHERE u.type = 'lesson' GROUP BY l.text, u.door ORDER BY times DESC, l.text;

-- name: What is unfinished?
SELECT project, day, title, next_step FROM episodes WHERE unfinished ORDER BY day DESC, title;

-- name: Which sessions took the most tokens, and in how many minutes of work?
SELECT s.project, s.title, sum(u.input + u.cache_read + u.cache_write + u.output) AS tokens,
  CAST(floor(s.active_seconds / 60) AS BIGINT) AS minutes
FROM usage u JOIN sessions s ON s.agent = u.agent AND s.session = u.session
GROUP BY s.project, s.title, s.active_seconds ORDER BY tokens DESC, s.project LIMIT 20;

-- name: How much of what a model was sent came from its cache, week by week?
SELECT CAST(date_trunc('week', day) AS DATE) AS week, model,
  round(100.0 * sum(cache_read) / sum(input + cache_read + cache_write), 1) AS percent
FROM usage GROUP BY CAST(date_trunc('week', day) AS DATE), model
HAVING sum(input + cache_read + cache_write) > 0 ORDER BY week DESC, model;
