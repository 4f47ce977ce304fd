/** Where each agent looks for hooks, and at which of its events each moment is. Sources: docs/decisions/hooks.md. Pure. */

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
  /** What a person must do, or null. */
  note: string | null;
}

/** Seconds that an agent waits at most: the program itself ends after one. */
const TIMEOUT = 5;

const group = (command: string, matcher: string | undefined, timeout = TIMEOUT): unknown => ({
  ...(matcher !== undefined && { matcher }),
  hooks: [{ type: 'command', command, timeout }],
});

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
    entry: group,
    note: null,
  },
];
