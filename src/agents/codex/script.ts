// "Code mode": the agent writes a JavaScript script that calls tools. A tolerant scan finds commands and folders; nothing is
// executed.

const RUNS = /\b(?:tools\.)?(exec_command|shell_command|shell|write_stdin)\s*\(\s*(?=\{)/g;
const PATCH = /\b(?:tools\.)?apply_patch\s*\(/;

/** Reads a JavaScript string literal at `at`; null when there is none or it never ends. */
function readLiteral(source: string, at: number): { value: string; end: number } | null {
  const quote = source[at];
  if (quote !== '"' && quote !== "'" && quote !== '`') return null;
  let value = '';
  let from = at + 1;
  for (let i = from; i < source.length; i++) {
    const c = source[i]!;
    if (c === quote) return { value: value + source.slice(from, i), end: i + 1 };
    if (c !== '\\') continue;
    const escaped = source[i + 1] ?? '';
    value +=
      source.slice(from, i) +
      (escaped === 'n' ? '\n' : escaped === 't' ? '\t' : escaped === 'r' ? '\r' : escaped === '\n' ? '' : escaped);
    from = ++i + 1;
  }
  return null;
}

const COMMAND = /["']?\b(?:cmd|command)\b["']?\s*:\s*/y;
const PROCESS = /^[^}]*?\bsession_id["']?\s*:\s*["']?(\d+)/;
const FOLDER = /["']?\b(?:workdir|cwd)\b["']?\s*:\s*/y;

/** The literal value of the key that `found` (sticky) matches, inside the object that starts at `at`. */
function readField(source: string, at: number, found: RegExp): { value: string; end: number } | null {
  for (let i = at; i < Math.min(source.length, at + 20_000); i++) {
    if (source[i] === ')' && source[i - 1] === '}') return null;
    found.lastIndex = i;
    const match = /[\s{,]/.test(source[i - 1] ?? '{') ? found.exec(source) : null;
    if (match) return readLiteral(source, found.lastIndex);
    if (source[i] === '"' || source[i] === "'" || source[i] === '`') i = (readLiteral(source, i)?.end ?? i + 1) - 1;
  }
  return null;
}

/** A command that a script runs, or a process that it polls. */
export interface ScriptRun {
  /** Null for a poll, and for a command that is computed at run time. */
  command: string | null;
  cwd: string | null;
  isPoll: boolean;
  /** The process that a poll names; null for one that the script itself started. */
  process: string | null;
}

/** What a code-mode script runs and polls, in order. */
export function readScript(source: string): { runs: ScriptRun[]; patches: boolean } {
  const runs = [...source.matchAll(RUNS)].map((match): ScriptRun => {
    const at = match.index + match[0].length + 1;
    const isPoll = match[1] === 'write_stdin';
    return {
      command: isPoll ? null : (readField(source, at, COMMAND)?.value ?? null),
      cwd: isPoll ? null : (readField(source, at, FOLDER)?.value ?? null),
      isPoll,
      process: isPoll ? (PROCESS.exec(source.slice(at, at + 400))?.[1] ?? null) : null,
    };
  });
  return { runs, patches: PATCH.test(source) };
}
