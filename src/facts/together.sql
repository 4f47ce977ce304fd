-- States: two files that are edited in the same session, one event a session.
-- Wrong when: the session touched everything; so only its first six files count. Told at an edit only.
-- Measured: no line yet (docs/facts.md).
CREATE OR REPLACE MACRO main.fact_together(as_of, of_project := NULL) AS TABLE
  WITH first_edits AS (
    SELECT project, agent, session, file, min(time) AS known, arg_min({e: entry, a: of_agent, s: of_session}, (time, seq)) AS place
    FROM edits_at(as_of, of_project := of_project) GROUP BY ALL),
  ranked AS (
    SELECT * EXCLUDE (nth) FROM (
      SELECT *, row_number() OVER (PARTITION BY agent, session ORDER BY known, file) AS nth FROM first_edits)
    -- Among the first six of every log that holds the edit: a fork that copied a part has others.
    QUALIFY max(nth) OVER (PARTITION BY project, place.e, file) <= 6)
  SELECT 'together' AS fact, file || ' + ' || other AS key, json_object('file', file, 'with', other) AS fields, project,
    place.a AS agent, place.s AS session, place.e AS entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at, true AS supports,
    other AS quote
  FROM (
    SELECT a.project, a.session, a.agent, a.file, b.file AS other, greatest(a.known, b.known) AS known,
      CASE WHEN a.known > b.known THEN a.place ELSE b.place END AS place
    FROM ranked a JOIN ranked b ON b.agent = a.agent AND b.session = a.session AND a.project = b.project AND a.file < b.file)
  QUALIFY row_number() OVER (PARTITION BY project, file, other, place.e ORDER BY session, agent) = 1;
