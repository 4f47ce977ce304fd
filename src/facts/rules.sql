-- Prohibitions in the person's live claims, for each project where they apply, with the first and all times at which they
-- were said: the time of the prompt or edit, or the end of the day if the log is gone. The rules are today's; only times up
-- to `as_of` count.
CREATE OR REPLACE MACRO main.rules_at(as_of, of_project := NULL) AS TABLE
  WITH claims AS MATERIALIZED (
    SELECT id AS lesson, owner, text, from_json(fields->'commands', '["VARCHAR"]') AS commands,
      from_json(fields->'paths', '["VARCHAR"]') AS paths, fields->>'instead' AS instead
    FROM own.lessons
    WHERE said_by = 'user' AND status = 'live' AND (fields->>'polarity') = 'never'),
  own_edits AS (
    SELECT e.lesson, e.owner, e.action, e.time FROM own.edits e JOIN claims c ON c.lesson = e.lesson AND c.owner = e.owner
    WHERE e.action IN ('add', 'edit') AND e.text = c.text),
  sayings AS (
    SELECT c.lesson, c.owner, coalesce(p.time, TRY_CAST(v.day AS TIMESTAMP) + INTERVAL 1 DAY) AS time
    FROM claims c JOIN own.evidence v ON v.lesson = c.lesson AND v.owner = c.owner AND v.supports
    LEFT JOIN (SELECT entry, min(time) AS time FROM own.prompts GROUP BY entry) p ON p.entry = v.entry
    WHERE v.agent <> 'person' OR NOT EXISTS (FROM own_edits h WHERE h.lesson = c.lesson AND h.owner = c.owner)
    UNION ALL SELECT lesson, owner, time FROM own_edits),
  -- Before the edit with these words, the rule was another one.
  said AS (
    SELECT lesson, owner, min(time) AS said, list_sort(list(DISTINCT time)) AS times FROM sayings t
    WHERE time <= as_of AND NOT EXISTS (
      FROM own_edits h WHERE h.lesson = t.lesson AND h.owner = t.owner AND h.action = 'edit' AND h.time > t.time AND h.time <= as_of)
    GROUP BY ALL)
  SELECT c.*, p.id AS project, t.said, t.times
  FROM claims c JOIN said t ON t.lesson = c.lesson AND t.owner = c.owner
  JOIN (SELECT DISTINCT project_id AS id FROM own.session_facts WHERE project_id IS NOT NULL) p ON c.owner IN ('', p.id)
  WHERE of_project IS NULL OR list_contains(string_split(of_project, ' '), p.id);
