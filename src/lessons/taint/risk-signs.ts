/**
 * What a command can do when somebody from outside had it run: signs in its text, in groups, each
 * with its reason. Data for `risk.ts`. One sign a line where it needs a pattern of its own; words
 * that only differ stand in one list.
 */

/** A pattern of which any alternative is enough. */
function any(flags: string, ...parts: readonly string[]): RegExp {
  return new RegExp(parts.map((part) => `(?:${part})`).join('|'), flags);
}
/** The alternatives of a list of words. */
function words(list: string): string {
  return `(?:${list.trim().split(/\s+/).join('|')})`;
}

const SHELL = '(?:ba|z|da|k|fi)?sh';
const FETCH = 'curl|wget|fetch|iwr|invoke-webrequest';

/** Brings text from the network and runs it at once. */
export const REMOTE_CODE = any(
  'i',
  `(?:${FETCH})\\b[^\\n]*\\|\\s*(?:sudo\\s+)?(?:\\S*/)?${SHELL}\\b`,
  `\\|\\s*(?:sudo\\s+)?(?:\\S*/)?(?:${SHELL}|python3?|node|perl|ruby|iex|pwsh)\\b`,
  `\\b(?:ba|z)?sh\\s+[<"'$(]*\\(?\\s*(?:curl|wget)\\b`,
  `\\b(?:source|eval|\\.)\\s+[<"'$(]*\\(?\\s*(?:curl|wget)\\b`,
  '\\b(?:deno|bun|python3?|node|go)\\s+(?:run\\s+)?(?:\\S+\\s+)*https?:',
  '\\b(?:iex|invoke-expression)\\b',
);

export const URL_ALONE = /^(?:https?|ftp|git|ssh):\/\/|^git@/i;

const FETCHING_RUNNERS = words(`
  npx bunx uvx pnpx pipx\\s+run (?:pnpm|yarn)\\s+dlx (?:npm|yarn|pnpm)\\s+create npm\\s+(?:exec|init) bun\\s+x
  (?:docker|podman)\\s+(?:run|pull) nix\\s+run git\\s+clone git\\s+submodule\\s+add go\\s+run\\s+(?=\\S+@\\S+)`);

/** Fetches a package, image or repository that its first operand names, and runs it. */
export const FETCH_AND_RUN = new RegExp(
  `\\b${FETCHING_RUNNERS}\\s*(?:-{1,2}[\\w-]+\\s+)*([^\\s-]\\S*)`,
  'i',
);

const INSTALLERS = words(`
  (?:npm|pnpm|bun|yarn)\\s+(?:global\\s+)?(?:install|i|add) (?:uv\\s+)?pip3?\\s+install uv\\s+(?:add|tool\\s+install)
  (?:poetry|pdm|rye|pixi)\\s+add (?:pipx|conda)\\s+install cargo\\s+(?:install|add) gem\\s+install go\\s+(?:install|get)
  brew\\s+(?:install|tap) (?:apt|apt-get|dnf|yum|pacman|apk|snap)\\s+(?:install|add|-S) composer\\s+require
  dotnet\\s+add\\s+package code\\s+--install-extension helm\\s+repo\\s+add`);

/** Installs the packages that follow. */
export const INSTALL = new RegExp(`\\b${INSTALLERS}\\s+(.+)`, 'i');

export const FETCHER = /\b(?:curl|wget|aria2c|invoke-webrequest|iwr)\s+\S/i;

/** Carries files to another machine. */
export const SENDER = any(
  'i',
  '\\b(?:scp|sftp|rsync|nc|ncat|netcat|telnet|ssh|ftp)\\s+\\S',
  '\\bgh\\s+gist\\s+create\\b',
  '\\b(?:aws\\s+s3|gsutil|rclone)\\s+(?:cp|mv|sync|copy)\\b',
);

/**
 * Publishes by design, and local tools hint at it (`git status` at `git push`): only pages and
 * injected text make it foreign.
 */
export const PUBLISHER = any(
  'i',
  '\\bgit\\s+(?:push|remote)\\b',
  '\\b(?:npm|pnpm|yarn|bun|cargo|poetry|uv|gem)\\s+(?:publish|push|login)\\b',
  '\\bdocker\\s+(?:push|login)\\b',
  '\\btwine\\s+upload\\b',
  '\\bgh\\s+(?:release|secret|api|auth)\\b',
  '\\bkubectl\\s+(?:apply|exec|create)\\b',
  '\\bterraform\\s+apply\\b',
  '\\bhelm\\s+(?:install|upgrade)\\b',
  '\\b(?:vercel|netlify|flyctl)\\b',
  '\\bfly\\s+deploy\\b',
);

/** Destroys data. */
export const DESTROYING = any(
  'i',
  '\\brm\\s+(?:-\\w+\\s+)*(?:/|~|\\$HOME|\\*|\\.git\\b)',
  '\\bmkfs\\b',
  '\\bdd\\s+if=',
  '\\bshred\\s',
  '\\b(?:dropdb|dropuser)\\b',
  '\\bgit\\s+(?:reset\\s+--hard\\s+origin|clean\\s+-\\w*f\\w*x)',
  '\\bgit\\s+push\\b.*\\s(?:--delete|--mirror)\\b',
  '\\b(?:terraform|pulumi|tofu|cdk|vagrant)\\s+(?:destroy|down)\\b',
  '\\b(?:kubectl|oc)\\s+(?:delete|drain)\\b',
  '\\bhelm\\s+(?:uninstall|delete)\\b',
  '\\b(?:docker|podman)\\s+(?:system|volume|image|network)\\s+(?:prune|rm)\\b',
  '\\b(?:drop|truncate)\\s+(?:table|database|schema)\\b',
  '\\b(?:npm|cargo|gem)\\s+(?:unpublish|yank)\\b',
  '\\bgh\\s+(?:repo|release|secret)\\s+delete\\b',
  '\\b(?:aws|gcloud|az)\\s.*\\b(?:delete|rm|terminate)\\S*\\b',
);

const INTERPRETERS = words('python[\\d.]* node deno bun ruby perl php osascript lua');

/** Code in the command itself: nothing of the project says what it does. */
export const INLINE_CODE = any(
  '',
  `(?:^|[\\s;&|])(?:\\S*/)?${INTERPRETERS}\\s+(?:-\\w+\\s+)*(?:-c|-e|-pe|-ne|-p|--eval|--print|-r|eval)[\\s=]`,
  `(?:^|[\\s;&|])(?:\\S*/)?(?:${SHELL}|pwsh|powershell|cmd)\\s+(?:-\\w+\\s+)*(?:-\\w*c|-command|-enc\\w*|/c)\\s`,
);

/** Variables with which one command changes what another loads, trusts or skips. */
const BENDING_VARIABLES = words(`
  NODE_TLS_REJECT_UNAUTHORIZED GIT_SSL_NO_VERIFY PYTHONHTTPSVERIFY GONOSUMDB GONOSUMCHECK GOINSECURE GOFLAGS HUSKY
  HUSKY_SKIP_HOOKS SKIP LD_PRELOAD DYLD_INSERT_LIBRARIES NODE_OPTIONS PYTHONSTARTUP PYTHONPATH BASH_ENV PROMPT_COMMAND
  GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF EDITOR PAGER PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL GOPROXY
  NPM_CONFIG_REGISTRY HTTPS?_PROXY ALL_PROXY RUSTC_WRAPPER`);

/** Options that switch a check, a lock or a limit off. */
const BENDING_OPTIONS = words(`
  no-verify no-gpg-sign no-sandbox disable-web-security disable-sandbox disable-ssl\\S* disable-checks? disable-tls\\S*
  disable-security\\S* skip-checks? skip-verify skip-verification skip-ssl\\S* skip-tls\\S* skip-auth\\S* skip-signature\\S*
  insecure\\S* trusted-host allow-unauthenticated allow-insecure\\S* allow-untrusted ignore-certificate-errors
  no-check-certificate privileged dangerously-\\S+ yolo no-audit force-with-lease break-system-packages`);

/** Change the shell or the services of the person. */
const PERSONAL = words(`
  alias\\s+\\S+= export\\s+\\S+= unalias\\b eval\\b crontab\\b visudo\\b launchctl\\b
  systemctl\\s+(?:enable|disable|stop|mask)\\b usermod\\b chown\\b useradd\\b passwd\\b`);

/** Files and folders of a home that decide what later commands do. */
const SETTINGS = words(
  'ssh bashrc zshrc profile bash_profile npmrc pypirc netrc aws kube gitconfig config',
);

/**
 * Takes a check, a lock or a limit away, or leaves something behind that changes later commands.
 */
export const WEAKENING: readonly RegExp[] = [
  new RegExp(`(?:^|\\s)--${BENDING_OPTIONS}(?:[\\s=]|$)`, 'i'),
  new RegExp(`\\b${BENDING_VARIABLES}=`, 'i'),
  // Hooks and history: short spellings of the options above.
  any(
    '',
    '\\bgit\\s+commit\\b.*\\s-[a-mo-z]*n[a-z]*\\b',
    '\\bgit\\s+push\\b.*\\s(?:-f|--force)\\b',
    '\\bcurl\\b.*\\s-[a-zA-Z]*k[a-zA-Z]*\\b',
  ),
  // Rights and guards of the machine.
  any(
    'i',
    '\\bchmod\\s+(?:-R\\s+)?(?:0?777|666|a\\+\\S*[wx]|o\\+\\S*w|u\\+s|\\+s)',
    '\\bsetenforce\\s+0',
    '\\bspctl\\s+--master-disable',
    '\\b(?:ufw|iptables|firewalld|apparmor|selinux|auditd)\\b.*\\b(?:disable|stop|off|-F)\\b',
  ),
  // Settings of git, ssh and package managers outlive the command.
  any(
    'i',
    '\\bStrictHostKeyChecking=?\\s*no',
    '\\bhttp\\.sslVerify\\b',
    '\\bstrict-ssl\\b',
    '\\bcommit\\.gpgsign\\b',
    '\\bcredential\\.helper\\b',
    '\\bcore\\.(?:hooksPath|sshCommand|fsmonitor|editor|pager)\\b',
    '\\burl\\.\\S+\\.insteadOf\\b',
    '\\bgit\\s+config\\b',
    '\\bgit\\s+-c\\s',
    '\\b(?:npm|pnpm|yarn|pip|uv|go)\\s+(?:config\\s+set|set-script|pkg\\s+set|env\\s+-w)\\b',
    '--(?:registry|index-url|extra-index-url|find-links)[\\s=]',
  ),
  // The shell and the services of the person.
  new RegExp(`(?:^|[;&|]\\s*|\\bsudo\\s+)${PERSONAL}`, 'i'),
  // Writes into a home or the system.
  any(
    'i',
    '>>?\\s*(?:~|\\$HOME|/home/|/etc/|/root|/Users/)',
    '\\bauthorized_keys\\b',
    `\\b(?:tee|cat|cp|mv|ln|sed\\s+-i)\\b.*(?:~|\\$HOME)/\\.${SETTINGS}`,
  ),
  // Hides what it runs.
  any('i', '\\bbase64\\s+(?:-d|-D|--decode)\\b', '\\bxxd\\s+-r\\b', '\\\\x[0-9a-f]{2}'),
];

/** Characters that make a command look like another one. */
export const DISGUISED =
  /[\u0000-\u0008\u000e-\u001f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

const HARMLESS_VARIABLES = words(`
  CI TZ LANG LC_ALL CGO_ENABLED RUST_BACKTRACE RUST_LOG NODE_ENV FORCE_COLOR NO_COLOR DEBUG GOOS GOARCH PYTHONUNBUFFERED`);

/** Settings before a command that change no program that is run. */
export const SETTING = new RegExp(`^${HARMLESS_VARIABLES}=[\\w.*:-]*$`);

/** Stands before the program that is meant. */
export const RUNNER = any(
  '',
  '^(?:uv|poetry|pdm|rye|hatch|pipenv|pixi) run$',
  '^bundle exec$',
  '^(?:pnpm|yarn) exec$',
  '^python3? -m$',
  '^time$',
  '^(?:npx|bunx|uvx)(?: --no-install)?$',
);

/**
 * Names of scripts and targets that every project may have; what they do stands in the repository.
 */
export const STANDARD = new RegExp(
  `^${words(`
  tests? unit e2e integration build compile lint format fmt check checks typecheck type-check types tsc coverage cover bench
  clean all ci verify validate docs? dev start watch generate codegen`)}(?:[:._-][\\w:.-]+)?$`,
  'i',
);

/** Programs whose every subcommand works on what lies in the repository. */
export const TOOLS = new Set(
  `
  pytest tox nox ruff black mypy isort flake8 pylint pyright tsc eslint prettier vitest jest mocha ava biome oxlint stylelint
  golangci-lint staticcheck gofmt goimports gofumpt rustfmt shellcheck shfmt clang-format clang-tidy ctest ninja meson
  phpunit phpstan rspec rubocop rake mypyc playwright cypress hadolint actionlint yamllint markdownlint taplo coverage
  unittest compileall ls cat head tail wc grep rg fd sort uniq cut tr jq yq tree pwd echo which type date diff stat du df
  true cd`
    .trim()
    .split(/\s+/),
);

/**
 * Of these only the listed subcommands are harmless; `*` stands for a standard script or target.
 */
export const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  go: /^(?:test|build|vet|fmt|version|env|list|doc)$/,
  cargo: /^(?:test|build|check|clippy|fmt|doc|bench|nextest|tree|metadata)$/,
  npm: /^(?:t|test|ls|list|view|info|show|outdated|why|explain|pack|ci|start|--version|-v|run \*|run-script \*)$/,
  pnpm: /^(?:t|test|ls|list|view|info|outdated|why|start|--version|run \*|\*)$/,
  yarn: /^(?:test|list|info|why|start|--version|run \*|\*)$/,
  bun: /^(?:test|pm|--version|run \*)$/,
  make: /^\*$/,
  just: /^\*$/,
  task: /^\*$/,
  mage: /^\*$/,
  mise: /^run \*$/,
  turbo: /^(?:run \*|\*)$/,
  nx: /^(?:test|build|lint)$/,
  git: new RegExp(
    `^${words(`
  status log diff show blame grep branch rev-parse ls-files describe add commit stash switch checkout restore merge rebase
  fetch pull worktree shortlog`)}$`,
  ),
  gh: /^(?:pr|issue|run|workflow|repo) (?:view|list|status|diff|checks)$/,
  docker:
    /^(?:ps|images|logs|build|inspect)$|^compose (?:ps|logs|config|build|up|down|start|stop|restart)$/,
  bazel: /^(?:test|build|query)$/,
  mvn: /^(?:test|verify|package|compile|\*)$/,
  './mvnw': /^(?:test|verify|package|compile)$/,
  gradle: /^(?:test|build|check|assemble|\*)$/,
  './gradlew': /^(?:test|build|check|assemble|\*)$/,
  dotnet: /^(?:build|test|format)$/,
  swift: /^(?:build|test)$/,
  zig: /^(?:build|test|fmt)$/,
  mix: /^(?:test|format|compile|credo|dialyzer)$/,
  rails: /^test$/,
  composer: /^(?:test|validate)$/,
  deno: /^(?:test|fmt|lint|check)$/,
  cmake: /^(?:--build|-S|-B|--version)$/,
  terraform: /^(?:fmt|validate|version)$/,
  helm: /^(?:lint|template)$/,
  kubectl: /^(?:get|describe|logs)$/,
  uv: /^(?:sync|lock|version|tree)$/,
  poetry: /^(?:check|show|lock|install)$/,
  'pre-commit': /^run$/,
};

/** Options with which a harmless program runs or loads other code. */
const LOADING_OPTIONS = words(`
  -p --plugins? --require -r --import --loader -exec --exec -vettool -toolexec --rulesdir --resolve-plugins-relative-to -e
  --eval -c --ext --prefix -C --rootdir --globalSetup --config-file --test-runner --runner --wrapper`);

/**
 * A word of a command that loads other code, lies outside the repository, is expanded by the shell
 * or sets a target's variable to a name.
 */
export const LOADS = any(
  '',
  `^${LOADING_OPTIONS}(?:=|$)`,
  '^(?:/(?!dev/null$)|~|\\.\\.(?:/|$)|\\$)',
  '://',
  '[`$(){}<]',
  '(?:wrapper|runner|linker)=\\S',
  '^[A-Z_][A-Z0-9_]*=(?!(?:[\\d.]*|true|false|yes|no|on|off|\\./[\\w./-]*)$)',
);

/** Runs what the repository itself names: a script of its manifest, a target of its makefile. */
export const SCRIPT_RUNNER = /^(?:make|just|task|mage|mise|npm|pnpm|yarn|bun|rake|turbo)$/;
/** Runs a file of the repository. */
export const INTERPRETER = /^(?:bash|sh|python3?|node|ruby|cargo|go)$/;
