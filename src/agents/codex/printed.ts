import { closed } from './code.js';

/**
 * Of which runs each text is that a script prints; null for a text that is of no run and not a
 * fixed one.
 */
export type Printed = (number[] | null)[];

const LIST = String.raw`\[([@\d,\s]+)\]`;
const ALL = new RegExp(
  String.raw`(?:\bawait\s+)?\bPromise\.all(?:Settled)?\(\s*(${LIST})\s*,?\s*\)`,
  'g',
);
const BOUND = new RegExp(
  String.raw`(?:\[([\w$\s,]+)\]|(?<![\w$])([\w$]+))\s*=\s*(${LIST}|@\d+)(?!\s*[.[\d])`,
  'g',
);
const ITEM = new RegExp(String.raw`${LIST}\s*\[(\d+)\]`, 'g');
const CHANGED = /(?<![.\w$])([\w$]+)\s*[-+*/%|&?]*=(?![=>])/g;
const NAME = /(?<![\w$@]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g;
const LOOP = new RegExp(
  String.raw`\bfor\s*\(\s*(?:const|let|var)\s+(?:\[\s*[\w$]+\s*,\s*)?([\w$]+)\s*\]?\s+of\s+${LIST}(?:\.entries\(\))?\s*\)\s*|` +
    String.raw`${LIST}\.forEach\(\s*\(?\s*([\w$]+)\s*(?:,\s*[\w$]+\s*)?\)?\s*=>\s*`,
  'g',
);
const PRINT = /(?<![.\w$])(?:text|image)\s*\(/g;
const WHOLE_LIST = new RegExp(String.raw`^\s*(?:JSON\.stringify\(\s*)?${LIST}\s*(?:[,)]|$)`);
const REPEATS = /\b(?:for|while|do|function)\b|=>/;
const LEAVES = /\b(?:if|switch|try|for|while|do|function|return|throw|exit)\b/;
const FORKS = new RegExp(String.raw`${LEAVES.source}|=>|\?|&&|\|\|`);
/** A state has no room for more. */
const MOST_PRINTS = 64;

/**
 * The code without whole statements that neither are, nor lead to or away from, a run or print
 * (`@`): plain sums and names.
 */
function leading(code: string): string {
  const count = (part: string, bracket: RegExp): number => part.match(bracket)?.length ?? 0;
  return code
    .split(/(?<=;)/)
    .filter(
      (part) =>
        /@|[^;]$/.test(part) ||
        LEAVES.test(part) ||
        count(part, /[([{]/g) !== count(part, /[)\]}]/g),
    )
    .join('');
}

/** Whether code that leads to a run may skip it, or come back to it. */
export function mayFork(code: string): boolean {
  return FORKS.test(leading(code));
}

function runsIn(code: string): string[] {
  return code.match(/@\d+/g) ?? [];
}

function substitute(code: string, names: ReadonlyMap<string, string>): string {
  return code.replace(NAME, (name) => names.get(name) ?? name);
}

/**
 * Every name of a run, or of a list of runs, replaced by it; null if a name has other values too.
 */
function withoutNames(code: string): string | null {
  const names = new Map<string, string>();
  let isPlain = true;
  const bind = (name: string, value: string | undefined): void => {
    if (names.has(name)) isPlain = false;
    if (name !== '' && value !== undefined) names.set(name, value);
  };
  const rest = code
    .replace(/\bawait\s+(?=@)/g, '')
    .replace(ALL, '$1')
    .replace(BOUND, (_, many: string | undefined, one: string, value: string) => {
      if (many === undefined) bind(one, value);
      else
        many
          .split(',')
          .forEach((name, n) =>
            bind(name.trim(), value.startsWith('[') ? runsIn(value)[n] : undefined),
          );
      return value;
    });
  if (!isPlain || [...rest.matchAll(CHANGED)].some(([, name]) => names.has(name!))) return null;
  return substitute(rest, names).replace(
    ITEM,
    (all, runs: string, n: string) => runsIn(runs)[Number(n)] ?? all,
  );
}

/** Loops over runs written out: the body once for each run. Other loops stay. */
function withoutLoops(code: string): string {
  let rest = '';
  let from = 0;
  for (const match of code.matchAll(LOOP)) {
    const at = match.index + match[0].length;
    const isBody = /^(?:\{|text\s*\()/.test(code.slice(at, at + 20));
    if (match.index < from || !isBody) continue;
    const end = closed(code, code[at] === '{' ? at : code.indexOf('(', at));
    const name = (match[1] ?? match[4])!;
    const bodies = runsIn((match[2] ?? match[3])!).map((run) =>
      substitute(code.slice(at, end), new Map([[name, run]])),
    );
    rest += code.slice(from, match.index) + bodies.join(';');
    from = end;
  }
  return rest + code.slice(from);
}

/**
 * What a script prints, if every print is reached once at most: then as many texts as prints are
 * these, in their order. Null if that is not sure, or a run is not printed.
 * @param code of the script, with `@n` for its n-th run
 */
export function printedOf(code: string, runs: number): Printed | null {
  const named = mayFork(code.slice(0, code.lastIndexOf('@')))
    ? null
    : withoutNames(code.replace(/\s+/g, ' '));
  if (named === null) return null;
  const flat = withoutLoops(named);
  const printed: Printed = [];
  let rest = '';
  let from = 0;
  for (const match of flat.matchAll(PRINT)) {
    if (match.index < from) continue;
    const at = match.index + match[0].length;
    rest += `${flat.slice(from, match.index)}@ `;
    from = closed(flat, at - 1);
    const said = flat.slice(at, from - 1);
    const of = runsIn(said).map((run) => Number(run.slice(1)));
    const isOne = new Set(of).size <= 1;
    if (!isOne && !WHOLE_LIST.test(said)) return null;
    printed.push(of.length === 0 && !/^[\s"'`]*$/.test(said) ? null : isOne ? of.slice(0, 1) : of);
  }
  const isEach = new Set(printed.flatMap((of) => of ?? [])).size === runs;
  return isEach &&
    printed.length <= MOST_PRINTS &&
    !REPEATS.test(leading((rest + flat.slice(from)).replace(/@\d+/g, '')))
    ? printed
    : null;
}
