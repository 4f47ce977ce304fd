/** Signs in the text of a command of what it can do, in groups. Data for `risk.ts`. */

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

const INTERPRETER = `(?:${SHELL}|python[\\d.]*|node|deno|bun|perl|ruby|php|iex|pwsh)`;
const SUDO = '(?:sudo\\s+(?:-\\S+\\s+)*)?(?:\\S*/)?';

/** Brings text from the network and runs it, or runs what is piped into an interpreter. */
export const REMOTE_CODE = any(
  'i',
  `\\b(?:${FETCH}|irm)\\b[^\\n]*\\|\\s*${SUDO}${INTERPRETER}\\b`,
  `\\s\\|\\s*${SUDO}${INTERPRETER}(?:\\s+-s?)?\\s*(?:$|[;&|)"'])`,
  `\\b(?:${FETCH}|irm)\\b[^\\n]*(?:&&|;|\\n)\\s*${SUDO}(?:${INTERPRETER}\\s|source\\s|\\.\\s|\\./|chmod\\s+\\S*x)`,
  `\\b${SHELL}\\s+(?:-\\w*c\\s+)?[<"'$(]*\\(?\\s*(?:curl|wget)\\b`,
  `\\b(?:source|eval|\\.)\\s+[<"'$(]*\\(?\\s*(?:curl|wget)\\b`,
  '\\b(?:deno|bun|python3?|node|go)\\s+(?:run\\s+)?(?:-\\S+\\s+)*https?:',
  '\\b(?:iex|invoke-expression)\\b',
);

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

/** Carries files or other data to another machine. */
export const SENDER = any(
  'i',
  '\\b(?:scp|sftp|nc|ncat|netcat|telnet|ssh|ftp)\\s+\\S',
  '\\brsync\\b.*\\s\\S+:',
  '\\bgh\\s+gist\\s+create\\b',
  '\\b(?:aws\\s+s3|gsutil|rclone)\\s+(?:cp|mv|sync|copy)\\b',
  '\\bgit\\s+(?:push|remote\\s+(?:add|set-url)\\s+\\S+)\\s+(?:-\\S+\\s+)*(?:\\w+://|git@)',
  '\\bcurl\\b.*\\s(?:-d|--data\\S*|--json|-F|--form\\S*|-T|--upload-file|-X\\s*(?:POST|PUT|PATCH))',
  '\\bwget\\b.*--post-',
  '\\b(?:curl|wget)\\b.*(?:\\$\\(|`)',
);

/** Destroys data. */
export const DESTROYING = any(
  'i',
  '\\brm\\s+(?:-\\w+\\s+)*(?:/(?!(?:private/|var/)?tmp/.)|~|\\$HOME|\\*|\\.git\\b)',
  '\\bfind\\s+(?:/|~|\\$HOME)\\S*\\s.*(?:-delete\\b|-exec\\s+rm\\b)',
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

const CODE_RUNNERS = words('python[\\d.]* node deno bun ruby perl php osascript lua');

/** Code in the command itself: nothing of the project says what it does. */
export const INLINE_CODE = any(
  '',
  `(?:^|[\\s;&|])(?:\\S*/)?${CODE_RUNNERS}\\s+(?:-\\w+\\s+)*(?:-c|-e|-pe|-ne|-p|--eval|--print|-r|eval)[\\s=]`,
  `(?:^|[\\s;&|])(?:\\S*/)?(?:${SHELL}|pwsh|powershell|cmd)\\s+(?:-\\w+\\s+)*(?:-\\w*c|-command|-enc\\w*|/c)\\s`,
);

/** Variables with which one command changes what another loads, trusts or skips. */
const BENDING_VARIABLES = words(`
  NODE_TLS_REJECT_UNAUTHORIZED GIT_SSL_NO_VERIFY PYTHONHTTPSVERIFY GONOSUMDB GONOSUMCHECK GOINSECURE HUSKY
  HUSKY_SKIP_HOOKS SKIP LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONSTARTUP BASH_ENV PROMPT_COMMAND
  GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL
  NPM_CONFIG_REGISTRY HTTPS?_PROXY ALL_PROXY RUSTC_WRAPPER`);

/** Options that switch a check, a lock or a limit off. */
const BENDING_OPTIONS = words(`
  no-verify no-gpg-sign no-sandbox disable-web-security disable-sandbox disable-ssl\\S* disable-checks? disable-tls\\S*
  disable-security\\S* skip-checks? skip-verify skip-verification skip-ssl\\S* skip-tls\\S* skip-auth\\S* skip-signature\\S*
  insecure\\S* trusted-host allow-unauthenticated allow-insecure\\S* allow-untrusted ignore-certificate-errors
  no-check-certificate privileged dangerously-\\S+ yolo  break-system-packages`);

/** Change the shell or the services of the person. */
const PERSONAL = words(`
  alias\\s+\\S+= unalias\\b eval\\b crontab\\b visudo\\b launchctl\\b
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
  // What these load or trust decides.
  any(
    '',
    '\\bNODE_OPTIONS=\\S*--?(?:r\\b|require|import|loader)',
    '\\b(?:PYTHONPATH|GOPROXY)=["\']?(?:/tmp|~|https?:)',
    '\\bGOFLAGS=\\S*-(?:insecure|toolexec)',
    '\\b(?:EDITOR|PAGER)=["\']?\\S*(?:/|\\.(?:sh|py|js)\\b)',
    '\\bgo\\s+\\w+\\s.*-(?:exec|toolexec|vettool)\\b',
    'rustc-wrapper',
  ),
  // Hooks and history: short spellings of the options above.
  any(
    '',
    '\\bgit\\s+commit\\b.*\\s-[a-mo-z]*n[a-z]*\\b',
    '\\bgit\\s+push\\b.*\\s(?:-f\\b|--force(?![\\w-])|\\+\\w)',
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
    '\\bgit\\b.*\\s(?:-c|config)\\s.*\\bcore\\.(?:hooksPath|sshCommand|fsmonitor|gitProxy|askPass)\\b',
    '\\bcore\\.(?:editor|pager)[ =](?!["\']?(?:cat|less|true|delta)?\\b)',
    '\\burl\\.\\S+\\.insteadOf\\b',
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
  /(?:\\x[0-9a-f]{2}){4}/i,
];

/** Invisible characters within a word, and letters of another script that look like Latin ones. */
const LIKE_LATIN = '[\\p{Script=Cyrillic}ΑΒΕΖΗΙΚΝΟΡΤΥΧνο]';
export const DISGUISED = any(
  'iu',
  '[a-z][\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]',
  `[a-z]${LIKE_LATIN}|${LIKE_LATIN}[a-z]`,
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

/** Asks for it without a command. Each sentence begins with what is to be done. */
const DO = '(?:^|[.;:!?,]\\s+|\\b(?:then|and|first|always|please|must|should|to)\\s+)';
const SEND = `${DO}(?:send|upload|post|copy|mail|forward)\\b`;
const PLACE = '(?:\\w+://|\\b[\\w-]+(?:\\.[\\w-]+)*\\.[a-z]{2,}/|\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b)';
export const PROSE: readonly (readonly [RegExp, string])[] = [
  [
    any(
      'i',
      `\\b(?:fetch|download|get|load)\\b.{0,80}${PLACE}.{0,80}\\b(?:run|execute|source|install)\\s+(?:it|them|that|this)\\b`,
      '\\bpipe\\b.{0,80}\\b(?:curl|wget)\\b.{0,80}\\b(?:ba|z)?sh(?:ell)?\\b',
    ),
    'fetches and runs something',
  ],
  [
    any(
      'i',
      `${SEND}.{0,60}(?:\\.env\\b|id_rsa|\\.ssh\\b|private key)`,
      `${SEND}.{0,60}\\b(?:tokens?|secrets?|credentials?|passwords?|environment)\\b.{0,60}${PLACE}`,
    ),
    'sends data out',
  ],
  [
    any(
      'i',
      `${DO}(?:disable|switch off|turn off|bypass)\\b.{0,40}\\b(?:tls|ssl|certificates?|signatures?|sandbox|verification)\\b`,
      `${DO}(?:disable|switch off|turn off|bypass)\\b.{0,40}\\b(?:security|firewall|antivirus|permission)\\b`,
    ),
    'weakens a check',
  ],
  [
    any(
      'i',
      `${DO}(?:delete|remove|wipe|erase|format)\\b.{0,30}\\b(?:home (?:folder|directory)|disk|hard drive|production)\\b`,
    ),
    'destroys what does not come back',
  ],
];
