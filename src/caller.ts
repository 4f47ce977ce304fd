/**
 * Who runs this command: a person or an agent. Variables from an agent's shell tool count first,
 * because another program may have started the agent; then the parent processes. A pipe, a cron job
 * or an editor's terminal is no agent.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from './errors.js';
import type { Caller } from './types.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables that agents set for their commands, from sources and manuals. Variables that an editor
 * sets for every terminal (TERM_PROGRAM) or a person as a setting (CODEX_HOME) are left out.
 */
const MARKS: readonly [variable: string, agent: string][] = [
  ['CLAUDECODE', 'claude-code'],
  ['CODEX_SANDBOX', 'codex'],
  ['CODEX_SANDBOX_NETWORK_DISABLED', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CODEX_CI', 'codex'],
  ['QWEN_CODE', 'qwen-code'],
  ['GEMINI_CLI', 'gemini-cli'],
  ['CURSOR_AGENT', 'cursor'],
  ['CLINE_ACTIVE', 'cline'],
  ['OPENCODE', 'opencode'],
  ['OPENCODE_CLIENT', 'opencode'],
  ['COPILOT_CLI', 'copilot-cli'],
  ['COPILOT_AGENT_SESSION_ID', 'copilot-cli'],
  ['AUGMENT_AGENT', 'augment'],
  ['ANTIGRAVITY_AGENT', 'antigravity'],
  ['TRAE_AI_SHELL_ID', 'trae'],
  ['GOOSE_TERMINAL', 'goose'],
  ['CRUSH', 'crush'],
  ['PI_CODING_AGENT', 'pi'],
  ['OPENCLAW_SHELL', 'openclaw'],
  ['ROO_ACTIVE', 'roo'],
];
/** Agents set these to their name. A person may set `AGENT`, so only known names count there. */
const NAMED = 'AI_AGENT';
const SHARED = 'AGENT';

/** Agent programs by file name. */
const OF_THEIR_NAME = (
  'codex opencode aider goose amp crush cline droid hermes grok openclaude ' +
  'kilo pi omp kimi openclaw openhands roo'
).split(' ');
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ...OF_THEIR_NAME.map((name) => [name, name] as const),
  ['claude', 'claude-code'],
  ['gemini', 'gemini-cli'],
  ['qwen', 'qwen-code'],
  ['cursor-agent', 'cursor'],
  ['copilot', 'copilot-cli'],
  ['auggie', 'augment'],
  ['agy', 'antigravity'],
  ['kiro-cli', 'kiro'],
  ['kiro-cli-chat', 'kiro'],
  ['qchat', 'amazon-q'],
  ['vibe', 'mistral-vibe'],
  ['vibe-acp', 'mistral-vibe'],
  ['traecli', 'trae'],
  ['mimo', 'mimocode'],
  ['cn', 'continue'],
]);
/** Package folders of agents that run as a script of an interpreter. */
const PACKAGES: readonly [folder: string, agent: string][] = [
  ['@anthropic-ai/claude-code/', 'claude-code'],
  ['@openai/codex/', 'codex'],
  ['@google/gemini-cli/', 'gemini-cli'],
  ['@qwen-code/qwen-code/', 'qwen-code'],
  ['@github/copilot/', 'copilot-cli'],
  ['@sourcegraph/amp/', 'amp'],
  ['opencode-ai/', 'opencode'],
  ['@augmentcode/auggie/', 'augment'],
  ['/cursor-agent/', 'cursor'],
  ['@continuedev/cli/', 'continue'],
];
/** Without the panels of Zed and VS Code: their commands look like those of a person's terminal. */
const KNOWN_AGENTS: ReadonlySet<string> = new Set(
  [...MARKS, ...PROGRAMS, ...PACKAGES].map(([, agent]) => agent),
);
const INTERPRETER = /^(?:node|nodejs|bun|deno|python[\d.]*|uv|ruby)$/;

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '' && value !== '0' && value !== 'false';
}

/** The agent that the variables name, or null. Pure. */
export function agentInEnvironment(env: Environment): string | null {
  const mark = MARKS.find(([variable]) => isSet(env[variable]));
  if (mark) return mark[1];
  const named = env[NAMED];
  if (isSet(named)) return plainName(named);
  const shared = env[SHARED]?.toLowerCase();
  return shared === undefined
    ? null
    : KNOWN_AGENTS.has(shared)
      ? shared
      : (PROGRAMS.get(shared) ?? null);
}

/** The name is from outside, stored and printed, so only letters, digits and a few signs stay. */
function plainName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\w.@-]+/g, '-')
    .slice(0, 40);
  return plain === '' || plain === '1' || plain === 'true' || plain === 'person' ? 'agent' : plain;
}

/** The agent whose program has this command line, or null. Pure. */
export function agentInCommand(words: readonly string[]): string | null {
  const [program = '', ...rest] = words;
  const name = basename(program)
    .replace(/\.(?:exe|cmd)$/i, '')
    .replace(/^-/, '');
  const known = PROGRAMS.get(name);
  if (known !== undefined) return known;
  if (!INTERPRETER.test(name)) return null;
  const script = (rest.find((word) => !word.startsWith('-')) ?? '').replaceAll('\\', '/');
  return (
    PACKAGES.find(([folder]) => script.includes(folder))?.[1] ??
    PROGRAMS.get(basename(script).replace(/\.[cm]?js$|\.py$/, '')) ??
    null
  );
}

export interface Process {
  parent: number;
  words: string[];
}

/** Limit for a loop in the process table. */
const MOST_PARENTS = 64;

/** The nearest agent among the parent processes, or null. Pure except for `look`. */
export function agentAbove(pid: number, look: (pid: number) => Process | null): string | null {
  let next = pid;
  for (let depth = 0; depth < MOST_PARENTS && next > 1; depth++) {
    const found = look(next);
    if (found === null) return null;
    const agent = agentInCommand(found.words);
    if (agent !== null) return agent;
    next = found.parent;
  }
  return null;
}

/** A process from /proc, or from `ps` without /proc; null if it is unknown. */
function lookAtProcess(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain parentheses and blanks.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return {
      parent,
      words: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean),
    };
  } catch {
    return askPs(pid);
  }
}

/** One line of `ps -o ppid=,args=`; paths are split at blanks. Null: no such process. Pure. */
function parsePs(line: string): Process | null {
  const [, parent, args] = /^(\d+)\s+(\S.*)$/s.exec(line.trim()) ?? [];
  return parent === undefined ? null : { parent: Number(parent), words: args!.split(/\s+/) };
}

function askPs(pid: number): Process | null {
  if (process.platform === 'win32') return null;
  try {
    return parsePs(
      execFileSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], {
        encoding: 'utf8',
        timeout: 2000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  } catch {
    return null;
  }
}

/** Who runs this process. @param parent process above it */
export function callerOf(env: Environment, parent: number): Caller {
  const name = agentInEnvironment(env) ?? agentAbove(parent, lookAtProcess);
  return name === null ? { kind: 'person' } : { kind: 'agent', name };
}

/**
 * Refuses an agent's request for what only a person may do, before any change.
 * @throws AppError (exit 1)
 */
export function refuseAgents(caller: Caller | undefined, what: string): void {
  if (caller?.kind !== 'agent') return;
  throw new AppError(
    'PERSON_ONLY',
    `${what} is for the person alone, and this runs inside an agent (${caller.name}); nothing was changed`,
    { hint: 'the person can type it in a terminal of their own, outside the agent' },
  );
}
