-- States: how to test, build, lint, format, typecheck, run and release here: one event a run, its form and its milliseconds.
-- Wrong when: the run was a trial. A failed run contradicts nothing (tests are there to fail): it is counted beside.
-- Measured: 17 of 18 lines right (docs/facts.md).
CREATE OR REPLACE MACRO main.fact_works(as_of, of_project := NULL) AS TABLE
  SELECT 'works' AS fact, class AS key,
    json_object('form', form, 'narrow', narrow, 'own', own, 'program', program,
      'ms', CASE WHEN alone AND ended >= time THEN date_diff('millisecond', time, ended) END) AS fields,
    project, of_agent AS agent, of_session AS session, entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at, outcome = 'ok' AS supports,
    array_to_string(list_concat(env, words), ' ')[:300] AS quote
  FROM steps_at(as_of, of_project := of_project)
  WHERE is_first AND shown AND outcome IN ('ok', 'failed') AND len(form) <= 100
    AND class IN ('test', 'build', 'lint', 'format', 'typecheck', 'check', 'run', 'release', 'generate', 'db')
    AND NOT regexp_matches(form, '(^|[ =])(TEXT|URL|SHA)( |$)|[$`]|--help|--version');
