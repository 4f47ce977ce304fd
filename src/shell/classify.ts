/** Class of a command by its words. Pure. */
import { isAbsolute } from './paths.js';
import * as tools from './tools.js';
import { classOfName, classOfTool, type CommandClass, isKnownTool, SCRIPT_FILE } from './tools.js';

export interface Classified {
  class: CommandClass;
  /** The project's own entry point (script, target, task, recipe); preferred over the raw tool. */
  entry: boolean;
  /** Index of the word that names the action; words up to it are never generalised. */
  at: number;
  /** Known only by its words, not from a table, so two sessions must agree. */
  unsure: boolean;
}

type Words = readonly string[];

/** Index of the first word from `at` on that is no option, option value or assignment. */
function operandAt(words: Words, at: number, valued: ReadonlySet<string> = tools.VALUED): number {
  for (let i = at; i < words.length; i += valued.has(words[i]!) ? 2 : 1) {
    const word = words[i]!;
    if (word === '--') return i + 1 < words.length ? i + 1 : -1;
    if (!word.startsWith('-') && !/^[A-Z_]+[:?]?=/.test(word)) return i;
  }
  return -1;
}

function baseName(word: string): string {
  return word.replace(/^.*[/\\]/, '').replace(/\.(?:exe|cmd)$/i, '');
}

function found(name: CommandClass | null, entry: boolean, at: number): Classified {
  return { class: name ?? 'task', entry, at, unsure: false };
}

const RUNNER_VALUED = new Set('-C --prefix --filter -F --workspace -w --cwd --dir'.split(' '));
/** Sub-commands of script runners with the same meaning everywhere. */
const RUNNER_CLASS: Readonly<Record<string, CommandClass>> = {
  ci: 'install',
  i: 'install',
  install: 'install',
  publish: 'release',
};

function classifyScriptRunner(words: Words, from: number): Classified | null {
  const at = operandAt(words, from + 1, RUNNER_VALUED);
  const [runner, word = ''] = [words[from], words[at]];
  if (at < 0) return runner === 'yarn' ? found('install', true, from) : null;
  if (word === 'workspace') return classifyScriptRunner(words, at + 1);
  if (word === 'run' || word === 'run-script') {
    const script = operandAt(words, at + 1);
    return script < 0 ? null : ownScript(words, script);
  }
  const usual = RUNNER_CLASS[word];
  if (usual !== undefined) return found(usual, false, at);
  if (/^(?:t|tst|test)$/.test(word)) return found('test', runner !== 'bun', at);
  if (word === 'start') return found('run', true, at);
  if (tools.RUNNER_OWN.has(word) || runner === 'npm') return null;
  if (isKnownTool(word)) return found(classOfTool(word, words.slice(at + 1)), false, at);
  return runner === 'bun' ? ownScript(words, at) : found(classOfName(word), true, at);
}

/** Class of a script by its name, or of a file by the file's name. */
function ownScript(words: Words, at: number): Classified {
  const word = words[at]!;
  return found(classOfName(SCRIPT_FILE.test(word) ? baseName(word) : word), true, at);
}

const LISTS_TASKS = /^(?:-l|-n|-p|--?list|--dry-run|--help|-h|--version|-v|--tasks|-T|-q)$/;
const SHOWS_TASK = /^(?:-n|--dry-run|--just-print|--list|-l|--summary|--show|--help)$/;

function classifyTask(words: Words, from: number): Classified | null {
  const tool = baseName(words[from]!).replace(/^gradlew$/, 'gradle');
  const usual = /^(?:tox|nox)$/.test(tool) ? 'test' : null;
  const at = operandAt(words, from + 1);
  const options = words.slice(from + 1);
  if (options.some((word) => (at < 0 ? LISTS_TASKS : SHOWS_TASK).test(word))) return null;
  if (at < 0)
    return found(usual ?? (/^(?:make|gradle|ant)$/.test(tool) ? 'build' : null), true, from);
  const target = words[at]!;
  const inner = /^(?:nx|gradle)$/.test(tool) ? target.replace(/^[^:]*:(?=\w)/, '') : target;
  return found(classOfName(inner) ?? usual, true, at);
}

const COMPOSE_VALUED = new Set('-f --file -p --profile --env-file'.split(' '));
const SERVICE_VALUED = new Set(
  '-e --env -u --user -w --workdir -v --entrypoint --name -p'.split(' '),
);

function classifyContainer(words: Words, from: number): Classified | null {
  const sub = words[from + 1] ?? '';
  const compose = words[from] === 'docker-compose' ? from : sub === 'compose' ? from + 1 : -1;
  if (compose < 0) return /^buildx?$/.test(sub) ? found('build', false, from + 1) : null;
  const at = operandAt(words, compose + 1, COMPOSE_VALUED);
  const verb = words[at] ?? '';
  if (verb === 'build') return found('build', false, at);
  if (verb === 'up' || verb === 'start') return found('run', false, at);
  const service = /^(?:run|exec)$/.test(verb) ? operandAt(words, at + 1, SERVICE_VALUED) : -1;
  return service < 0 ? null : classifyFrom(words, service + 1);
}

/** A script file of the project, run by itself or by an interpreter. */
function classifyScriptFile(words: Words, at: number): Classified | null {
  const word = words[at]!;
  const manager = /(?:^|\/)(?:(manage)\.py|(artisan))$/.exec(word)?.slice(1).find(Boolean);
  if (manager !== undefined) return found(classOfTool(manager, words.slice(at + 1)), true, at + 1);
  return isAbsolute(word) || /^[~$]/.test(word)
    ? null
    : found(classOfName(baseName(word)), true, at);
}

const EVALUATES = /^(?:-|-c|-e|-p|--eval|--print|-pe|-ne|-V|--version|-r)$/;
const INTERPRETER_VALUED = new Set('--import -r --loader --require --env-file -W -X'.split(' '));

function classifyInterpreter(words: Words, from: number): Classified | null {
  if (words.slice(from + 1, from + 4).some((word) => EVALUATES.test(word))) return null;
  const at = operandAt(words, from + 1, INTERPRETER_VALUED);
  const word = words[at] ?? '';
  if (at < 0) return null;
  if (words[from] === 'node' && words.slice(from + 1, at).includes('--test'))
    return found('test', false, from);
  if (words[from] === 'deno' && /^(?:test|lint|fmt|check|run)$/.test(word))
    return found(classOfName(word), false, at);
  return SCRIPT_FILE.test(word) || /(?:^|\/)artisan$/.test(word)
    ? classifyScriptFile(words, at)
    : null;
}

const STARTS_SERVICE =
  /^(?:brew services (?:start|restart)|systemctl (?:start|restart) \S+|service \S+ (?:start|restart)|pg_ctl(?:cluster)? .*start)/;
const NIX_LOOKS = /^(?:eval|search|repl|store|path-info|show-config|registry|profile|shell)$/;

/** Class of the command that begins at `from`; null for probes and commands not worth repeating. */
function classifyFrom(words: Words, from: number): Classified | null {
  const raw = words[from] ?? '';
  const program = baseName(raw);
  const sub = words[from + 1] ?? '';
  if (program === '' || tools.isProbe(program) || from > 8) return null;
  const pair = `${program.replace(/^python[\d.]+$/, 'python')} ${sub}`;
  if (tools.TASK_PAIRS.has(pair)) {
    const at = operandAt(words, from + 2);
    const name = words[at] ?? '';
    if (at < 0) return null;
    return isKnownTool(name) || tools.INTERPRETERS.test(name)
      ? classifyFrom(words, at)
      : found(classOfName(name), true, at);
  }
  const isPair = tools.PREFIX_PAIRS.has(pair);
  if (tools.SCRIPT_RUNNERS.has(program) && !isPair) return classifyScriptRunner(words, from);
  if (isPair || tools.PREFIXES.has(program)) {
    const at = operandAt(words, from + (isPair ? 2 : 1));
    const inner = isPair ? behindPackage(words, at) : at;
    if (at < 0) return null;
    return SCRIPT_FILE.test(words[inner]!) && !isAbsolute(words[inner]!)
      ? classifyScriptFile(words, inner)
      : classifyFrom(words, inner);
  }
  const line = words.slice(from).filter((word) => !word.startsWith('--'));
  if (STARTS_SERVICE.test(line.slice(0, 4).join(' ')))
    return found('infra', false, words.length - 1);
  if (program === 'mise') return classifyMise(from, sub);
  if (tools.TASK_RUNNERS.has(program)) return classifyTask(words, from);
  if (/^docker(?:-compose)?$/.test(program)) return classifyContainer(words, from);
  if (program === 'go' && sub === 'tool') return classifyFrom(words, from + 2);
  if (program === 'nix' && NIX_LOOKS.test(sub)) return null;
  if (tools.INTERPRETERS.test(program)) return classifyInterpreter(words, from);
  return classifyTool(words, from, raw, program);
}

/** Classes that a sub-command of an unknown program may have: `gx lint`, `openspec validate`. */
const STRONG = new Set<CommandClass | null>([
  ...(['test', 'lint', 'format', 'typecheck', 'check'] as const),
  ...(['build', 'release', 'generate', 'docs'] as const),
]);

function classifyMise(from: number, sub: string): Classified | null {
  if (/^(?:install|trust|use)$/.test(sub)) return found('install', false, from + 1);
  const name = classOfName(sub);
  return sub.includes(':') || STRONG.has(name) ? found(name, true, from + 1) : null;
}

/** A sub-command: one word without a path. */
const SUB_COMMAND = /^[a-z][\w:-]*$/;
const LOCAL = /^(?:\.{1,2}\/|bin\/|scripts?\/|tools?\/|hack\/|dev\/|\.\w+\/)/;

function classifyTool(words: Words, from: number, raw: string, program: string): Classified | null {
  const tool = program.replace(/^mvnw$/, 'mvn');
  const [sub = '', object = ''] = words.slice(from + 1);
  const isSub = SUB_COMMAND.test(sub);
  if (isKnownTool(tool)) {
    const isRelease = `${tool} ${sub}` === 'gh release' && /^(?:create|upload|edit)$/.test(object);
    const name = isRelease ? 'release' : classOfTool(tool, words.slice(from + 1));
    const isNamed =
      isSub && (name !== 'test' || tools.isSubCommand(tool, sub) || classOfName(sub) !== null);
    const at = Math.min(words.length - 1, from + (isNamed ? 1 : 0));
    return name === null ? null : { ...found(name, /^(?:\.\/|bin\/)/.test(raw), from), at };
  }
  const name = isSub ? classOfName(sub) : null;
  if (/^[a-z][\w-]{1,20}$/.test(raw) && STRONG.has(name) && !tools.isOfSystem(raw))
    return { ...found(name, true, from + 1), unsure: true };
  const isScript = raw.includes('/') && SCRIPT_FILE.test(raw) && !/^~/.test(raw);
  return LOCAL.test(raw) || isScript ? classifyScriptFile(words, from) : null;
}

/**
 * `mise x tool@2 -- tool run`: the command is after the dashes; the word before them only names the
 * package.
 */
function behindPackage(words: Words, at: number): number {
  const dashes = words.indexOf('--', at);
  const next = words[dashes + 1] ?? '';
  const isCommand =
    dashes > at &&
    /^[\w./-]+$/.test(next) &&
    !next.startsWith('-') &&
    words.slice(at, dashes).every((word) => !word.startsWith('-'));
  const isSame = baseName(next) === (words[at] ?? '').replace(/@.*$/, '');
  return isCommand && (words[0] === 'mise' || tools.isProgram(next) || isSame) ? dashes + 1 : at;
}

/** Options that make a test runner build or list its tests without running them. */
const RUNS_NO_TEST =
  /^(?:--no-run|--collect-only|--co|--list|-list|-list=\S+|--list-?tests|--listTests|--show-?config|--dry-run)$/;

/**
 * Class of a command by its words.
 * @returns null for probes (looking, moving files, git, one-off evaluation) and unknown programs
 */
export function classifyCommand(words: Words): Classified | null {
  const asks = /^(?:--help|-h|--version|-V|help|version)$/;
  if (words.length > 1 && asks.test(words.at(-1)!)) return null;
  if (words.length === 2 && /^-[vV]$/.test(words[1]!)) return null;
  // `cargo --version --verbose`: a program that only prints its version does nothing for the
  // project.
  const at = words.findIndex((word, i) => i > 0 && /^--(?:version|help)$/.test(word));
  if (at > 0 && words.slice(at).every((word) => word.startsWith('-'))) return null;
  const all = classifyFrom(words, 0);
  const listsOnly = all?.class === 'test' && words.slice(all.at).some((w) => RUNS_NO_TEST.test(w));
  return listsOnly ? null : all;
}
