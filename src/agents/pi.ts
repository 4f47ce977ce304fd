/** Pi, Oh My Pi and OpenClaw; docs/formats.md describes the format. */
import { blocksOf } from './blocks.js';
import { exitIn } from './calls.js';
import { agent, type Agent, type Event } from './engine.js';
import { count, isoTime, type Json, object, parse } from '../text/fields.js';
import { short, text as textOf, whole } from '../text/fields.js';
import { contentText } from './typed.js';

/** Earlier records are copies from this fork's parent. */
type More = { forked: string | null };

const family = {
  // Other tools belong to an extension or an MCP server.
  ownTools:
    'bash read write edit grep find ls glob lsp ask ask_user task todo todo_write yield eval python exec process ' +
    'notebook ast_grep ast_edit debug job await exit_plan_mode resolve submit_result ssh run_terminal edit_file ' +
    'memory_search memory_get commit sessions_list sessions_history session_status',
  agentTools: /^task$/,
  refused: /^User (?:denied|rejected|declined)/,
  tags: 'skill|system-reminder|system_reminder|system-notice|system-notification|file|context|environment_context',
  repeats: true,
  more: { forked: null },
  place(record, { facts, more }) {
    const { id, time } = placeOf(entryOf(record));
    const isOther = isRow(record) && record.session !== facts.session;
    const copied = !isOther && more.forked !== null && (time ?? more.forked) < more.forked;
    return { id, time, copied };
  },
  read(record, { facts, more }) {
    if (!isRow(record)) return readEntry(record, facts.subagent === true, more);
    const session = short(record.session) ?? '';
    const isSame = session === facts.session;
    const isChild = isSame && facts.subagent === true;
    const found = readEntry(entryOf(record), isChild, isSame ? more : family.more);
    return { ...found, events: [{ is: 'session', session }, ...found.events] };
  },
} satisfies Partial<Agent<More>>;

/** A row contains a line. */
function isRow(record: Json): boolean {
  return typeof record.event === 'string';
}

function entryOf(record: Json): Json {
  return isRow(record) ? parse(record.event) : record;
}

function placeOf(entry: Json): { id: string | null; time: string | null } {
  const time = isoTime(entry.timestamp) ?? isoTime(object(entry.message).timestamp);
  return { id: short(entry.id) === null ? null : `${short(entry.id)}@${time ?? ''}`, time };
}

export const pi = agent<More>({
  ...family,
  agent: 'pi',
  title: 'Pi',
  places: [
    { env: 'PI_CODING_AGENT_DIR', root: '.pi/agent', under: 'sessions', globs: ['**/*.jsonl'] },
  ],
});

export const omp = agent<More>({
  ...family,
  agent: 'omp',
  title: 'Oh My Pi',
  places: [{ env: null, root: '.omp/agent', under: 'sessions', globs: ['**/*.jsonl'] }],
});

/**
 * Pi's lines until 2026.7, then the same records as rows of a database. Names of backups and traces
 * have a second dot.
 */
const clawLogs = {
  under: 'agents',
  globs: ['*/sessions/!(*.*).jsonl', '*/agent/openclaw-agent.sqlite'],
};

/** A row is a line of a session: rows are only added. */
const ROWS = `
  SELECT rowid AS mark, rowid AS key, rowid AS line, session_id AS session, event_json AS event FROM transcript_events
  WHERE rowid > $key AND rowid >= $mark ORDER BY rowid LIMIT $limit`;

export const openclaw = agent<More>({
  ...family,
  agent: 'openclaw',
  title: 'OpenClaw',
  places: [
    { env: 'OPENCLAW_STATE_DIR', root: '.openclaw', ...clawLogs },
    { env: null, root: '.clawdbot', ...clawLogs },
    { env: null, root: '.moltbot', ...clawLogs },
  ],
  unproven: true,
  shape: (relative) => (relative.endsWith('.sqlite') ? 'rows' : 'lines'),
  rows: [
    {
      needs: ['transcript_events.session_id', 'transcript_events.event_json'],
      sql: ROWS,
      columns: ['line', 'event', 'session'],
      overlap: 0,
    },
  ],
});

/** Bookkeeping, and private records of extensions. */
const SILENT =
  /^(?:model_change|thinking_level_change|custom|label|credential_pin|service_tier_change|mode_change|leaf|tool_selection|mcp_tool_selection|ttsr_injection|session_exit|active_tools_change)$/;

function readEntry(entry: Json, isChild: boolean, more: More): { events: Event[]; more: More } {
  const type = textOf(entry.type) ?? 'none';
  const same = (...events: Event[]) => ({ events, more });
  switch (type) {
    case 'session': {
      const from = short(entry.parentSession) ?? short(entry.branchedFrom) ?? '';
      const parent = /([^/\\_]+?)(?:\.jsonl)?$/.exec(from)?.[1] ?? null;
      const [session, cwd] = [short(entry.id), short(entry.cwd)];
      return {
        events: [{ is: 'session', session, cwd, parent }],
        more: { forked: parent === null ? null : isoTime(entry.timestamp) },
      };
    }
    case 'session_init':
      return same({ is: 'session', subagent: true });
    case 'title':
    case 'title_change':
      return same({ is: 'session', title: short(entry.title) });
    case 'session_info':
      return same({ is: 'session', title: short(entry.name) });
    case 'message':
      return same(...messageEvents(entry, object(entry.message), isChild));
    case 'compaction':
    case 'branch_summary':
      return same({ is: 'notice', text: textOf(entry.summary), mark: 'compaction' });
    case 'custom_message':
      return same({ is: 'notice', text: contentText(entry.content) });
    default:
      return same(...(SILENT.test(type) ? [] : [{ is: 'unknown', type } as const]));
  }
}

/** Prompts of OpenClaw's heartbeat and timers in the user's channel. */
const TIMER =
  /^\s*(?:\[cron:|Read HEARTBEAT\.md|System: \[|\(session bootstrap\)|A new session was started via)/;

function messageEvents(entry: Json, message: Json, isChild: boolean): Event[] {
  const text = contentText(message.content);
  switch (message.role) {
    case 'user': {
      const child = isChild || message.attribution === 'agent';
      const isMade = TIMER.test(text) || message.synthetic === true;
      return [{ is: 'prompt', text, by: child ? 'agent' : isMade ? 'injected' : 'user', child }];
    }
    case 'assistant':
      return answerEvents(entry, message);
    case 'toolResult':
      return [resultEvent(message, text)];
    case 'bashExecution':
    case 'pythonExecution':
      return typedCommand(entry, message);
    case 'developer':
    case 'system':
    case 'custom':
    case 'hookMessage':
    case 'fileMention': {
      const piece = { origin: 'injected' as const, text: text.trim(), marks: [] };
      return [{ is: 'prompt', text, pieces: text.trim() === '' ? [] : [piece], child: false }];
    }
    case 'branchSummary':
    case 'compactionSummary':
      return [];
    default:
      return [{ is: 'unknown', type: `message:${textOf(message.role) ?? 'none'}` }];
  }
}

function answerEvents(entry: Json, message: Json): Event[] {
  const { content, stopReason } = message;
  return [
    ...blocksOf(content).flatMap((block, part): Event[] => {
      const text = textOf(block.text) ?? textOf(block.thinking) ?? '';
      if (block.type === 'text')
        return [{ is: 'answer', part, text, final: stopReason === 'stop' }];
      if (block.type === 'thinking') return [{ is: 'thought', part, text }];
      if (block.type === 'image') return [];
      if (block.type !== 'toolCall')
        return [{ is: 'unknown', type: `block:${textOf(block.type) ?? 'none'}` }];
      const tool = short(block.name) ?? 'unknown';
      return [{ is: 'call', part, call: short(block.id), tool, input: block.arguments }];
    }),
    ...(stopReason === 'aborted'
      ? [{ is: 'notice', part: 'abort', mark: 'interrupt' } as const]
      : []),
    usageEvent(entry, message),
  ];
}

/** Pi does not include cached tokens in `input`, and includes reasoning in `output`. */
function usageEvent(entry: Json, message: Json): Event {
  const { input, output, cacheRead, cacheWrite, cost, reasoning, reasoningTokens } = object(
    message.usage,
  );
  const { id, time } = placeOf(entry);
  const made = time === null ? null : `${time}:${count(input)}:${count(output)}`;
  return {
    is: 'usage',
    native: id ?? made,
    model: message.model,
    input,
    output,
    cacheRead,
    cacheWrite,
    cost: object(cost).total,
    reasoning: reasoningTokens ?? reasoning,
  };
}

function resultEvent(message: Json, text: string): Event {
  const tool = short(message.toolName);
  const isFailed = message.isError === true;
  const isRun = tool !== null && /bash|exec|terminal|python|eval/.test(tool);
  const isStopped = /(?:Command|Operation|Request was) aborted\.?\s*$/.test(text.slice(-200));
  return {
    is: 'result',
    call: short(message.toolCallId),
    tool,
    text,
    ok: typeof message.isError === 'boolean' ? !isFailed : null,
    exit: isFailed && isRun ? exitIn(text) : null,
    outcome: isFailed && isStopped ? 'interrupted' : null,
  };
}

/** A command that the person typed with `!`. */
function typedCommand(entry: Json, message: Json): Event[] {
  const command = textOf(message.command) ?? textOf(message.code) ?? '';
  if (command === '') return [];
  const { id, time } = placeOf(entry);
  const call = id ?? `!${time ?? ''}`;
  const exit = whole(message.exitCode);
  const outcome = message.cancelled === true ? 'interrupted' : null;
  const text = textOf(message.output) ?? '';
  return [
    { is: 'call', part: 'call', call, tool: 'bash', input: { command }, by: 'user', child: false },
    { is: 'result', part: 'result', call, text, ok: null, exit, outcome },
  ];
}
