-- States: a command fails in one form and works in another: an option, a variable, a wrapper, another program.
-- Wrong if the success had another reason, or the failure was intended. So the operands must be equal, no file may be edited
-- in between, the form must not have worked before, and two scripts of the project must have one class.
CREATE OR REPLACE MACRO main.fact_changed(as_of, of_project := NULL) AS TABLE
  WITH s AS MATERIALIZED (
    SELECT *, list_concat(env, words) AS said,
      list_filter(words[2:], lambda w, i: NOT starts_with(w, '-') AND NOT (i = 1 AND regexp_full_match(w, '[a-z][a-z:_-]*'))) AS operands
    FROM steps_at(as_of, of_project := of_project)
    WHERE shown AND outcome <> 'unknown' AND class NOT IN ('read', 'search')
      AND NOT list_has_any(words, ['--help', '-h', 'help', '--version', '--dry-run'])),
  -- The successes after each failure, without those that have an earlier one both in the log and by the clock.
  pairs AS (
    SELECT a.*, b.said AS now, b.form AS now_form, b.known AS now_known, b.entry AS now_entry, b.of_agent AS now_agent, b.of_session AS now_session,
      list_filter(a.said, lambda w: NOT list_contains(b.said, w)) AS dropped,
      list_filter(b.said, lambda w: NOT list_contains(a.said, w)) AS added
    FROM s a JOIN s b ON b.agent = a.agent AND b.session = a.session AND b.outcome = 'ok' AND b.known >= a.known
      AND b."at" BETWEEN a."at" + 1 AND a."at" + 12 AND b.folder = a.folder AND b.form <> a.form
      AND (b.program = a.program AND NOT (a.own AND b.own) AND (b.class = a.class OR a.class = 'other')
        OR b.class = a.class AND a.class NOT IN ('vcs', 'other'))
      AND list_has_all(b.words, a.operands)
      AND NOT EXISTS (FROM own.file_edits e WHERE e.agent = a.agent AND e.session = a.session AND e.seq BETWEEN a.seq AND b.seq
        AND coalesce(e.time, b.known) <= b.known)
    WHERE a.outcome = 'failed' AND a.error IS NOT NULL
      AND NOT EXISTS (FROM s w WHERE w.project = a.project AND w.form = a.form AND w.outcome = 'ok' AND w.known < a.known)
    QUALIFY coalesce(b.known < min(b.known) OVER (PARTITION BY a.agent, a.session, a.entry, a.n ORDER BY b."at"
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true)),
  changes AS (
    SELECT *, len(list_filter(list_concat(dropped, added), lambda w:
      len(ltrim(w, '-')) >= 3 AND contains(lower(error), lower(regexp_replace(ltrim(w, '-'), '=.*$', ''))))) > 0 AS in_error
    FROM pairs WHERE len(dropped) + len(added) BETWEEN 1 AND 4
      -- Another sub-command with nothing else in common is another task, unless the spelling is nearly the same.
      AND (len(operands) > 0 OR len(dropped) <> 1 OR len(added) <> 1 OR starts_with(dropped[1], '-') OR starts_with(added[1], '-')
        OR len(words) <> 2 OR levenshtein(dropped[1], added[1]) <= 2))
  SELECT 'changed' AS fact, form || ' => ' || now_form AS key,
    json_object('fails', array_to_string(said, ' '), 'works', array_to_string(now, ' '), 'error', error, 'dropped', dropped, 'added', added, 'program', program,
      'folder', folder, 'class', class, 'in_error', in_error) AS fields,
    project, now_agent AS agent, now_session AS session, now_entry AS entry, strftime(now_known, '%Y-%m-%d') AS day, now_known AS known_at, true AS supports,
    error AS quote
  FROM changes
  QUALIFY row_number() OVER (PARTITION BY project, form, now_form, now_entry, entry, n ORDER BY session, agent) = 1
  UNION ALL
  -- The failed form works later in the same folder and environment. One event per log, and only if it is the first in every
  -- log that has it: a fork with a part of a log begins with a later event.
  SELECT DISTINCT 'changed', form || ' => ' || now_form, json_object(), project, of_agent, of_session, entry,
    strftime(known, '%Y-%m-%d'), known, false, said
  FROM (
    SELECT p.form, p.now_form, p.project, w.of_agent, w.of_session, w.entry, w.n, w.known, array_to_string(w.said, ' ') AS said,
      dense_rank() OVER (PARTITION BY p.form, p.now_form, w.project, w.agent, w.session ORDER BY w.known, w."at", w.n) AS nth
    FROM changes p JOIN s w ON w.project = p.project AND w.form = p.form AND w.folder = p.folder AND w.env = p.env
      AND w.outcome = 'ok' AND w.known > p.now_known)
  QUALIFY max(nth) OVER (PARTITION BY form, now_form, project, entry, n) = 1;
