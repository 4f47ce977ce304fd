-- Whether a command or edit breaks a rule, by words alone: past ones (broken.sql) and those that are about to run (guards).
-- The program and the sub-command must be in their places, other words may be anywhere.
CREATE OR REPLACE MACRO main.bare_words(words) AS list_filter(words, lambda w: NOT starts_with(w, '-'));

-- Whether a step runs anything: no here-document, help text or dry run.
CREATE OR REPLACE MACRO main.does_work(words, shown) AS
  (shown OR len(words) > 1)
  AND NOT list_has_any(words, ['--help', '-h', 'help', '--version', '--dry-run', '--dry_run', '--whatif'])
  AND NOT (list_contains(words, '-n') AND (regexp_extract(words[1], '[^/]*$') IN ('make', 'gmake', 'rsync')
    OR bare_words(words)[2] IN ('push', 'clean', 'add', 'rm', 'mv', 'fetch')));

-- Commands that only read, or take back: `npm view`, `git stash pop`.
CREATE OR REPLACE MACRO main.only_looks(words, command) AS
  coalesce(bare_words(words)[len(bare_words(string_split(command, ' '))) + 1] IN ('list', 'ls', 'show', 'view', 'info', 'status',
    'search', 'outdated', 'config', 'whoami', 'version', 'why', 'log', 'diff', 'pop', 'apply', 'drop'), false);

CREATE OR REPLACE MACRO main.breaks_command(words, command, instead) AS
  regexp_extract(words[1], '[^/]*$') = regexp_extract(string_split(command, ' ')[1], '[^/]*$')
  AND (len(bare_words(string_split(command, ' '))) < 2 OR bare_words(words)[2] = bare_words(string_split(command, ' '))[2])
  AND len(list_filter(string_split(command, ' ')[2:],
    lambda w: NOT list_contains(words, w) AND len(list_filter(words, lambda x: ends_with(x, ':' || w))) = 0)) = 0
  AND NOT coalesce(list_has_all(words, string_split(instead, ' ')), false)
  AND NOT only_looks(words, command);

CREATE OR REPLACE MACRO main.breaks_path(file, path) AS
  file = path OR starts_with(file, path || '/') OR NOT contains(path, '/') AND ends_with(file, '/' || path)
  OR contains(path, '*') AND (file GLOB path OR NOT contains(path, '/') AND file GLOB ('*/' || path));
