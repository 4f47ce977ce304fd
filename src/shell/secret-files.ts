/**
 * Files whose content is not stored, and the files that a shell command prints or writes. Secrets
 * in other files are still redacted. Pure.
 */
import { type Step, splitShell } from './parse.js';

/** Names of files whose content is never stored. */
const NAMES =
  /^(?:\.env(?:rc|\..*|[-_].*)?|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|tfvars|kubeconfig|agekey|asc)|.*\.tfvars\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.vault-token|\.dockercfg|\.boto|\.s3cfg|kubeconfig.*|credentials.*|secrets?\.(?:ya?ml|json|toml|ini|env|enc|properties)|service[-_]account.*\.json|client_secret.*\.json|terraform\.tfstate.*|wp-config\.php|master\.key|shadow)$/i;
/** SSH keys are named `id_*`, but source files with such a name are not keys. */
const SSH_KEY = /^id_[\w-]{1,60}(?:\.pub|\.old|\.bak)?$/i;
const FOLDERS =
  /(?:^|[\\/])(?:\.ssh[\\/](?!config$|known_hosts)[^\\/]{1,200}|\.aws[\\/]credentials|\.kube[\\/](?:config|cache[\\/].{1,200})|\.docker[\\/]config\.json|\.gnupg[\\/].{1,200}|\.config[\\/](?:gh[\\/]hosts\.yml|gcloud[\\/].{1,200}))$/i;

/**
 * Whether the content of a file must not be stored.
 * @param path absolute or relative, with either slash
 * @param ignored the project's own rules (.gitignore, .secretsignore, .dripstoneignore)
 */
export function isSecretPath(path: string, ignored?: (path: string) => boolean): boolean {
  const plain = path
    .trim()
    .replace(/^["'`]|["'`]$/g, '')
    .replace(/(?<![\\/])[\\/]+$/, '')
    .slice(-1024);
  if (plain === '') return false;
  const name = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
  return (
    NAMES.test(name) || SSH_KEY.test(name) || FOLDERS.test(plain) || (ignored?.(plain) ?? false)
  );
}

const SHOWS = new Set(
  (
    'cat head tail sed less more bat batcat nl tac type get-content gc xxd hexdump od strings base64 grep egrep rg awk cut ' +
    'sort uniq diff jq yq view paste fold column pr vim nano source-highlight'
  ).split(' '),
);
const WRITES = new Set(['tee', 'set-content', 'out-file', 'add-content']);
/** Sub-commands of git that print a file: `git show HEAD:.env`. */
const GIT_SHOWS = /^(?:show|diff|blame|cat-file|log|grep)$/;
/** Flags whose value is not a file. */
const TAKES_VALUE = /^-(?:n|c|e|m|A|B|C|t|k|d)$/;
const MAY_SHOW = new RegExp(`(?:^|[^\\w-])(?:${[...SHOWS, 'git'].join('|')})\\s|<`, 'i');

/** Cached: a command's result splits it again. */
let last = { command: '', steps: [] as Step[] };

function stepsOf(command: string): Step[] {
  if (command !== last.command) last = { command, steps: splitShell(command) };
  return last.steps;
}

/**
 * Files that the command prints: `cat a`, `head -5 a`, `git show HEAD:a`, also after `cd x &&`,
 * `sudo -u x`, `docker exec x`, `xargs`, and in `bash -c '…'`.
 */
export function filesShown(command: string): string[] {
  if (!MAY_SHOW.test(command)) return [];
  return stepsOf(command).flatMap((step) => [
    ...argumentsBehind(step.words, SHOWS),
    ...ofCommits(step.words),
    ...redirected(step, '<'),
  ]);
}

/** Files whose content the command itself contains: `cat > a <<EOF`, `echo … >> a`, `tee a`. */
export function filesWritten(command: string): string[] {
  return />|tee|set-content|out-file|add-content/i.test(command)
    ? stepsOf(command).flatMap((step) => [
        ...redirected(step, '>'),
        ...argumentsBehind(step.words, WRITES),
      ])
    : [];
}

/** Arguments after the first of these programs, which may follow other words. */
function argumentsBehind(words: readonly string[], programs: ReadonlySet<string>): string[] {
  const at = words.findIndex((word) => programs.has(word.replace(/^.*\//, '').toLowerCase()));
  const files: string[] = [];
  for (let i = at + 1; at >= 0 && i < words.length; i++) {
    const word = words[i] as string;
    if (TAKES_VALUE.test(word)) i++;
    else if (!word.startsWith('-')) files.push(word);
  }
  return files;
}

function ofCommits(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /(?:^|\/)git$/.test(word));
  return at >= 0 && words.slice(at + 1, at + 5).some((word) => GIT_SHOWS.test(word))
    ? words.slice(at + 1).map((word) => word.slice(word.indexOf(':') + 1))
    : [];
}

function redirected({ redirects }: Step, sign: '<' | '>'): string[] {
  return redirects.flatMap((each) => {
    const match = /^(?:\d+|&)?([<>]{1,2}\|?&?)(.+)$/.exec(each);
    return match?.[1]?.startsWith(sign) === true ? [match[2] as string] : [];
  });
}
