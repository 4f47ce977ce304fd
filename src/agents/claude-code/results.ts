/** Results of calls: a `tool_result` block with the record's richer copy, and how tasks ended. */
import type { Outcome } from '../../types.js';
import { cutLines, renderEdit } from '../edits.js';
import type { Event, OpenCall } from '../engine.js';
import { type Json, dropBinary, isObject, list, object } from '../../text/fields.js';
import { short, text as textOf, whole } from '../../text/fields.js';
import { contentText } from '../typed.js';
import { AGENT, EDIT, joinTexts, SHELL } from './calls.js';
import type { At } from './prompt.js';
import { isChild, type Reading } from './state.js';

const REFUSED =
  /^(?:Error: )?(?:The user doesn't want to (?:proceed with|take) this|The tool use was rejected|The agent proposed a plan that was rejected by the user|Permission for this tool use was denied\.[^\n]*the user said)/;
const DENIED =
  /^(?:Error: )?(?:Permission to use |Claude requested permissions? |This command requires approval|This Bash command contains multiple operations|[\w:-]+ hook error:|Permission for this tool use was denied)/;
const REASON = /the user said:[ \t]*\n?([\s\S]*)$/;
/** Text that the program adds for the agent. */
const REASON_NOTE = /(?<!\s)(?=[^\S\n]*\n)\s+Note: The user's next message may contain[\s\S]*$/;
const EXIT = /^(?:Error: )?Exit code (-?\d+)\b/;
const INTERRUPTED = /^\s*\[Request interrupted by user/;
const NOT_RUN = /^(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)/;
const REMINDER = '<system-reminder>';

interface End {
  ok: boolean | null;
  exit: number | null;
  /** Null: use the other two fields. */
  outcome: Outcome | null;
}

/** The result of a call, and the person's words if the person refused or answered the call. */
export function resultEvents(reading: Reading, block: Json, part: number): Event[] {
  const { record, kept } = reading;
  const call = textOf(block.tool_use_id);
  const open = kept.calls.find(({ id }) => id === call) ?? null;
  const tool = open?.tool ?? '';
  const copy = record.toolUseResult;
  const rich = object(copy);
  const raw = dropBinary(stripReminders(contentText(block.content)) || richText(copy));
  const { ok, exit, outcome } = readEnd(block, record, tool, raw);
  const isRefused = outcome === 'rejected' && canTrustRefusal(record, open);
  const text =
    isObject(copy) && (EDIT.test(tool) || (!open && Array.isArray(rich.structuredPatch)))
      ? editText(raw, rich, open)
      : raw;
  const paths = [rich.filePath, object(rich.file).filePath].map(textOf);
  const files = paths.filter((path) => path !== null);
  const task = short(rich.backgroundTaskId);
  const mark = !isRefused && AGENT.test(tool) && !isChild(reading) ? 'subagent' : null;
  const stays = task !== null;
  const end: Event = { is: 'result', part, call, text, ok, exit, outcome, files, mark, stays };
  if (isRefused) end.origin = 'tool';
  const events: Event[] = [end];
  // The call continues as a task, and a later result ends it.
  if (task !== null && call !== null) events.push({ is: 'keep', call, more: { task } });
  if (isChild(reading)) return events;
  const to = { tool: tool || null, call };
  const add = (mark: string, at: string, words: string) =>
    events.push({ is: 'prompt', part: `${part}:${at}`, text: words, mark, to });
  const reason = isRefused ? REASON.exec(raw)?.[1]?.replace(REASON_NOTE, '').trim() : null;
  if (reason) add('rejection', 'reason', reason);
  if (ok) answersOf(tool, copy, raw).forEach((words, n) => add('question', `answer${n}`, words));
  return events;
}

function richText(copy: unknown): string {
  if (typeof copy === 'string') return copy.replace(/^Error: /, '');
  const { isImage, stdout, stderr } = object(copy);
  return isImage === true ? '' : joinTexts([stdout, stderr]);
}

/** Removes the reminders that the program appends to a tool's output. */
function stripReminders(text: string): string {
  let rest = text;
  while (rest.trimEnd().endsWith('</system-reminder>') && rest.includes(REMINDER))
    rest = rest.slice(0, rest.lastIndexOf(REMINDER)).trimEnd();
  return rest;
}

function readEnd(block: Json, record: Json, tool: string, text: string): End {
  const rich = object(record.toolUseResult);
  const head = text.slice(0, 400);
  const isError = block.is_error === true || rich.is_error === true;
  const isDenied = (record.toolDenialKind ?? null) !== null;
  const isRefusal = () =>
    REFUSED.test(head) || DENIED.test(head) || record.toolUseResult === 'User rejected tool use';
  if (isDenied || (isError && isRefusal())) return { ok: false, exit: null, outcome: 'rejected' };
  const exit = exitOf(block, rich, tool, text, isError);
  if (rich.interrupted === true || (isError && INTERRUPTED.test(head)))
    return { ok: false, exit, outcome: 'interrupted' };
  const isOpen = isError ? NOT_RUN.test(head) : isRunning(rich, text);
  if (isOpen) return { ok: null, exit: null, outcome: null };
  if (isError) return { ok: false, exit, outcome: null };
  if (textOf(rich.returnCodeInterpretation) !== null)
    return { ok: true, exit: exit ?? 1, outcome: 'ok' };
  return { ok: true, exit: exit ?? (SHELL.test(tool) ? 0 : null), outcome: null };
}

function exitOf(block: Json, rich: Json, tool: string, text: string, isError: boolean) {
  const named = whole(rich.exitCode) ?? whole(rich.exit_code) ?? whole(object(rich.task).exitCode);
  if (named !== null) return named;
  const isPrinted = SHELL.test(tool) && rich.stdout === undefined && block.is_error !== false;
  const isTask = /^(?:BashOutput|TaskOutput|AgentOutputTool)$/.test(tool);
  const found =
    (isError || isPrinted ? EXIT.exec(text) : null) ??
    (isTask ? /<exit_code>(-?\d+)<\/exit_code>/.exec(text.slice(0, 2000)) : null);
  return found ? Number(found[1]) : null;
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

/**
 * Whether the words of a refusal count. A web page or MCP server could print them; for these only
 * the program's mark counts.
 */
function canTrustRefusal(record: Json, open: OpenCall | null): boolean {
  const { toolDenialKind: kind } = record;
  return kind === 'user-rejected' || (kind === undefined && open?.web === false);
}

/** The person's choices and words, without the agent's questions. */
function answersOf(tool: string, copy: unknown, text: string): string[] {
  const { questions, answers, annotations } = object(copy);
  if (tool !== 'AskUserQuestion' && (tool !== '' || !Array.isArray(questions))) return [];
  if (!isObject(answers)) return [...text.matchAll(/"="([^"]+)"/g)].map((answer) => answer[1]!);
  const notes = Object.values(object(annotations)).map((note) => object(note).notes);
  return [...Object.values(answers).flat(), ...notes]
    .map(textOf)
    .filter((answer) => answer !== null)
    .map((answer) => answer.trim());
}

/**
 * Result of an edit: its message, and the changed lines if the call lacks them or the person
 * changed them.
 */
function editText(raw: string, rich: Json, open: OpenCall | null): string {
  if (open && rich.userModified !== true && rich.type !== 'update') return cutLines(raw, 400);
  const lines = list(rich.structuredPatch).flatMap((hunk) => list(object(hunk).lines));
  return renderEdit(
    textOf(rich.filePath) ?? open?.files[0] ?? null,
    lines.filter((line) => typeof line === 'string').filter((line) => /^[+-]/.test(line)),
  );
}

function tag(text: string, name: string): string | null {
  return new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(text)?.[1] || null;
}

/**
 * A task notification is the result of a background command.
 * @returns null if the text is not a notification
 */
export function taskEnd(calls: readonly OpenCall[], text: string, { id, part, time }: At) {
  if (!/^\s*<task[-_]notification>/.test(text)) return null;
  const at = { id, part, text: text.trim(), ...(time && { time }) };
  const task = tag(text, 'task-id');
  const answered = tag(text, 'tool-use-id');
  const open = calls.find(
    (one) => (task !== null && object(one.more).task === task) || one.id === answered,
  );
  const status = tag(text, 'status');
  if (open === undefined || status === null || status === 'running')
    return { is: 'notice', ...at } satisfies Event;
  const exitMatch = /\bexit code (-?\d+)/.exec(tag(text, 'summary') ?? '');
  const exit = exitMatch ? Number(exitMatch[1]) : null;
  const ok = exit === null ? status === 'completed' : exit === 0;
  const outcome = status === 'killed' || status === 'stopped' ? 'interrupted' : null;
  const end = { ok, exit, outcome, origin: 'injected' } as const;
  return { is: 'result', ...at, call: open.id, ...end } satisfies Event;
}
