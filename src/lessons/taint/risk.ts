/**
 * Whether a command or sentence may fetch and run code, send data out, weaken a check or destroy
 * data. Uses the table of programs and a short list of patterns; everything else is allowed. Pure.
 */
import { isKnownTool, isProbe, patternOf, splitShell } from '../../shell/index.js';
import { INVISIBLE_CLASS, readable } from '../../text/signs.js';
import { withoutSpans } from '../../text/code.js';

type Risk =
  | 'fetches and runs something'
  | 'sends data out'
  | 'weakens a check'
  | 'destroys what does not come back'
  | 'runs code that it contains';

/** A pattern that matches if one of the parts does. */
function any(flags: string, ...parts: readonly string[]): RegExp {
  return new RegExp(parts.map((part) => `(?:${part})`).join('|'), flags);
}
/** A pattern that matches one of the words. */
function words(list: string): string {
  return `(?:${list.trim().split(/\s+/).join('|')})`;
}

const SHELL = '(?:ba|z|da|k|fi)?sh';
const FETCH = '(?:curl|wget|fetch|iwr|invoke-webrequest|irm)';
const INTERPRETER = `(?:sudo\\s+(?:-\\S+\\s+)*)?(?:\\S*/)?(?:${SHELL}|${patternOf('evaluates')}|iex|pwsh)`;

/** Fetches text from the network and runs it, or pipes text into an interpreter. */
const REMOTE_CODE = any(
  'i',
  `\\b${FETCH}\\b[^\\n]*\\|\\s*${INTERPRETER}\\b`,
  `\\s\\|\\s*${INTERPRETER}(?:\\s+-s?)?\\s*(?:$|[;&|)"'])`,
  `\\b${FETCH}\\b[^\\n]*(?:&&|;|\\n)\\s*(?:${INTERPRETER}\\s|source\\s|\\.\\s|\\./|chmod\\s+\\S*x)`,
  `\\b(?:${SHELL}\\s+(?:-\\w*c\\s+)?|source\\s+|eval\\s+|\\.\\s+)[<"'$(]*\\(?\\s*(?:curl|wget)\\b`,
  '\\b(?:deno|bun|python3?|node|go)\\s+(?:run\\s+)?(?:-\\S+\\s+)*https?:',
  '\\b(?:iex|invoke-expression)\\b',
);
/** The last group is the name of the fetched package. */
const FETCH_AND_RUN = new RegExp(
  `\\b(?:${patternOf('fetches')}|git\\s+submodule\\s+add|go\\s+run(?=\\s+\\S+@))\\s+(?:-{1,2}[\\w-]+\\s+)*([^\\s-]\\S*)`,
  'i',
);
const INSTALL = new RegExp(`\\b${patternOf('installs')}\\s+(.+)`, 'i');

/** Sends files or other data to another machine. */
const SENDS = any(
  'i',
  `\\b${patternOf('sends')}\\s+\\S`,
  '\\brsync\\b.*\\s\\S+:',
  '\\bgit\\s+(?:push|remote\\s+(?:add|set-url)\\s+\\S+)\\s+(?:-\\S+\\s+)*(?:\\w+://|git@)',
  '\\bcurl\\b.*\\s(?:-d|--data\\S*|--json|-F|--form\\S*|-T|--upload-file|-X\\s*(?:POST|PUT|PATCH))',
  '\\bwget\\b.*--post-',
  '\\b(?:curl|wget)\\b.*(?:\\$\\(|`)',
);

/** Destroys data outside of the project, or the whole project. */
const DESTROYS = any(
  'i',
  `\\b${patternOf('destroys')}\\s`,
  '\\brm\\s+(?:-\\w+\\s+)*(?:/(?!(?:private/|var/)?tmp/.)|~|\\$HOME|\\*|\\.git\\b)',
  '\\bfind\\s+(?:/|~|\\$HOME)\\S*\\s.*(?:-delete\\b|-exec\\s+rm\\b)',
  '\\bdd\\s+if=',
  '\\bgit\\s+(?:reset\\s+--hard\\s+origin|clean\\s+-\\w*f\\w*x|push\\b.*\\s(?:--delete|--mirror)\\b)',
  '\\b(?:terraform|pulumi|tofu|cdk)\\s+(?:destroy|down)\\b',
  '\\b(?:docker|podman)\\s+(?:system|volume|image|network)\\s+(?:prune|rm)\\b',
  '\\b(?:drop|truncate)\\s+(?:table|database|schema)\\b',
  '\\bgh\\s+(?:repo|release|secret)\\s+delete\\b',
  '\\b(?:aws|gcloud|az)\\s.*\\b(?:delete|rm|terminate)\\S*\\b',
  // Options of any program.
  '\\s--?(?:erase|wipe|destroy)\\b',
);

/** Code in the command itself, so no file of the project shows what the command does. */
const INLINE_CODE = any(
  '',
  `(?:^|[\\s;&|])(?:\\S*/)?${patternOf('evaluates')}\\s+(?:-\\w+\\s+)*(?:-c|-e|-pe|-ne|-p|--eval|--print|-r|eval)[\\s=]`,
  `(?:^|[\\s;&|])(?:\\S*/)?(?:${SHELL}|pwsh|powershell|cmd)\\s+(?:-\\w+\\s+)*(?:-\\w*c|-command|-enc\\w*|/c)\\s`,
);

/** Variables that change what a program loads, trusts or skips. */
const VARIABLES = words(`
  NODE_TLS_REJECT_UNAUTHORIZED GIT_SSL_NO_VERIFY PYTHONHTTPSVERIFY GONOSUMDB GONOSUMCHECK GOINSECURE HUSKY
  HUSKY_SKIP_HOOKS SKIP LD_PRELOAD DYLD_INSERT_LIBRARIES PYTHONSTARTUP BASH_ENV PROMPT_COMMAND GIT_SSH_COMMAND GIT_SSH
  GIT_EXTERNAL_DIFF PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL NPM_CONFIG_REGISTRY HTTPS?_PROXY ALL_PROXY
  RUSTC_WRAPPER`);
/** Options that switch off a check, a lock or a limit. */
const OPTIONS = words(`
  no-verify no-gpg-sign no-sandbox disable-web-security disable-sandbox disable-ssl\\S* disable-checks? disable-tls\\S*
  disable-security\\S* skip-checks? skip-verify skip-verification skip-ssl\\S* skip-tls\\S* skip-auth\\S* skip-signature\\S*
  insecure\\S* trusted-host allow-unauthenticated allow-insecure\\S* allow-untrusted ignore-certificate-errors
  no-check-certificate privileged dangerously-\\S+ yolo break-system-packages registry index-url extra-index-url
  find-links`);
/** Commands that change the person's shell or services. */
const PERSONAL = words(`
  alias\\s+\\S+= unalias\\b eval\\b crontab\\b visudo\\b launchctl\\b systemctl\\s+(?:enable|disable|stop|mask)\\b usermod\\b
  chown\\b useradd\\b passwd\\b`);
/** Files and folders of a home that change what later commands do. */
const SETTINGS = words(
  'ssh bashrc zshrc profile bash_profile npmrc pypirc netrc aws kube gitconfig config',
);

/** Removes a check, a lock or a limit, or changes what later commands do. */
const WEAKENS: readonly RegExp[] = [
  any(
    'i',
    `(?:^|\\s)--${OPTIONS}(?:[\\s=]|$)`,
    `\\b${VARIABLES}=`,
    `(?:^|[;&|]\\s*|\\bsudo\\s+)${PERSONAL}`,
    '\\bchmod\\s+(?:-R\\s+)?(?:0?777|666|a\\+\\S*[wx]|o\\+\\S*w|u\\+s|\\+s)',
    '\\bsetenforce\\s+0',
    '\\bspctl\\s+--master-disable',
    '\\b(?:ufw|iptables|firewalld|apparmor|selinux|auditd)\\b.*\\b(?:disable|stop|off|-F)\\b',
    // Settings of git, ssh and package managers: they apply to later commands, too.
    '\\b(?:StrictHostKeyChecking=?\\s*no|http\\.sslVerify|strict-ssl|commit\\.gpgsign|credential\\.helper)\\b',
    '\\bgit\\b.*\\s(?:-c|config)\\s.*\\bcore\\.(?:hooksPath|sshCommand|fsmonitor|gitProxy|askPass)\\b',
    '\\bcore\\.(?:editor|pager)[ =](?!["\']?(?:cat|less|true|delta)?\\b)',
    '\\burl\\.\\S+\\.insteadOf\\b',
    '\\b(?:npm|pnpm|yarn|pip|uv|go)\\s+(?:config\\s+set|set-script|pkg\\s+set|env\\s+-w)\\b',
    // Writes into a home or the system.
    '>>?\\s*(?:~|\\$HOME|/home/|/etc/|/root|/Users/)',
    '\\bauthorized_keys\\b',
    `\\b(?:tee|cat|cp|mv|ln|sed\\s+-i)\\b.*(?:~|\\$HOME)/\\.${SETTINGS}`,
    // Hides what the command runs.
    '(?:\\\\x[0-9a-f]{2}){4}',
  ),
  // Case matters in these.
  any(
    '',
    '\\bNODE_OPTIONS=\\S*--?(?:r\\b|require|import|loader)',
    '\\b(?:PYTHONPATH|GOPROXY)=["\']?(?:/tmp|~|https?:)',
    '\\bGOFLAGS=\\S*-(?:insecure|toolexec)',
    '\\b(?:EDITOR|PAGER)=["\']?\\S*(?:/|\\.(?:sh|py|js)\\b)',
    '\\bgo\\s+\\w+\\s.*-(?:exec|toolexec|vettool)\\b',
    'rustc-wrapper',
    '\\bgit\\s+commit\\b.*\\s-[a-mo-z]*n[a-z]*\\b',
    '\\bgit\\s+push\\b.*\\s(?:-f\\b|--force(?![\\w-])|\\+\\w)',
    '\\bcurl\\b.*\\s-[a-zA-Z]*k[a-zA-Z]*\\b',
  ),
];

/** Invisible characters in a word, and letters of other scripts that look like Latin letters. */
const LIKE_LATIN = '[\\p{Script=Cyrillic}ΑΒΕΖΗΙΚΝΟΡΤΥΧνο]';
const DISGUISED = any('iu', `[a-z][${INVISIBLE_CLASS}]`, `[a-z]${LIKE_LATIN}|${LIKE_LATIN}[a-z]`);

/** Sentences that ask for a risk without a command. Each begins with a verb that asks. */
const DO = '(?:^|[.;:!?,]\\s+|\\b(?:then|and|first|always|please|must|should|to)\\s+)';
const SEND = `${DO}(?:send|upload|post|copy|mail|forward)\\b`;
const PLACE = '(?:\\w+://|\\b[\\w-]+(?:\\.[\\w-]+)*\\.[a-z]{2,}/|\\b\\d{1,3}(?:\\.\\d{1,3}){3}\\b)';
const PROSE: readonly (readonly [RegExp, Risk])[] = [
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
    new RegExp(
      `${DO}(?:disable|switch off|turn off|bypass)\\b.{0,40}\\b(?:tls|ssl|certificates?|signatures?|sandbox|verification|security|firewall|antivirus|permission)\\b`,
      'i',
    ),
    'weakens a check',
  ],
  [
    new RegExp(
      `${DO}(?:delete|remove|wipe|erase|format)\\b.{0,30}\\b(?:home (?:folder|directory)|disk|hard drive|production)\\b`,
      'i',
    ),
    'destroys what does not come back',
  ],
];

function bareName(name: string): string {
  return name
    .replace(/^["']|["']$/g, '')
    .replace(/(.)@[^/]*$/, '$1')
    .replace(/[=<>~!^[].*$/, '')
    .toLowerCase();
}

/**
 * Whether a command fetches code that neither the project's manifests nor the table of tools name.
 */
function fetchesCode(command: string, packages: ReadonlySet<string>): boolean {
  if (REMOTE_CODE.test(command)) return true;
  const run = FETCH_AND_RUN.exec(command)?.[1];
  if (run !== undefined) {
    const name = bareName(run);
    return !packages.has(name) && !isKnownTool(name) && !isProbe(name);
  }
  // No flags, no local paths, no requirement files.
  const rest = INSTALL.exec(command)?.[1]?.split(/&&|\|\||[;|]/)[0] ?? '';
  return rest
    .trim()
    .split(/\s+/)
    .some(
      (word, i, all) =>
        word !== '' &&
        !/^-|^\.{0,2}\/|^\.$/.test(word) &&
        !/^(?:-r|--requirement|-e|--editable)$/.test(all[i - 1] ?? '') &&
        !packages.has(bareName(word)),
    );
}

const LOCAL =
  /\b\w+:\/\/(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?=[:/\s"']|$)[^\s"']*/gi;

/**
 * The command as written, and without quotes, wrappers and folders of programs. Requests to this
 * machine are left out.
 */
function formsOf(command: string): string[] {
  const all = readable(command);
  const remote = all.replace(LOCAL, '');
  const isLocal = remote !== all && !/:\/\/|\w@\w/.test(remote);
  const plain = isLocal ? remote.replace(/\b(?:curl|wget)\b/g, '') : remote;
  const steps = splitShell(plain).map(({ words: [head = '', ...rest], env, joint }) => {
    const given = /^(?:sudo|doas)$/.test(head) ? rest : [head, ...rest];
    return `${[...env, (given[0] ?? '').replace(/^.*\//, ''), ...given.slice(1)].join(' ')} ${joint}`;
  });
  return [plain, steps.join(' ')];
}

/** The risk of a command; null if no risk is known. */
export function riskOf(command: string, packages: ReadonlySet<string> = new Set()): Risk | null {
  if (DISGUISED.test(command)) return 'weakens a check';
  const forms = formsOf(command);
  const has = (sign: RegExp): boolean => forms.some((form) => sign.test(form));
  if (WEAKENS.some(has)) return 'weakens a check';
  if (has(DESTROYS)) return 'destroys what does not come back';
  if (forms.some((form) => fetchesCode(form, packages))) return 'fetches and runs something';
  if (has(SENDS)) return 'sends data out';
  return has(INLINE_CODE) ? 'runs code that it contains' : null;
}

/** `Never …`, `Don't …`, in one sentence without a condition: such a sentence asks for nothing. */
export function isForbidding(text: string): boolean {
  return (
    /^[\s*_-]*(?:never|do not|don['’]t|avoid|must not)\s+(?!forget|hesitate|skip|omit|miss|fail|stop)/i.test(
      text,
    ) && !/\b(?:without|unless|except|but|instead|until|rather|before)\b|[.;!?]\s+\S/i.test(text)
  );
}

/** The risk of a sentence outside its code. */
export function riskOfProse(text: string): string | null {
  if (DISGUISED.test(text)) return 'is spelt so that it looks like something else';
  const plain = readable(text);
  // A comma after an option is not part of the option.
  const prose = withoutSpans(plain).replace(/[,.;:!?]+(?=\s|$)/g, '');
  if (REMOTE_CODE.test(prose)) return 'fetches and runs something';
  if (DESTROYS.test(prose)) return 'destroys what does not come back';
  if (WEAKENS.some((sign) => sign.test(prose))) return 'weakens a check';
  return PROSE.find(([sign]) => sign.test(plain.replaceAll('`', ' ')))?.[1] ?? null;
}
