import { isAbsolute } from '../../shell/index.js';
import {
  classOfName,
  type CommandClass,
  classOfTool,
  isKnownTool,
  isSubCommand,
} from './class-tool.js';
import {
  INTERPRETERS,
  isProbe,
  isProgram,
  NEVER_OWN,
  PREFIX_PAIRS,
  PREFIXES,
  RUNNER_OWN,
  SCRIPT_FILE,
  SCRIPT_RUNNERS,
  TASK_PAIRS,
  TASK_RUNNERS,
  VALUED,
} from './programs.js';

/** What the words of a command mean. */
export interface Classified {
  class: CommandClass;
  /** The project's own entry point (script, target, task, recipe), preferred over the raw tool. */
  entry: boolean;
  /**
   * Index of the word that names what runs (tool, target or script): words before it are never
   * generalised.
   */
  at: number;
  /** Name of the tool or target. */
  name: string;
  /** Known by its words only, not by a table: two sessions must agree. */
  unsure?: boolean;
}

/** Index of the first word from `at` on that is no option, no option value, no assignment. */
function firstOperand(words: string[], at: number, valued: Set<string> = VALUED): number {
  let i = at;
  while (i < words.length) {
    const word = words[i] ?? '';
    if (word === '--') return i + 1 < words.length ? i + 1 : -1;
    if (!word.startsWith('-') && !/^[A-Z_]+[:?]?=/.test(word)) return i;
    i += valued.has(word) ? 2 : 1;
  }
  return -1;
}

function baseName(word: string): string {
  return word.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/i, '');
}
function found(name: CommandClass | null, entry: boolean, at: number, word: string): Classified {
  return { class: name ?? 'task', entry, at, name: word };
}

function classifyScriptRunner(words: string[], from: number): Classified | null {
  const at = firstOperand(
    words,
    from + 1,
    new Set(['-C', '--prefix', '--filter', '-F', '--workspace', '-w', '--cwd', '--dir']),
  );
  const word = words[at] ?? '';
  if (at < 0) return words[from] === 'yarn' ? found('install', true, from, 'install') : null;
  if (word === 'workspace') return classifyScriptRunner(words, at + 1);
  if (word === 'run' || word === 'run-script') {
    const script = firstOperand(words, at + 1);
    const name = words[script] ?? '';
    if (script < 0) return null;
    return SCRIPT_FILE.test(name)
      ? found(classOfName(baseName(name)), true, script, name)
      : found(classOfName(name), true, script, name);
  }
  if (/^(?:ci|i|install)$/.test(word)) return found('install', false, at, word);
  if (word === 'publish') return found('release', false, at, word);
  if (/^(?:t|tst|test)$/.test(word)) return found('test', words[from] !== 'bun', at, 'test');
  if (/^start$/.test(word)) return found('run', true, at, 'start');
  if (RUNNER_OWN.has(word) || words[from] === 'npm') return null;
  if (isKnownTool(word)) return found(classOfTool(word, words.slice(at + 1)), false, at, word);
  if (words[from] === 'bun' && SCRIPT_FILE.test(word))
    return found(classOfName(baseName(word)), true, at, word);
  return found(classOfName(word), true, at, word);
}

function classifyTask(words: string[], from: number): Classified | null {
  const tool = baseName(words[from] ?? '').replace(/w$/, (w) =>
    (words[from] ?? '').includes('gradle') ? '' : w,
  );
  const at = firstOperand(words, from + 1);
  if (at < 0) {
    if (
      words
        .slice(from + 1)
        .some((w) =>
          /^(?:-l|-n|-p|--?list|--dry-run|--help|-h|--version|-v|--tasks|-T|-q)$/.test(w),
        )
    )
      return null;
    return /^(?:tox|nox)$/.test(tool)
      ? found('test', true, from, tool)
      : found(
          tool === 'make' || tool === 'gradle' || tool === 'ant' ? 'build' : null,
          true,
          from,
          tool,
        );
  }
  const target = words[at] ?? '';
  if (
    words
      .slice(from + 1)
      .some((w) => /^(?:-n|--dry-run|--just-print|--list|-l|--summary|--show|--help)$/.test(w))
  )
    return null;
  const inner =
    target.includes(':') && tool !== 'rake'
      ? target.replace(/^[^:]*:(?=\w)/, (m) => (tool === 'nx' || tool === 'gradle' ? '' : m))
      : target;
  return found(
    classOfName(inner) ?? (/^(?:tox|nox)$/.test(tool) ? 'test' : null),
    true,
    at,
    target,
  );
}

function classifyContainer(words: string[], from: number): Classified | null {
  const sub = words[from + 1] ?? '';
  const compose = words[from] === 'docker-compose' ? from : sub === 'compose' ? from + 1 : -1;
  if (compose < 0)
    return sub === 'build' || sub === 'buildx' ? found('build', false, from + 1, 'build') : null;
  const at = firstOperand(
    words,
    compose + 1,
    new Set(['-f', '--file', '-p', '--profile', '--env-file']),
  );
  const verb = words[at] ?? '';
  if (verb === 'build') return found('build', false, at, verb);
  if (verb === 'up' || verb === 'start') return found('run', false, at, verb);
  if (verb !== 'run' && verb !== 'exec') return null;
  const service = firstOperand(
    words,
    at + 1,
    new Set('-e --env -u --user -w --workdir -v --entrypoint --name -p'.split(' ')),
  );
  return service < 0 || service + 1 >= words.length ? null : classifyFrom(words, service + 1);
}

/** A script file of the project, run by itself or by an interpreter. */
function classifyScriptFile(words: string[], at: number): Classified | null {
  const word = words[at] ?? '';
  if (/(?:^|\/)manage\.py$/.test(word))
    return found(classOfTool('manage', words.slice(at + 1)), true, at + 1, words[at + 1] ?? '');
  if (/(?:^|\/)artisan$/.test(word))
    return found(classOfTool('artisan', words.slice(at + 1)), true, at + 1, words[at + 1] ?? '');
  if (isAbsolute(word) || word.startsWith('~') || word.startsWith('$')) return null;
  return found(classOfName(baseName(word)), true, at, word);
}

function classifyInterpreter(words: string[], from: number): Classified | null {
  if (
    words
      .slice(from + 1)
      .some((w, i) => i < 3 && /^(?:-|-c|-e|-p|--eval|--print|-pe|-ne|-V|--version|-r)$/.test(w))
  )
    return null;
  const at = firstOperand(
    words,
    from + 1,
    new Set(['--import', '-r', '--loader', '--require', '--env-file', '-W', '-X']),
  );
  if (at < 0) return null;
  if (words[from] === 'node' && words.slice(from + 1, at).includes('--test'))
    return found('test', false, from, 'node --test');
  const word = words[at] ?? '';
  if (
    words[from] === 'deno' &&
    classOfTool('deno', [word]) === null &&
    /^(?:test|lint|fmt|check|run)$/.test(word)
  )
    return found(classOfName(word), false, at, word);
  return SCRIPT_FILE.test(word) || /(?:^|\/)artisan$/.test(word)
    ? classifyScriptFile(words, at)
    : null;
}

/** Class of the command that begins at `from`; null for probes and what nobody would repeat. */
function classifyFrom(words: string[], from: number): Classified | null {
  const raw = words[from] ?? '';
  const program = baseName(raw);
  if (program === '' || isProbe(program) || from > 8) return null;
  const pair = `${program.replace(/^python[\d.]+$/, 'python')} ${words[from + 1] ?? ''}`;
  if (TASK_PAIRS.has(pair)) {
    const at = firstOperand(words, from + 2);
    const name = words[at] ?? '';
    if (at < 0) return null;
    if (isKnownTool(name) || INTERPRETERS.test(name)) return classifyFrom(words, at);
    return found(classOfName(name), true, at, name);
  }
  if (PREFIX_PAIRS.has(pair)) {
    const at = firstOperand(words, from + 2);
    return at < 0 ? null : classifyInner(words, behindPackage(words, at));
  }
  if (SCRIPT_RUNNERS.has(program)) return classifyScriptRunner(words, from);
  if (PREFIXES.has(program)) {
    const at = firstOperand(words, from + 1);
    return at < 0 ? null : classifyInner(words, at);
  }
  const service = startsService(words, from);
  if (service > from)
    return { ...found('infra', false, words.length - 1, words.slice(from).join(' ')) };
  if (program === 'mise') return classifyMise(words, from);
  if (TASK_RUNNERS.has(program)) return classifyTask(words, from);
  if (program === 'docker' || program === 'docker-compose') return classifyContainer(words, from);
  if (program === 'go' && words[from + 1] === 'tool') return classifyFrom(words, from + 2);
  if (
    program === 'nix' &&
    /^(?:eval|search|repl|store|path-info|show-config|registry|profile|shell)$/.test(
      words[from + 1] ?? '',
    )
  )
    return null;
  if (INTERPRETERS.test(program)) return classifyInterpreter(words, from);
  return classifyTool(words, from, raw, program);
}

/**
 * Index of the verb of `brew services start x`, `systemctl start x`, `service x start`; -1 for
 * everything else.
 */
function startsService(words: string[], from: number): number {
  const [program, a = '', b = '', c = ''] = words.slice(from).filter((w) => !w.startsWith('--'));
  const line = `${program ?? ''} ${a} ${b}`;
  return /^(?:brew services (?:start|restart)|systemctl (?:start|restart) \S+|service \S+ (?:start|restart)|pg_ctl(?:cluster)? .*start)/.test(
    `${line} ${c}`.trim(),
  )
    ? from + 1
    : -1;
}

function classifyMise(words: string[], from: number): Classified | null {
  const sub = words[from + 1] ?? '';
  if (/^(?:install|trust|use)$/.test(sub)) return found('install', false, from + 1, sub);
  return /:/.test(sub) || STRONG.has(classOfName(sub) ?? 'task')
    ? found(classOfName(sub), true, from + 1, sub)
    : null;
}

function classifyTool(
  words: string[],
  from: number,
  raw: string,
  program: string,
): Classified | null {
  const tool = program.replace(/^mvnw$/, 'mvn').replace(/^python.*$/, 'python');
  const sub = words[from + 1] ?? '';
  if (isKnownTool(tool)) {
    const name =
      tool === 'gh' &&
      /^release (?:create|upload|edit)$/.test(words.slice(from + 1, from + 3).join(' '))
        ? 'release'
        : classOfTool(tool, words.slice(from + 1));
    const hasSub =
      TOOL_SUB.test(sub) &&
      (name !== 'test' || isSubCommand(tool, sub) || classOfName(sub) !== null);
    return name === null
      ? null
      : {
          ...found(name, /^(?:\.\/|bin\/)/.test(raw), from, tool),
          at: Math.min(words.length - 1, from + (hasSub ? 1 : 0)),
        };
  }
  if (
    /^[a-z][\w-]{1,20}$/.test(raw) &&
    TOOL_SUB.test(sub) &&
    STRONG.has(classOfName(sub) ?? 'task') &&
    !NEVER_OWN.has(raw)
  )
    return { ...found(classOfName(sub), true, from + 1, sub), unsure: true };
  const local =
    /^(?:\.{1,2}\/|bin\/|scripts?\/|tools?\/|hack\/|dev\/|\.\w+\/)/.test(raw) ||
    (raw.includes('/') && SCRIPT_FILE.test(raw) && !isAbsolute(raw) && !raw.startsWith('~'));
  return local ? classifyScriptFile(words, from) : null;
}

/** Classes that a sub-command of an unknown program may have: `gx lint`, `openspec validate`. */
const STRONG = new Set<CommandClass>([
  'test',
  'lint',
  'format',
  'typecheck',
  'check',
  'build',
  'release',
  'generate',
  'docs',
]);

/** A sub-command: a word of its own, no path. */
const TOOL_SUB = /^[a-z][\w:-]*$/;

/**
 * `mise x tool@2 -- tool run`: what runs stands behind the dashes, the word before them only names
 * what is fetched.
 */
function behindPackage(words: string[], at: number): number {
  const dashes = words.indexOf('--', at);
  const next = words[dashes + 1] ?? '';
  const runs =
    dashes > at &&
    /^[\w./-]+$/.test(next) &&
    !next.startsWith('-') &&
    words.slice(at, dashes).every((w) => !w.startsWith('-'));
  return runs &&
    (words[0] === 'mise' ||
      isProgram(next) ||
      baseName(next) === (words[at] ?? '').replace(/@.*$/, ''))
    ? dashes + 1
    : at;
}

/** What stands behind `npx`, `uv run` and the like. */
function classifyInner(words: string[], at: number): Classified | null {
  const word = words[at] ?? '';
  if (SCRIPT_FILE.test(word) && !isAbsolute(word)) return classifyScriptFile(words, at);
  return classifyFrom(words, at);
}

/**
 * What a command is for, by its words.
 * @returns null for probes (looking, moving files, git, one-off evaluation) and unknown programs
 */
export function classifyCommand(words: string[]): Classified | null {
  const last = words[words.length - 1] ?? '';
  if (words.length > 1 && /^(?:--help|-h|--version|-V|help|version)$/.test(last)) return null;
  if (asksForItself(words)) return null;
  const found = classifyFrom(words, 0);
  return found?.class === 'test' && listsOnly(words.slice(found.at)) ? null : found;
}

/** Options with which a test runner builds or lists its tests and runs none. */
const RUNS_NO_TEST =
  /^(?:--no-run|--collect-only|--co|--list|-list|-list=\S+|--list-?tests|--listTests|--show-?config|--dry-run)$/;

function listsOnly(words: string[]): boolean {
  return words.some((w) => RUNS_NO_TEST.test(w));
}

/**
 * `node -v`, `cargo --version --verbose`: a program that prints its version does nothing for the
 * project.
 */
function asksForItself(words: string[]): boolean {
  const at = words.findIndex((w, i) => i > 0 && /^(?:--version|--help)$/.test(w));
  return (
    (at > 0 && words.slice(at).every((w) => w.startsWith('-'))) ||
    (words.length === 2 && /^-[vV]$/.test(words[1] ?? ''))
  );
}
