import type { Candidate } from '../../types.js';
import { isNoCure } from '../../text/command-change.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import type { Change, Run } from './runs.js';
import { keptEnv } from './form.js';

/** The form that works stands at most this many entries after the failure. */
const REACH = 13;
const TALK =
  /^(?:-v+|--verbose|--help|-h|-q|--quiet|--debug|--version|--dry-run|-n|--force|-f|-y|--yes|--watch|-w|--list|-l|-x|-s|--tb=\S+|--trace|--stacktrace|--info|-run|-k|-t)$/;

/** What the later run has more: one environment value or one option, everything else equal. */
function addedTo(from: Run, to: Run): string | null {
  const [a, b] = [from.step.words, to.step.words];
  if (from.form.folder !== to.form.folder) return null;
  const env = keptEnv(to.step.env).filter((e) => !from.step.env.includes(e) && !isNoCure(e));
  const alike = a.join(' ') === b.join(' ') || from.form.words.join(' ') === to.form.words.join(' ');
  if (alike && env.length > 0)
    return env.length === 1 && to.step.env.length === from.step.env.length + 1 ? (env[0] ?? null) : null;
  if (a.join(' ') === b.join(' ')) return null;
  const more = b.filter((w) => !a.includes(w));
  const [option] = more;
  const isOne =
    env.length === 0 &&
    more.length === 1 &&
    b.length === a.length + 1 &&
    option !== undefined &&
    /^--?[a-z][\w-]*(?:=[\w./-]{1,30})?$/.test(option) &&
    !TALK.test(option) &&
    !isNoCure(option);
  return isOne && a.every((w) => b.includes(w)) ? option : null;
}

/** Commands that failed until one option or environment value was added, with nothing changed in between. */
export function neededParts(session: SessionInput, runs: Run[], changes: Change[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const [i, from] of runs.entries()) {
    if (from.verdict !== 'failed' || from.form.passing || runs.some((r) => r.verdict === 'ok' && r.form.key === from.form.key))
      continue;
    const to = runs
      .slice(i + 1)
      .find((r) => r.at > from.at && r.at - from.at <= REACH && r.verdict === 'ok' && addedTo(from, r) !== null);
    const part = to === undefined ? null : addedTo(from, to);
    if (to === undefined || part === null || to.form.passing || changes.some((c) => c.at > from.at && c.at < to.at)) continue;
    found.set(
      from.form.key,
      observed(session, {
        kind: 'gotcha',
        text: `\`${from.form.text}\` fails here without \`${part}\`: use \`${to.form.text}\`.`,
        key: `needs:${from.form.key}:${part}`,
        importance: 3,
        alone: true,
        worth: 0.62,
        entry: to.call.entry,
        quote: from.call.result?.error ?? to.call.entry.command ?? to.form.text,
        tags: ['needs'],
        subject: `part for ${from.form.text}`,
        value: part,
        commands: [to.form.text],
      }),
    );
  }
  return [...found.values()].filter((c) => c.text.length <= 200);
}

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
