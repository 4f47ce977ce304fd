import { commandText } from '../calls.js';
import { renderEdit } from '../edits.js';
import { type Json, isObject, list, object, text as textOf, linesOf } from '../fields.js';
import { isWebCommand } from '../web.js';
import { type Printed, readScript, type ScriptRun } from './script.js';

/**
 * The content of a tool call: its main argument as text, the shell command if it is one, and the
 * files it names.
 */
interface Call {
  text: string;
  command: string | null;
  files: string[];
  cwd: string | null;
  web: boolean;
  marks: string[];
  /** Process or script that a poll asks about. */
  process: string | null;
  /** What a script runs and polls, in order. */
  runs: ScriptRun[];
  printed: Printed | null;
  isMaybe: boolean;
}

const SHELL = /^(?:shell|exec_command|shell_command|local_shell|container\.exec|unified_exec)$/;
const POLL = /^(?:write_stdin|wait)$/;
const AGENT =
  /^(?:spawn_agent|send_message|send_input|followup_task|wait_agent|list_agents|close_agent|resume_agent)$/;
const LOCAL =
  /^(?:apply_patch|update_plan|view_image|request_user_input|exec|js_repl|list_dir|read_file|grep_files|get_goal|create_goal|update_goal|tool_search)$/;
const PATCH_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/;

export function isAgentTool(tool: string): boolean {
  return AGENT.test(tool);
}

/** Arguments are JSON inside a string; a string that is not JSON is the argument itself. */
function parseArguments(value: unknown): Json {
  if (isObject(value)) return value;
  if (typeof value !== 'string') return {};
  // A script or patch. Checked first, because a thrown error with its stack costs more than reading
  // the call.
  if (!/^[ \t\r\n]*\{/.test(value)) return { input: value };
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : { input: value };
  } catch {
    return { input: value };
  }
}

function plain(text: string, more: Partial<Call> = {}): Call {
  return {
    text,
    command: null,
    files: [],
    cwd: null,
    web: false,
    marks: [],
    process: null,
    runs: [],
    printed: null,
    isMaybe: false,
    ...more,
  };
}

function shell(command: string, cwd: string | null): Call {
  return plain(command, { command, cwd, web: isWebCommand(command) });
}

/** Path and changed lines of an `apply_patch` argument. */
function readPatch(patch: string): { text: string; files: string[] } {
  const files: string[] = [];
  const kept: string[] = [];
  for (const line of linesOf(patch)) {
    const file = PATCH_FILE.exec(line);
    if (file) files.push((file[1] ?? file[2])!.trim());
    if (file) kept.push((file[1] ?? file[2])!.trim());
    else if (/^[+-]/.test(line)) kept.push(line);
  }
  return { text: renderEdit(null, kept), files: [...new Set(files)] };
}

function patchCall(patch: string): Call {
  const { text, files } = readPatch(patch);
  return plain(text, { files });
}

/**
 * Words of a command that may be paths: nothing else tells of a computed one that it shows a secret
 * file.
 */
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
  const patch = patches ? readPatch(source.replaceAll('\\n', '\n')) : null;
  return plain(command ?? (patch && patch.files.length > 0 ? patch.text : source), {
    command,
    cwd: commands.find(({ cwd }) => cwd !== null)?.cwd ?? null,
    ...script,
    files: [...(patch?.files ?? []), ...begun.flatMap(pathsIn)],
    web:
      begun.some(isWebCommand) ||
      (command !== null && isWebCommand(command)) ||
      /\bweb__|\bweb\.run|\bmcp__/.test(source),
  });
}

function questions(input: Json): string {
  return list(input.questions)
    .map(object)
    .map((one) =>
      [
        textOf(one.question),
        list(one.options)
          .map((option) => textOf(object(option).label))
          .filter(Boolean)
          .join(' | '),
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n');
}

function plan(input: Json): string {
  return [
    textOf(input.explanation),
    ...list(input.plan)
      .map(object)
      .map((step) => `[${textOf(step.status) ?? ''}] ${textOf(step.step) ?? ''}`),
  ]
    .filter(Boolean)
    .join('\n');
}

/**
 * Reads the call of `tool`; `argument` is JSON in a string, plain text, or an object of any shape.
 */
export function readCall(tool: string, argument: unknown): Call {
  const input = parseArguments(argument);
  const raw = typeof argument === 'string' ? argument : '';
  const command = commandText(input.cmd ?? input.command);
  if (SHELL.test(tool) && command !== null) {
    const patch =
      /^(?:apply_patch|applypatch)\b/.exec(command) ?? /^apply_patch\s*<</m.exec(command);
    if (patch) return patchCall(command);
    const escalated =
      input.with_escalated_permissions === true ||
      input.sandbox_permissions === 'require_escalated';
    return {
      ...shell(command, textOf(input.workdir) ?? textOf(input.cwd)),
      marks: escalated ? ['unsandboxed'] : [],
    };
  }
  if (tool === 'apply_patch') return patchCall(textOf(input.input) ?? textOf(input.patch) ?? raw);
  if (tool === 'exec' || tool === 'js_repl')
    return scriptCall(textOf(input.input) ?? textOf(input.code) ?? raw);
  if (POLL.test(tool)) {
    const process = [input.session_id, input.cell_id, input.process_id].find(
      (id) => typeof id === 'number' || typeof id === 'string',
    );
    return plain(textOf(input.chars) ?? '', {
      process: process === undefined ? null : String(process),
    });
  }
  if (tool === 'request_user_input') return plain(questions(input));
  if (tool === 'update_plan') return plain(plan(input), { marks: ['todo'] });
  const path = textOf(input.path) ?? textOf(input.file_path);
  const files = path ? [path] : [];
  const text =
    textOf(input.message) ??
    textOf(input.query) ??
    textOf(input.url) ??
    (files[0] || (Object.keys(input).length > 0 ? JSON.stringify(input) : raw));
  return plain(text, { files, web: !AGENT.test(tool) && !LOCAL.test(tool) });
}
