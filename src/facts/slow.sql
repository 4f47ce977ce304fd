-- States: a command that takes a minute or more, one event per run.
-- Wrong if the run waited for a person or ran in the background. So calls with other steps are left out.
CREATE OR REPLACE MACRO main.fact_slow(as_of, of_project := NULL) AS TABLE
  SELECT 'slow' AS fact, form AS key,
    json_object('form', form, 'program', program, 'ms', date_diff('millisecond', time, ended)) AS fields,
    project, of_agent AS agent, of_session AS session, entry, strftime(known, '%Y-%m-%d') AS day, known AS known_at,
    date_diff('second', time, ended) >= 60 AS supports, array_to_string(words, ' ')[:300] AS quote
  FROM steps_at(as_of, of_project := of_project)
  WHERE is_first AND shown AND alone AND NOT narrow AND outcome IN ('ok', 'failed') AND ended >= time AND len(form) <= 100
    AND class IN ('test', 'build', 'lint', 'format', 'typecheck', 'check', 'release', 'generate', 'install');
