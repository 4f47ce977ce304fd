-- States: the form of commit subjects and the prefix of branches that are made here, one event a commit or branch.
-- Wrong when: one task alone named them so; so the template asks for five of them and a share. Measured: no line yet (docs/facts.md).
CREATE OR REPLACE MACRO main.fact_habit(as_of, of_project := NULL) AS TABLE
  WITH named_steps AS (
    SELECT *, list_contains(words, 'commit') AS is_commit FROM steps_at(as_of, of_project := of_project)
    WHERE is_first AND named IS NOT NULL AND folder IS NOT NULL AND outcome = 'ok')
  SELECT 'habit' AS fact, CASE WHEN is_commit THEN 'commit subject' ELSE 'branch' END AS key,
    json_object('style', CASE
      WHEN NOT is_commit THEN nullif(regexp_extract(named, '^([a-z][\w.-]{1,20})/', 1), '')
      WHEN regexp_matches(named, '^[a-z]{2,10}\([\w./,* -]+\)!?: \S') THEN 'type(scope): subject'
      WHEN regexp_matches(named, '^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)!?: \S') THEN 'type: subject'
      WHEN regexp_matches(named, '^\[?[A-Z][A-Z0-9]{1,9}-\d+\]?[: ]') THEN 'ABC-123: subject'
      WHEN regexp_matches(named, '^v?\d+\.\d+\.\d+: \S') THEN 'X.Y.Z: subject' END) AS fields,
    project, of_agent AS agent, of_session AS session, entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at, true AS supports, named AS quote
  FROM named_steps;
