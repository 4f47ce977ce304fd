import { commandText, type ToolCall } from '../calls.js';
import { renderEdit } from '../edits.js';
import {
  type Json,
  isObject,
  linesOf,
  list,
  object,
  parseAny,
  text as textOf,
} from '../../text/fields.js';
import { isWebCommand } from '../web.js';
import { readScript, type Script } from './script.js';

/** The request of a tool call. */
export interface Call extends ToolCall, Omit<Script, 'patches'> {
  cwd: string | null;
  /** Process or script of a poll. */
  process: string | null;
}

const SHELL = /^(?:shell|exec_command|shell_command|local_shell|container\.exec|unified_exec)$/;
const POLL = /^(?:write_stdin|wait)$/;
/** Tools that start or ask another agent. */
export const AGENT =
  /^(?:spawn_agent|send_message|send_input|followup_task|wait_agent|list_agents|close_agent|resume_agent)$/;
const LOCAL =
  /^(?:apply_patch|update_plan|view_image|request_user_input|exec|js_repl|list_dir|read_file|grep_files|get_goal|create_goal|update_goal|tool_search)$/;
const PATCH_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/;

/** Arguments are JSON inside a string; a string that is not JSON is the argument itself. */
function parseArguments(value: unknown): Json {
  if (typeof value !== 'string') return object(value);
  // Scripts and patches are not parsed as JSON, since a thrown error is slow.
  const parsed = /^[ \t\r\n]*\{/.test(value) ? parseAny(value) : null;
  return isObject(parsed) ? parsed : { input: value };
}

export function callOf(text: string, more: Partial<Call> = {}): Call {
  const plain = { text, command: null, files: [], web: false, marks: [], cwd: null, process: null };
  return Object.assign(plain, { runs: [], printed: null, isMaybe: false }, more);
}

/** Joins the texts among values. */
export function joined(between: string, ...values: unknown[]): string {
  return values.map(textOf).filter(Boolean).join(between);
}

/** Path and changed lines of an `apply_patch` argument. */
function readPatch(patch: string): Call {
  const files: string[] = [];
  const kept: string[] = [];
  for (const line of linesOf(patch)) {
    const found = PATCH_FILE.exec(line);
    const file = (found?.[1] ?? found?.[2])?.trim();
    if (file !== undefined) files.push(file);
    if (file !== undefined || /^[+-]/.test(line)) kept.push(file ?? line);
  }
  return callOf(renderEdit(null, kept), { files: [...new Set(files)] });
}

/** Words of a computed command that may be paths; only these show that it prints a secret file. */
function pathsIn(command: string): string[] {
  return command
    .split(/[\s'"|;&<>()]+/)
    .filter((word) => /[./]/.test(word) && !word.includes('://'));
}

function scriptCall(source: string): Call {
  const { patches, ...script } = readScript(source);
  const commands = script.runs.filter(({ command }) => command !== null);
  const command = commands.map((run) => run.command).join('\n') || null;
  const begun = script.runs.flatMap(({ begins }) => begins ?? []);
  const patch = patches ? readPatch(source.replaceAll('\\n', '\n')) : callOf('');
  const text = command ?? (patch.files.length > 0 ? patch.text : source);
  const files = [...patch.files, ...begun.flatMap(pathsIn)];
  const web =
    [...begun, command ?? ''].some(isWebCommand) || /\bweb__|\bweb\.run|\bmcp__/.test(source);
  const cwd = commands.find((run) => run.cwd !== null)?.cwd ?? null;
  return callOf(text, { command, files, web, cwd, ...script });
}

function questionOf({ question, options }: Json): string {
  const labels = list(options).map((option) => object(option).label);
  return joined('\n', question, joined(' | ', ...labels));
}

function stepOf({ status, step }: Json): string {
  return `[${textOf(status) ?? ''}] ${textOf(step) ?? ''}`;
}

/**
 * Reads the call of `tool`; `argument` is JSON in a string, plain text, or an object of any shape.
 */
export function readCall(tool: string, argument: unknown): Call {
  const input = parseArguments(argument);
  const raw = typeof argument === 'string' ? argument : '';
  const command = commandText(input.cmd ?? input.command);
  if (SHELL.test(tool) && command !== null) {
    if (/^(?:apply_patch|applypatch)\b|(?:^|\n)apply_patch\s*<</.test(command))
      return readPatch(command);
    const isEscalated =
      input.with_escalated_permissions === true ||
      input.sandbox_permissions === 'require_escalated';
    const marks = isEscalated ? ['unsandboxed'] : [];
    const cwd = textOf(input.workdir) ?? textOf(input.cwd);
    return callOf(command, { command, web: isWebCommand(command), marks, cwd });
  }
  if (tool === 'apply_patch') return readPatch(textOf(input.input) ?? textOf(input.patch) ?? raw);
  if (tool === 'exec' || tool === 'js_repl')
    return scriptCall(textOf(input.input) ?? textOf(input.code) ?? raw);
  if (POLL.test(tool)) {
    const asked = [input.session_id, input.cell_id, input.process_id];
    const id = asked.find((each) => typeof each === 'number' || typeof each === 'string');
    return callOf(textOf(input.chars) ?? '', { process: id === undefined ? null : String(id) });
  }
  if (tool === 'request_user_input')
    return callOf(list(input.questions).map(object).map(questionOf).join('\n'));
  if (tool === 'update_plan') {
    const steps = list(input.plan).map(object).map(stepOf);
    return callOf(joined('\n', input.explanation, ...steps), { marks: ['todo'] });
  }
  const path = textOf(input.path) ?? textOf(input.file_path);
  const mainText = textOf(input.message) ?? textOf(input.query) ?? textOf(input.url) ?? path;
  const text = mainText ?? (Object.keys(input).length > 0 ? JSON.stringify(input) : raw);
  const web = !AGENT.test(tool) && !LOCAL.test(tool);
  return callOf(text, { files: path === null ? [] : [path], web });
}
