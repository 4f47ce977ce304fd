/** Tags in which Claude Code wraps what it puts into the user's channel itself. */
const NAMES =
  'system-reminder|system_reminder|ide_opened_file|ide_selection|ide_diagnostics|' +
  'new-diagnostics|local-command-caveat|local-command-stdout|local-command-stderr|' +
  'task-notification|task_notification|user-prompt-submit-hook|session-start-hook|' +
  'pre-tool-use-hook|post-tool-use-hook|stop-hook|persisted-output|tool_use_error|' +
  'teammate-message|teammate_message|cross-session-message|channel|mcp-resource-update|' +
  'mcp-polling-update|fork-boilerplate|background-task-output|github-webhook-activity|' +
  'scheduled-task|tick|skill-format|available-skills|environment_context|' +
  'remote-review-progress|agent-notification|' +
  'command-name|command-message|command-args|command-contents|bash-input|bash-stdout|' +
  'bash-stderr|user-memory-input';

const OPEN = new RegExp(String.raw`<(${NAMES})(?:\s[^<>]*)?>`, 'y');

/**
 * Tags whose body is foreign text and may contain a false closing tag: they extend to the last
 * closing tag.
 */
const FOREIGN = new Set(
  (
    'local-command-stdout local-command-stderr bash-stdout bash-stderr ide_selection ' +
    'task-notification task_notification teammate-message teammate_message ' +
    'cross-session-message channel mcp-resource-update mcp-polling-update ' +
    'github-webhook-activity persisted-output background-task-output'
  ).split(' '),
);

/** The body of a known wrapper, or (tag null) text outside of wrappers. */
export interface Segment {
  tag: string | null;
  body: string;
}

/**
 * Splits a text at known wrappers that stand at the start of a line or right after another wrapper.
 */
export function splitWrappers(text: string): Segment[] {
  const segments: Segment[] = [];
  const addPlain = (body: string): void => {
    if (body.trim() !== '') segments.push({ tag: null, body: body.trim() });
  };
  let from = 0;
  let at = text.includes('<') ? skipBlank(text, 0) : text.length;
  while (at < text.length) {
    OPEN.lastIndex = at;
    const open = text[at] === '<' ? OPEN.exec(text) : null;
    if (!open) {
      const newline = text.indexOf('\n', at);
      if (newline < 0) break;
      at = skipBlank(text, newline + 1);
      continue;
    }
    const tag = open[1]!;
    const body = at + open[0].length;
    const close = `</${tag}>`;
    const found = FOREIGN.has(tag) ? text.lastIndexOf(close) : text.indexOf(close, body);
    // An unclosed wrapper extends to the end.
    const end = found < body ? text.length : found;
    addPlain(text.slice(from, at));
    segments.push({ tag, body: text.slice(body, end).trim() });
    from = end + close.length;
    at = skipBlank(text, from);
  }
  addPlain(text.slice(from));
  return segments;
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
