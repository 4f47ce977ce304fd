import type { Outcome } from '../../types.js';
import { changedLines, cutLines, renderEdit } from '../edits.js';
import {
  type Json,
  dropBinary,
  isObject,
  list,
  object,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import { isWebCommand } from '../web.js';
import type { OpenCall } from './state.js';

/** The content of a tool_result block, together with the record's richer copy (`toolUseResult`). */
interface Result {
  text: string;
  exit: number | null;
  outcome: Outcome | null;
  origin: 'tool' | 'external' | 'agent';
  /** The reason that the person typed when they refused the call. */
  reason: string | null;
  /** What the person chose or typed when the agent asked. */
  answers: string[];
  files: string[];
  /** Name of the background task that the call left running. */
  task: string | null;
}

const REFUSED =
  /^(?:Error: )?(?:The user doesn't want to (?:proceed with|take) this|The tool use was rejected|The agent proposed a plan that was rejected by the user|Permission for this tool use was denied\.[^\n]*the user said)/;
const DENIED =
  /^(?:Error: )?(?:Permission to use |Claude requested permissions? |This command requires approval|This Bash command contains multiple operations|[\w:-]+ hook error:|Permission for this tool use was denied)/;
const REASON = /the user said:[ \t]*\n?([\s\S]*)$/;
const REASON_NOTE = /(?<!\s)(?=[^\S\n]*\n)\s+Note: The user's next message may contain[\s\S]*$/;
const EXIT = /^(?:Error: )?Exit code (-?\d+)\b/;
const INTERRUPTED = /^\s*\[Request interrupted by user/;
const NOT_RUN = /^(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)/;
const REMINDER = '<system-reminder>';

/** Reads one tool_result; `call` is the open call that it answers. */
export function readResult(block: Json, record: Json, call: OpenCall | null): Result {
  const rich = record.toolUseResult;
  const tool = call?.tool ?? '';
  const raw = dropBinary(stripReminders(contentText(block.content)) || richText(rich));
  const ended = readEnd(block, record, tool, raw);
  const web = call?.web ?? true;
  const refused = ended.outcome === 'rejected' && canTrustRefusal(record, tool, web);
  return {
    text:
      EDIT.test(tool) || (!call && isObject(rich) && Array.isArray(rich.structuredPatch))
        ? editText(raw, rich, call)
        : raw,
    ...ended,
    origin: refused ? 'tool' : AGENT.test(tool) ? 'agent' : web ? 'external' : 'tool',
    reason: refused ? reasonOf(raw) : null,
    answers: ended.outcome === 'ok' ? answersOf(tool, rich, raw) : [],
    files: filesOf(rich, call),
    task: isObject(rich) ? short(rich.backgroundTaskId) : null,
  };
}

/** Text of a result's content: a string, or blocks without images and other binary data. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map(object)
    .map((part) => (part.type === 'tool_reference' ? textOf(part.tool_name) : textOf(part.text)))
    .filter(Boolean)
    .join('\n');
}

function richText(rich: unknown): string {
  if (typeof rich === 'string') return rich.replace(/^Error: /, '');
  if (!isObject(rich) || rich.isImage === true) return '';
  return [textOf(rich.stdout), textOf(rich.stderr)].filter(Boolean).join('\n');
}

/** Removes the reminders that the program appends to a tool's output. */
function stripReminders(text: string): string {
  let rest = text;
  while (rest.trimEnd().endsWith('</system-reminder>') && rest.includes(REMINDER))
    rest = rest.slice(0, rest.lastIndexOf(REMINDER)).trimEnd();
  return rest;
}

function readEnd(
  block: Json,
  record: Json,
  tool: string,
  text: string,
): { exit: number | null; outcome: Outcome | null } {
  const rich = object(record.toolUseResult);
  const head = text.slice(0, 400);
  const error = block.is_error === true || rich.is_error === true;
  if (record.toolDenialKind !== undefined && record.toolDenialKind !== null)
    return { exit: null, outcome: 'rejected' };
  if (
    error &&
    (REFUSED.test(head) || DENIED.test(head) || record.toolUseResult === 'User rejected tool use')
  )
    return { exit: null, outcome: 'rejected' };
  const exit = exitOf(block, rich, tool, text, error);
  if (rich.interrupted === true || (error && INTERRUPTED.test(head)))
    return { exit, outcome: 'interrupted' };
  if (error) return { exit, outcome: NOT_RUN.test(head) ? null : 'failed' };
  if (isRunning(rich, text)) return { exit: null, outcome: null };
  if (textOf(rich.returnCodeInterpretation) !== null) return { exit: exit ?? 1, outcome: 'ok' };
  if (exit !== null) return { exit, outcome: exit === 0 ? 'ok' : 'failed' };
  return { exit: SHELL.test(tool) ? 0 : null, outcome: 'ok' };
}

function exitOf(
  block: Json,
  rich: Json,
  tool: string,
  text: string,
  error: boolean,
): number | null {
  const named = whole(rich.exitCode) ?? whole(rich.exit_code) ?? whole(object(rich.task).exitCode);
  if (named !== null) return named;
  const told =
    error || (SHELL.test(tool) && rich.stdout === undefined && block.is_error !== false)
      ? EXIT.exec(text)
      : null;
  if (told) return Number(told[1]);
  const tagged = /^(?:BashOutput|TaskOutput|AgentOutputTool)$/.test(tool)
    ? /<exit_code>(-?\d+)<\/exit_code>/.exec(text.slice(0, 2000))
    : null;
  return tagged ? Number(tagged[1]) : null;
}

function isRunning(rich: Json, text: string): boolean {
  return (
    textOf(rich.backgroundTaskId) !== null ||
    rich.status === 'running' ||
    rich.status === 'async_launched' ||
    /^<status>running<\/status>/.test(text) ||
    rich.retrieval_status === 'timeout'
  );
}

/** The words after "the user said:", without the note that the program adds for the agent. */
function reasonOf(text: string): string | null {
  const reason = REASON.exec(text)?.[1]?.replace(REASON_NOTE, '').trim();
  return reason ? reason : null;
}

/**
 * A web page or MCP server could print the words of a refusal; for those only the program's own
 * mark counts.
 */
function canTrustRefusal(record: Json, tool: string, web: boolean): boolean {
  return (
    record.toolDenialKind === 'user-rejected' ||
    (record.toolDenialKind === undefined && !web && !WEB.test(tool))
  );
}

/** What the person chose or typed, without the agent's questions. */
function answersOf(tool: string, rich: unknown, text: string): string[] {
  if (
    tool !== 'AskUserQuestion' &&
    (tool !== '' || !isObject(rich) || !Array.isArray(rich.questions))
  )
    return [];
  if (!isObject(rich) || !isObject(rich.answers))
    return [...text.matchAll(/"="([^"]+)"/g)].map((answer) => answer[1]!);
  const notes = Object.values(object(rich.annotations)).map((note) => textOf(object(note).notes));
  const answers = Object.values(rich.answers).flatMap((answer) =>
    Array.isArray(answer) ? answer.map(textOf) : [textOf(answer)],
  );
  return [...answers, ...notes].filter((answer) => answer !== null).map((answer) => answer.trim());
}

/**
 * Result of an edit: its message, and the changed lines if the call did not have them or the person
 * changed them.
 */
function editText(raw: string, rich: unknown, call: OpenCall | null): string {
  if (!isObject(rich)) return raw;
  const path = textOf(rich.filePath) ?? call?.files[0] ?? null;
  if (call && rich.userModified !== true && rich.type !== 'update') return cutLines(raw, 400);
  return renderEdit(path, patchLines(rich.structuredPatch));
}

/** Added and removed lines of a structured patch. */
function patchLines(patch: unknown): string[] {
  return list(patch).flatMap((hunk) =>
    list(object(hunk).lines).filter(
      (line): line is string => typeof line === 'string' && /^[+-]/.test(line),
    ),
  );
}

function filesOf(rich: unknown, call: OpenCall | null): string[] {
  const named = isObject(rich)
    ? [textOf(rich.filePath), textOf(object(rich.file).filePath)].filter((path) => path !== null)
    : [];
  return named.length === 0
    ? (call?.files ?? [])
    : [...new Set([...(call?.files ?? []), ...named])];
}

/**
 * The content of a tool call: its main argument as text, the shell command if it is one, and the
 * files it names.
 */
interface Call {
  text: string;
  command: string | null;
  files: string[];
  web: boolean;
  marks: string[];
}

const SHELL = /^(?:bash|powershell|shell)$/i;
const WEB =
  /^(?:web_?fetch|web_?search|listmcpresources(?:tool)?|readmcpresource(?:tool)?)$|^mcp__/i;
const AGENT = /^(?:task|agent)$/i;
const TODO = /^(?:todo(?:write|read)|task(?:create|update|list|get))$/i;
const EDIT = /^(?:edit|write|multiedit|notebookedit|update|str_replace_based_edit_tool)$/i;

/** Reads a tool's arguments, whatever their shape. */
export function readCall(tool: string, argument: unknown): Call {
  const input = object(argument);
  const files = pathsOf(input);
  const command = SHELL.test(tool) ? textOf(input.command) : null;
  return {
    text: command ?? argumentText(tool, input, files[0] ?? null) ?? '',
    command,
    files,
    web: WEB.test(tool) || (command !== null && isWebCommand(command)),
    marks: [
      ...(TODO.test(tool) ? ['todo'] : []),
      ...(/^(?:ExitPlanMode|exit_plan_mode)$/.test(tool) ? ['plan'] : []),
      ...(command !== null && input.dangerouslyDisableSandbox === true ? ['unsandboxed'] : []),
    ],
  };
}

function pathsOf(input: Json): string[] {
  const paths = [input.file_path, input.notebook_path, input.filePath, input.path]
    .map(textOf)
    .filter((path) => path !== null);
  return [...new Set(paths)];
}

function argumentText(tool: string, input: Json, path: string | null): string | null {
  const name = tool.toLowerCase();
  if (EDIT.test(name)) return renderEdit(path, linesOf(input));
  if (TODO.test(name)) return todoText(input);
  if (name === 'askuserquestion') return questionText(input);
  const main = [
    [input.plan],
    [input.url, input.prompt],
    [input.query],
    [input.description, input.prompt],
    [input.pattern, input.glob, path],
    [input.skill, input.args],
    [input.command],
    [path],
  ].find((parts) => textOf(parts[0]) !== null);
  if (main && !tool.startsWith('mcp__')) return main.map(textOf).filter(Boolean).join('\n');
  return Object.keys(input).length > 0 ? JSON.stringify(input) : null;
}

/** Changed lines from the arguments of an edit; a whole file is all new lines. */
function linesOf(input: Json): string[] {
  const edits = list(input.edits).map(object);
  const pairs = edits.length > 0 ? edits : [input];
  return pairs.flatMap((edit) => {
    const after =
      textOf(edit.new_string) ??
      textOf(edit.content) ??
      textOf(edit.new_source) ??
      textOf(edit.file_text) ??
      textOf(edit.new_str) ??
      '';
    return changedLines(textOf(edit.old_string) ?? textOf(edit.old_str) ?? '', after);
  });
}

function todoText(input: Json): string {
  const todos = list(input.todos).map(object);
  if (todos.length > 0)
    return todos
      .map((todo) => `[${textOf(todo.status) ?? ''}] ${textOf(todo.content) ?? ''}`)
      .join('\n');
  return [input.taskId, input.status, input.subject, input.description]
    .map(textOf)
    .filter(Boolean)
    .join(' ');
}

function questionText(input: Json): string {
  return list(input.questions)
    .map(object)
    .map((question) => {
      const options = list(question.options)
        .map((option) => textOf(object(option).label))
        .filter(Boolean);
      return [textOf(question.question), options.join(' | ')].filter(Boolean).join('\n');
    })
    .join('\n');
}
