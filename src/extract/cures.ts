import type { Candidate } from '../types.js';
import { changesOf, callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { curedByCommand, curedByEdit } from './cures/by-command.js';
import { explainCures } from './cures/explained.js';
import { curesIn } from './cures/failures.js';
import { flakyCommands } from './cures/flaky.js';
import { lintRules } from './cures/lint-rules.js';
import { uncuredErrors } from './cures/recurring.js';
import type { JudgedInput } from './session.js';

/**
 * Failures with their cures: another command, a cause that the agent stated, an edit of the set-up, flaky runs; errors that
 * recur; and lint rules with their replacement.
 */
export function extractCures(session: JudgedInput): Candidate[] {
  const calls = callsOf(session);
  const runs = runsOf(session, calls);
  const changes = changesOf(session.entries, sessionRoots(session));
  const explained = explainCures(session);
  const cures = curesIn(runs, changes).map(
    (cured) => curedByCommand(session, cured) ?? explained(cured) ?? curedByEdit(session, cured),
  );
  return [
    ...cures.filter((c) => c !== null),
    ...flakyCommands(session, calls, runs, changes),
    ...uncuredErrors(session, runs),
    ...lintRules(session, runs, changes),
  ];
}
