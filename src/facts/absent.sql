-- States: a program is missing, and the program that is used instead.
-- Wrong if the program was installed later; a success then contradicts the fact.
CREATE OR REPLACE MACRO main.fact_absent(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (FROM steps_at(as_of, of_project := of_project)),
  -- An event counts only if it is the first in every log that has it: a fork with a part of a log may begin with a later
  -- event.
  gone AS (
    SELECT * EXCLUDE (nth) FROM (
      SELECT *, row_number() OVER (PARTITION BY project, agent, session, program ORDER BY known, "at", n) AS nth
      FROM s WHERE absent AND regexp_full_match(program, '[A-Za-z][\w.+-]{1,30}'))
    QUALIFY max(nth) OVER (PARTITION BY project, entry, n) = 1),
  -- Another program with the same arguments, soon afterwards: the first one in all sessions with the failure, since a fork
  -- may end before it.
  instead AS (
    SELECT g.project, g.program, g.agent AS log_agent, g.session AS log_session, b.entry, b.of_agent, b.of_session, b.known,
      -- A wrapper runs the same program: `mise exec -- bats`.
      CASE WHEN list_contains(b.words, g.program) THEN array_to_string(b.words[:list_position(b.words, g.program)], ' ') ELSE b.program END AS said,
      b.words
    FROM gone g JOIN s b ON b.agent = g.agent AND b.session = g.session AND b.outcome = 'ok' AND b."at" > g."at" AND b."at" <= g."at" + 6
      AND b.known >= g.known AND b.program <> g.program AND len(g.words) > 1 AND list_has_all(b.words, g.words[2:])
    QUALIFY row_number() OVER (PARTITION BY g.project, g.entry, g.n ORDER BY b.known, b."at", b.n, g.session, g.agent) = 1),
  works AS (
    SELECT * EXCLUDE (n, nth) FROM (
    SELECT w.project, w.program, w.agent AS log_agent, w.session AS log_session, w.entry, w.of_agent, w.of_session, w.known, NULL, w.words, w.n,
      row_number() OVER (PARTITION BY w.project, w.agent, w.session, w.program ORDER BY w.known, w."at", w.n) AS nth
    FROM s w JOIN (SELECT project, program, min(known) AS first_gone FROM gone GROUP BY ALL) g
      ON g.project = w.project AND g.program = w.program AND w.known > g.first_gone
    WHERE w.outcome = 'ok')
    QUALIFY max(nth) OVER (PARTITION BY project, program, entry, n) = 1),
  found AS (
    SELECT project, program, agent AS log_agent, session AS log_session, entry, of_agent, of_session, known, NULL AS said, words,
      'gone' AS part
    FROM gone UNION ALL SELECT *, 'instead' FROM instead UNION ALL SELECT *, 'works' FROM works)
  SELECT 'absent' AS fact, program AS key,
    CASE part WHEN 'gone' THEN json_object('program', program) WHEN 'works' THEN json_object()
      ELSE json_object('program', program, 'instead', said) END AS fields,
    project, of_agent AS agent, of_session AS session, entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at,
    part <> 'works' AS supports, array_to_string(words, ' ') AS quote
  FROM found QUALIFY row_number() OVER (PARTITION BY project, program, entry, part ORDER BY log_session, log_agent) = 1;
