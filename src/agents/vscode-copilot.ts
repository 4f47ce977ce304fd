/** Copilot Chat in VS Code; docs/formats.md describes its log of changes. */
import type { LogName } from '../types.js';
import { exitIn, readToolCall } from './calls.js';
import { changedLines, renderEdit } from './edits.js';
import { agent, type Event } from './engine.js';
import {
  count,
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parse,
  short,
  text as textOf,
  whole,
} from '../text/fields.js';

/**
 * Folders in which VS Code and its forks store a user's data on Linux, macOS, Windows and remote
 * machines.
 */
const ROOTS = [
  ...['Code', 'VSCodium'].flatMap((name) => [
    { env: 'XDG_CONFIG_HOME', below: `${name}*/User`, root: `.config/${name}*/User` },
    { env: null, root: `Library/Application Support/${name}*/User` },
    { env: null, root: `AppData/Roaming/${name}*/User` },
  ]),
  { env: null, root: '.vscode-server*/data/User' },
];

const GLOBS = ['workspaceStorage/*/chatSessions', 'globalStorage/emptyWindowChatSessions'].flatMap(
  (folder) => [`${folder}/*.jsonl`, `${folder}/*.json`],
);

export const vscodeCopilot = agent<null>({
  agent: 'vscode-copilot',
  title: 'VS Code Copilot Chat',
  places: ROOTS.map((root) => ({ ...root, under: '', globs: GLOBS })),
  shape: (relative) => (relative.endsWith('.jsonl') ? 'replay' : 'document'),
  beside: (relative) => (relative.startsWith('workspaceStorage/') ? ['../workspace.json'] : []),
  unfold,
  // Other tools belong to an extension or an MCP server.
  ownTools:
    /^(?:(?:copilot|vscode|inline_chat)_\w+|(?:read|create|edit|insert_edit_into|apply_patch|view)_?(?:file|files|notebook_file|image|directory|and_run_task|new_\w+)?|(?:multi_)?replace_string_in_file|(?:grep|file|semantic|test|tool)_search|search_(?:workspace_symbols|subagent)|list_dir|list_code_usages|rename_symbol|get_(?:errors|changed_files|terminal_output|task_output|search_view_results|project_setup_info|vscode_api)|(?:run|send)_(?:in|to)_terminal|await_terminal|kill_terminal|terminal_(?:last_command|selection)|run_(?:task|notebook_cell|vscode_command|subagent)|read_notebook_cell_output|copilot_getNotebookSummary|runTests?|runSubagent|run_?tests?|test_failure|manage_todo_list|memory|think|resolve_memory_file_uri|session_store_sql|execution_subagent|install_\w+|configure_\w+|setup\.\w+)$/,
  tags: null,
  repeats: true,
  more: null,
  place: ({ head, request }) => ({ id: idOf(object(request), object(head).session) }),
  read({ head, request }) {
    if (!isObject(request)) return [{ is: 'unknown', type: 'record' }];
    const { session, title, cwd } = object(head);
    return [
      { is: 'session', session: short(session), title: short(title), cwd: short(cwd) },
      ...requestEvents(request),
      ...usageEvents(request, idOf(request, session)),
    ];
  },
});

/** One record per request, with facts of the session and its folder. */
function unfold(content: unknown, { relative, beside = {} }: LogName): unknown[] | null {
  const session = Array.isArray(content) ? replay(content) : object(content);
  if (!Array.isArray(session.requests)) return null;
  const file = relative.split('/').at(-1)!;
  const head = {
    session: short(session.sessionId) ?? file.replace(/\.jsonl?$/, ''),
    title: short(session.customTitle),
    cwd: folderOf(parse(beside['../workspace.json'])),
  };
  return session.requests.filter(isObject).map((request) => ({ head, request }));
}

/**
 * Applies changes: 0 replaces the whole, 1 sets, 2 cuts a list at `i` and appends, 3 deletes. The
 * first line may be missing. Changes the given objects, which only this call uses.
 */
function replay(changes: readonly unknown[]): Json {
  let state: Json = {};
  for (const change of changes.map(object)) {
    if (change.kind === 0) state = object(change.v);
    else apply(state, change);
  }
  return state;
}

/** Keys that would change objects outside of the log. */
const UNSAFE = new Set<unknown>(['__proto__', 'constructor', 'prototype']);

function apply(state: Json, { kind, k, v, i }: Json): void {
  const path = list(k);
  const last = path.at(-1);
  if (path.some((key) => UNSAFE.has(key)) || (typeof last !== 'string' && typeof last !== 'number'))
    return;
  let holder: unknown = state;
  for (const key of path.slice(0, -1)) holder = (holder as Json | null)?.[key as string] ?? null;
  if (typeof holder !== 'object' || holder === null) return;
  // An index beyond the end would create a gap of any size.
  if (Array.isArray(holder) && !(typeof last === 'number' && last >= 0 && last <= holder.length))
    return;
  const target = holder as Json;
  if (kind === 1) target[last] = v;
  if (kind === 3) delete target[last];
  if (kind !== 2) return;
  const before = list(target[last]);
  const kept = typeof i === 'number' && i >= 0 && i < before.length ? before.slice(0, i) : before;
  target[last] = [...kept, ...list(v)];
}

/** The folder in `workspace.json`; for a workspace of several, the folder of its file. */
function folderOf({ folder, workspace, configuration }: Json): string | null {
  return pathOf(folder) ?? pathOf(workspace ?? configuration)?.replace(/\/[^/]*$/, '') ?? null;
}

/** `file:///c%3A/x` and `vscode-remote://wsl%2Bubuntu/home/x` as paths. */
function pathOf(uri: unknown): string | null {
  const path = /^[\w-]+:\/\/[^/]*(\/.*)$/.exec(short(uri) ?? '')?.[1];
  try {
    return decodeURIComponent(path ?? '').replace(/^\/([A-Za-z]:)/, '$1') || null;
  } catch {
    return null;
  }
}

/** Early versions numbered requests within each session. */
function idOf(request: Json, session: unknown): string | null {
  const id = short(request.requestId);
  const isNumber = id !== null && id.length < 16 && short(session) !== null;
  return isNumber ? `${short(session)}:${id}` : id;
}

/** The model's calls, by id and in order, with their times, and their results. */
interface Calls {
  byId: Map<string, Asked>;
  inOrder: Asked[];
  results: Json;
}

type Asked = { call: Json; time: string | null };

function callsOf(metadata: Json): Calls {
  const inOrder = list(metadata.toolCallRounds)
    .map(object)
    .flatMap(({ toolCalls, timestamp }) =>
      list(toolCalls).map((call) => ({ call: object(call), time: isoTime(timestamp) })),
    );
  const byId = new Map(inOrder.map((each) => [textOf(each.call.id) ?? '', each]));
  return { inOrder, byId, results: object(metadata.toolCallResults) };
}

/** One request of a chat and its whole answer. Each event has the time of the latest call. */
function requestEvents(request: Json): Event[] {
  const { errorDetails, metadata: rawMetadata } = object(request.result);
  const { code, message } = object(errorDetails);
  const metadata = object(rawMetadata);
  const state = object(request.modelState).value;
  const isStopped =
    request.isCanceled === true || state === 2 || code === 'canceled' || message === 'Canceled';
  const isDone = !isStopped && (state === 1 || request.result !== undefined);
  const summary = isObject(metadata.summary) ? [metadata.summary] : [];
  const summaries = list(metadata.summaries ?? summary)
    .flatMap((each) => textOf(object(each).text) ?? [])
    .map((text, n): Event => ({ is: 'notice', part: `summary:${n}`, text, mark: 'compaction' }));
  const abort: Event = { is: 'notice', part: 'abort', mark: 'interrupt' };
  const events = [
    promptEvent(request),
    ...partEvents(list(request.response).map(object), callsOf(metadata), isDone),
    ...summaries,
    ...(isStopped ? [abort] : []),
  ];
  let time = isoTime(request.timestamp);
  return events.map((event) => {
    time = ('time' in event ? event.time : null) ?? time;
    return { ...event, time } as Event;
  });
}

/** Reads a prompt; buttons and the program also send prompts as the person's. */
function promptEvent(request: Json): Event {
  const text = textOf(object(request.message).text) ?? textOf(request.message) ?? '';
  const { isSystemInitiated, confirmation, isHidden } = request;
  const isMade = isSystemInitiated === true || confirmation !== undefined || isHidden === true;
  return { is: 'prompt', part: 'prompt', text, by: isMade ? 'injected' : 'user' };
}

/** Kinds of parts that show progress, references and buttons. */
const SILENT =
  /^(?:progressMessage|progressTask|progressTaskSerialized|undoStop|codeblockUri|reference|usedContext|codeCitation|command|warning|info|mcpServersStarting|prepareToolInvocation|treeData|hook|autoModeResolution|pullRequest|extensions|multiDiff|multiDiffData|notebookEdit|notebookEditGroup|textEdit|externalEdits|workspaceEdit|planReview|move|changesSummary|todoList|confirmation|elicitation|elicitationSerialized|questionCarousel|clearToPreviousToolInvocation|systemNotification|disabledClaudeHooks)$/;

type SpokenPart = { is: 'answer' | 'thought'; text: string };

/** Parts in order; consecutive texts are joined, and parts for the screen are left out. */
function runsOf(parts: readonly Json[]): (SpokenPart | { part: Json })[] {
  const runs: (SpokenPart | { part: Json })[] = [];
  for (const part of parts) {
    const spokenPart = spoken(part);
    const last = runs.at(-1);
    if (spokenPart === null) {
      if (!SILENT.test(textOf(part.kind) ?? 'none')) runs.push({ part });
    } else if (last !== undefined && 'is' in last && last.is === spokenPart.is)
      last.text += spokenPart.text;
    else runs.push(spokenPart);
  }
  return runs.filter((run) => 'part' in run || run.text.trim() !== '');
}

function partEvents(parts: readonly Json[], calls: Calls, isDone: boolean): Event[] {
  const runs = runsOf(parts);
  const tools = runs.flatMap((run) => ('part' in run && isTool(run.part) ? [run.part] : []));
  const byPlace =
    tools.length === calls.inOrder.length &&
    !tools.some((part) => calls.byId.has(textOf(part.toolCallId) ?? ''));
  const counts = { answer: 0, thought: 0 };
  let made = 0;
  return runs.flatMap((run): Event[] => {
    if ('is' in run) {
      made++;
      if (run.is === 'thought') return [{ ...run, part: `thinking:${counts.thought++}` }];
      const final = run === runs.at(-1) && isDone;
      return [{ ...run, is: 'answer', part: `assistant:${counts.answer++}`, final }];
    }
    const { part } = run;
    if (isTool(part)) {
      const placed = byPlace ? calls.inOrder[tools.indexOf(part)] : undefined;
      return toolEvents(part, calls, calls.byId.get(textOf(part.toolCallId) ?? '') ?? placed);
    }
    if (part.kind !== 'textEditGroup')
      return [{ is: 'unknown', type: `part:${textOf(part.kind) ?? 'none'}` }];
    const edits = tools.length > 0 ? [] : editEvents(part, made);
    made += edits.length;
    return edits;
  });
}

function isTool({ kind }: Json): boolean {
  return kind === 'toolInvocationSerialized' || kind === 'toolInvocation';
}

/** Text of the answer or of its thinking; a reference to a file becomes its name. */
function spoken(part: Json): SpokenPart | null {
  if (part.kind === 'inlineReference') {
    const target = object(part.inlineReference);
    const path = textOf(target.path) ?? textOf(object(target.uri).path) ?? '';
    const name = textOf(part.name) ?? textOf(target.name) ?? path.split('/').at(-1)!;
    return { is: 'answer', text: `\`${name}\`` };
  }
  if (part.kind === 'thinking') {
    const lines = typeof part.value === 'string' ? [part.value] : list(part.value);
    return { is: 'thought', text: lines.join('\n') };
  }
  if (part.kind !== undefined && part.kind !== 'markdownContent' && part.kind !== 'markdownVuln')
    return null;
  const content = part.content ?? part.value;
  const text = textOf(content) ?? textOf(object(content).value);
  return text === null ? null : { is: 'answer', text };
}

/** A call and, when it has ended, its result. */
function toolEvents(part: Json, calls: Calls, request: Asked | undefined): Event[] {
  const id = textOf(part.toolCallId);
  const data = object(part.toolSpecificData);
  const tool = textOf(request?.call.name) ?? textOf(part.toolId) ?? 'unknown';
  const { userEdited, toolEdited, original } = object(data.commandLine);
  const command =
    [userEdited, toolEdited, original, data.command].map(textOf).find(Boolean) ?? null;
  const input = request?.call.arguments ?? data.rawInput ?? (command === null ? data : { command });
  const asked = readToolCall(tool, input);
  const isEmpty = command === null && /^(?:\{\})?$/.test(asked.text);
  const shown = isEmpty ? messageOf(part.invocationMessage) : null;
  const isAgent = data.kind === 'subagent';
  const text = (isAgent ? textOf(data.prompt) : null) ?? shown;
  const place = {
    ...(id === null ? { id } : {}),
    ...(request === undefined ? {} : { time: request.time }),
    ...{ cwd: textOf(object(data.cwd).path) ?? textOf(data.cwd), call: id, tool },
  };
  const call: Event = {
    ...{ is: 'call', ...place, part: `${id}:call`, input },
    ...(command === null ? {} : { command }),
    ...(text === null ? {} : { text }),
  };
  const isRefused = wasRefused(part.isConfirmed);
  if (part.isComplete === false && !isRefused) return [call];
  const given = calls.results[id ?? ''] ?? calls.results[textOf(request?.call.id) ?? ''];
  const result = resultText(part, data, given);
  const exit = whole(object(data.terminalCommandState).exitCode);
  const isShell = (command ?? asked.command) !== null;
  const isForeign = /^(?:mcp|extension)$/.test(textOf(object(part.source).type) ?? '');
  const origin = isAgent ? 'agent' : isForeign ? 'external' : null;
  return [
    call,
    {
      ...{ is: 'result', ...place, part: `${id}:result`, text: result },
      ok: object(part.resultDetails).isError !== true,
      exit: exit ?? (isShell ? exitIn(result) : null),
      outcome: isRefused ? 'rejected' : null,
      ...(origin === null ? {} : { origin }),
    },
  ];
}

/** Whether the person denied or skipped a call; before 1.104 a boolean. */
function wasRefused(confirmed: unknown): boolean {
  const { type } = object(confirmed);
  return confirmed === false || type === 0 || type === 5;
}

function messageOf(message: unknown): string {
  return textOf(message) ?? textOf(object(message).value) ?? '';
}

/** The text that the model received, else the text on the screen. */
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

/** A text, or an extension's tree of nodes for it. */
function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (depth > DEEPEST || !isObject(value)) return [];
  return [value.text, value.node, ...list(value.children)].flatMap((each) =>
    textsIn(each, depth + 1),
  );
}

/** File changes by the answer itself, as in chats without tools. */
function editEvents(part: Json, n: number): Event[] {
  const path = textOf(object(part.uri).fsPath) ?? textOf(object(part.uri).path);
  const edits = list(part.edits).flatMap((each): unknown[] =>
    Array.isArray(each) ? each : [each],
  );
  const lines = edits.flatMap((edit) => changedLines('', textOf(object(edit).text) ?? ''));
  if (path === null || lines.length === 0) return [];
  const text = renderEdit(path, lines);
  return [{ is: 'call', part: `edit:${n}`, call: null, tool: 'textEdit', input: { path }, text }];
}

/** Tokens: per model if the totals are known, else of the request's last call. */
function usageEvents(request: Json, id: string | null): Event[] {
  const metadata = object(object(request.result).metadata);
  const time = isoTime(request.timestamp);
  const totals = list(request.modelTotals)
    .map(object)
    .filter(({ model }) => short(model) !== null);
  if (totals.length > 0)
    return totals.map(({ model, inputTokens, outputTokens }): Event => {
      const native = id === null ? null : `${id}:${short(model)}`;
      return { is: 'usage', native, time, model, input: inputTokens, output: outputTokens };
    });
  const output = count(metadata.outputTokens) || count(request.completionTokens);
  const thought = list(metadata.toolCallRounds).reduce(
    (sum: number, round) => sum + count(object(object(round).thinking).tokens),
    0,
  );
  return [
    {
      ...{ is: 'usage', native: id, time, output, reasoning: Math.min(output, thought) },
      model: short(metadata.resolvedModel) ?? short(request.modelId)?.replace(/^copilot\//, ''),
      input: count(metadata.promptTokens) || count(request.promptTokens),
    },
  ];
}
