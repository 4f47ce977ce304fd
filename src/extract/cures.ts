import type { Candidate } from '../types.js';
import { errorSpan } from '../text/error-span.js';
import { observed } from './commands/candidate.js';
import { type Run, changesOf, callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { STATE, cureKey, curedByCommand, curedByEdit } from './cures/by-command.js';
import { explainCures } from './cures/explained.js';
import { curesIn, isTelling } from './cures/failures.js';
import { flakyCommands } from './cures/flaky.js';
import { lintRules } from './cures/lint-rules.js';
import type { JudgedInput, SessionInput } from './session.js';

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

/** A tool prints the paths of its own files; such an error names something of the set-up, not of the code under work. */
const SETUP =
  /EACCES|EPERM|permission denied|timed? ?out|heap out of memory|out of memory|address already in use|EADDRINUSE|certificate|unauthori[sz]ed|forbidden|rate limit|version|daemon|socket|lock/i;

/**
 * Errors of the set-up that this session met and did not cure: no lesson by themselves, but worth knowing when a second session
 * meets them. They share their key with a cure found elsewhere, whose words then stand.
 */
function uncuredErrors(session: SessionInput, runs: Run[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const run of runs) {
    const error = run.call.result?.error;
    if (run.verdict !== 'failed' || run.form.passing || !isTelling(error) || !(STATE.test(error) || SETUP.test(error))) continue;
    if (runs.some((r) => r.at > run.at && r.form.key === run.form.key && r.verdict === 'ok')) continue;
    const room = 150 - run.form.text.length;
    if (room < 40) continue;
    found.set(
      cureKey(run.form.text, error),
      observed(session, {
        kind: 'gotcha',
        text: `\`${run.form.text}\` keeps failing here with ${errorSpan(error, Math.min(100, room))}; no cure was found yet.`,
        key: cureKey(run.form.text, error),
        importance: 3,
        alone: false,
        worth: 0.4,
        entry: run.call.entry,
        quote: error,
        trust: 0.4,
        tags: ['recurring'],
        commands: [run.form.text],
      }),
    );
  }
  return [...found.values()];
}
