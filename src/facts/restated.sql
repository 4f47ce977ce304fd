-- States: a wish that a person typed in two or more sessions in nearly the same words: equal names, numbers and negation, and seven
-- words of ten in common. Verbatim.
-- Wrong when: one prompt is sent again and again; so it is no wish of an automated session. Measured: no line yet (docs/facts.md).
CREATE OR REPLACE MACRO main.fact_restated(as_of, of_project := NULL) AS TABLE
  WITH held AS MATERIALIZED (
    SELECT f.project_id AS project, f.oldest, e.agent, e.session, e.entry, e.time AS known, e.text, e.words, e.signature
    FROM own.wishes e JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
    WHERE NOT f.is_machine AND e.time IS NOT NULL AND e.time <= as_of
      AND (of_project IS NULL OR list_contains(string_split(of_project, ' '), f.project_id))
    ),
  w AS MATERIALIZED (
    FROM held QUALIFY row_number() OVER (PARTITION BY project, entry, text ORDER BY oldest, session, agent) = 1),
  -- Each wish with the first one of another session that says the same.
  again AS (
    SELECT b.*, a.text AS first_text, a.signature || a.text AS first_key, a.entry AS first_entry, a.agent AS first_agent,
      a.session AS first_session, a.known AS first_known
    FROM w b JOIN w a ON a.project = b.project AND a.signature = b.signature AND (a.known, a.entry) < (b.known, b.entry)
      AND (a.agent, a.session) <> (b.agent, b.session)
      -- No log holds both: forks and resumes are one session.
      AND NOT EXISTS (FROM held x JOIN held y ON y.agent = x.agent AND y.session = x.session WHERE x.entry = a.entry AND y.entry = b.entry)
      AND len(list_intersect(a.words, b.words)) >= 0.7 * len(list_distinct(list_concat(a.words, b.words)))
    QUALIFY row_number() OVER (PARTITION BY b.entry, b.text ORDER BY a.known, a.entry) = 1)
  SELECT 'restated' AS fact, md5(first_key) AS key, json_object('text', text) AS fields, project, agent, session, entry,
    strftime(known, '%Y-%m-%d') AS day, known AS known_at, true AS supports, text AS quote
  FROM again
  UNION ALL
  SELECT 'restated', md5(first_key), json_object('text', first_text), project, first_agent, first_session, first_entry,
    strftime(first_known, '%Y-%m-%d'), min(known), true, first_text
  FROM again GROUP BY ALL;
