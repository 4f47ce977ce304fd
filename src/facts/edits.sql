-- File edits known at a point in time, in each session that has them; an event is of one session (steps.sql).
CREATE OR REPLACE MACRO main.edits_at(as_of, of_project := NULL) AS TABLE
  SELECT * FROM (
    SELECT e.* EXCLUDE (project), f.project_id AS project,
      first_value(e.agent) OVER holders AS of_agent, first_value(e.session) OVER holders AS of_session
    FROM own.file_edits e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
    WHERE NOT f.is_machine AND e.time IS NOT NULL
      AND (of_project IS NULL OR list_contains(string_split(of_project, ' '), f.project_id))
    WINDOW holders AS (PARTITION BY f.project_id, e.entry, e.file ORDER BY f.oldest, e.session, e.agent))
  WHERE time <= as_of;
