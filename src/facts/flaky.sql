-- States: a test or check that failed and then passed in the same words, with nothing edited and nothing else run in between, and
-- both in the agent's sandbox, or both outside.
-- Wrong when: something outside changed. The template asks for three flips. Measured: no line yet (docs/facts.md).
CREATE OR REPLACE MACRO main.fact_flaky(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (
    FROM steps_at(as_of, of_project := of_project)
    WHERE shown AND outcome <> 'unknown' AND class IN ('test', 'check', 'lint', 'build')),
  free AS MATERIALIZED (SELECT id FROM own.entries WHERE list_contains(marks, 'unsandboxed'))
  SELECT 'flaky' AS fact, a.form AS key,
    json_object('form', a.form, 'program', a.program, 'error', a.error) AS fields,
    a.project, b.of_agent AS agent, b.of_session AS session, b.entry, strftime(b.known, '%Y-%m-%d') AS day, b.known AS known_at, true AS supports,
    coalesce(a.error, '') AS quote
  FROM s a JOIN s b ON b.agent = a.agent AND b.session = a.session AND b."at" = a."at" + 1 AND b.words = a.words AND b.env = a.env
    AND b.folder = a.folder AND b.outcome = 'ok' AND b.known >= a.known
  WHERE a.outcome = 'failed' AND a.entry IN (FROM free) = b.entry IN (FROM free)
    AND NOT EXISTS (FROM own.file_edits e WHERE e.agent = a.agent AND e.session = a.session AND e.seq BETWEEN a.seq AND b.seq
      AND coalesce(e.time, b.known) <= b.known)
  QUALIFY row_number() OVER (PARTITION BY a.project, a.entry, a.n ORDER BY b.known, b."at", b.n, a.session, a.agent) = 1;
