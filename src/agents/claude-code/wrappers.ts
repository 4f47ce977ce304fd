import type { Step } from '../../types.js';
import { type RecordPlace, makeRawEntry } from './state.js';
import type { ClaudeState } from './state.js';

/** Tags in which Claude Code wraps what it puts into the user's channel itself. */
const INJECTED =
  'system-reminder|system_reminder|ide_opened_file|ide_selection|ide_diagnostics|' +
  'new-diagnostics|local-command-caveat|local-command-stdout|local-command-stderr|' +
  'task-notification|task_notification|user-prompt-submit-hook|session-start-hook|' +
  'pre-tool-use-hook|post-tool-use-hook|stop-hook|persisted-output|tool_use_error|' +
  'teammate-message|teammate_message|cross-session-message|channel|mcp-resource-update|' +
  'mcp-polling-update|fork-boilerplate|background-task-output|github-webhook-activity|' +
  'scheduled-task|tick|skill-format|available-skills|environment_context|' +
  'remote-review-progress|agent-notification';
const TYPED =
  'command-name|command-message|command-args|command-contents|bash-input|bash-stdout|' +
  'bash-stderr|user-memory-input';

const OPEN = new RegExp(String.raw`<(${INJECTED}|${TYPED})(?:\s[^<>]*)?>`, 'y');

/**
 * Tags whose body is foreign text and may contain a false closing tag: they extend to the last
 * closing tag.
 */
const FOREIGN = new Set<string>(
  (
    'local-command-stdout local-command-stderr bash-stdout bash-stderr ide_selection ' +
    'task-notification task_notification teammate-message teammate_message ' +
    'cross-session-message channel mcp-resource-update mcp-polling-update ' +
    'github-webhook-activity persisted-output background-task-output'
  ).split(' '),
);

/**
 * A piece of user-channel text: the body of a known wrapper, or (tag null) text outside of
 * wrappers.
 */
export interface Segment {
  tag: string | null;
  body: string;
}

/**
 * Splits a text at known wrappers that stand at the start of a line or right after another wrapper.
 */
export function splitWrappers(text: string): Segment[] {
  if (!text.includes('<')) return plain(text);
  const segments: Segment[] = [];
  let from = 0;
  let at = skipBlank(text, 0);
  while (at < text.length) {
    OPEN.lastIndex = at;
    const open = text[at] === '<' ? OPEN.exec(text) : null;
    if (!open) {
      const newline = text.indexOf('\n', at);
      if (newline < 0) break;
      at = skipBlank(text, newline + 1);
      continue;
    }
    const body = at + open[0].length;
    const [end, next] = closeOf(text, open[1]!, body);
    segments.push(...plain(text.slice(from, at)), {
      tag: open[1]!,
      body: text.slice(body, end).trim(),
    });
    from = next;
    at = skipBlank(text, next);
  }
  return [...segments, ...plain(text.slice(from))];
}

function plain(text: string): Segment[] {
  return text.trim() === '' ? [] : [{ tag: null, body: text.trim() }];
}

/** Where a wrapper's body ends and the rest begins; an unclosed wrapper extends to the end. */
function closeOf(text: string, tag: string, from: number): [number, number] {
  const close = `</${tag}>`;
  const end = FOREIGN.has(tag) ? text.lastIndexOf(close) : text.indexOf(close, from);
  return end < from ? [text.length, text.length] : [end, end + close.length];
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at++;
  return at;
}

/**
 * Whether a text is nothing but one wrapper with a program's tag name, such as `<peer-update
 * …>…</peer-update>`.
 */
export function isWrapped(text: string): boolean {
  const open = /^\s*<([a-z][a-z\d]*(?:[-_][a-z\d]+)+)(?:\s[^<>]*)?>/.exec(text);
  return open !== null && text.trimEnd().endsWith(`</${open[1]}>`);
}

const NOTICE = /^\s*<task[-_]notification>/;
function tag(text: string, name: string): string | null {
  return new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(text)?.[1] || null;
}

/**
 * A task notification says how a background command ended: it is that command's result.
 *
 * @returns null when the text is not a notification
 */
export function readNotice(
  state: ClaudeState,
  place: RecordPlace,
  text: string,
  block: string | number,
): Step<ClaudeState> | null {
  if (!NOTICE.test(text)) return null;
  const task = tag(text, 'task-id');
  const answered = tag(text, 'tool-use-id');
  const call =
    state.calls.find(
      (open) =>
        (task !== null && open.task === task) || (answered !== null && open.id === answered),
    ) ?? null;
  const status = tag(text, 'status');
  if (call === null || status === null || status === 'running')
    return { state, rawEntries: [makeRawEntry(place, block, 'system', 'injected', text.trim())] };
  const told = /\(exit code (-?\d+)\)|\bexit code (-?\d+)/.exec(tag(text, 'summary') ?? '');
  const exit = told ? Number(told[1] ?? told[2]) : null;
  const isOk = exit === null ? status === 'completed' : exit === 0;
  const isStopped = status === 'killed' || status === 'stopped';
  const outcome = isStopped ? 'interrupted' : isOk ? 'ok' : 'failed';
  const raw = makeRawEntry(place, block, 'tool_result', 'injected', text.trim(), {
    ...{ tool: call.tool, call: call.id, command: call.command, files: call.files },
    ...{ exit, outcome },
  });
  const calls = state.calls.filter((open) => open !== call);
  return { state: { ...state, calls }, rawEntries: [raw] };
}
