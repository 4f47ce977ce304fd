-- States: an error, and the files that were edited before the next success of the same command.
-- Wrong if the files had nothing to do with the error, so the fact is shown only at the failure. An edit of the file that
-- the error names proves nothing, so it is no event. A line needs two sessions with a common file.
CREATE OR REPLACE MACRO main.fact_edited(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (FROM steps_at(as_of, of_project := of_project) WHERE class NOT IN ('read', 'search', 'vcs') AND outcome <> 'unknown'),
  pairs AS (
    SELECT a.*, b.known AS now_known, b.entry AS now_entry, b.seq AS now_seq, b.of_agent AS now_agent,
      b.of_session AS now_session
    FROM s a JOIN s b ON b.agent = a.agent AND b.session = a.session AND b.outcome = 'ok' AND b.form = a.form AND b.known >= a.known
      AND b."at" > a."at"
    WHERE a.outcome = 'failed' AND a.error IS NOT NULL
    -- Uses all sessions with the failure, so that a fork that ends before the cure does not find another cure.
    QUALIFY row_number() OVER (PARTITION BY a.project, a.entry, a.n ORDER BY b.known, b."at", b.n, a.session, a.agent) = 1)
  SELECT 'edited' AS fact, program || ': ' || error AS key,
    json_object('fails', min(form), 'error', error, 'program', program, 'files', list_sort(list(DISTINCT e.file))[:6]) AS fields,
    p.project, p.now_agent AS agent, p.now_session AS session, p.now_entry AS entry, strftime(p.now_known, '%Y-%m-%d') AS day, p.now_known AS known_at,
    true AS supports, p.error AS quote
  FROM pairs p JOIN own.file_edits e ON e.agent = p.agent AND e.session = p.session AND e.seq > p.seq AND e.seq < p.now_seq
    AND e.time <= p.now_known
  GROUP BY p.project, p.now_agent, p.now_session, p.now_entry, p.now_known, p.error, p.program, p.agent, p.session
  HAVING count(DISTINCT e.file) <= 6 AND NOT bool_or(contains(p.error, regexp_extract(e.file, '[^/]*$')))
  QUALIFY row_number() OVER (PARTITION BY p.project, p.program, p.error, p.now_entry ORDER BY p.session, p.agent) = 1;
