/** Tags around texts that Claude Code adds to the user's channel. */
const TAG = new RegExp(
  '<(system[-_]reminder|ide_(?:opened_file|selection|diagnostics)|new-diagnostics|' +
    'local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)|user-memory-input|' +
    'command-(?:name|message|args|contents)|task[-_]notification|background-task-output|' +
    '(?:user-prompt-submit|session-start|pre-tool-use|post-tool-use|stop)-hook|' +
    'persisted-output|tool_use_error|teammate[-_]message|(?:cross-session|agent|subagent|channel)-message|channel|ci-monitor-event|' +
    'mcp-(?:resource|polling)-update|fork-boilerplate|github-webhook-activity|scheduled-task|' +
    'tick|skill-format|available-skills|environment_context|remote-review-progress|' +
    String.raw`agent-notification)(?:\s[^<>]*)?>`,
  'y',
);

/**
 * Tags around foreign text, which may contain a false closing tag, so they extend to the last
 * closing tag.
 */
const FOREIGN =
  /^(?:(?:bash|local-command)-std(?:out|err)|ide_selection|task[-_]notification|teammate[-_]message|(?:cross-session|agent|subagent|channel)-message|channel|ci-monitor-event|mcp-(?:resource|polling)-update|github-webhook-activity|persisted-output|background-task-output)$/;

/** The body of a known wrapper, or text outside of wrappers (tag ''). */
export interface Segment {
  tag: string;
  body: string;
}

/** Splits a text at known wrappers at the start of a line or directly after another wrapper. */
export function splitWrappers(text: string): Segment[] {
  const segments: Segment[] = [];
  const addPlain = (body: string): void => {
    if (body.trim() !== '') segments.push({ tag: '', body: body.trim() });
  };
  let from = 0;
  let at = text.includes('<') ? skipBlank(text, 0) : text.length;
  while (at < text.length) {
    TAG.lastIndex = at;
    const open = text[at] === '<' ? TAG.exec(text) : null;
    if (!open) {
      const newline = text.indexOf('\n', at);
      at = newline < 0 ? text.length : skipBlank(text, newline + 1);
      continue;
    }
    const tag = open[1]!;
    const body = at + open[0].length;
    const close = `</${tag}>`;
    const found = FOREIGN.test(tag) ? text.lastIndexOf(close) : text.indexOf(close, body);
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

/** Whether a text is only one wrapper with a program's tag name, e.g. `<peer-update>`. */
export function isWrapped(text: string): boolean {
  const open = /^\s*<([a-z][a-z\d]*(?:[-_][a-z\d]+)+)(?:\s[^<>]*)?>/.exec(text);
  return open !== null && text.trimEnd().endsWith(`</${open[1]}>`);
}
