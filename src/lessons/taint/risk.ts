/**
 * What a command could do when somebody from outside had it run. Pure patterns over the text of a
 * command (`risk-signs.ts`): what is not known to be harmless is not cleared, so an unknown program
 * is judged like one that fetches.
 */
import {
  DESTROYING,
  DISGUISED,
  FETCH_AND_RUN,
  FETCHER,
  INLINE_CODE,
  INSTALL,
  INTERPRETER,
  LOADS,
  PUBLISHER,
  REMOTE_CODE,
  RUNNER,
  SCRIPT_RUNNER,
  SENDER,
  SETTING,
  STANDARD,
  SUBCOMMANDS,
  TOOLS,
  URL_ALONE,
  WEAKENING,
} from './risk-signs.js';

function bareName(pkg: string): string {
  return pkg
    .replace(/^["']|["']$/g, '')
    .replace(/(.)@[^/]*$/, '$1')
    .replace(/[=<>~!^[].*$/, '')
    .toLowerCase();
}

/** Package arguments of an install: no flags, no local paths, no requirement files. */
function packagesOf(rest: string): string[] {
  const words = rest
    .split(/&&|\|\||[;|]/)[0]!
    .trim()
    .split(/\s+/);
  const isNamed = (w: string, before = ''): boolean =>
    !/^-|^\.{0,2}\/|^\.$/.test(w) && !/^(?:-r|--requirement|-e|--editable)$/.test(before);
  return words.filter((w, i) => w !== '' && isNamed(w, words[i - 1]));
}

/**
 * Would this command, package or URL bring something from the network that the project's manifests
 * do not name?
 */
export function bringsFromNetwork(
  token: string,
  packages: ReadonlySet<string> = new Set(),
): boolean {
  if (URL_ALONE.test(token) || REMOTE_CODE.test(token)) return true;
  const run = FETCH_AND_RUN.exec(token)?.[1];
  if (run !== undefined) return !packages.has(bareName(run));
  const installed = INSTALL.exec(token)?.[1];
  return installed !== undefined && packagesOf(installed).some((p) => !packages.has(bareName(p)));
}

/**
 * `weakens`, `destroys`, `evaluates`: withheld whoever named it first, until it is typed.
 * `fetches`: also a local tool's output makes it foreign.
 */
export type Risk = 'weakens' | 'destroys' | 'evaluates' | 'fetches' | 'sends';

/** What a command, package or URL could do; null when nothing of this is known of it. */
export function riskOf(token: string, packages?: ReadonlySet<string>): Risk | null {
  const program = /^(?:[\w]+=\S*\s+)*(\S+)\s/.exec(token)?.[1];
  if (DISGUISED.test(token) || (program !== undefined && isLookalike(program))) return 'weakens';
  if (WEAKENING.some((sign) => sign.test(token))) return 'weakens';
  if (DESTROYING.test(token)) return 'destroys';
  if (INLINE_CODE.test(token)) return 'evaluates';
  if (bringsFromNetwork(token, packages) || FETCHER.test(token) || SENDER.test(token))
    return 'fetches';
  return PUBLISHER.test(token) ? 'sends' : null;
}

/**
 * Letters of other scripts may pass for a known program; the picture before a commit's subject
 * cannot.
 */
function isLookalike(program: string): boolean {
  return /[^\u0000-\u007f]/.test(program.replace(/[\p{Extended_Pictographic}\uFE0F\u200D]/gu, ''));
}

/**
 * How far a foreign sight of a harmless-looking token reaches: its own session, its project, or
 * every project.
 */
type Reach = 'session' | 'project' | 'machine';

interface Judged {
  reach: Reach;
  /**
   * Script, target or file of the repository that the step runs: `run NAME` or `./path`, as the
   * project names them.
   */
  runs?: string;
}

/** The redirections that hide or join output, which do no harm. */
const QUIETED = /\s*(?:\d?>&\d|&?\d?>\s*\/dev\/null)/g;

/** Whether a known program is used in a way that works on the repository alone. */
function isHarmlessUse(program: string, plain: readonly string[]): boolean {
  const known = SUBCOMMANDS[program];
  if (known === undefined) return false;
  if (plain.length === 0) return /^(?:make|just|task|mage|yarn)$/.test(program);
  const starred = plain.map((_w, i) =>
    [...plain.slice(0, i), STANDARD.test(plain[i]!) ? '*' : plain[i]!].join(' '),
  );
  return [plain[0]!, plain.join(' '), ...starred].some((form) => known.test(form));
}

/** One step of a command: words without the settings and the runner before the program. */
function riskOfStep(step: string, packages: ReadonlySet<string>): Judged {
  const words = step.replace(QUIETED, '').trim().split(/\s+/);
  while (SETTING.test(words[0] ?? '')) words.shift();
  while (RUNNER.test(words.slice(0, 2).join(' ')) || RUNNER.test(words[0] ?? '')) {
    const isFetched = /^(?:npx|bunx|uvx)$/.test(words[0]!);
    words.splice(0, RUNNER.test(words.slice(0, 2).join(' ')) ? 2 : 1);
    // A manifest names it: the person chose it.
    if (isFetched && !packages.has(bareName(words[0] ?? ''))) return { reach: 'machine' };
  }
  const [program = '', ...rest] = words;
  if (rest.some((word) => LOADS.test(word)) || /[>`$<]/.test(words.join(' ')))
    return { reach: 'machine' };
  if (TOOLS.has(program)) return { reach: 'session' };
  const plain = rest.filter((word) => !word.startsWith('-') || rest.length === 1).slice(0, 2);
  if (isHarmlessUse(program, plain)) return { reach: 'session' };
  const isInstall =
    /^(?:npm|pnpm|yarn|bun)$/.test(program) && /^(?:install|i)$/.test(rest[0] ?? '');
  if (isInstall && plain.length === 1) return { reach: 'session' };
  const target = /^run(?:-script)?$/.test(plain[0] ?? '') ? plain[1] : plain[0];
  if (SCRIPT_RUNNER.test(program)) return { reach: 'project', runs: `run ${target ?? ''}` };
  const file = INTERPRETER.test(program) ? (plain[0] === 'run' ? plain[1] : plain[0]) : program;
  const isFile = file !== undefined && /^(?:\.\/|[\w.-]+\/)[\w./-]+$/.test(file);
  if (isFile) return { reach: 'project', runs: `./${file.replace(/^\.\//, '')}` };
  const isNamed = packages.has(bareName(program)) || packages.has(`run ${program}`);
  return { reach: isNamed ? 'project' : 'machine', runs: `run ${program}` };
}

function stepsOf(token: string, packages: ReadonlySet<string>): Judged[] {
  return token
    .split(/&&|\|\||[;|\n]/)
    .filter((step) => step.trim() !== '')
    .map((step) => riskOfStep(step, packages));
}

/**
 * Reach of a command by its most dangerous step; of a single word, a known program is harmless,
 * anything else is not known.
 */
export function reachOf(token: string, packages: ReadonlySet<string> = new Set()): Reach {
  const reaches = stepsOf(token, packages).map(({ reach }) => reach);
  return reaches.includes('machine') || reaches.length === 0
    ? 'machine'
    : reaches.includes('project')
      ? 'project'
      : 'session';
}

/**
 * Whether every script, target, file or program that a command runs is one that the project itself
 * names.
 */
export function isOwn(token: string, packages: ReadonlySet<string>): boolean {
  return stepsOf(token, packages).every(
    ({ reach, runs = '' }) =>
      reach === 'session' ||
      (reach === 'project' && (packages.has(runs) || packages.has(runs.replace(/^run /, '')))),
  );
}
