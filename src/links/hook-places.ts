/**
 * In which file each agent has its hooks, and which of its events belong to each moment. Sources:
 * docs/decisions/hooks.md. Pure.
 */

import type { HookMoment } from '../types.js';

export interface HookEvent {
  /** The agent's own name of the event. */
  event: string;
  /** The agent's pattern for tools. */
  matcher?: string;
}

export interface HookPlace {
  agent: string;
  title: string;
  /** The agent's folder below the person's home; if the folder exists, the agent is used here. */
  home: string;
  /** Environment variable that moves that folder. */
  env: string | null;
  /** The file with the hooks, in that folder. */
  file: string;
  /** If a moment is missing, the agent documents no way to add text at it. */
  events: Partial<Record<HookMoment, readonly HookEvent[]>>;
  /** One entry below an event. @param command a line for a shell */
  entry(command: string, matcher: string | undefined): unknown;
  /** Fields beside the hooks in a file that we make. */
  head: Record<string, unknown>;
  /** The agent reads the program's exit code. */
  readsExit: boolean;
  /** What a person must do, or null. */
  note: string | null;
}

/** Most seconds that an agent waits; dripstone itself ends after one. */
const TIMEOUT = 5;

function group(timeout: number): HookPlace['entry'] {
  return (command, matcher) => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command, timeout }],
  });
}

const IN_SECONDS = { entry: group(TIMEOUT), head: {}, readsExit: false, note: null };
const IN_MILLISECONDS = { ...IN_SECONDS, entry: group(TIMEOUT * 1000) };

/** Agents report the end of a compaction as a start of the session. */
const STARTS = { start: [{ event: 'SessionStart' }], compaction: [{ event: 'SessionStart' }] };
const STOP: readonly HookEvent[] = [{ event: 'Stop' }];

/** The moments that need hooks: those of the config; guards also need each command and edit. */
export function neededMoments({
  moments,
  guard,
}: {
  moments: readonly HookMoment[];
  guard: Readonly<Record<string, unknown>>;
}): HookMoment[] {
  const guarded: HookMoment[] = Object.keys(guard).length === 0 ? [] : ['command', 'edit'];
  return [...new Set([...moments, ...guarded])];
}

/** The agent's events at these moments, each once. */
export function eventsAt({ events }: HookPlace, moments: readonly HookMoment[]): HookEvent[] {
  const all = moments.flatMap((moment) => events[moment] ?? []);
  return all.filter((each, at) => all.findIndex((other) => isSame(other, each)) === at);
}

export function isSame(a: HookEvent, b: HookEvent): boolean {
  return a.event === b.event && a.matcher === b.matcher;
}

export const HOOK_PLACES: readonly HookPlace[] = [
  {
    ...{ agent: 'claude-code', title: 'Claude Code', home: '.claude', env: 'CLAUDE_CONFIG_DIR' },
    file: 'settings.json',
    events: {
      ...STARTS,
      failure: [{ event: 'PostToolUseFailure', matcher: 'Bash' }],
      prompt: [{ event: 'UserPromptSubmit' }],
      command: [{ event: 'PreToolUse', matcher: 'Bash' }],
      edit: [{ event: 'PreToolUse', matcher: 'Edit|MultiEdit|Write' }],
      end: STOP,
    },
    ...IN_SECONDS,
  },
  {
    ...{ agent: 'codex', title: 'Codex', home: '.codex', env: 'CODEX_HOME', file: 'hooks.json' },
    events: {
      ...STARTS,
      failure: [{ event: 'PostToolUse', matcher: 'Bash' }],
      prompt: [{ event: 'UserPromptSubmit' }],
      command: [{ event: 'PreToolUse', matcher: 'Bash' }],
      end: STOP,
    },
    ...IN_SECONDS,
    note: 'Codex asks once whether new hooks are trusted (`/hooks`)',
  },
  {
    ...{ agent: 'gemini-cli', title: 'Gemini CLI', home: '.gemini', env: null },
    file: 'settings.json',
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [{ event: 'AfterTool', matcher: 'run_shell_command' }],
      prompt: [{ event: 'BeforeAgent' }],
      end: [{ event: 'AfterAgent' }],
    },
    ...IN_MILLISECONDS,
  },
  {
    ...{ agent: 'qwen-code', title: 'Qwen Code', home: '.qwen', env: null, file: 'settings.json' },
    events: {
      ...STARTS,
      failure: [
        { event: 'PostToolUse', matcher: 'run_shell_command' },
        { event: 'PostToolUseFailure', matcher: 'run_shell_command' },
      ],
      prompt: [{ event: 'UserPromptSubmit' }],
      end: STOP,
    },
    ...IN_MILLISECONDS,
  },
  {
    // With event names in this spelling, Copilot sends JSON that names the event.
    ...{ agent: 'copilot-cli', title: 'Copilot CLI', home: '.copilot', env: 'COPILOT_HOME' },
    file: 'hooks/dripstone.json',
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [{ event: 'PostToolUseFailure' }],
      end: STOP,
    },
    entry: (command) => ({ type: 'command', bash: command, timeoutSec: TIMEOUT }),
    ...{ head: { version: 1 }, readsExit: true, note: null },
  },
];
