/** Splits shell text into simple commands. Broken text gives steps that match no known program. */

/** Operators that end a simple command. */
type Joint = '&&' | '||' | ';' | '|' | '&' | '';

/** One simple command of a shell text. */
export interface Step {
  /** `NAME=value` before the program. */
  env: string[];
  /** Program and arguments, without quotes and wrappers (`timeout 60`, `time`, `bash -lc`). */
  words: string[];
  /** The operator after the command. */
  joint: Joint;
  /** Inside a loop, a condition, a function or their sub-shell, so it is not repeated alone. */
  scripted: boolean;
  /** Reads a here-document or here-string. */
  heredoc: boolean;
  /** Standard output goes to a file. */
  redirected: boolean;
  /** Files that it writes (`>a`, `2>>a`) or reads (`<a`), each with the operator. */
  redirects: string[];
  /** Output or errors are discarded, so an empty output proves nothing. */
  silenced: boolean;
  /** An argument has `$…` or backticks. */
  dynamic: boolean;
  /** Depth of sub-shells: a `cd` ends with its sub-shell. */
  depth: number;
}

const OPENERS = new Set('if for while until case select function'.split(' '));
const CLOSERS = new Set('fi done esac'.split(' '));
const BETWEEN = new Set('then do else elif ! { } in'.split(' '));
/** A longer text is cut. */
const LONGEST_TEXT = 20_000;

const BLANKS = /(?:[ \t\r]|\\\n|#[^\n]*)+/y;
const JOINT = /&&|\|\||;;|\|&|[;|&]/y;
const REDIRECT = /(?:\d+|&)?(?:<<<|<<-?|>>|>\||[<>]&(?:\d+|-)(?=[\s;|&)]|$)|>&|<&|<>|>|<)/y;
/** At any other character a word begins. */
const SIGNS = new Set(' \t\r\n\\#()<>&|;0123456789');
const END_OF_WORD = new Set(' \t\r\n;|&<>()');
const PLAIN = /[^ \t\r\n;|&<>()'"\\$`]+/y;
const PLAIN_QUOTED = /[^"\\$`]+/y;

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/** Index after the bracket that closes the one before `at`; brackets in quotes do not count. */
function closing(text: string, at: number, open: string, close: string): number {
  let depth = 1;
  for (let i = at; i < text.length; i += 1) {
    const c = text[i];
    const after = c === '<' ? skipInnerHeredoc(text, i) : i;
    if (after > i) i = after - 1;
    else if (c === '\\') i += 1;
    else if (c === '"' && open !== '`') i = readDouble(text, i + 1).next - 1;
    else if (c === "'" && open !== '`') {
      i = text.indexOf("'", i + 1);
      if (i < 0) return text.length;
    } else if (c === close) {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (c === open) depth += 1;
  }
  return text.length;
}

/** Index after the here-document that begins at `at`; `at` if none does. */
function skipInnerHeredoc(text: string, at: number): number {
  const open = /^<<-?\s*(['"]?)([A-Za-z_]\w*)\1/.exec(text.slice(at, at + 60));
  if (open === null) return at;
  const end = new RegExp(`\\n[\\t ]*${open[2]!}(?=\\s|\\)|$)`).exec(text.slice(at));
  return end === null ? text.length : at + end.index + end[0].length;
}

interface Word {
  value: string;
  next: number;
  quoted: boolean;
  dynamic: boolean;
}

/** End of the `$…` or backticks that begin at `at`; `at` if none do. Their value is unknown. */
function endOfDynamic(text: string, at: number, names: RegExp): number {
  if (text[at] === '`') return closing(text, at + 1, '`', '`');
  if (text[at] !== '$' || !names.test(text[at + 1] ?? '')) return at;
  if (text[at + 1] === '(') return closing(text, at + 2, '(', ')');
  if (text[at + 1] === '{') return closing(text, at + 2, '{', '}');
  let i = at + 1;
  while (i < text.length && /[\w?#!@*$]/.test(text[i]!)) i += 1;
  return i;
}

function readDouble(text: string, at: number): Word {
  const word: Word = { value: '', next: at, quoted: true, dynamic: false };
  while (word.next < text.length && text[word.next] !== '"') {
    const isEscape = text[word.next] === '\\' && /["\\$`\n]/.test(text[word.next + 1] ?? '');
    if (isEscape) {
      if (text[word.next + 1] !== '\n') word.value += text[word.next + 1];
      word.next += 2;
    } else readOn(text, word, PLAIN_QUOTED, /[({\w]/);
  }
  word.next += 1;
  return word;
}

/** Appends the match of the pattern, else a whole `$…` or backticks, else one character. */
function readOn(text: string, word: Word, plain: RegExp, names: RegExp): void {
  const found = matchAt(plain, text, word.next);
  const end = found === null ? endOfDynamic(text, word.next, names) : word.next + found.length;
  word.dynamic ||= found === null && end > word.next;
  word.value += text.slice(word.next, Math.max(end, word.next + 1));
  word.next = Math.max(end, word.next + 1);
}

function readWord(text: string, at: number): Word {
  const word: Word = { value: '', next: at, quoted: false, dynamic: false };
  while (word.next < text.length && !END_OF_WORD.has(text[word.next]!)) {
    const c = text[word.next]!;
    if (c === "'" || c === '"') {
      const close = text.indexOf("'", word.next + 1);
      const end = close < 0 ? text.length : close;
      const inner =
        c === '"'
          ? readDouble(text, word.next + 1)
          : { value: text.slice(word.next + 1, end), next: end + 1, dynamic: false };
      word.value += inner.value;
      word.next = inner.next;
      word.quoted = true;
      word.dynamic ||= inner.dynamic;
    } else if (c === '\\') {
      if (text[word.next + 1] !== '\n') word.value += text[word.next + 1] ?? '';
      word.next += 2;
    } else readOn(text, word, PLAIN, /[({\w?#!@*]/);
  }
  return word;
}

/** Skips the bodies of here-documents; `at` is just after a line end. */
function skipHeredocs(text: string, at: number, ends: readonly string[]): number {
  let i = at;
  for (const end of ends) {
    while (i < text.length) {
      const stop = text.indexOf('\n', i);
      const line = text.slice(i, stop < 0 ? text.length : stop);
      i = stop < 0 ? text.length : stop + 1;
      if (line.trim() === end) break;
    }
  }
  return i;
}

const NO = { scripted: false, heredoc: false, redirected: false, silenced: false, dynamic: false };

function blank(depth: number): Step {
  return Object.assign({ env: [], words: [], joint: '' as const, redirects: [], depth }, NO);
}

function addRedirect(step: Step, sign: string): void {
  if (sign.includes('<<')) step.heredoc = true;
  else if (/>\/dev\/null/.test(sign)) step.silenced = true;
  else if (/^(?:1|&)?>(?!&(?:\d+|-)$)/.test(sign)) step.redirected = true;
  if (!/<<|&(?:\d+|-)$|\/dev\/null/.test(sign)) step.redirects.push(sign);
}

/** The steps as written, without here-document bodies and comments. */
function readSteps(source: string): Step[] {
  const text = source.slice(0, LONGEST_TEXT);
  const steps: Step[] = [];
  const heredocs: string[] = [];
  let [open, depth, step] = [0, 0, blank(0)];
  const end = (joint: Joint): void => {
    if (step.words.length > 0)
      steps.push(Object.assign(step, { joint, scripted: step.scripted || open > 0 }));
    else if (steps.length > 0 && joint !== ';' && joint !== '') steps.at(-1)!.joint = joint;
    step = blank(depth);
  };
  const addWord = ({ value, quoted, dynamic, next }: Word): number => {
    if (step.words.length === 0 && !quoted) {
      if (CLOSERS.has(value)) open = Math.max(0, open - 1);
      if (CLOSERS.has(value) || BETWEEN.has(value)) return next;
      if (OPENERS.has(value)) open += 1;
    }
    step.words.push(value);
    step.dynamic ||= dynamic;
    return next;
  };
  for (let i = 0; i < text.length;) {
    const [c, from] = [text[i]!, i];
    const isSign = SIGNS.has(c);
    if (isSign) i += matchAt(BLANKS, text, i)?.length ?? 0;
    if (i > from) continue;
    if (c === '\n') {
      end(';');
      i = skipHeredocs(text, i + 1, heredocs.splice(0));
      continue;
    }
    if (c === '(' || c === ')') {
      if (c === '(' && step.words.length > 0) step.scripted = true;
      else end('');
      depth = Math.max(0, depth + (c === '(' ? 1 : -1));
      if (step.words.length === 0) step.depth = depth;
      i += 1;
      continue;
    }
    const sign = isSign ? matchAt(REDIRECT, text, i) : null;
    const joint = isSign && sign === null ? matchAt(JOINT, text, i) : null;
    i += (sign ?? joint ?? '').length;
    if (joint !== null) end(joint === ';;' ? ';' : joint === '|&' ? '|' : (joint as Joint));
    else if (sign !== null && /&(?:\d+|-)$/.test(sign)) addRedirect(step, sign);
    else if (sign !== null) {
      while (text[i] === ' ' || text[i] === '\t') i += 1;
      const target = readWord(text, i);
      if (/<<-?$/.test(sign)) heredocs.push(target.value);
      addRedirect(step, sign + target.value);
      i = target.next;
    } else i = Math.max(addWord(readWord(text, i)), i + 1);
  }
  end('');
  return steps;
}

/** Programs that run another command: their options with a value, and their number of operands. */
const WRAPPERS = new Map<string, [valued: string, operands: number]>([
  ['timeout', ['-k -s --signal --kill-after', 1]],
  ['gtimeout', ['-k -s', 1]],
  ['time', ['-f -o', 0]],
  ['nice', ['-n', 0]],
  ['ionice', ['-c -n', 0]],
  ['stdbuf', ['-o -e -i', 0]],
  ...'nohup command exec caffeinate setsid unbuffer'
    .split(' ')
    .map((name): [string, [string, number]] => [name, ['', 0]]),
]);

/** Removes env assignments and wrappers from the start of a step. */
function unwrap(step: Step): Step {
  const { words, env } = step;
  for (;;) {
    const [head = '', next = ''] = words;
    const wrapper = words.length > 1 ? WRAPPERS.get(head) : undefined;
    // `command -v x` only prints where x is.
    if (head === 'command' && /^-\w*[vV]/.test(next)) break;
    if (/^[A-Za-z_]\w*\+?=/.test(head)) env.push(words.shift()!);
    else if (head === 'env' && words.length > 1 && !next.startsWith('-')) words.shift();
    else if (wrapper !== undefined) {
      words.shift();
      while (words[0]!.startsWith('-') && words.length > 1)
        if (wrapper[0].split(' ').includes(words.shift()!)) words.shift();
      words.splice(0, wrapper[1]);
    } else break;
  }
  return step;
}

/** The script of `bash -lc '…'`, or null. */
function shellText(words: readonly string[]): string | null {
  if (!/^(?:.*\/)?(?:ba|z|da|k)?sh$/.test(words[0] ?? '')) return null;
  const at = words.findIndex((word, i) => i > 0 && /^-[a-z]*c[a-z]*$/.test(word));
  return at > 0 && at < 4 ? (words[at + 1] ?? null) : null;
}

/** The simple commands of a shell text in order, without wrappers and `bash -lc`. Never throws. */
export function splitShell(text: string, level = 0): Step[] {
  return readSteps(text).flatMap((raw) => {
    const step = unwrap(raw);
    const inner = level < 3 ? shellText(step.words) : null;
    if (inner === null) return [step];
    const unpacked = splitShell(inner, level + 1);
    return unpacked.map((each, i) => ({
      ...each,
      env: [...step.env, ...each.env],
      depth: each.depth + step.depth + 1,
      joint: i === unpacked.length - 1 ? step.joint : each.joint,
      scripted: each.scripted || step.scripted,
    }));
  });
}
