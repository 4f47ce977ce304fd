/**
 * Where each agent looks for hooks, and at which of its events each moment is. Sources:
 * docs/decisions/hooks.md. Pure.
 */

/** Moments at which a hook may speak (config `hooks.moments`). */
export type Moment = 'start' | 'failure' | 'prompt' | 'command' | 'edit';

export interface HookEvent {
  /** The agent's own name. */
  event: string;
  /** The tools that it is about, as the agent matches them. */
  matcher?: string;
}

export interface HookPlace {
  agent: string;
  title: string;
  /** The agent's folder below the person's home; it existing means that the agent is used here. */
  home: string;
  /** Environment variable that moves that folder. */
  env: string | null;
  /** The file with the hooks, in that folder. */
  file: string;
  /** A moment that is not named has no documented way to reach the agent. */
  events: Partial<Record<Moment, readonly HookEvent[]>>;
  /** One entry below an event. @param command a line for a shell */
  entry(command: string, matcher: string | undefined): unknown;
  /** What stands beside the hooks in a file that we make. */
  head: Record<string, unknown>;
  /** The agent reads the program's exit code. */
  readsExit: boolean;
  /** What a person must do, or null. */
  note: string | null;
}

/** Seconds that an agent waits at most: the program itself ends after one. */
const TIMEOUT = 5;

function group(timeout: number): HookPlace['entry'] {
  return (command, matcher) => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command, timeout }],
  });
}

const IN_SECONDS = { entry: group(TIMEOUT), head: {}, readsExit: false, note: null };
const IN_MILLISECONDS = { ...IN_SECONDS, entry: group(TIMEOUT * 1000) };

export const HOOK_PLACES: readonly HookPlace[] = [
  {
    agent: 'claude-code',
    title: 'Claude Code',
    home: '.claude',
    env: 'CLAUDE_CONFIG_DIR',
    file: 'settings.json',
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [{ event: 'PostToolUseFailure', matcher: 'Bash' }],
      prompt: [{ event: 'UserPromptSubmit' }],
      command: [{ event: 'PreToolUse', matcher: 'Bash' }],
      edit: [{ event: 'PreToolUse', matcher: 'Edit|MultiEdit|Write' }],
    },
    ...IN_SECONDS,
  },
  {
    ...{ agent: 'codex', title: 'Codex', home: '.codex', env: 'CODEX_HOME', file: 'hooks.json' },
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [{ event: 'PostToolUse', matcher: 'Bash' }],
      prompt: [{ event: 'UserPromptSubmit' }],
      command: [{ event: 'PreToolUse', matcher: 'Bash' }],
    },
    ...IN_SECONDS,
    note: 'Codex asks once whether new hooks are trusted (`/hooks`)',
  },
  {
    ...{
      agent: 'gemini-cli',
      title: 'Gemini CLI',
      home: '.gemini',
      env: null,
      file: 'settings.json',
    },
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [{ event: 'AfterTool', matcher: 'run_shell_command' }],
      prompt: [{ event: 'BeforeAgent' }],
    },
    ...IN_MILLISECONDS,
  },
  {
    ...{ agent: 'qwen-code', title: 'Qwen Code', home: '.qwen', env: null, file: 'settings.json' },
    events: {
      start: [{ event: 'SessionStart' }],
      failure: [
        { event: 'PostToolUse', matcher: 'run_shell_command' },
        { event: 'PostToolUseFailure', matcher: 'run_shell_command' },
      ],
      prompt: [{ event: 'UserPromptSubmit' }],
    },
    ...IN_MILLISECONDS,
  },
  {
    // The names of the events choose the shape of the JSON: in this one it names its event.
    ...{
      agent: 'copilot-cli',
      title: 'Copilot CLI',
      home: '.copilot',
      env: 'COPILOT_HOME',
      file: 'hooks/dripstone.json',
    },
    events: { start: [{ event: 'SessionStart' }], failure: [{ event: 'PostToolUseFailure' }] },
    entry: (command) => ({ type: 'command', bash: command, timeoutSec: TIMEOUT }),
    ...{ head: { version: 1 }, readsExit: true, note: null },
  },
];
