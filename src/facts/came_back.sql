-- Errors that came back: failures whose error stopped the same program in an earlier session of the project, or whose cure
-- was a fact of another session. `was_cured`: the form passed after the earlier failure. `known_by`: kinds of facts with a
-- cure at the time of the failure (null: none), `cures`: their keys, `by_form`: only the form matched. Errors that differ
-- only in `file:` are equal. Nothing later than the failure is used.
CREATE OR REPLACE MACRO main.came_back(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (
    SELECT *, regexp_replace(error, '^[\w.-]+\.\w{1,5}: ', '') AS what, array_to_string(list_concat(env, words), ' ') AS said
    FROM steps_at(as_of, of_project := of_project) WHERE is_first AND class NOT IN ('read', 'search') AND outcome <> 'unknown'),
  cures AS MATERIALIZED (
    SELECT project, agent, session, fact, key, known_at, (fields->>'program') AS program, (fields->>'fails') AS fails,
      regexp_replace((fields->>'error'), '^[\w.-]+\.\w{1,5}: ', '') AS what
    FROM (FROM fact_changed(as_of, of_project := of_project) UNION ALL FROM fact_before(as_of, of_project := of_project)
      UNION ALL FROM fact_edited(as_of, of_project := of_project)
      UNION ALL FROM fact_absent(as_of, of_project := of_project))
    WHERE supports AND (fact <> 'absent' OR (fields->>'instead') IS NOT NULL)),
  failed AS MATERIALIZED (FROM s WHERE outcome = 'failed' AND error IS NOT NULL),
  earlier AS (
    SELECT b.project, b.entry, b.n, count(DISTINCT (a.agent, a.session)) AS sessions,
      bool_or(EXISTS (FROM s w WHERE w.agent = a.agent AND w.session = a.session AND w.form = a.form AND w.outcome = 'ok'
        AND w."at" > a."at" AND w.known <= b.known)) AS was_cured
    FROM failed b JOIN failed a ON a.project = b.project AND (a.agent, a.session) <> (b.agent, b.session) AND a.known < b.known
      AND a.program = b.program AND a.what = b.what
    GROUP BY ALL),
  knew AS (
    SELECT b.project, b.entry, b.n, list_sort(list(DISTINCT k.fact)) AS known_by,
      list_sort(list(DISTINCT 'fact:' || k.fact || ':' || k.key)) AS cures, NOT bool_or(k.what IS NOT DISTINCT FROM b.what OR b.absent) AS by_form
    FROM failed b JOIN cures k ON k.project = b.project AND (k.agent, k.session) <> (b.agent, b.session) AND k.known_at <= b.known
      AND k.program = b.program AND (k.what = b.what OR k.fact <> 'edited' AND k.fails = b.said OR k.fact = 'absent' AND b.absent)
    GROUP BY ALL)
  SELECT b.project, b.agent, b.session, b.entry, b.known AS failed_at, b.program, b.form, b.error, coalesce(e.sessions, 0) AS sessions_before,
    coalesce(e.was_cured, false) AS was_cured, k.known_by, b.n, b.absent, coalesce(k.cures, []) AS cures,
    e.sessions IS NULL AND coalesce(k.by_form, false) AS by_form
  FROM failed b LEFT JOIN earlier e ON e.project = b.project AND e.entry = b.entry AND e.n = b.n
    LEFT JOIN knew k ON k.project = b.project AND k.entry = b.entry AND k.n = b.n
  WHERE e.sessions > 0 OR k.known_by IS NOT NULL;
