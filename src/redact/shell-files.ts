/** Which files a shell command shows or writes. Understands what agents type; anything cleverer is left to redaction. */

const SHOWS = new Set(
  'cat head tail sed less more bat batcat nl tac type get-content gc xxd hexdump od strings base64 grep egrep rg awk cut sort uniq diff jq yq view'.split(
    ' ',
  ),
);
const WRITES = new Set(['tee', 'set-content', 'out-file', 'add-content']);
/** Flags whose value is not a file. */
const TAKES_VALUE = /^-(?:n|c|e|m|A|B|C|t|k|d)$/;

/** Files that the command prints: `cat a`, `head -5 a`, `sed -n 1,20p a`, also behind `cd x &&`, `sudo`, pipes. */
export function filesShown(command: string): string[] {
  return simpleCommands(command)
    .map(withoutPrefix)
    .flatMap((words) => (SHOWS.has(programOf(words)) ? argumentsOf(words) : redirects(words, '<')));
}

/** Files that the command writes by itself, so that their content stands in the command: `cat > a <<EOF`, `echo … >> a`, `tee a`. */
export function filesWritten(command: string): string[] {
  if (!/>|tee|set-content|out-file|add-content/i.test(command)) return [];
  return simpleCommands(command)
    .map(withoutPrefix)
    .flatMap((words) => [...redirects(words, '>'), ...(WRITES.has(programOf(words)) ? argumentsOf(words) : [])]);
}

/** Without `sudo`, `env`, `time` and variables set for the command alone. */
function withoutPrefix(words: string[]): string[] {
  const start = words.findIndex((word) => !/^(?:sudo|command|env|time|\w+=.*)$/.test(word));
  return start < 0 ? words : words.slice(start);
}

const programOf = (words: readonly string[]): string => (words[0] ?? '').replace(/^.*\//, '').toLowerCase();

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
    const match = sign === '>' ? /^\d?(?:>{1,2}\|?|&>)(.*)$/.exec(word) : /^<([^<&(].*)?$/.exec(word);
    if (match === null) return;
    const target = match[1] === undefined || match[1] === '' ? words[i + 1] : match[1];
    if (target !== undefined && !target.startsWith('&')) files.push(target);
  });
  return files;
}

/** Longest part of a command that is looked at. */
const LOOKED_AT = 16_384;

/** The command cut at `;`, `&&`, `||`, `|` and line ends into lists of words, quotes taken off. */
function simpleCommands(command: string): string[][] {
  const commands: string[][] = [[]];
  const text = command.slice(0, LOOKED_AT);
  let word = '';
  let quote = '';
  let from = 0;
  /** What stands since `from` belongs to the word; it goes on at `next`. */
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
