/**
 * Rules of a `.gitignore`, matched in time proportional to rule x path. The patterns come from any
 * repository that a session worked in: compiled to regular expressions, fourteen `**` and one deep
 * path took ten minutes of processor time. Pure.
 */

/** The verdict of the last rule that matches; null when none does. */
type Verdict = 'ignored' | 'kept' | null;

export interface Rules {
  /**
   * @param parts the path below the rules' folder, by segment
   * @param steps how many comparisons are left, counted down
   * @throws TooCostly when no step is left
   */
  test(parts: readonly string[], isFolder: boolean, steps: Steps): Verdict;
}

interface Steps {
  left: number;
}

export class TooCostly extends Error {}

/** A character, any one, any run, or a set. */
type Token = string | typeof ANY | typeof RUN | CharSet;
const ANY = 1;
const RUN = 2;
interface CharSet {
  negated: boolean;
  /** Pairs of first and last character. */
  ranges: [string, string][];
}

/** One segment: a plain name, a pattern, or any number of segments. */
type Segment = string | Token[] | typeof DEEP;
const DEEP = 0;

interface Rule {
  negated: boolean;
  foldersOnly: boolean;
  segments: Segment[];
}

/** Ignores case, as some file systems do: losing a file is better than keeping a secret. */
export function parseRules(text: string): Rules {
  const rules = text
    .split(/\r?\n/)
    .flatMap((line) => parseRule(line) ?? [])
    .reverse();
  return {
    test(parts, isFolder, steps) {
      const folded = parts.map((part) => part.toLowerCase());
      const rule = rules.find(
        ({ foldersOnly, segments }) =>
          (isFolder || !foldersOnly) && fitsPath(segments, folded, steps),
      );
      return rule === undefined ? null : rule.negated ? 'kept' : 'ignored';
    },
  };
}

function parseRule(line: string): Rule | null {
  let text = trimEnd(line);
  if (text === '' || text.startsWith('#')) return null;
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  const isAnchored = text.includes('/');
  const names = text.replace(/^\//, '').split('/');
  if (names.every((name) => name === '')) return null;
  const segments: Segment[] = [];
  for (const name of isAnchored ? names : ['**', ...names]) {
    const segment = name === '**' ? DEEP : parseSegment(name.toLowerCase());
    if (segment === null) return null;
    if (segment !== DEEP || segments.at(-1) !== DEEP) segments.push(segment);
  }
  // Matches the content of a folder, but not the folder itself.
  if (segments.at(-1) === DEEP) segments.push([RUN]);
  return { negated, foldersOnly, segments };
}

/** Trailing blanks count only after a backslash. */
function trimEnd(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

/** Null for a pattern that matches nothing: an open bracket, a backslash at the end. */
function parseSegment(text: string): Segment | null {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '*') {
      if (tokens.at(-1) !== RUN) tokens.push(RUN);
    } else if (char === '?') tokens.push(ANY);
    else if (char === '\\') {
      at += 1;
      if (at === text.length) return null;
      tokens.push(text[at]!);
    } else if (char === '[') {
      const set = parseSet(text, at + 1);
      if (set === null) return null;
      tokens.push(set.set);
      at = set.end;
    } else tokens.push(char);
  }
  return tokens.every((token) => typeof token === 'string') ? tokens.join('') : tokens;
}

const NAMED: Record<string, [string, string][]> = {
  alpha: [['a', 'z']],
  lower: [['a', 'z']],
  upper: [['a', 'z']],
  digit: [['0', '9']],
  alnum: [
    ['a', 'z'],
    ['0', '9'],
  ],
  xdigit: [
    ['a', 'f'],
    ['0', '9'],
  ],
  space: [
    ['\t', '\r'],
    [' ', ' '],
  ],
  blank: [
    ['\t', '\t'],
    [' ', ' '],
  ],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  print: [[' ', '~']],
  graph: [['!', '~']],
  cntrl: [
    ['\0', '\x1f'],
    ['\x7f', '\x7f'],
  ],
};

/** The set that begins after an opening bracket, and the index of its closing bracket. */
function parseSet(text: string, from: number): { set: CharSet; end: number } | null {
  const negated = text[from] === '!' || text[from] === '^';
  const first = negated ? from + 1 : from;
  const ranges: [string, string][] = [];
  for (let at = first; at < text.length; at++) {
    if (text[at] === ']' && at > first) return { set: { negated, ranges }, end: at };
    const named =
      text[at] === '[' && text[at + 1] === ':'
        ? /^\[:([a-z]{1,10}):\]/.exec(text.slice(at, at + 14))
        : null;
    if (named !== null) {
      ranges.push(...(NAMED[named[1]!] ?? []));
      at += named[0].length - 1;
      continue;
    }
    if (text[at] === '\\') at += 1;
    const low = text[at];
    let high = low;
    if (text[at + 1] === '-' && text[at + 2] !== undefined && text[at + 2] !== ']') {
      at += text[at + 2] === '\\' ? 3 : 2;
      high = text[at];
    }
    if (low === undefined || high === undefined) return null;
    ranges.push([low, high]);
  }
  return null;
}

function step(steps: Steps): void {
  if (--steps.left < 0) throw new TooCostly();
}

/**
 * Once a later `**` matches, the match of the earlier one no longer matters: only the last one is
 * ever tried again.
 */
function fitsPath(segments: readonly Segment[], parts: readonly string[], steps: Steps): boolean {
  let [at, part, deepAt, deepPart] = [0, 0, -1, 0];
  while (part < parts.length) {
    step(steps);
    const segment = segments[at];
    if (segment === DEEP) {
      deepAt = at++;
      // The rest has no further `**`: it can only match at the end.
      deepPart = segments.includes(DEEP, at)
        ? part
        : Math.max(part, parts.length - (segments.length - at));
      part = deepPart;
    } else if (segment !== undefined && fitsName(segment, parts[part]!, steps)) {
      at += 1;
      part += 1;
    } else if (deepAt >= 0) {
      at = deepAt + 1;
      part = ++deepPart;
    } else return false;
  }
  return at === segments.length;
}

function fitsName(segment: Exclude<Segment, typeof DEEP>, name: string, steps: Steps): boolean {
  if (typeof segment === 'string') return segment === name;
  let [at, char, runAt, runChar] = [0, 0, -1, 0];
  while (char < name.length) {
    step(steps);
    const token = segment[at];
    if (token === RUN) {
      runAt = at++;
      runChar = char;
    } else if (token !== undefined && fitsChar(token, name[char]!)) {
      at += 1;
      char += 1;
    } else if (runAt >= 0) {
      at = runAt + 1;
      char = ++runChar;
    } else return false;
  }
  while (segment[at] === RUN) at += 1;
  return at === segment.length;
}

function fitsChar(token: Exclude<Token, typeof RUN>, char: string): boolean {
  if (typeof token === 'string') return token === char;
  return (
    token === ANY ||
    token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated
  );
}
