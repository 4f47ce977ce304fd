import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import type { Run } from './runs.js';

/** The same command outside the sandbox stands at most this many entries after the failure. */
const REACH = 13;
/** What a sandbox forbids: the network, writing outside, starting or watching things. */
const FORBIDDEN =
  /operation not permitted|permission denied|EPERM|EACCES|read-only file system|EROFS|could ?n['o]t resolve|ENOTFOUND|EAI_AGAIN|getaddrinfo|network is unreachable|ENETUNREACH|no address associated|name or service not known|temporary failure in name resolution|failed to (?:fetch|connect|lookup)|connection refused|ECONNREFUSED|listen E|bind: /i;

/** Commands that a sandbox stopped and that worked once the agent asked to run them outside of it. */
export function sandboxedCommands(session: SessionInput, runs: Run[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const [i, from] of runs.entries()) {
    const error = from.call.result?.text.split('\n').find((l) => FORBIDDEN.test(l));
    if (from.verdict === 'ok' || from.form.passing || error === undefined || from.call.entry.marks.includes('unsandboxed'))
      continue;
    const to = runs
      .slice(i + 1)
      .find(
        (r) =>
          r.at - from.at <= REACH &&
          r.form.key === from.form.key &&
          r.verdict === 'ok' &&
          r.call.entry.marks.includes('unsandboxed'),
      );
    if (
      to === undefined ||
      runs.some((r) => r.form.key === from.form.key && r.verdict === 'ok' && !r.call.entry.marks.includes('unsandboxed'))
    )
      continue;
    found.set(
      from.form.key,
      observed(session, {
        kind: 'gotcha',
        text: `\`${from.form.text}\` fails inside the agent's sandbox: ask to run it outside.`,
        key: `sandbox:${from.form.key}`,
        importance: 3,
        alone: true,
        worth: 0.6,
        entry: to.call.entry,
        quote: from.call.result?.error ?? to.call.entry.command ?? to.form.text,
        tags: ['needs', 'sandbox'],
        commands: [from.form.text],
      }),
    );
  }
  return [...found.values()];
}
