/** Operators that end a simple command. */
export type Joint = '&&' | '||' | ';' | '|' | '&' | '';

/** A token of shell text: a word (quotes removed), an operator or a bracket. */
export type Token =
  | { type: 'word'; value: string; quoted: boolean; dynamic: boolean }
  | { type: 'joint'; value: Exclude<Joint, ''> }
  | { type: 'bracket'; value: '(' | ')' }
  | { type: 'redirect'; value: string };

const END_OF_WORD = new Set([' ', '\t', '\r', '\n', ';', '|', '&', '<', '>', '(', ')']);

/** Index after the here-document that opens at `at`, or `at` when none does. */
function skipInnerHeredoc(text: string, at: number): number {
  const open = /^<<-?\s*(['"]?)([A-Za-z_]\w*)\1/.exec(text.slice(at, at + 60));
  if (open === null) return at;
  const end = new RegExp(`\\n[\\t ]*${open[2] ?? ''}(?=\\s|\\)|$)`).exec(text.slice(at));
  return end === null ? text.length : at + end.index + end[0].length;
}

/** Index after the bracket that closes the one before `at`; quotes inside are skipped. */
function closing(text: string, at: number, open: string, close: string): number {
  let depth = 1;
  for (let i = at; i < text.length; i += 1) {
    const c = text[i];
    const after = c === '<' ? skipInnerHeredoc(text, i) : i;
    if (after > i) i = after - 1;
    else if (c === '\\') i += 1;
    else if (c === '"' && open !== '`') i = readDouble(text, i + 1).next - 1;
    else if (c === "'" && open !== '`') {
      const end = text.indexOf("'", i + 1);
      if (end < 0) return text.length;
      i = end;
    } else if (c === close) {
      depth -= 1;
      if (depth === 0) return i + 1;
    } else if (c === open) depth += 1;
  }
  return text.length;
}

interface Word {
  value: string;
  next: number;
  quoted: boolean;
  dynamic: boolean;
}

/** Reads `$…` and backticks unchanged: their value is unknown. */
function readDynamic(text: string, at: number): number {
  if (text[at] === '`') return closing(text, at + 1, '`', '`');
  if (text[at + 1] === '(') return closing(text, at + 2, '(', ')');
  if (text[at + 1] === '{') return closing(text, at + 2, '{', '}');
  let i = at + 1;
  while (i < text.length && /[\w?#!@*$]/.test(text[i] ?? '')) i += 1;
  return i;
}

function readDouble(text: string, at: number): Word {
  let value = '';
  let dynamic = false;
  let i = at;
  while (i < text.length && text[i] !== '"') {
    const c = text[i] ?? '';
    if (c === '\\' && /["\\$`\n]/.test(text[i + 1] ?? '')) {
      if (text[i + 1] !== '\n') value += text[i + 1];
      i += 2;
    } else if (c === '`' || (c === '$' && /[({\w]/.test(text[i + 1] ?? ''))) {
      const next = readDynamic(text, i);
      value += text.slice(i, next);
      dynamic = true;
      i = next;
    } else {
      value += c;
      i += 1;
    }
  }
  return { value, next: i + 1, quoted: true, dynamic };
}

function readWord(text: string, at: number): Word {
  const word: Word = { value: '', next: at, quoted: false, dynamic: false };
  while (word.next < text.length && !END_OF_WORD.has(text[word.next] ?? '')) {
    const c = text[word.next] ?? '';
    if (c === "'") {
      const end = text.indexOf("'", word.next + 1);
      const stop = end < 0 ? text.length : end;
      word.value += text.slice(word.next + 1, stop);
      word.next = stop + 1;
      word.quoted = true;
    } else if (c === '"') {
      const inner = readDouble(text, word.next + 1);
      word.value += inner.value;
      word.next = inner.next;
      word.quoted = true;
      word.dynamic ||= inner.dynamic;
    } else if (c === '\\') {
      if (text[word.next + 1] !== '\n') word.value += text[word.next + 1] ?? '';
      word.next += 2;
    } else if (c === '`' || (c === '$' && /[({\w?#!@*]/.test(text[word.next + 1] ?? ''))) {
      const next = readDynamic(text, word.next);
      word.value += text.slice(word.next, next);
      word.next = Math.max(next, word.next + 1);
      word.dynamic = true;
    } else {
      word.value += c;
      word.next += 1;
    }
  }
  return word;
}

/** Skips the bodies of pending here-documents; `at` is just after a newline. */
function skipHeredocs(text: string, at: number, ends: string[]): number {
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

const JOINTS = ['&&', '||', ';;', '|&', ';', '|', '&'] as const;
const AS_JOINT: Record<(typeof JOINTS)[number], Exclude<Joint, ''>> = {
  '&&': '&&',
  '||': '||',
  ';;': ';',
  '|&': '|',
  ';': ';',
  '|': '|',
  '&': '&',
};

/** Longest text that is scanned; the rest is cut off. */
const MAX_SCAN = 20_000;

/**
 * Splits shell text into tokens. Tolerant: an unclosed quote or bracket ends with the text, nothing
 * throws. Here-document bodies and comments are dropped.
 */
export function scanShell(source: string): Token[] {
  const text = source.slice(0, MAX_SCAN);
  const tokens: Token[] = [];
  const ends: string[] = [];
  let i = 0;
  while (i < text.length) {
    const c = text[i] ?? '';
    if (c === ' ' || c === '\t' || c === '\r') i += 1;
    else if (c === '\\' && text[i + 1] === '\n') i += 2;
    else if (c === '\n') {
      tokens.push({ type: 'joint', value: ';' });
      i = skipHeredocs(text, i + 1, ends.splice(0));
    } else if (c === '#') {
      const stop = text.indexOf('\n', i);
      i = stop < 0 ? text.length : stop;
    } else if (c === '(' || c === ')') {
      tokens.push({ type: 'bracket', value: c });
      i += 1;
    } else i = scanRest(text, i, tokens, ends);
  }
  return tokens;
}

/** Redirects, operators and words. */
function scanRest(text: string, at: number, tokens: Token[], ends: string[]): number {
  const redirect = /^(?:\d+|&)?(?:<<<|<<-?|>>|>\||>&|<&|<>|>|<)(?:&?(?:\d+|-)(?=[\s;|&)]|$))?/.exec(
    text.slice(at, at + 12),
  );
  if (redirect !== null && /[<>]/.test(redirect[0]))
    return scanRedirect(text, at, redirect[0], tokens, ends);
  const joint = JOINTS.find((j) => text.startsWith(j, at));
  if (joint !== undefined) {
    tokens.push({ type: 'joint', value: AS_JOINT[joint] });
    return at + joint.length;
  }
  const word = readWord(text, at);
  tokens.push({ type: 'word', value: word.value, quoted: word.quoted, dynamic: word.dynamic });
  return Math.max(word.next, at + 1);
}

function scanRedirect(
  text: string,
  at: number,
  mark: string,
  tokens: Token[],
  ends: string[],
): number {
  let i = at + mark.length;
  if (/[\d-]$/.test(mark) && /[<>]&?[\d-]+$/.test(mark) && !mark.endsWith('<<-')) {
    tokens.push({ type: 'redirect', value: mark });
    return i;
  }
  while (text[i] === ' ' || text[i] === '\t') i += 1;
  const target = readWord(text, i);
  if (/<<-?$/.test(mark) && !mark.endsWith('<<<')) ends.push(target.value);
  tokens.push({ type: 'redirect', value: mark + target.value });
  return Math.max(target.next, i);
}
