import type { Candidate } from '../types.js';
import { checkChains } from './commands/chains.js';
import { costlyCommands } from './commands/costs.js';
import { habitsOf } from './commands/habits.js';
import { changesOf } from './commands/edits.js';
import { neededParts } from './commands/needs.js';
import { releaseSteps } from './commands/releases.js';
import { replacedCommands } from './commands/replaced.js';
import { rewritingCommands } from './commands/rewriting.js';
import { callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { sandboxedCommands } from './commands/sandbox.js';
import { workingCommands } from './commands/steps-that-work.js';
import { toolLimits } from './commands/limits.js';
import { writingCommands } from './commands/written.js';
import { changedCommands } from './cures/changed.js';
import type { SessionInput } from './session.js';

/** Commands that work here, what replaces those that never do, what rewrites files, and habits around them. */
export function extractCommands(session: SessionInput): Candidate[] {
  const calls = callsOf(session);
  const runs = runsOf(session, calls);
  const changes = changesOf(session.entries, sessionRoots(session));
  const replaced = [...replacedCommands(session, calls), ...neededParts(session, runs, changes)];
  return [
    ...workingCommands(session, runs),
    ...replaced,
    ...rewritingCommands(session, runs),
    ...changedCommands(session, calls, changes, new Set(replaced.map((c) => c.evidence.entry))),
    ...writingCommands(session, calls, runs, changes),
    ...toolLimits(session),
    ...sandboxedCommands(session, runs),
    ...checkChains(session, runs),
    ...costlyCommands(session, runs),
    ...releaseSteps(session, calls, runs),
    ...habitsOf(session, calls, runs),
  ];
}
