/** "Code mode": the agent writes a JavaScript script that calls tools; commands and folders are found by a tolerant scan, nothing is run. */

const EXEC = /\b(?:tools\.)?(exec_command|shell_command|shell)\s*\(\s*(?=\{)/g;
const PATCH = /\b(?:tools\.)?apply_patch\s*\(/;

/** Reads a JavaScript string literal that starts at `at`; null when it never ends or is no literal. */
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
const FOLDER = /["']?\b(?:workdir|cwd)\b["']?\s*:\s*/y;

/** The literal value of the key that `found` (sticky) finds, inside the object that starts at `at`. */
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

export interface Script {
  /** Shell commands in order. */
  commands: string[];
  workdir: string | null;
  patches: boolean;
}

/** What a code-mode script runs. A command that is computed at run time is not found. */
export function readScript(source: string): Script {
  const commands: string[] = [];
  let workdir: string | null = null;
  for (const match of source.matchAll(EXEC)) {
    const at = match.index + match[0].length + 1;
    const command = readField(source, at, COMMAND);
    if (!command) continue;
    commands.push(command.value);
    workdir ??= readField(source, at, FOLDER)?.value ?? null;
  }
  return { commands, workdir, patches: PATCH.test(source) };
}
