/** What Kiro's three formats share. */
import type { RawEntry } from '../../types.js';
import { rawEntryOf, isShellTool } from '../calls.js';
import { type Json, list, object, short, text as textOf } from '../fields.js';
import { readShell } from '../chat/index.js';
import { type Base, type Ending, type OpenCall, addCall, askCall, endCall } from '../open-calls.js';

export interface KiroState {
  session: string | null;
  cwd: string | null;
  title: string | null;
  told: boolean;
  /** Id of the last answer, and how many blocks of it were read: it may come in pieces. */
  answer: string | null;
  blocks: number;
  calls: OpenCall[];
}

/** What a record says. */
export interface Read {
  state: KiroState;
  rawEntries: RawEntry[];
  unknown?: string;
}

/** Names of every version. Any other tool is an MCP server's, asks AWS, or reads the web. */
const OWN = new Set(
  (
    'read write shell fs_read fsRead fs_write fsWrite execute_bash execute_cmd executeCmd executeBash executePwsh ls grep glob ' +
    'imageRead image_read code introspect knowledge task todo_list todo thinking switch_to_execution summary subagent ' +
    'use_subagent delegate read_file readFile readMultipleFiles read_multiple_files write_file fsAppend fs_append strReplace ' +
    'str_replace list_directory listDirectory file_search fileSearch grep_search grepSearch delete_file deleteFile ' +
    'get_diagnostics getDiagnostics report_issue gh_issue'
  ).split(' '),
);
const AGENTS = new Set(['subagent', 'use_subagent', 'delegate']);

/** The call in a block, and the state with it. */
export function asked(
  state: KiroState,
  base: Base,
  call: { id: unknown; name: unknown; input: unknown },
): Read {
  const tool = short(call.name) ?? 'unknown';
  const { raw, open } = askCall(
    base,
    { id: short(call.id), tool, input: call.input },
    OWN.has(tool),
  );
  return { state: { ...state, calls: addCall(state.calls, open) }, rawEntries: [raw] };
}

/** The result of a call. */
export function answered(
  state: KiroState,
  base: Base,
  {
    id,
    text,
    ok,
    rejected = false,
  }: { id: unknown; text: string; ok: boolean | null; rejected?: boolean },
): Read {
  const call = short(id);
  const tool = state.calls.find((open) => open.id === call)?.tool || null;
  const shell =
    tool !== null && isShellTool(tool) ? (readShell(text) ?? { exit: exitOf(text) }) : {};
  const refused =
    rejected ||
    (ok === false &&
      /^(?:Tool use was (?:cancelled|rejected)|The user (?:denied|rejected))/i.test(text));
  const ending: Ending = {
    call,
    tool,
    text,
    ok,
    ...shell,
    ...(refused ? { outcome: 'rejected' as const } : {}),
    ...(tool !== null && AGENTS.has(tool) ? { origin: 'agent' as const } : {}),
  };
  const { raw, calls } = endCall(base, state.calls, ending, (name) => OWN.has(name));
  return { state: { ...state, calls }, rawEntries: [raw] };
}

/** The last line of a command's result in the newest version. */
function exitOf(text: string): number | null {
  const found = /(?:^|\n)Exit Code: (-?\d{1,6})\s*$/.exec(text.slice(-200))?.[1];
  return found === undefined ? null : Number(found);
}

/**
 * Texts and JSON of a result's content: `{kind, data}` in one format, `{Text}` and `{Json}` in
 * another.
 */
export function resultText(content: unknown): string {
  const texts = list(content).map((each) => {
    const { kind, data, Text, Json: json } = object(each);
    const value = Text ?? json ?? (kind === 'image' ? null : data);
    return textOf(value) ?? (value === undefined || value === null ? '' : JSON.stringify(value));
  });
  return texts.filter((text) => text !== '').join('\n');
}

export function notice(base: Base, text: string, mark: string): RawEntry {
  return rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: [mark] });
}

export const INTERRUPTED = 'The user interrupted the turn.';

/** What the program itself sends after an answer that took too long. */
const MADE = /^You took too long to respond - try to split up the work into smaller steps\./;

/** Whether a program wrote this prompt. */
export function isMade(text: string): boolean {
  return MADE.test(text);
}

export function parse(json: unknown): Json {
  try {
    return typeof json === 'string' ? object(JSON.parse(json)) : {};
  } catch {
    return {};
  }
}
