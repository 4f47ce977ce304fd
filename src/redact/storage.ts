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

// Which files a shell command shows or writes. Handles common shell forms; what it misses is still
// redacted.

const SHOWS = new Set(
  (
    'cat head tail sed less more bat batcat nl tac type get-content gc xxd hexdump od strings base64 grep egrep rg awk cut ' +
    'sort uniq diff jq yq view'
  ).split(' '),
);
const WRITES = new Set(['tee', 'set-content', 'out-file', 'add-content']);
/** Flags whose value is not a file. */
const TAKES_VALUE = /^-(?:n|c|e|m|A|B|C|t|k|d)$/;

/**
 * Files that the command prints: `cat a`, `head -5 a`, `sed -n 1,20p a`, also after `cd x &&`,
 * `sudo`, pipes.
 */
export function filesShown(command: string): string[] {
  return simpleCommands(command)
    .map(withoutPrefix)
    .flatMap((words) => (SHOWS.has(programOf(words)) ? argumentsOf(words) : redirects(words, '<')));
}

/**
 * Files that the command itself writes, so that it contains their content: `cat > a <<EOF`, `echo …
 * >> a`, `tee a`.
 */
export function filesWritten(command: string): string[] {
  if (!/>|tee|set-content|out-file|add-content/i.test(command)) return [];
  return simpleCommands(command)
    .map(withoutPrefix)
    .flatMap((words) => [
      ...redirects(words, '>'),
      ...(WRITES.has(programOf(words)) ? argumentsOf(words) : []),
    ]);
}

/** Removes `sudo`, `env`, `time` and variables set for this command. */
function withoutPrefix(words: string[]): string[] {
  const start = words.findIndex((word) => !/^(?:sudo|command|env|time|\w+=.*)$/.test(word));
  return start < 0 ? words : words.slice(start);
}

function programOf(words: readonly string[]): string {
  return (words[0] ?? '').replace(/^.*\//, '').toLowerCase();
}

function argumentsOf(words: readonly string[]): string[] {
  const files: string[] = [];
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as string;
    if (TAKES_VALUE.test(word)) i++;
    else if (!/^[-<>|&]|^\d*>/.test(word)) files.push(word);
  }
  return files;
}

function redirects(words: readonly string[], sign: '<' | '>'): string[] {
  const files: string[] = [];
  words.forEach((word, i) => {
    const match =
      sign === '>' ? /^\d?(?:>{1,2}\|?|&>)(.*)$/.exec(word) : /^<([^<&(].*)?$/.exec(word);
    if (match === null) return;
    const target = match[1] === undefined || match[1] === '' ? words[i + 1] : match[1];
    if (target !== undefined && !target.startsWith('&')) files.push(target);
  });
  return files;
}

/** Longest part of a command that is read. */
const LOOKED_AT = 16_384;

/** Splits the command at `;`, `&&`, `||`, `|` and line ends into lists of words without quotes. */
function simpleCommands(command: string): string[][] {
  const commands: string[][] = [[]];
  const text = command.slice(0, LOOKED_AT);
  let word = '';
  let quote = '';
  let from = 0;
  /** The text since `from` belongs to the word, which continues at `next`. */
  const take = (at: number, next: number): void => {
    word += text.slice(from, at);
    from = next;
  };
  const endWord = (): void => {
    if (word !== '') (commands[commands.length - 1] as string[]).push(word);
    word = '';
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== '' ? char === quote : char === '"' || char === "'") {
      take(at, at + 1);
      quote = quote === '' ? char : '';
    } else if (quote !== '') continue;
    else if (char === ' ' || char === '\t') {
      take(at, at + 1);
      endWord();
    } else if (
      char === '\n' ||
      char === ';' ||
      char === '|' ||
      (char === '&' && (at > from ? text[at - 1] : word.at(-1)) !== '>')
    ) {
      take(at, at + 1);
      endWord();
      commands.push([]);
    } else if (char === '>' || char === '<') {
      take(at, at);
      if (!/^[\d&]?[<>]*$/.test(word)) endWord();
    }
  }
  take(text.length, text.length);
  endWord();
  return commands.filter((words) => words.length > 0);
}
