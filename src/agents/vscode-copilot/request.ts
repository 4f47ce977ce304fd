/** One request of a chat and its whole answer. */
import type { RawEntry, Outcome, Usage } from '../../types.js';
import { rawEntryOf, exitIn, readToolCall } from '../calls.js';
import { changedLines, renderEdit } from '../edits.js';
import {
  type Json,
  dropBinary,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import { typedEntries } from '../typed.js';
import { originOf } from '../open-calls.js';

/** Kinds of parts that show progress, references and buttons. */
const SILENT = new Set(
  (
    'progressMessage progressTask progressTaskSerialized undoStop codeblockUri reference usedContext codeCitation command ' +
    'warning info mcpServersStarting prepareToolInvocation treeData hook autoModeResolution pullRequest extensions multiDiff ' +
    'multiDiffData notebookEdit notebookEditGroup textEdit externalEdits workspaceEdit planReview move changesSummary todoList ' +
    'confirmation elicitation elicitationSerialized questionCarousel clearToPreviousToolInvocation systemNotification ' +
    'disabledClaudeHooks'
  ).split(' '),
);

/** What all parts of a request share. */
interface Context {
  /** Beginning of the ids, or null. */
  id: string | null;
  cwd: string | null;
  calls: Calls;
  /** Time of the latest part that has one. */
  time: string | null;
}

/** The model's calls with their arguments and results, by id and in order. */
interface Calls {
  byId: Map<string, { call: Json; time: string | null }>;
  inOrder: { call: Json; time: string | null }[];
  results: Json;
}

/** Early versions numbered requests within each session. */
function idOf(request: Json, session: string | null): string | null {
  const id = short(request.requestId);
  return id !== null && id.length < 16 && session !== null ? `${session}:${id}` : id;
}

/**
 * The entries of a request.
 * @param place session and folder from the log
 */
export function rawEntriesOf(
  request: Json,
  place: { session: string | null; cwd: string | null },
): { rawEntries: RawEntry[]; unknown?: string } {
  const id = idOf(request, place.session);
  const metadata = object(object(request.result).metadata);
  const context: Context = {
    id,
    cwd: place.cwd,
    calls: callsOf(metadata),
    time: isoTime(request.timestamp),
  };
  const prompt = promptOf(request, context);
  const { rawEntries, unknown } = partsOf(request, context);
  const summaries = list(
    metadata.summaries ?? (isObject(metadata.summary) ? [metadata.summary] : []),
  )
    .map((summary) => textOf(object(summary).text))
    .filter((text) => text !== null)
    .map((text, n) => notice(context, `summary:${n}`, text, 'compaction'));
  const abort = isStopped(request)
    ? [notice(context, 'abort', 'The user interrupted the turn.', 'interrupt')]
    : [];
  const all = [...prompt, ...rawEntries, ...summaries, ...abort].map((raw) => ({
    ...raw,
    cwd: raw.cwd ?? place.cwd,
  }));
  return { rawEntries: all, ...(unknown === undefined ? {} : { unknown }) };
}

function native({ id }: Context, end: string): string | null {
  return id === null ? null : `${id}:${end}`;
}

function notice(context: Context, end: string, text: string, mark: string): RawEntry {
  return rawEntryOf({
    native: native(context, end),
    time: context.time,
    role: 'system',
    origin: 'injected',
    text,
    marks: [mark],
  });
}

function isStopped(request: Json): boolean {
  const { code, message } = object(object(request.result).errorDetails);
  const state = object(request.modelState).value;
  return (
    request.isCanceled === true || state === 2 || code === 'canceled' || message === 'Canceled'
  );
}

/** What a button or the program itself sent appears as the person's message. */
function promptOf(request: Json, context: Context): RawEntry[] {
  const text = textOf(object(request.message).text) ?? textOf(request.message) ?? '';
  const base = { native: native(context, 'prompt'), time: context.time };
  if (
    request.isSystemInitiated === true ||
    request.confirmation !== undefined ||
    request.isHidden === true
  )
    return text.trim() === ''
      ? []
      : [rawEntryOf({ ...base, role: 'user', origin: 'injected', text: text.trim() })];
  return typedEntries(base, text);
}

function callsOf(metadata: Json): Calls {
  const inOrder = list(metadata.toolCallRounds)
    .map(object)
    .flatMap((round) =>
      list(round.toolCalls).map((call) => ({ call: object(call), time: isoTime(round.timestamp) })),
    );
  const byId = new Map(inOrder.map((each) => [textOf(each.call.id) ?? '', each]));
  return { inOrder, byId, results: object(metadata.toolCallResults) };
}

interface Said {
  role: 'assistant' | 'thinking';
  text: string;
}

/** Parts in order; consecutive texts are joined, and parts for the screen are left out. */
function runsOf(parts: readonly Json[]): (Said | { part: Json })[] {
  const runs: (Said | { part: Json })[] = [];
  for (const part of parts) {
    const said = spoken(part);
    const last = runs.at(-1);
    if (said === null) {
      if (!SILENT.has(textOf(part.kind) ?? 'none')) runs.push({ part });
    } else if (last !== undefined && 'role' in last && last.role === said.role)
      last.text += said.text;
    else runs.push(said);
  }
  return runs.filter((run) => 'part' in run || run.text.trim() !== '');
}

function partsOf(request: Json, context: Context): { rawEntries: RawEntry[]; unknown?: string } {
  const runs = runsOf(list(request.response).map(object));
  const tools = runs.flatMap((run) => ('part' in run && isTool(run.part) ? [run.part] : []));
  const { byId, inOrder } = context.calls;
  const byPlace =
    tools.length === inOrder.length &&
    !tools.some((part) => byId.has(textOf(part.toolCallId) ?? ''));
  const rawEntries: RawEntry[] = [];
  const count = { assistant: 0, thinking: 0 };
  let unknown: string | undefined;
  for (const run of runs) {
    if ('role' in run) {
      const { role } = run;
      const marks = role === 'assistant' && run === runs.at(-1) && isDone(request) ? ['final'] : [];
      const base = {
        native: native(context, `${role}:${count[role]++}`),
        time: context.time,
        role,
      };
      rawEntries.push(
        rawEntryOf({ ...base, origin: 'agent', text: dropBinary(run.text).trim(), marks }),
      );
    } else if (isTool(run.part)) {
      rawEntries.push(
        ...toolOf(run.part, context, byPlace ? inOrder[tools.indexOf(run.part)] : undefined),
      );
    } else if (run.part.kind === 'textEditGroup') {
      rawEntries.push(...(tools.length === 0 ? editOf(run.part, context, rawEntries.length) : []));
    } else unknown ??= `part:${textOf(run.part.kind) ?? 'none'}`;
  }
  return { rawEntries, ...(unknown === undefined ? {} : { unknown }) };
}

function isDone(request: Json): boolean {
  return (
    !isStopped(request) && (object(request.modelState).value === 1 || request.result !== undefined)
  );
}

function isTool({ kind }: Json): boolean {
  return kind === 'toolInvocationSerialized' || kind === 'toolInvocation';
}

/** Text of the answer or of its thinking; a reference to a file becomes its name. */
function spoken(part: Json): Said | null {
  if (part.kind === 'inlineReference') {
    const target = object(part.inlineReference);
    const path = textOf(target.path) ?? textOf(object(target.uri).path) ?? '';
    return {
      role: 'assistant',
      text: `\`${textOf(part.name) ?? textOf(target.name) ?? path.split('/').at(-1)!}\``,
    };
  }
  if (part.kind === 'thinking')
    return {
      role: 'thinking',
      text: list(part.value)
        .concat(textOf(part.value) ?? [])
        .join('\n'),
    };
  if (part.kind !== undefined && part.kind !== 'markdownContent' && part.kind !== 'markdownVuln')
    return null;
  const content = part.content ?? part.value;
  const text = textOf(content) ?? textOf(object(content).value);
  return text === null ? null : { role: 'assistant', text };
}

/** A call and, when it has ended, its result. */
function toolOf(
  part: Json,
  context: Context,
  placed: Calls['inOrder'][number] | undefined,
): RawEntry[] {
  const id = textOf(part.toolCallId);
  const told = context.calls.byId.get(id ?? '') ?? placed;
  context.time = told?.time ?? context.time;
  const data = object(part.toolSpecificData);
  const tool = textOf(told?.call.name) ?? textOf(part.toolId) ?? 'unknown';
  const line = object(data.commandLine);
  const command =
    textOf(line.userEdited) ??
    textOf(line.toolEdited) ??
    textOf(line.original) ??
    textOf(data.command);
  const asked = readToolCall(
    tool,
    told?.call.arguments ?? data.rawInput ?? (command === null ? data : { command }),
  );
  const shown =
    command ??
    (asked.text === '' || asked.text === '{}' ? messageOf(part.invocationMessage) : asked.text);
  const shared = {
    time: context.time,
    tool,
    call: id,
    command: command ?? asked.command,
    files: asked.files,
    cwd: textOf(object(data.cwd).path) ?? textOf(data.cwd),
  };
  const call = rawEntryOf({
    ...shared,
    native: id === null ? null : native(context, `${id}:call`),
    role: 'tool_call',
    origin: 'agent',
    text: data.kind === 'subagent' ? (textOf(data.prompt) ?? shown) : shown,
    marks: asked.marks,
  });
  const refused = isRefused(part.isConfirmed);
  if (part.isComplete === false && !refused) return [call];
  const text = dropBinary(
    resultText(part, data, context.calls.results[id ?? ''] ?? placedResult(context, placed)),
  );
  const exit =
    whole(object(data.terminalCommandState).exitCode) ??
    (shared.command === null ? null : exitIn(text));
  const isError = object(part.resultDetails).isError === true;
  const outcome: Outcome = refused
    ? 'rejected'
    : isError || (exit !== null && exit !== 0)
      ? 'failed'
      : 'ok';
  const isForeign = /^(?:mcp|extension)$/.test(textOf(object(part.source).type) ?? '');
  const isOwn = !isForeign && (shared.command !== null || OWN.test(tool));
  const origin = data.kind === 'subagent' ? 'agent' : originOf(asked, isOwn);
  const end = id === null ? null : native(context, `${id}:result`);
  return [
    call,
    rawEntryOf({ ...shared, native: end, role: 'tool_result', origin, text, exit, outcome }),
  ];
}

/** Tools of VS Code and Copilot themselves; any other belongs to an extension or an MCP server. */
const OWN =
  /^(?:(?:copilot|vscode|inline_chat)_\w+|(?:read|create|edit|insert_edit_into|apply_patch|view)_?(?:file|files|notebook_file|image|directory|and_run_task|new_\w+)?|(?:multi_)?replace_string_in_file|(?:grep|file|semantic|test|tool)_search|search_(?:workspace_symbols|subagent)|list_dir|list_code_usages|rename_symbol|get_(?:errors|changed_files|terminal_output|task_output|search_view_results|project_setup_info|vscode_api)|(?:run|send)_(?:in|to)_terminal|await_terminal|kill_terminal|terminal_(?:last_command|selection)|run_(?:task|notebook_cell|vscode_command|subagent)|read_notebook_cell_output|copilot_getNotebookSummary|runTests?|runSubagent|run_?tests?|test_failure|manage_todo_list|memory|think|resolve_memory_file_uri|session_store_sql|execution_subagent|install_\w+|configure_\w+|setup\.\w+)$/;

function placedResult({ calls }: Context, placed: Calls['inOrder'][number] | undefined): unknown {
  return placed === undefined ? undefined : calls.results[textOf(placed.call.id) ?? ''];
}

/** Denied, or skipped by the person; before 1.104 a boolean. */
function isRefused(confirmed: unknown): boolean {
  return (
    confirmed === false || (isObject(confirmed) && (confirmed.type === 0 || confirmed.type === 5))
  );
}

function messageOf(message: unknown): string {
  return textOf(message) ?? textOf(object(message).value) ?? '';
}

/** What the model received, else what the screen showed. */
function resultText(part: Json, data: Json, result: unknown): string {
  const given = list(object(result).content).flatMap((each) => textsIn(object(each).value, 0));
  if (given.length > 0) return given.join('\n');
  const shown = textOf(object(data.terminalCommandOutput).text) ?? textOf(data.result);
  if (shown !== null) return shown;
  const outputs = list(object(part.resultDetails).output).map(object);
  const texts = outputs
    .filter((each) => each.base64Data === undefined)
    .flatMap((each) => textOf(each.value) ?? []);
  return texts.length > 0 ? texts.join('\n') : messageOf(part.pastTenseMessage);
}

const DEEPEST = 40;

/** A text, or the tree of nodes in which an extension renders it. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (depth > DEEPEST || !isObject(value)) return [];
  return [value.text, value.node, ...list(value.children)].flatMap((each) =>
    textsIn(each, depth + 1),
  );
}

/** Changes to a file by the answer itself, as in chats without tools. */
function editOf(part: Json, context: Context, n: number): RawEntry[] {
  const path = textOf(object(part.uri).fsPath) ?? textOf(object(part.uri).path);
  const edits = list(part.edits).flatMap((each) => (Array.isArray(each) ? each : [each]));
  const lines = edits.flatMap((edit) => changedLines('', textOf(object(edit).text) ?? ''));
  if (path === null || lines.length === 0) return [];
  const base = {
    native: native(context, `edit:${n}`),
    time: context.time,
    tool: 'textEdit',
    files: [path],
  };
  return [
    rawEntryOf({ ...base, role: 'tool_call', origin: 'agent', text: renderEdit(path, lines) }),
  ];
}

/** Tokens: per model if the totals are known, else of the request's last call. */
export function usageOf(request: Json, session: string | null): Usage[] {
  const id = idOf(request, session);
  if (id === null) return [];
  const metadata = object(object(request.result).metadata);
  const base = {
    time: isoTime(request.timestamp),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    cost: null,
  };
  const totals = list(request.modelTotals)
    .map(object)
    .filter(({ model }) => short(model) !== null)
    .map((each) => {
      const model = short(each.model);
      return {
        ...base,
        native: `${id}:${model}`,
        model,
        input: count(each.inputTokens),
        output: count(each.outputTokens),
      };
    });
  if (totals.length > 0) return totals;
  const input = count(metadata.promptTokens) || count(request.promptTokens);
  const output = count(metadata.outputTokens) || count(request.completionTokens);
  const thought = list(metadata.toolCallRounds).map((round) =>
    count(object(object(round).thinking).tokens),
  );
  const reasoning = Math.min(
    output,
    thought.reduce((sum, each) => sum + each, 0),
  );
  const model =
    short(metadata.resolvedModel) ?? short(request.modelId)?.replace(/^copilot\//, '') ?? null;
  return input + output === 0 ? [] : [{ ...base, native: id, model, input, output, reasoning }];
}

function count(value: unknown): number {
  return Math.max(0, whole(value) ?? 0);
}
