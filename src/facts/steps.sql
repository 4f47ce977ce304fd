-- Steps of people's sessions that are known at a point in time, in each session that has them, so that a failure in a shared
-- part and its cure in a fork are found together. An event counts once, for the earliest session with the step (`of_agent`,
-- `of_session`; there the step is `is_first`). A step is alone if its call ran nothing else that takes time: only then is
-- the call's time the step's.
CREATE OR REPLACE MACRO main.steps_at(as_of, of_project := NULL) AS TABLE
  SELECT * FROM (
    SELECT s.* EXCLUDE (project), f.project_id AS project, coalesce(s.ended, s.time) AS known,
      first_value(s.agent) OVER holders AS of_agent, first_value(s.session) OVER holders AS of_session,
      row_number() OVER holders = 1 AS is_first,
      count(*) FILTER (WHERE s.class NOT IN ('read', 'search') AND s.program <> 'cd')
        OVER (PARTITION BY s.agent, s.session, s.entry) <= 1 AS alone
    FROM own.steps s JOIN own.session_facts f ON f.agent = s.agent AND f.session = s.session
    WHERE NOT f.is_machine AND s.time IS NOT NULL
      AND (of_project IS NULL OR list_contains(string_split(of_project, ' '), f.project_id))
    WINDOW holders AS (PARTITION BY f.project_id, s.entry, s.n ORDER BY f.oldest, s.session, s.agent))
  WHERE known <= as_of;
