// "Code mode": the agent writes a JavaScript script that calls tools. A tolerant scan finds
// commands and folders; nothing is executed.

import { closed, codeOf } from './code.js';
import { mayFork, printedOf, type Printed } from './printed.js';

const RUNS = /\b(?:tools\.)?(exec_command|shell_command|shell|write_stdin)\s*\(\s*(?=\{)/g;
const PATCH = /\b(?:tools\.)?apply_patch\s*\(/;
const COMMAND = /(?<=[\s{,])["']?\b(?:cmd|command)\b["']?\s*:\s*/g;
const PROCESS = /^[^}]*?\bsession_id["']?\s*:\s*["']?(\d+)/;
const FOLDER = /(?<=[\s{,])["']?\b(?:workdir|cwd)\b["']?\s*:\s*/g;
const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|\r?\n|([^]))/gi;
const ESCAPED: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
};

/**
 * The literal at `at`, and whether it is all of a value: one that goes on, or holds code, is known
 * only at run time.
 */
function readLiteral(
  source: string,
  code: string,
  at: number,
): { value: string; isWhole: boolean } | null {
  const end = /^["'`]/.test(code.slice(at, at + 1)) ? code.indexOf(code[at]!, at + 1) : -1;
  if (end === -1) return null;
  const isWhole =
    code.slice(at + 1, end).trim() === '' && /^\s*[,}]/.test(code.slice(end + 1, end + 100));
  const value = source
    .slice(at + 1, end)
    .replace(ESCAPE, (_, long?: string, four?: string, two?: string, one?: string) => {
      const number = long ?? four ?? two;
      return number !== undefined
        ? String.fromCodePoint(Math.min(parseInt(number, 16), 0x10ffff))
        : (ESCAPED[one!] ?? one ?? '');
    });
  return { value, isWhole };
}

/** The literal value of a key of the object that stands between `at` and `end`. */
function readField(
  source: string,
  code: string,
  [at, end]: readonly [number, number],
  key: RegExp,
): ReturnType<typeof readLiteral> {
  const found = [...source.slice(at, end).matchAll(key)].find(
    (match) => code[at + match.index] === source[at + match.index],
  );
  return found ? readLiteral(source, code, at + found.index + found[0].length) : null;
}

/** A command that a script runs, or a process that it polls. */
export interface ScriptRun {
  /** Null for a poll, and for a command that is computed at run time. */
  command: string | null;
  /**
   * The literal start of a command that is computed: what it fetches or shows must not be taken for
   * this machine's.
   */
  begins: string | null;
  cwd: string | null;
  isPoll: boolean;
  /** The process that a poll names; null for one that the script itself started. */
  process: string | null;
}

/** What a code-mode script runs and polls, in order, and what it prints of it. */
export interface Script {
  runs: ScriptRun[];
  patches: boolean;
  /** A command may not have run, or more than once. */
  isMaybe: boolean;
  printed: Printed | null;
}

/** Reads a code-mode script. */
export function readScript(source: string): Script {
  const code = codeOf(source);
  const runs: ScriptRun[] = [];
  let short = '';
  let last = 0;
  let from = 0;
  for (const match of code.matchAll(RUNS)) {
    if (match.index < from) continue;
    const at = match.index + match[0].length;
    const object = [at, closed(code, at)] as const;
    const isPoll = match[1] === 'write_stdin';
    const literal = isPoll ? null : readField(source, code, object, COMMAND);
    const command = literal?.isWhole ? literal.value : null;
    const begins = literal?.isWhole === false ? literal.value : null;
    short += code.slice(from, match.index);
    if (command !== null) last = short.length;
    short += `@${runs.length}`;
    from = closed(code, code.indexOf('(', match.index));
    const folder = isPoll ? null : readField(source, code, object, FOLDER);
    const cwd = folder?.isWhole ? folder.value : null;
    const process = isPoll ? (PROCESS.exec(source.slice(at + 1, at + 401))?.[1] ?? null) : null;
    runs.push({ command, begins, cwd, isPoll, process });
  }
  const printed = printedOf(short + code.slice(from), runs.length);
  return { runs, patches: PATCH.test(code), isMaybe: mayFork(short.slice(0, last)), printed };
}
