import { type Joint, type Token, scanShell } from './scan.js';

/** One simple command of a shell text. */
export interface Step {
  /** `NAME=value` before the program. */
  env: string[];
  /**
   * Program and arguments, quotes removed, wrappers (`timeout 60`, `time`, `bash -lc`) taken off.
   */
  words: string[];
  /** What follows it. */
  joint: Joint;
  /**
   * Inside a loop, a condition, a function or a substitution: a script, not a command that one
   * would repeat.
   */
  scripted: boolean;
  /** Reads a here-document or here-string. */
  heredoc: boolean;
  /** Standard output goes to a file. */
  redirected: boolean;
  /** Files that it writes (`>a`, `2>>a`) or reads (`<a`), with their signs. */
  redirects: string[];
  /** Output or errors are discarded, so an empty output proves nothing. */
  silenced: boolean;
  /** An argument holds `$…` or backticks. */
  dynamic: boolean;
  /** Depth of sub-shells: a `cd` ends with its sub-shell. */
  depth: number;
}

const OPENERS = new Set(['if', 'for', 'while', 'until', 'case', 'select', 'function']);
const CLOSERS = new Set(['fi', 'done', 'esac']);
const BETWEEN = new Set(['then', 'do', 'else', 'elif', '!', '{', '}', 'in']);
const SHELLS = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;

function blank(depth: number): Step {
  return {
    env: [],
    words: [],
    joint: '',
    scripted: false,
    heredoc: false,
    redirected: false,
    redirects: [],
    silenced: false,
    dynamic: false,
    depth,
  };
}

/** Options of wrappers that take a value. */
const WRAPPERS: Record<string, { valued: string[]; operands: number }> = {
  timeout: { valued: ['-k', '-s', '--signal', '--kill-after'], operands: 1 },
  gtimeout: { valued: ['-k', '-s'], operands: 1 },
  time: { valued: ['-f', '-o'], operands: 0 },
  nice: { valued: ['-n'], operands: 0 },
  ionice: { valued: ['-c', '-n'], operands: 0 },
  nohup: { valued: [], operands: 0 },
  command: { valued: [], operands: 0 },
  exec: { valued: [], operands: 0 },
  stdbuf: { valued: ['-o', '-e', '-i'], operands: 0 },
  caffeinate: { valued: [], operands: 0 },
  setsid: { valued: [], operands: 0 },
  unbuffer: { valued: [], operands: 0 },
};

/** Takes env assignments and wrappers off the front of a step. */
function unwrap(step: Step): Step {
  const words = [...step.words];
  const env = [...step.env];
  for (;;) {
    const head = words[0] ?? '';
    if (/^[A-Za-z_]\w*\+?=/.test(head)) env.push(words.shift() ?? '');
    else if (head === 'env' && words.length > 1 && !(words[1] ?? '').startsWith('-')) words.shift();
    else if (head === 'command' && /^-\w*[vV]/.test(words[1] ?? ''))
      break; // `command -v x` asks where x is
    else if (Object.hasOwn(WRAPPERS, head) && words.length > 1) {
      const rule = WRAPPERS[head] ?? { valued: [], operands: 0 };
      words.shift();
      while ((words[0] ?? '').startsWith('-') && words.length > 1) {
        if (rule.valued.includes(words.shift() ?? '')) words.shift();
      }
      words.splice(0, rule.operands);
    } else break;
  }
  return { ...step, words, env };
}

/** The text that `bash -lc '…'` runs, or null. */
function shellText(words: string[]): string | null {
  if (!SHELLS.test(words[0] ?? '')) return null;
  const at = words.findIndex((w, i) => i > 0 && /^-[a-z]*c[a-z]*$/.test(w));
  return at > 0 && at < 4 ? (words[at + 1] ?? null) : null;
}

function groupTokens(tokens: Token[]): Step[] {
  const steps: Step[] = [];
  let open = 0;
  let depth = 0;
  let step = blank(0);
  const end = (joint: Joint): void => {
    if (step.words.length > 0 || step.env.length > 0)
      steps.push({ ...step, joint, scripted: step.scripted || open > 0 });
    else if (steps.length > 0 && joint !== ';' && joint !== '')
      (steps[steps.length - 1] as Step).joint = joint;
    step = blank(depth);
  };
  for (const token of tokens) {
    if (token.type === 'joint') end(token.value);
    else if (token.type === 'bracket') {
      if (token.value === '(' && step.words.length > 0) step.scripted = true;
      else end('');
      depth = Math.max(0, depth + (token.value === '(' ? 1 : -1));
      if (step.words.length === 0) step.depth = depth;
    } else if (token.type === 'redirect') {
      if (token.value.includes('<<')) step.heredoc = true;
      else if (/>\/dev\/null/.test(token.value)) step.silenced = true;
      else if (/^(?:1|&)?>(?!&(?:\d+|-)$)/.test(token.value)) step.redirected = true;
      if (!/<<|&(?:\d+|-)$|\/dev\/null/.test(token.value)) step.redirects.push(token.value);
    } else if (step.words.length === 0 && !token.quoted && OPENERS.has(token.value)) {
      open += 1;
      step.words.push(token.value);
    } else if (step.words.length === 0 && !token.quoted && CLOSERS.has(token.value))
      open = Math.max(0, open - 1);
    else if (step.words.length === 0 && !token.quoted && BETWEEN.has(token.value)) continue;
    else {
      step.words.push(token.value);
      step.dynamic ||= token.dynamic;
    }
  }
  end('');
  return steps;
}

/**
 * The simple commands of a shell text, in order, wrappers and `bash -lc` unpacked.
 * Never throws; text that is no shell gives steps that no one recognises.
 */
export function splitShell(text: string, level = 0): Step[] {
  const steps: Step[] = [];
  for (const raw of groupTokens(scanShell(text))) {
    const step = unwrap(raw);
    const inner = level < 3 ? shellText(step.words) : null;
    if (inner === null) steps.push(step);
    else {
      const unpacked = splitShell(inner, level + 1);
      unpacked.forEach((s, i) => {
        steps.push({
          ...s,
          env: [...step.env, ...s.env],
          depth: s.depth + step.depth + 1,
          joint: i === unpacked.length - 1 ? step.joint : s.joint,
          scripted: s.scripted || step.scripted,
        });
      });
    }
  }
  return steps;
}

const WORKTREE = /\/(?:\.worktrees?|worktrees?|\.claude\/worktrees|\.git\/worktrees)\/[^/]+/;

/** Temporary folders and such: what is there belongs to one session only. */
const TEMPORARY =
  /^(?:\/tmp|\/private\/tmp|\/var\/(?:folders|tmp)|\/private\/var|\/dev\/shm|\$\{?TMP(?:DIR)?|\$\(mktemp|[A-Za-z]:[\\/](?:.*[\\/])?Te?mp|%TE?MP%)(?:[/\\})]|$)/i;

export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path) || /(?:^|[\\/])(?:tmp|temp|scratchpad|scratch)[\\/]/i.test(path);
}

export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** A path of Windows with forward slashes, a small drive and no `\\?\`; any other as it is. */
export function slashed(path: string): string {
  if (!/^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(path)) return path;
  return path
    .replaceAll('\\', '/')
    .replace(/^\/\/[?.]\/(?:UNC\/)?/, (found) => (found.endsWith('UNC/') ? '//' : ''))
    .replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

/** A home folder, or one above it: shells start there by habit, so it belongs to no project. */
export function isHome(folder: string): boolean {
  return /^(?:(?:\/var|\/export)?\/home(?:\/[^/]+)?|\/Users(?:\/[^/]+)?|\/root|\/|[a-z]:(?:\/users(?:\/[^/]+)?)?)\/?$/i.test(
    slashed(folder),
  );
}

/**
 * Absolute folders without a trailing slash, and without those that lie in another one (worktrees
 * stay).
 */
export function rootsOf(folders: string[]): string[] {
  const clean = [
    ...new Set(
      folders
        .map((f) => slashed(f).replace(/\/+$/, ''))
        .filter((f) => isAbsolute(f) && f.split('/').length > (f.startsWith('/') ? 2 : 1)),
    ),
  ];
  return clean
    .filter(
      (f) =>
        !clean.some(
          (other) =>
            f !== other && f.startsWith(`${other}/`) && !WORKTREE.test(f.slice(other.length)),
        ),
    )
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** Path without `.` and `..` steps. */
export function cleanPath(path: string): string {
  const out: string[] = [];
  const slashes = slashed(path);
  for (const part of slashes.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else out.push(part);
  }
  const root =
    isAbsolute(path) && slashes.startsWith('//') ? '//' : slashes.startsWith('/') ? '/' : '';
  return root + out.join('/');
}

/**
 * Path below the project's root: '' for the root itself, null outside of it.
 * @param path absolute, or relative to the root
 */
export function placeIn(roots: string[], path: string): string | null {
  const isDrive = roots.some((root) => /^[a-z]:/.test(root));
  // Git Bash writes `/c/work`, WSL `/mnt/c/work`; in both a path may also have backslashes.
  const spelled = isDrive
    ? slashed(path)
        .replaceAll('\\', '/')
        .replace(/^(?:\/mnt)?\/([A-Za-z])(?=\/|$)/, '$1:')
    : path;
  const clean = cleanPath(spelled);
  if (!isAbsolute(clean))
    return clean.startsWith('..') || path.startsWith('~') || path.startsWith('$') ? null : clean;
  const compared = (value: string): string =>
    /^(?:[a-z]:|\/\/)/.test(value) ? value.toLowerCase() : value;
  for (const root of roots) {
    if (!`${compared(clean)}/`.startsWith(`${compared(root)}/`)) continue;
    const rest = clean.slice(root.length);
    return rest.replace(new RegExp(`^(?:/[^/]+)??${WORKTREE.source}`), '').replace(/^\//, '');
  }
  return null;
}
