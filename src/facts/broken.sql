-- States: a rule of the person (a claim with fields of a prohibition), and the steps and edits that broke the rule after it
-- was said.
-- Wrong if the person wanted an exception. So a step does not count if the person ran it or typed the form in that session,
-- or if it is a dry run or failed. A step that kept the rule contradicts: the other command, or the prohibited one in
-- another form.
CREATE OR REPLACE MACRO main.fact_broken(as_of, of_project := NULL) AS TABLE
  WITH rules AS MATERIALIZED (FROM rules_at(as_of, of_project := of_project)),
  s AS MATERIALIZED (
    SELECT *, bare_words(words) AS bare
    FROM steps_at(as_of, of_project := of_project)
    WHERE EXISTS (FROM rules) AND is_first AND outcome = 'ok' AND folder IS NOT NULL AND does_work(words, shown)),
  asked AS (
    SELECT s.*, r.lesson, r.project AS of_rule, r.said, r.text AS rule, r.instead, r.command, string_split(r.command, ' ') AS wanted,
      list_filter(string_split(r.command, ' '), lambda w: NOT starts_with(w, '-')) AS order_of
    FROM s JOIN (SELECT *, unnest(commands) AS command FROM rules) r ON r.project = s.project AND s.time > r.said
      AND s.program = regexp_extract(string_split(r.command, ' ')[1], '[^/]*$')),
  judged AS (
    SELECT *, breaks_command(words, command, instead) AS is_broken,
      len(wanted) > 2 AND (len(order_of) < 2 OR bare[2] = order_of[2]) AS is_near, only_looks(words, command) AS is_look
    FROM asked),
  ran AS (
    SELECT lesson, project, entry, n, any_value(of_agent) AS agent, any_value(of_session) AS session, any_value(known) AS known,
      bool_or(is_broken) AS broke, bool_or(is_near) AS near, any_value(array_to_string(words, ' ')) AS what, any_value(rule) AS rule,
      max(command) FILTER (is_broken) AS command, any_value(program) AS program
    FROM judged WHERE NOT is_look GROUP BY ALL HAVING bool_or(is_broken) OR bool_or(is_near)),
  instead AS (
    SELECT r.lesson, s.project, s.entry, s.n, s.of_agent AS agent, s.of_session AS session, s.known, false AS broke, true AS near,
      array_to_string(s.words, ' ') AS what, r.text AS rule, NULL AS command, s.program
    FROM s JOIN rules r ON r.project = s.project AND s.time > r.said
      AND s.program = string_split(r.instead, ' ')[1] AND list_has_all(s.words, string_split(r.instead, ' '))),
  edited AS (
    SELECT r.lesson, e.project, e.entry, 0 AS n, e.of_agent AS agent, e.of_session AS session, e.time AS known, true AS broke,
      true AS near, e.file AS what, r.text AS rule, r.path AS command, NULL AS program
    FROM edits_at(as_of, of_project := of_project) e JOIN (SELECT *, unnest(paths) AS path FROM rules) r ON r.project = e.project
      AND e.time > r.said AND e.agent = e.of_agent AND e.session = e.of_session
      AND breaks_path(e.file, r.path)),
  found AS (
    SELECT f.*, NOT f.broke AS kept FROM (FROM ran UNION ALL FROM instead UNION ALL FROM edited) f
    WHERE NOT f.broke OR
      -- The person ran the command or asked for it in that session; a prompt with the rule, a negation or a preference does
      -- not ask.
      NOT EXISTS (FROM own.entries x WHERE x.id = f.entry AND x.origin = 'user')
      AND NOT EXISTS (FROM own.prompts p WHERE p.agent = f.agent AND p.session = f.session AND p.time <= f.known
        AND (contains(lower(p.text), lower(f.command)) OR f.program = 'git' AND contains(lower(p.text), string_split(f.command, ' ')[2]))
        AND NOT contains(p.text, f.rule)
        AND NOT regexp_matches(p.text, '(?i)\b(never|do not|don.?t|must not|no longer|avoid|always|instead|only)\b')))
  SELECT 'broken' AS fact, lesson AS key, json_object('what', what[:200], 'command', command) AS fields, project,
    agent, session, entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at, broke AS supports, what[:300] AS quote
  FROM found
  QUALIFY row_number() OVER (PARTITION BY project, lesson, entry, broke ORDER BY n, what) = 1;
