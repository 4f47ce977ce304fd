/** A home whose earlier session met an error and cured it. */
import { lastingFolder } from '../folder.js';
import { answers, says, shell, type Turn } from '../jobs/made-log.js';
import { begunStage } from '../stage.js';

export const CWD = '/home/mira/code/kettle';
export const ERROR = 'error: cannot reach the broker at port 5672: connection refused';
export const CURE = 'docker compose up -d rabbit';

export const cured: Turn[] = [
  says('Make the broker tests pass'),
  shell('pnpm test:broker', ERROR, 1),
  answers(
    'The broker tests need the rabbit container, which `pnpm test:broker` cannot reach before it is started.',
  ),
  shell(CURE, 'Container rabbit Started', 0),
  shell('pnpm test:broker', '12 passed', 0),
];

/** The same home for every test of all files of a worker. */
export const curedHome = begunStage(
  { now: '2026-11-21T12:00:00Z' },
  async (made) => {
    made.log({ session: 'a1', cwd: CWD, day: '2026-11-18' }, cured);
    await made.type('run');
  },
  lastingFolder(),
);

/** What Claude Code gives to a hook when a command failed. */
export function failedCommand(
  session: string,
  command = 'pnpm test:broker',
  error = ERROR,
): Record<string, unknown> {
  return {
    session_id: session,
    transcript_path: `/home/mira/.claude/projects/-home-mira-code-kettle/${session}.jsonl`,
    cwd: CWD,
    permission_mode: 'default',
    hook_event_name: 'PostToolUseFailure',
    tool_name: 'Bash',
    tool_input: { command, description: 'Run the broker tests' },
    tool_use_id: 'toolu_01ABC',
    error: `Exit code 1\n${error}`,
    is_interrupt: false,
  };
}
