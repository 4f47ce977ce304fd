import { isProgram } from './commands/programs.js';
import { splitShell } from '../shell/index.js';

const URLS = /\b(?:https?|ftp|git|ssh):\/\/[^\s`'"<>()[\]{}|\\^]+/gi;
/** By program, what follows it where packages are installed. */
const INSTALLS = byProgram({
  'npm pnpm yarn bun': /^(?:i|install|add)$/,
  'pip pip3 pipx conda mamba gem brew cargo go luarocks opam snap choco scoop winget':
    /^(?:install|get|add|tap)$/,
  'apt apt-get dnf yum apk pacman zypper': /^(?:install|add|-S\w*)$/,
  uv: /^(?:add|pip|tool)$/,
  'poetry pdm rye pixi dotnet': /^add$/,
  composer: /^require$/,
  mix: /^archive\.install$/,
  code: /^--install-extension$/,
});
/** By program, what follows it where something is fetched from or sent to the network. */
const REACHES = byProgram({
  'pnpm yarn': /^(?:dlx|create|exec)$/,
  npm: /^(?:create|exec)$/,
  bun: /^x$/,
  go: /^run$/,
  git: /^clone$/,
  gh: /^gist$/,
});
const FETCHERS = new Set(['npx', 'bunx', 'uvx', 'pnpx']);

function byProgram(patterns: Readonly<Record<string, RegExp>>): ReadonlyMap<string, RegExp> {
  return new Map(
    Object.entries(patterns).flatMap(([names, next]) =>
      names.split(' ').map((name) => [name, next] as const),
    ),
  );
}

/** A URL as it is compared: no trailing punctuation, host in lower case. */
function cleanUrl(url: string): string {
  return url
    .replace(/[.,;:!?*_~]+$/, '')
    .replace(
      /^(\w+:\/\/)([^/]+)/,
      (_m, p: string, host: string) => p.toLowerCase() + host.toLowerCase(),
    );
}

/** Hosts that any document may name: their first sight says nothing. */
const COMMON_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[?::1|(?:www\.|raw\.|api\.)?(?:github|gitlab|bitbucket|githubusercontent)\.(?:com|org)$)/;

/** A URL and its host: what a page names once may be used under another path. */
function urlTokens(text: string): string[] {
  return [...(text.match(URLS) ?? [])].flatMap((raw) => {
    const url = cleanUrl(raw);
    const host = /^\w+:\/\/(?:[^/@]*@)?([^/:?#]+)/.exec(url)?.[1] ?? '';
    return host === '' || COMMON_HOST.test(host) ? [url] : [url, host];
  });
}

/** Name of a package without version or extras. */
function packageName(word: string): string {
  return word.replace(/(.)@[^/@]*$/, '$1').replace(/[=<>~!^[].*$/, '');
}

function packagesOf(words: string[]): string[] {
  const bare =
    words[0] === 'sudo' || (/^python/.test(words[0] ?? '') && words[1] === '-m')
      ? words.slice(words[0] === 'sudo' ? 1 : 2)
      : words;
  const [program = '', next = ''] = bare;
  if (FETCHERS.has(program))
    return [bare.find((w, i) => i > 0 && !w.startsWith('-'))]
      .filter((w) => w !== undefined)
      .map(packageName);
  if (!INSTALLS.get(program)?.test(next)) return [];
  const rest = bare.slice(bare[2] === 'install' || bare[2] === 'package' ? 3 : 2);
  return rest
    .filter(
      (w, i) =>
        !w.startsWith('-') &&
        !/^(?:-r|--requirement|-e|--editable|-c|--index-url|--group|--extra)$/.test(
          rest[i - 1] ?? '',
        ) &&
        !/^\.{0,2}\//.test(w) &&
        w !== '.',
    )
    .map(packageName)
    .filter((w) => /^@?[\w][\w./@:-]*$/.test(w));
}

/** Programs whose arguments name where code comes from or where data goes. */
const PLACES = new Set(
  'docker podman ssh scp sftp rsync nc ncat telnet nix helm kubectl'.split(' '),
);
const GIT_PLACES = /^(?:clone|remote|submodule)$/;

/**
 * Images, hosts and remote paths of a step: under other options, or with another path, they are the
 * same place.
 */
function placesOf(words: string[]): string[] {
  return PLACES.has(words[0] ?? '') || (words[0] === 'git' && GIT_PLACES.test(words[1] ?? ''))
    ? words
        .slice(1)
        .filter((word) => /^[\w@][\w.@-]*[./:][\w./:@-]+$/.test(word))
        .flatMap((word) => [word, word.replace(/^[^@/]*@/, '').replace(/:.*$/, '')])
        .filter((word) => word.length > 3)
    : [];
}

/** Command text as it is compared: one blank between words, quotes and shell prompts gone. */
function plainCommand(text: string): string {
  return text
    .trim()
    .replace(/^[$>%#]\s+/, '')
    .replace(/\s+/g, ' ');
}

/**
 * Tokens of one shell text: the text itself, each of its commands, packages that it would fetch,
 * URLs. Candidates list the same tokens in `mentions`, so that the first sight of each can be
 * looked up.
 */
export function shellTokens(command: string): string[] {
  const text = plainCommand(command);
  const tokens = new Set<string>(text.length > 0 && text.length <= 160 ? [text] : []);
  for (const step of splitShell(command)) {
    const words = step.words.join(' ').replace(/\s+/g, ' ');
    if (step.words.length > 1 && words.length <= 160) tokens.add(words);
    for (const name of [...packagesOf(step.words), ...placesOf(step.words)]) tokens.add(name);
  }
  for (const url of urlTokens(command)) tokens.add(url);
  return [...tokens];
}

/** Words that begin lines of code, not commands. */
const CODE =
  /^(?:const|let|var|import|export|return|if|for|while|func|def|class|type|public|private|static|new|async|await|function|package|from|select|insert|delete|fn|mut|struct|enum|interface|else|case|switch|throw|print|the|a|an|this|that|it|is|are|in|on|to|not|no|and|or|with) /i;

/** Whether a text reads like a command with at least one argument, or a program by its path. */
function isCommandLine(text: string): boolean {
  return (
    /^(?:[A-Z_]+=\S+ )*(?:\.\/\S+$|(?:\.\/|[a-z][\w.+-]*\/)*[a-z][\w.+-]* [^\s=(].*)/.test(text) &&
    !CODE.test(text)
  );
}

/** A script with arguments, however it is called: in a code span it is no prose. */
const SCRIPT_SPAN = /^(?:[A-Z_]+=\S+ )*(?:\.{1,2}\/|scripts?\/|bin\/)[\w./-]+ \S/;

const BEFORE = /^(?:run|execute|use|type|call|do|with|via|try|invoke|using|running|by)$/i;
/**
 * Longest command that is looked for in prose. Nothing marks its end, so every beginning of it
 * counts.
 */
const MOST_WORDS = 6;

/**
 * Where a command may begin or end without a blank: at commas and quotes of other scripts, behind
 * letters of some.
 */
const UNSPACED =
  /(?![\x00-\x7f])\p{P}|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])(?=[a-z./])/gu;

/** Commands that may stand in a sentence: after a verb of running, or at a known program. */
function commandsInProse(line: string): string[] {
  const words = line.replace(UNSPACED, ', ').split(/\s+/);
  const found: string[] = [];
  words.forEach((raw, i) => {
    const word = raw.replace(/^["'“(]+/, '');
    if (
      !/^(?:\.\/)?[a-z][\w.+/-]*$/.test(word) ||
      !(isProgram(word) || BEFORE.test(words[i - 1] ?? ''))
    )
      return;
    const taken = [word];
    for (const next of words.slice(i + 1, i + MOST_WORDS)) {
      const bare = next.replace(/["'”).,;:!?]+$/, '');
      taken.push(bare);
      found.push(taken.join(' '));
      if (bare !== next) break;
    }
  });
  return found;
}

/**
 * Commands, packages and URLs that stand in prose or output: code spans, fenced and prompted lines,
 * lines of their own that read like a command.
 * @param loose also lines without any mark; for text from outside, where a miss would let a foreign
 * command in
 */
export function textTokens(text: string, loose: boolean): string[] {
  const tokens = new Set<string>();
  const add = (command: string): void => {
    for (const token of shellTokens(command)) tokens.add(token);
  };
  for (const [, span = ''] of text.matchAll(/`([^`\n]{2,200})`/g)) {
    const plain = plainCommand(span);
    if (isCommandLine(plain) || SCRIPT_SPAN.test(plain)) add(span);
  }
  let fenced = false;
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced;
    else if (line.length > 1) {
      const prompted = /^[$%] \S/.test(line);
      if (
        line.length <= 300 &&
        (prompted ||
          (fenced && isCommandLine(line)) ||
          (loose && isCommandLine(line) && line.split(/\s+/).length <= 12))
      )
        add(line);
      if (loose) for (const part of commandsInProse(line)) add(part);
    }
  }
  for (const url of urlTokens(text)) tokens.add(url);
  return [...tokens];
}

/**
 * Colours and links of a terminal, also as JSON or code writes them: they stand in the middle of
 * words.
 */
const ESCAPES =
  /(?:\u001b|\\u001b|\\x1b|\\033|\\e(?=\[))(?:\[[0-9;?]*[A-Za-z]|\][^\u0007\u001b\n]{0,400}(?:\u0007|\u001b\\))/gi;

/** The text as a reader sees it: without colours, and with the ends of lines that JSON escapes. */
export function unescaped(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(/\\[nrt]/g, '\n')
    .replaceAll('\\"', '"');
}

/** Longer words are taken for data: stripping one of a megabyte would take minutes. */
const LONGEST_WORD = 300;

const OPENING = '"\'“‘`([{>';
const CLOSING = '"\'”’`)]},.;:!?';

/** Words of prose, data or code without what stands around them. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/).map((raw) => {
    if (raw.length > LONGEST_WORD) return '';
    let [from, to] = [0, raw.length];
    while (from < to && OPENING.includes(raw[from]!)) from += 1;
    while (to > from && CLOSING.includes(raw[to - 1]!)) to -= 1;
    return raw.slice(from, to);
  });
}

/**
 * Of how many words the shortest command is that begins with these and brings something in or
 * carries something away, also where nothing marks it as a command; 0 for any other.
 */
function reachOfWords(first: string, second: string): number {
  if (FETCHERS.has(first) || first === 'curl' || first === 'wget') return 2;
  if (INSTALLS.get(first)?.test(second) || REACHES.get(first)?.test(second)) return 3;
  return PLACES.has(first) ? 2 : 0;
}

/**
 * Commands that a tool's output names without any mark: those that reach out of the machine, and
 * those that the session itself runs or tells.
 * @param own commands of the session, by their first word
 */
export function unmarkedCommands(
  text: string,
  own: ReadonlyMap<string, readonly OwnCommand[]>,
): string[] {
  const tokens = new Set<string>();
  const words = wordsOf(text);
  words.forEach((first, i) => {
    const second = words[i + 1] ?? '';
    for (const one of own.get(first) ?? [])
      if (one.words.every((word, n) => words[i + n] === word)) tokens.add(one.token);
    const least = second === '' ? 0 : reachOfWords(first, second);
    if (least === 0) return;
    for (let end = i + least; end <= Math.min(words.length, i + MOST_WORDS); end += 1) {
      if (words[end - 1]!.startsWith('-')) continue;
      for (const token of shellTokens(words.slice(i, end).join(' '))) tokens.add(token);
    }
  });
  return [...tokens];
}

/** A command with its words as a text would hold them. */
interface OwnCommand {
  token: string;
  words: readonly string[];
}

/** Commands by their first word; of those of one word, only programs by their path. */
export function byFirstWord(commands: Iterable<string>): Map<string, OwnCommand[]> {
  const found = new Map<string, OwnCommand[]>();
  for (const token of commands) {
    const words = wordsOf(token);
    if (words.includes('') || (words.length < 2 && !token.includes('/'))) continue;
    const same = found.get(words[0]!);
    if (same === undefined) found.set(words[0]!, [{ token, words }]);
    else same.push({ token, words });
  }
  return found;
}

/**
 * What a lesson would make an agent use: its code spans as commands, its URLs, and the commands
 * given.
 */
export function mentionsOf(text: string, commands: string[] = []): string[] {
  const tokens = new Set(textTokens(text, false));
  for (const command of commands) for (const token of shellTokens(command)) tokens.add(token);
  return [...tokens].sort();
}
