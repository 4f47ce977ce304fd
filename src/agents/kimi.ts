/** Kimi Code and Kimi CLI; docs/formats.md describes both formats. */
import { createHash } from 'node:crypto';
import type { LogName } from '../types.js';
import { agent, type Event, type Kept } from './engine.js';
import {
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parse,
  parseAny,
  short,
} from '../text/fields.js';
import { text as textOf } from '../text/fields.js';
import { contentText } from './typed.js';

interface More {
  model: string | null;
  /** Refused calls, and requests about calls (as `request=call`). */
  refused: string[];
  asked: string[];
  /** A call whose arguments have not come yet. */
  bare: { call: string; tool: string } | null;
}

type Read = { events: Event[]; more?: Partial<More> };

const START: More = { model: null, refused: [], asked: [], bare: null };

export const kimi = agent<More>({
  agent: 'kimi',
  title: 'Kimi (CLI and Code)',
  places: [
    {
      env: 'KIMI_CODE_HOME',
      root: '.kimi-code',
      under: '',
      globs: ['sessions/*/*/agents/*/wire.jsonl'],
    },
    {
      env: 'KIMI_SHARE_DIR',
      root: '.kimi',
      under: '',
      globs: ['sessions/*/*/wire.jsonl', 'sessions/*/*/subagents/*/wire.jsonl'],
    },
  ],
  beside: (relative) => [
    `${'../'.repeat(relative.split('/').length - 1)}kimi.json`,
    '../../state.json',
  ],
  ownTools:
    'Bash Shell CMD Powershell TaskOutput TaskList TaskStop Read ReadFile ReadMediaFile ReadImage Write WriteFile Edit ' +
    'StrReplaceFile PatchFile Glob Grep LS TodoList SetTodoList TodoWrite Think SendDMail AskUserQuestion Skill ' +
    'EnterPlanMode ExitPlanMode Agent AgentSwarm Task CreateSubagent SelectTools CreateGoal GetGoal UpdateGoal SetGoalBudget ' +
    'CronCreate CronList CronDelete',
  agentTools: /^(?:Agent|AgentSwarm|Task|CreateSubagent)$/,
  tags: null,
  repeats: true,
  begin,
  more: START,
  place: ({ time, timestamp }) => ({ time: isoTime(time ?? timestamp) }),
  read(record, kept) {
    const isCli = isObject(record.message) && record.type === undefined;
    const { events, more } = isCli ? readCli(object(record.message), kept) : readCode(record, kept);
    return { events, more: { ...kept.more, ...more } };
  },
});

function begin({ relative, beside = {} }: LogName) {
  const path = relative.split('/');
  const isCode = path.at(-3) === 'agents';
  const isChild = path.at(-3) === 'subagents' || (isCode && path.at(-2) !== 'main');
  const own = (isCode || isChild ? path.at(-4) : path.at(-2)) ?? relative;
  const session = own.replace(/^session_/, '');
  const { title, workDir } = parse(beside['../../state.json']);
  const list = Object.entries(beside).find(([name]) => name.endsWith('kimi.json'))?.[1];
  return {
    session: isChild ? `${session}:${path.at(-2)!}` : session,
    ...(isChild ? { parent: session, subagent: true } : {}),
    title: isCode && !isChild ? short(title) : null,
    cwd: isCode ? short(workDir) : folderIn(parse(list), path),
  };
}

/** The folder in a list whose MD5 is the name of the log's folder. */
function folderIn({ work_dirs: folders }: Json, path: readonly string[]): string | null {
  const hash = path[path.indexOf('sessions') + 1];
  const isIt = (folder: string | null): boolean =>
    folder !== null && hash === createHash('md5').update(folder).digest('hex');
  return (
    list(folders)
      .map((folder) => short(object(folder).path))
      .find(isIt) ?? null
  );
}

/** Records that configure, repeat or measure; a subagent's actions are in a separate log. */
const SILENT =
  /^(?:metadata|config\.|tools\.|turn\.(?:prompt|steer|begin|end)|llm\.|usage\.|plan_mode\.|full_compaction\.|goal\.|cron\.|event:step\.begin$|(?:StepBegin|StepRetry|TurnEnd|CompactionEnd|MCPLoadingBegin|MCPLoadingEnd|MCPStatusSnapshot|SubagentEvent|Notification|QuestionRequest|HookTriggered|HookResolved|HookRequest|PlanDisplay|BtwBegin|BtwEnd|ToolCallRequest)$)/;

function other(type: string): Read {
  return { events: SILENT.test(type) ? [] : [{ is: 'unknown', type }] };
}

/** A record of Kimi Code. */
function readCode(record: Json, { facts, more }: Kept<More>): Read {
  const type = textOf(record.type) ?? 'none';
  switch (type) {
    case 'config.update':
    case 'llm.request': {
      const model = short(record.model) ?? short(record.modelAlias)?.split('/').at(-1);
      const cwd = facts.cwd ?? short(record.cwd);
      return { events: [{ is: 'session', cwd }], more: { model: model ?? more.model } };
    }
    case 'context.append_message':
      return { events: promptEvents(object(record.message), facts.subagent === true) };
    case 'context.append_loop_event':
      return readEvent(object(record.event), { facts, more } as Kept<More>);
    case 'context.apply_compaction':
      return { events: [{ is: 'notice', text: textOf(record.summary), mark: 'compaction' }] };
    case 'permission.record_approval_result': {
      const [id, decision] = [short(record.toolCallId), object(record.result).decision];
      const isRefused = /^(?:rejected|denied|cancelled)$/.test(textOf(decision) ?? '');
      return id !== null && isRefused ? refuse(id, more) : { events: [] };
    }
    default:
      return /^turn\.(?:cancel|abort|interrupt)/.test(type)
        ? { events: [{ is: 'notice', mark: 'interrupt' }] }
        : other(type);
  }
}

function refuse(call: string, { refused }: More): Read {
  return { events: [], more: { refused: [...refused, call].slice(-10) } };
}

function promptEvents(message: Json, isChild: boolean): Event[] {
  const { kind } = object(message.origin);
  const text = contentText(message.content);
  if (message.role !== 'user') return [];
  if (isChild ? kind !== 'injection' : kind === 'user') return [{ is: 'prompt', text }];
  const mark = /^compaction(?:_summary)?$/.test(textOf(kind) ?? '') ? 'compaction' : null;
  return [{ is: 'prompt', text, by: 'injected', mark, child: false }];
}

function readEvent(event: Json, { more }: Kept<More>): Read {
  const [type, id] = [textOf(event.type) ?? 'none', short(event.uuid)];
  switch (type) {
    case 'content.part':
      return { events: [partEvent(object(event.part), id)] };
    case 'tool.call': {
      const [call, step] = [short(event.toolCallId) ?? id ?? '', short(event.stepUuid)];
      return { events: [callEvent(call, textOf(event.name), event.args, step)] };
    }
    case 'tool.result': {
      const result = object(event.result);
      const call = short(event.toolCallId) ?? short(event.parentUuid) ?? '';
      return resultEvents(call, contentText(result.output), result.isError === true, more);
    }
    case 'step.end':
      return {
        events: [usageEvent(object(event.usage), short(event.messageId) ?? id, more.model)],
      };
    default:
      return other(`event:${type}`);
  }
}

function partEvent(part: Json, id: string | null): Event {
  return part.type === 'think'
    ? { is: 'thought', id, text: textOf(part.think) ?? '' }
    : { is: 'answer', id, text: textOf(part.text) ?? '' };
}

/** @param step the call's step, if known; makes the id unique */
function callEvent(call: string, tool: string | null, input: unknown, step: string | null): Event {
  const group = step === null ? null : `${step}:${call}`;
  return { is: 'call', id: group, part: 'call', group, call, tool: tool ?? 'unknown', input };
}

function resultEvents(call: string, text: string, isError: boolean, { refused }: More): Read {
  const outcome = refused.includes(call) ? 'rejected' : null;
  return {
    events: [{ is: 'result', part: 'result', call, text, ok: !isError, outcome }],
    more: { refused: refused.filter((each) => each !== call) },
  };
}

function usageEvent(used: Json, native: string | null, model: string | null): Event {
  return {
    ...{ is: 'usage', native, model, output: used.output },
    input: used.inputOther ?? used.input_other,
    cacheRead: used.inputCacheRead ?? used.input_cache_read,
    cacheWrite: used.inputCacheCreation ?? used.input_cache_creation,
  };
}

/** A record of Kimi CLI: `{timestamp, message: {type, payload}}`. */
function readCli(message: Json, { more }: Kept<More>): Read {
  const payload = object(message.payload);
  const type = textOf(message.type) ?? 'none';
  switch (type) {
    case 'TurnBegin':
    case 'SteerInput':
      return { events: [{ is: 'prompt', text: contentText(payload.user_input) }] };
    case 'ContentPart':
      return { events: [partEvent(payload, null)] };
    case 'ToolCall': {
      const { name, arguments: input } = object(payload.function);
      const call = short(payload.id) ?? '';
      // A call may be written before its arguments are complete.
      if (input !== '' && input !== null && input !== undefined)
        return { events: [callEvent(call, textOf(name), input, null)], more: { bare: null } };
      const tool = (textOf(name) ?? 'unknown').slice(0, 100);
      return { events: [], more: { bare: { call: call.slice(0, 200), tool } } };
    }
    case 'ToolCallPart': {
      // Only complete arguments are used, since stored pieces may contain secrets.
      const input = parseAny(textOf(payload.arguments_part));
      if (more.bare === null || input === null) return { events: [] };
      const { call, tool } = more.bare;
      return { events: [callEvent(call, tool, input, null)], more: { bare: null } };
    }
    case 'ToolResult': {
      const result = object(payload.return_value);
      const text = contentText(result.output) || contentText(result.message);
      const call = short(payload.tool_call_id) ?? '';
      return resultEvents(call, text, result.is_error === true, more);
    }
    case 'StatusUpdate': {
      const used = object(payload.token_usage);
      return { events: [usageEvent(used, short(payload.message_id), more.model)] };
    }
    case 'CompactionBegin':
      return { events: [{ is: 'notice', mark: 'compaction' }] };
    case 'StepInterrupted':
      return { events: [{ is: 'notice', mark: 'interrupt' }] };
    case 'ApprovalRequest': {
      const asked = `${short(payload.id)}=${short(payload.tool_call_id)}`;
      return { events: [], more: { asked: [...more.asked, asked].slice(-10) } };
    }
    case 'ApprovalResponse':
    case 'ApprovalRequestResolved': {
      const request = `${short(payload.request_id) ?? ''}=`;
      const found = more.asked.find((each) => each.startsWith(request));
      if (found === undefined) return { events: [] };
      const rest = { asked: more.asked.filter((each) => each !== found) };
      const { more: refused } = refuse(found.slice(request.length), more);
      return { events: [], more: payload.response === 'reject' ? { ...rest, ...refused } : rest };
    }
    default:
      return other(type);
  }
}
