import { changedLines, renderEdit } from '../edits.js';
import { list, object, text as textOf, type Json } from '../fields.js';
import { isWebCommand } from '../web.js';

/** What a tool call says: its main argument as text, the shell command if it is one, and the files it names. */
export interface Call {
  text: string;
  command: string | null;
  files: string[];
  web: boolean;
  marks: string[];
}

const SHELL = new Set(['bash', 'powershell', 'shell']);
const WEB = new Set([
  'webfetch',
  'websearch',
  'web_fetch',
  'web_search',
  'listmcpresourcestool',
  'readmcpresourcetool',
  'listmcpresources',
  'readmcpresource',
]);
const AGENT = new Set(['task', 'agent']);
const TODO = new Set(['todowrite', 'taskcreate', 'taskupdate', 'todoread', 'tasklist', 'taskget']);
const EDIT = new Set(['edit', 'write', 'multiedit', 'notebookedit', 'update', 'str_replace_based_edit_tool']);

export const isShell = (tool: string): boolean => SHELL.has(tool.toLowerCase());
export const isAgentTool = (tool: string): boolean => AGENT.has(tool.toLowerCase());
export const isEditTool = (tool: string): boolean => EDIT.has(tool.toLowerCase());
/** Tools whose results were written by strangers: the web and MCP servers. */
export const isWebTool = (tool: string): boolean => WEB.has(tool.toLowerCase()) || tool.startsWith('mcp__');

/** Reads a tool's arguments; any shape gives something. */
export function readCall(tool: string, argument: unknown): Call {
  const input = object(argument);
  const files = pathsOf(input);
  const command = isShell(tool) ? textOf(input.command) : null;
  return {
    text: command ?? argumentText(tool, input, files[0] ?? null) ?? '',
    command,
    files,
    web: isWebTool(tool) || (command !== null && isWebCommand(command)),
    marks: [
      ...(TODO.has(tool.toLowerCase()) ? ['todo'] : []),
      ...(/^(?:ExitPlanMode|exit_plan_mode)$/.test(tool) ? ['plan'] : []),
      ...(command !== null && input.dangerouslyDisableSandbox === true ? ['unsandboxed'] : []),
    ],
  };
}

function pathsOf(input: Json): string[] {
  const paths = [input.file_path, input.notebook_path, input.filePath, input.path].map(textOf).filter((path) => path !== null);
  return [...new Set(paths)];
}

function argumentText(tool: string, input: Json, path: string | null): string | null {
  const name = tool.toLowerCase();
  if (isEditTool(name)) return renderEdit(path, linesOf(input));
  if (TODO.has(name)) return todoText(input);
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

/** Changed lines of the arguments of an edit; a file written whole is all new lines. */
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
  if (todos.length > 0) return todos.map((todo) => `[${textOf(todo.status) ?? ''}] ${textOf(todo.content) ?? ''}`).join('\n');
  return [input.taskId, input.status, input.subject, input.description].map(textOf).filter(Boolean).join(' ');
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
