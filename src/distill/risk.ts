/**
 * What a command could do when somebody from outside had it run. Pure patterns over the text of a command: what is not known to be harmless
 * is not cleared, so a program that nobody foresaw is judged like one that fetches.
 */

const PIPED_INTO_SHELL = /(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^\n]*\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:sudo\s+)?(?:\S*\/)?(?:(?:ba|z|da|k|fi)?sh|python3?|node|perl|ruby|iex|pwsh)\b/i;
const REMOTE_SCRIPT = /(?:\b(?:ba|z)?sh|source|eval|\.)\s+[<"'$(]*\(?\s*(?:curl|wget)\b|\b(?:deno|bun|python3?|node|go)\s+(?:run\s+)?(?:\S+\s+)*https?:|\b(?:iex|invoke-expression)\b/i;
const URL = /^(?:https?|ftp|git|ssh):\/\/|^git@/i;
const FETCH_AND_RUN =
  /\b(?:npx|bunx|uvx|pnpx|pipx\s+run|(?:pnpm|yarn)\s+dlx|(?:npm|yarn|pnpm)\s+create|npm\s+(?:exec|init)|bun\s+x|docker\s+(?:run|pull)|podman\s+(?:run|pull)|nix\s+run|git\s+clone|git\s+submodule\s+add|go\s+run\s+(?=\S+@\S+))\s*(?:-{1,2}[\w-]+\s+)*([^\s-]\S*)/i;
const INSTALL =
  /\b(?:(?:npm|pnpm|bun|yarn)\s+(?:global\s+)?(?:install|i|add)|(?:uv\s+)?pip3?\s+install|uv\s+(?:add|tool\s+install)|(?:poetry|pdm|rye|pixi)\s+add|pipx\s+install|conda\s+install|cargo\s+(?:install|add)|gem\s+install|go\s+(?:install|get)|brew\s+(?:install|tap)|(?:apt|apt-get|dnf|yum|pacman|apk|snap)\s+(?:install|add|-S)|composer\s+require|dotnet\s+add\s+package|code\s+--install-extension|helm\s+repo\s+add)\s+(.+)/i;
const FETCHER = /\b(?:curl|wget|aria2c|invoke-webrequest|iwr)\s+\S/i;
const SENDER = /\b(?:scp|sftp|rsync|nc|ncat|netcat|telnet|ssh|ftp)\s+\S|\bgh\s+gist\s+create\b|\b(?:aws\s+s3|gsutil|rclone)\s+(?:cp|mv|sync|copy)\b/i;
/** Sends by design and is hinted at by local tools; only pages and injected text make it foreign. */
const PUBLISHER = /\b(?:git\s+push|git\s+remote|(?:npm|pnpm|yarn|bun|cargo|poetry|uv|gem)\s+(?:publish|push|login)|docker\s+(?:push|login)|twine\s+upload|gh\s+(?:release|secret|api|auth)|kubectl\s+(?:apply|delete|exec|create)|terraform\s+(?:apply|destroy)|helm\s+(?:install|upgrade)|vercel|netlify|flyctl|fly\s+deploy)\b/i;

/** Takes a check, a lock or a limit away, or leaves something behind that changes later commands. */
const WEAKENING: readonly RegExp[] = [
  /(?:^|\s)--(?:no-verify|no-gpg-sign|no-sandbox|disable-(?:web-security|sandbox|ssl\S*|checks?|tls\S*|security\S*)|skip-(?:checks?|verify|verification|ssl\S*|tls\S*|auth\S*|signature\S*)|insecure\S*|trusted-host|allow-(?:unauthenticated|insecure\S*|untrusted)|ignore-certificate-errors|no-check-certificate|privileged|dangerously-\S+|yolo|no-audit|force-with-lease|break-system-packages)(?:[\s=]|$)/i,
  /\bgit\s+commit\b.*\s-[a-mo-z]*n[a-z]*\b|\bgit\s+push\b.*\s(?:-f|--force)\b|\bcurl\b.*\s-[a-zA-Z]*k[a-zA-Z]*\b/,
  /\bchmod\s+(?:-R\s+)?(?:0?777|666|a\+\S*[wx]|o\+\S*w|u\+s|\+s)|\bsetenforce\s+0|\b(?:ufw|iptables|firewalld|apparmor|selinux|auditd)\b.*\b(?:disable|stop|off|-F)\b|\bspctl\s+--master-disable/i,
  /\b(?:NODE_TLS_REJECT_UNAUTHORIZED|GIT_SSL_NO_VERIFY|PYTHONHTTPSVERIFY|GONOSUMDB|GONOSUMCHECK|GOINSECURE|GOFLAGS|HUSKY|HUSKY_SKIP_HOOKS|SKIP|LD_PRELOAD|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|PYTHONSTARTUP|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_SSH|GIT_EXTERNAL_DIFF|EDITOR|PAGER|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|UV_INDEX_URL|GOPROXY|NPM_CONFIG_REGISTRY|HTTPS?_PROXY|ALL_PROXY)=/i,
  /\bStrictHostKeyChecking=?\s*no|\bhttp\.sslVerify\b|\bstrict-ssl\b|\bcore\.(?:hooksPath|sshCommand|fsmonitor|editor|pager)\b|\bcommit\.gpgsign\b|\burl\.\S+\.insteadOf\b|\bcredential\.helper\b/i,
  /\bgit\s+config\b|\bgit\s+-c\s|\b(?:npm|pnpm|yarn|pip|uv|go)\s+(?:config\s+set|set-script|pkg\s+set|env\s+-w)\b|--(?:registry|index-url|extra-index-url|find-links)[\s=]/i,
  /(?:^|[;&|]\s*|\bsudo\s+)(?:alias\s+\S+=|export\s+\S+=|unalias\b|eval\b|crontab\b|visudo\b|launchctl\b|systemctl\s+(?:enable|disable|stop|mask)\b|usermod\b|chown\b|useradd\b|passwd\b)/i,
  />>?\s*(?:~|\$HOME|\/home\/|\/etc\/|\/root|\/Users\/)|\b(?:tee|cat|cp|mv|ln|sed\s+-i)\b.*(?:~|\$HOME)\/\.(?:ssh|bashrc|zshrc|profile|bash_profile|npmrc|pypirc|netrc|aws|kube|gitconfig|config)|\bauthorized_keys\b/i,
  /\brm\s+(?:-\w+\s+)*(?:\/|~|\$HOME|\*|\.git\b)|\bmkfs\b|\bdd\s+if=|\bgit\s+(?:reset\s+--hard\s+origin|clean\s+-\w*f\w*x)/i,
  /\bbase64\s+(?:-d|-D|--decode)\b|\bxxd\s+-r\b|\\x[0-9a-f]{2}/i,
];
 
const DISGUISED = /[\u0000-\u0008\u000e-\u001f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

const bareName = (pkg: string): string => pkg.replace(/^["']|["']$/g, '').replace(/(.)@[^/]*$/, '$1').replace(/[=<>~!^[].*$/, '').toLowerCase();

/** Package arguments of an install: no flags, no local paths, no requirement files. */
const packagesOf = (rest: string): string[] => {
  const words = rest.split(/&&|\|\||[;|]/)[0]!.trim().split(/\s+/);
  return words.filter((w, i) => w !== '' && !w.startsWith('-') && !/^(?:\.{0,2}\/|\.$)/.test(w) && !/^(?:-r|--requirement|-e|--editable)$/.test(words[i - 1] ?? ''));
};

/** Would this command, package or URL bring something from the network that the project's manifests do not name? */
export function bringsFromNetwork(token: string, packages: ReadonlySet<string> = new Set()): boolean {
  if (URL.test(token) || PIPED_INTO_SHELL.test(token) || REMOTE_SCRIPT.test(token)) return true;
  const run = FETCH_AND_RUN.exec(token)?.[1];
  if (run !== undefined) return !packages.has(bareName(run));
  const installed = INSTALL.exec(token)?.[1];
  return installed !== undefined && packagesOf(installed).some((p) => !packages.has(bareName(p)));
}

/** `weakens`: withheld whoever named it first, until it is typed. `fetches`: also a local tool's output makes it foreign. */
export type Risk = 'weakens' | 'fetches' | 'sends';

/** What a command, package or URL could do; null when nothing of this is known of it. */
export function riskOf(token: string, packages?: ReadonlySet<string>): Risk | null {
  const program = /^(?:[\w]+=\S*\s+)*(\S+)\s/.exec(token)?.[1];
   
  if (DISGUISED.test(token) || (program !== undefined && /[^\u0000-\u007f]/.test(program))) return 'weakens';
  if (WEAKENING.some((sign) => sign.test(token))) return 'weakens';
  if (bringsFromNetwork(token, packages) || FETCHER.test(token) || SENDER.test(token)) return 'fetches';
  return PUBLISHER.test(token) ? 'sends' : null;
}

/** How far a foreign sight of a harmless-looking token reaches: its own session, its project, or every project. */
export type Reach = 'session' | 'project' | 'machine';

/** Settings before a command that change no program that is run. */
const SETTING = /^(?:CI|TZ|LANG|LC_ALL|CGO_ENABLED|RUST_BACKTRACE|RUST_LOG|NODE_ENV|FORCE_COLOR|NO_COLOR|DEBUG|GOOS|GOARCH|PYTHONUNBUFFERED)=[\w.*:-]*$/;
const RUNNER = /^(?:(?:uv|poetry|pdm|rye|hatch|pipenv|pixi) run|bundle exec|(?:pnpm|yarn) exec|python3? -m|time|(?:npx|bunx|uvx)(?: --no-install)?)$/;
const STANDARD = /^(?:tests?|unit|e2e|integration|build|compile|lint|format|fmt|check|checks|typecheck|type-check|types|tsc|coverage|cover|bench|clean|all|ci|verify|validate|docs?|dev|start|watch|generate|codegen)(?:[:._-][\w:.-]+)?$/i;
/** Programs whose every subcommand works on what lies in the repository. */
const TOOLS = new Set(
  ('pytest tox nox ruff black mypy isort flake8 pylint pyright tsc eslint prettier vitest jest mocha ava biome oxlint stylelint golangci-lint staticcheck gofmt goimports gofumpt rustfmt ' +
    'shellcheck shfmt clang-format clang-tidy ctest ninja meson phpunit phpstan rspec rubocop rake mypyc playwright cypress hadolint actionlint yamllint markdownlint taplo ' +
    'ls cat head tail wc grep rg fd sort uniq cut tr jq yq tree pwd echo which type date diff stat du df true cd coverage unittest compileall').split(' '),
);
/** Of these only the listed subcommands are harmless; `*` stands for a standard script or target. */
const SUBCOMMANDS: Readonly<Record<string, RegExp>> = {
  go: /^(?:test|build|vet|fmt|version|env|list|doc)$/, cargo: /^(?:test|build|check|clippy|fmt|doc|bench|nextest|tree|metadata)$/,
  npm: /^(?:t|test|ls|list|view|info|show|outdated|why|explain|pack|ci|start|--version|-v|run \*|run-script \*)$/, pnpm: /^(?:t|test|ls|list|view|info|outdated|why|start|--version|run \*|\*)$/,
  yarn: /^(?:test|list|info|why|start|--version|run \*|\*)$/, bun: /^(?:test|pm|--version|run \*)$/, make: /^\*$/, just: /^\*$/, task: /^\*$/, mage: /^\*$/,
  git: /^(?:status|log|diff|show|branch|blame|grep|rev-parse|ls-files|describe|add|commit|stash|switch|checkout|restore|merge|rebase|fetch|pull|worktree|shortlog)$/,
  gh: /^(?:pr|issue|run|workflow|repo) (?:view|list|status|diff|checks)$/, docker: /^(?:ps|images|logs|build|inspect)$|^compose (?:ps|logs|config|build)$/,
  bazel: /^(?:test|build|query)$/, mvn: /^(?:test|verify|package|compile|\*)$/, gradle: /^(?:test|build|check|assemble|\*)$/, './gradlew': /^(?:test|build|check|assemble|\*)$/, './mvnw': /^(?:test|verify|package|compile)$/,
  dotnet: /^(?:build|test|format)$/, swift: /^(?:build|test)$/, zig: /^(?:build|test|fmt)$/, mix: /^(?:test|format|compile|credo|dialyzer)$/, rails: /^test$/, composer: /^(?:test|validate)$/,
  terraform: /^(?:fmt|validate|version)$/, helm: /^(?:lint|template)$/, kubectl: /^(?:get|describe|logs)$/, cmake: /^(?:--build|-S|-B|--version)$/, uv: /^(?:sync|lock|version|tree)$/, poetry: /^(?:check|show|lock|install)$/,
  deno: /^(?:test|fmt|lint|check)$/, turbo: /^(?:run \*|\*)$/, nx: /^(?:test|build|lint)$/, pre_commit: /^run$/, 'pre-commit': /^run$/,
};
/** Options with which a harmless program runs other code, and places outside the repository. */
const LOADS = /^(?:-p|--plugins?|--require|-r|--import|--loader|-exec|--exec|-vettool|-toolexec|--rulesdir|--resolve-plugins-relative-to|-e|--eval|-c|--ext|--prefix|-C|--rootdir|--globalSetup|--config-file)(?:=|$)|^(?:\/(?!dev\/null$)|~|\.\.(?:\/|$)|\$)|:\/\/|[`$(){}<]/;

/** One step of a command: words without the settings and the runner before the program. */
function reachOfStep(step: string, packages: ReadonlySet<string>): Reach {
  const words = step.trim().replace(/\s+(?:\d?>&\d|&?\d?>\s*\/dev\/null)/g, '').split(/\s+/);
  while (SETTING.test(words[0] ?? '')) words.shift();
  while (RUNNER.test(words.slice(0, 2).join(' ')) || RUNNER.test(words[0] ?? '')) {
    const two = RUNNER.test(words.slice(0, 2).join(' '));
    const fetched = /^(?:npx|bunx|uvx)$/.test(words[0]!);
    words.splice(0, two ? 2 : 1);
    // A manifest names it: the person chose it.
    if (fetched && !packages.has(bareName(words[0] ?? ''))) return 'machine';
  }
  const [program = '', ...rest] = words;
  if (rest.some((word) => LOADS.test(word)) || /[>`$<]/.test(step.replace(/\d?>&\d|&?\d?>\s*\/dev\/null/g, ''))) return 'machine';
  if (TOOLS.has(program)) return 'session';
  const known = SUBCOMMANDS[program];
  const plain = rest.filter((word) => !word.startsWith('-') || rest.length === 1).slice(0, 2);
  const forms = known === undefined ? [] : [plain[0] ?? '', plain.join(' '), ...plain.map((_w, i) => plain.slice(0, i + 1).map((w, at) => (at === i && STANDARD.test(w) ? '*' : w)).join(' '))];
  if (known !== undefined && (forms.some((form) => known.test(form)) || (plain.length === 0 && /^(?:make|just|task|mage|yarn|pytest)$/.test(program)))) return 'session';
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program) && /^(?:install|i)$/.test(rest[0] ?? '') && plain.length === 1) return 'session';
  const own = /^(?:make|just|task|mage|npm|pnpm|yarn|bun|rake|turbo)$/.test(program) || /^(?:\.\/|[\w.-]+\/)[\w./-]+$/.test(program);
  return own || (/^(?:bash|sh|python3?|node|ruby|cargo|go)$/.test(program) && /^(?:run|\.?\/?[\w.-]+\/[\w./-]+)$/.test(plain[0] ?? '')) ? 'project' : 'machine';
}

/** Reach of a command by its most dangerous step; of a single word, a known program is harmless, anything else is not known. */
export function reachOf(token: string, packages: ReadonlySet<string> = new Set()): Reach {
  const reaches = token.split(/&&|\|\||[;|\n]/).filter((step) => step.trim() !== '').map((step) => reachOfStep(step, packages));
  return reaches.includes('machine') || reaches.length === 0 ? 'machine' : reaches.includes('project') ? 'project' : 'session';
}
