import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import type { SessionInput } from '../session.js';
import { errorSpan } from './by-command.js';
import type { Cured } from './failures.js';

const OUTSIDE = /timed? ?out|ETIMEDOUT|ECONNRESET|network|rate limit|429|502|503|quota|No space|killed|address already in use|EADDRINUSE|lock/i;

/** The same test command, word for word, failed and then passed with nothing changed in between. */
export function flakyCommand(session: SessionInput, cured: Cured): Candidate | null {
  const last = cured.failed[cured.failed.length - 1];
  if (last === undefined || cured.changes.length > 0 || cured.worked.form.class !== 'test' || cured.worked.form.passing) return null;
  if (last.call.entry.command !== cured.worked.call.entry.command || OUTSIDE.test(cured.error)) return null;
  const touched = session.entries.slice(last.at + 1, cured.worked.at).some((e) => e.role === 'tool_call' && e.command !== null && /(?:>|\bsed -i|\bgit (?:checkout|stash|reset|restore|pull|merge)|\b(?:mv|cp|rm|install|add|tee|patch)\b)/.test(e.command));
  if (touched || session.entries.slice(last.at + 1, cured.worked.at).some((e) => e.role === 'user')) return null;
  return observed(session, {
    kind: 'gotcha',
    text: `\`${cured.text}\` is flaky or order-dependent: it failed with ${errorSpan(cured.error, 80)} and passed unchanged; run it again before looking for a cause.`,
    key: `flaky:${cured.text}:${cured.error}`,
    importance: 3,
    alone: true,
    worth: 0.5,
    entry: cured.worked.call.entry,
    quote: cured.error,
    tags: ['cure', 'flaky'],
    commands: [cured.text],
  });
}
