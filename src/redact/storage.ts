import { type Step, splitShell } from '../shell/index.js';
import type { RawEntry } from '../types.js';

/** Files whose content must not be stored, in addition to the fixed list. */
export interface StorageRules {
  /** The project's ignore files; the path is absolute or relative to the raw entry's folder. */
  isIgnored?: (path: string, cwd: string | null) => boolean;
}

type StoragePlan = { store: 'keep' } | { store: 'drop-content'; paths: string[] };

/** Longest text of an edit: path and changed lines. */
const EDIT_LIMIT = 4096;
const EDITS =
  /^(?:edit|multiedit|notebookedit|write|apply_patch|str_replace\w*|update_file|create_file|write_file|edit_file|replace|patch|search_replace|insert_edit_into_file|write_to_file|apply_diff|filechange)$/i;

/**
 * Whether a raw entry's text may be stored. File tools are judged by their path arguments, shell
 * calls by the file that cat, head, tail, sed or similar print or that the command itself writes.
 */
export function planStorage(raw: RawEntry, rules: StorageRules): StoragePlan {
  if (raw.role === 'assistant' || raw.role === 'thinking' || raw.origin === 'user')
    return { store: 'keep' };
  const named =
    raw.command === null
      ? raw.files
      : raw.role === 'tool_call'
        ? filesWritten(raw.command)
        : filesShown(raw.command);
  const paths = secretOnes(named, raw, rules);
  return paths.length === 0 ? { store: 'keep' } : { store: 'drop-content', paths };
}

/**
 * Secret files that a shell call prints: its result must not be stored, whatever command the result
 * itself names.
 */
export function secretFilesShown(raw: RawEntry, rules: StorageRules): string[] {
  return raw.role === 'tool_call' && raw.command !== null && raw.origin !== 'user'
    ? secretOnes(filesShown(raw.command), raw, rules)
    : [];
}

function secretOnes(paths: readonly string[], { cwd }: RawEntry, rules: StorageRules): string[] {
  const ignored = (path: string): boolean => rules.isIgnored?.(path, cwd) ?? false;
  return [...new Set(paths.filter((path) => isSecretPath(path, ignored)))];
}

/** The raw entry in the form to store: content dropped but its path kept, edits cut to 4 KiB. */
export function storable(raw: RawEntry, plan: StoragePlan): RawEntry {
  if (plan.store === 'keep') return isLongEdit(raw) ? { ...raw, text: cutEdit(raw.text) } : raw;
  const stub = `${plan.paths.join(', ')} [content not stored]`;
  return {
    ...raw,
    text: stub,
    command: raw.role === 'tool_call' && raw.command !== null ? stub : raw.command,
  };
}

function isLongEdit(raw: RawEntry): boolean {
  return (
    raw.role === 'tool_call' &&
    raw.command === null &&
    raw.text.length > EDIT_LIMIT &&
    EDITS.test(raw.tool ?? '')
  );
}

/** Whole lines within the limit, and how many characters are missing. */
function cutEdit(text: string): string {
  const line = text.lastIndexOf('\n', EDIT_LIMIT - 60);
  const kept = text.slice(0, line > EDIT_LIMIT / 2 ? line : EDIT_LIMIT - 60);
  return `${kept}\n[… ${text.length - kept.length} characters left out]`;
}

/** Names of files whose content is never stored. */
const NAMES =
  /^(?:\.env(?:rc|\..*|[-_].*)?|.*\.env|.*\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|tfvars|kubeconfig|agekey|asc)|.*\.tfvars\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.htpasswd|\.git-credentials|\.vault-token|\.dockercfg|\.boto|\.s3cfg|kubeconfig.*|credentials.*|secrets?\.(?:ya?ml|json|toml|ini|env|enc|properties)|service[-_]account.*\.json|client_secret.*\.json|terraform\.tfstate.*|wp-config\.php|master\.key|shadow)$/i;
/** SSH keys are `id_*`; source files of that name are not keys. */
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

// Which files a shell command shows or writes. What it misses is still redacted.

const SHOWS = new Set(
  (
    'cat head tail sed less more bat batcat nl tac type get-content gc xxd hexdump od strings base64 grep egrep rg awk cut ' +
    'sort uniq diff jq yq view paste fold column pr vim nano source-highlight'
  ).split(' '),
);
const WRITES = new Set(['tee', 'set-content', 'out-file', 'add-content']);
/** Sub-commands of git that print a file of a commit: `git show HEAD:.env`. */
const GIT_SHOWS = /^(?:show|diff|blame|cat-file|log|grep)$/;
/** Flags whose value is not a file. */
const TAKES_VALUE = /^-(?:n|c|e|m|A|B|C|t|k|d)$/;
const MAY_SHOW = new RegExp(`(?:^|[^\\w-])(?:${[...SHOWS, 'git'].join('|')})\\s|<`, 'i');

/**
 * Files that the command prints: `cat a`, `head -5 a`, `git show HEAD:a`, also behind `cd x &&`,
 * `sudo -u x`, `docker exec x`, `xargs`, and in `bash -c '…'`.
 */
export function filesShown(command: string): string[] {
  return MAY_SHOW.test(command)
    ? splitShell(command).flatMap((step) => [
        ...argumentsBehind(step.words, SHOWS),
        ...ofCommits(step.words),
        ...redirected(step, '<'),
      ])
    : [];
}

/**
 * Files that the command itself writes, so that it contains their content: `cat > a <<EOF`, `echo …
 * >> a`, `tee a`.
 */
export function filesWritten(command: string): string[] {
  return />|tee|set-content|out-file|add-content/i.test(command)
    ? splitShell(command).flatMap((step) => [
        ...redirected(step, '>'),
        ...argumentsBehind(step.words, WRITES),
      ])
    : [];
}

/** What follows the first of these programs, which need not be the first word. */
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
