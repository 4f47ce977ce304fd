import { changesIn, mainText, type ToolCall } from '../calls.js';
import { renderEdit } from '../edits.js';
import { type Json, list, object, text as textOf } from '../../text/fields.js';
import { isWebCommand } from '../web.js';

export const SHELL = /^(?:bash|powershell|shell)$/i;
const WEB =
  /^(?:web_?fetch|web_?search|listmcpresources(?:tool)?|readmcpresource(?:tool)?)$|^mcp__/i;
export const AGENT = /^(?:task|agent|workflow)$/i;
export const EDIT = /^(?:edit|write|multiedit|notebookedit|update|str_replace_based_edit_tool)$/i;
const TODO = /^(?:todo(?:write|read)|task(?:create|update|list|get))$/i;
const PLAN = /^(?:ExitPlanMode|exit_plan_mode)$/;

/** Reads a tool's arguments in any shape. */
export function readCall(tool: string, argument: unknown): ToolCall {
  const input = object(argument);
  const paths = [input.file_path, input.notebook_path, input.filePath, input.path].map(textOf);
  const files = [...new Set(paths.filter((path) => path !== null))];
  const command = SHELL.test(tool) ? textOf(input.command) : null;
  const isUnboxed = command !== null && input.dangerouslyDisableSandbox === true;
  return {
    text: command ?? argumentText(tool, input, files[0] ?? null),
    command,
    files,
    web: WEB.test(tool) || (command !== null && isWebCommand(command)),
    marks: [
      ...(TODO.test(tool) ? ['todo'] : []),
      ...(PLAN.test(tool) ? ['plan'] : []),
      ...(isUnboxed ? ['unsandboxed'] : []),
    ],
  };
}

function argumentText(tool: string, input: Json, path: string | null): string {
  if (EDIT.test(tool)) return renderEdit(path, changesIn(input));
  if (TODO.test(tool))
    return list(input.todos).length > 0
      ? (mainText({ todos: input.todos }, []) ?? '')
      : joinTexts([input.taskId, input.status, input.subject, input.description], ' ');
  if (/^askuserquestion$/i.test(tool))
    return joinTexts(list(input.questions).map(object).map(questionText));
  const main = [
    [input.plan],
    [input.url, input.prompt],
    [input.query],
    [input.description, input.prompt],
    [input.pattern, input.glob, path],
    [input.skill, input.args],
    [input.command],
    [path],
  ].find(([first]) => textOf(first) !== null);
  if (main && !tool.startsWith('mcp__')) return joinTexts(main);
  return Object.keys(input).length > 0 ? JSON.stringify(input) : '';
}

function questionText(question: Json): string {
  const options = list(question.options).map((option) => object(option).label);
  return joinTexts([question.question, joinTexts(options, ' | ')]);
}

/** Joins the texts among values. */
export function joinTexts(values: readonly unknown[], between = '\n'): string {
  return values.filter((value) => textOf(value) !== null).join(between);
}
