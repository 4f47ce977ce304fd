-- States: a step fails until another step has run (start, install, generate, log in).
-- Wrong if the other step has nothing to do with the success. So it must be the only step that changed a state between the
-- failure and the success of the same form, the error must name something missing, and no file may be edited in between.
CREATE OR REPLACE MACRO main.fact_before(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (FROM steps_at(as_of, of_project := of_project) WHERE shown),
  pairs AS (
    SELECT a.*, b.known AS now_known, b.entry AS now_entry, b."at" AS now_at, b.seq AS now_seq, b.of_agent AS now_agent,
      b.of_session AS now_session
    FROM s a JOIN s b ON b.agent = a.agent AND b.session = a.session AND b.outcome = 'ok' AND b.form = a.form
      AND b.folder = a.folder AND b.known >= a.known AND b."at" > a."at"
    WHERE a.outcome = 'failed' AND a.error IS NOT NULL AND a.class NOT IN ('read', 'search')
      AND regexp_matches(a.error, '(?i)not found|cannot find|no module|missing|does not exist|could not (find|resolve|connect|read)|not installed|refused|out of date|not (built|generated|running|logged)|undefined reference|ENOENT|unauthorized|lockfile')
    -- A success counts unless another one is earlier both in the log and by the clock, since a fork may have the first of
    -- only one order.
    QUALIFY coalesce(b.known < min(b.known) OVER (PARTITION BY a.agent, a.session, a.entry, a.n ORDER BY b."at"
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true)),
  between_them AS (
    SELECT p.*, list(DISTINCT m.form) AS did, min(array_to_string(list_concat(m.env, m.words), ' ')) AS said_before
    FROM pairs p JOIN s m ON m.agent = p.agent AND m.session = p.session AND m."at" > p."at" AND m."at" < p.now_at
      AND m.outcome <> 'failed' AND m.form <> p.form AND m.known <= p.now_known
      AND (m.class IN ('install', 'build', 'generate', 'db', 'infra', 'run', 'clean') OR list_has_any(m.words, ['login', 'start', 'up', 'trust', 'auth']))
    WHERE NOT EXISTS (FROM own.file_edits e WHERE e.agent = p.agent AND e.session = p.session AND e.seq BETWEEN p.seq AND p.now_seq
      AND coalesce(e.time, p.now_known) <= p.now_known)
    GROUP BY ALL)
  SELECT 'before' AS fact, form || ' <= ' || did[1] AS key,
    json_object('fails', array_to_string(list_concat(env, words), ' '), 'needs', said_before, 'error', error, 'program', program,
      'folder', folder, 'class', class) AS fields,
    project, now_agent AS agent, now_session AS session, now_entry AS entry, strftime(now_known, '%Y-%m-%d') AS day, now_known AS known_at, true AS supports,
    error AS quote
  FROM between_them WHERE len(did) = 1
  QUALIFY row_number() OVER (PARTITION BY project, form, did[1], now_entry, entry, n ORDER BY session, agent) = 1;
