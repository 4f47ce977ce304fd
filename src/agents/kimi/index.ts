import { createHash } from 'node:crypto';
import type { Adapter, RawEntry, LogName, LogRecord, SessionFacts, Step } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import {
  type Json,
  dropBinary,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
} from '../fields.js';
import { typedEntries } from '../typed.js';
import { readCli } from './cli.js';
import { ended, opened, type Read, type KimiState, stopped, textIn, usageOf } from './state.js';

/** Kimi Code and Kimi CLI; docs/formats.md describes both formats. */
export const kimi: Adapter<KimiState> = {
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
  start,
  step: (before, { value }: LogRecord): Step<KimiState> => {
    if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
    const read =
      isObject(value.message) && value.type === undefined
        ? readCli(before, value)
        : readCode(before, value);
    const state = { ...read.state, told: true };
    const isNews = !before.told || state.cwd !== before.cwd;
    return {
      state,
      rawEntries: (read.rawEntries ?? []).map((raw) => ({ ...raw, cwd: raw.cwd ?? state.cwd })),
      ...(isNews ? { session: factsOf(state) } : {}),
      ...(read.usage ? { usage: [read.usage] } : {}),
      ...(read.unknown === undefined ? {} : { unknown: read.unknown.slice(0, 80) }),
    };
  },
};

function factsOf({ session, parent, title, cwd }: KimiState): SessionFacts {
  return { session, title, cwd, ...(parent === null ? {} : { parent, subagent: true }) };
}

function start({ relative, beside = {} }: LogName): KimiState {
  const path = relative.split('/');
  const isCode = path.at(-3) === 'agents';
  const isChild = path.at(-3) === 'subagents' || (isCode && path.at(-2) !== 'main');
  const own = (isCode ? path.at(-4) : isChild ? path.at(-4) : path.at(-2)) ?? relative;
  const session = own.replace(/^session_/, '');
  const { title, workDir } = parse(beside['../../state.json']);
  const folder = isCode
    ? null
    : folderIn(
        parse(Object.entries(beside).find(([name]) => name.endsWith('kimi.json'))?.[1]),
        path,
      );
  return {
    session: isChild ? `${session}:${path.at(-2)!}` : session,
    parent: isChild ? session : null,
    title: isCode && !isChild ? short(title) : null,
    cwd: isCode ? short(workDir) : folder,
    model: null,
    calls: [],
    refused: [],
    asked: [],
    bare: null,
    told: false,
  };
}

function parse(json: string | undefined): Json {
  try {
    return object(JSON.parse(json ?? '{}'));
  } catch {
    return {};
  }
}

/**
 * The folder in a list whose hash is the name of the log's folder: `md5`, or `host_md5` for a
 * remote one.
 */
function folderIn({ work_dirs: folders }: Json, path: readonly string[]): string | null {
  const hash = path[path.indexOf('sessions') + 1];
  const found = list(folders)
    .map((folder) => short(object(folder).path))
    .find((folder) => folder !== null && hash === createHash('md5').update(folder).digest('hex'));
  return found ?? null;
}

/** Kinds of records that configure, repeat or measure. */
const SILENT =
  /^(?:metadata|config\.|tools\.|turn\.(?:prompt|steer|begin|end)|llm\.|usage\.|plan_mode\.|full_compaction\.|goal\.|cron\.)/;

function readCode(state: KimiState, record: Json): Read {
  const type = textOf(record.type) ?? 'none';
  const time = isoTime(record.time);
  if (type === 'config.update' || type === 'llm.request') {
    const model = short(record.model) ?? short(record.modelAlias)?.split('/').at(-1) ?? state.model;
    return { state: { ...state, model, cwd: state.cwd ?? short(record.cwd) } };
  }
  if (type === 'context.append_message')
    return { state, rawEntries: promptOf(state, object(record.message), time) };
  if (type === 'context.append_loop_event') return readEvent(state, object(record.event), time);
  if (type === 'context.apply_compaction') {
    const text = textOf(record.summary) ?? 'The conversation was compacted.';
    return {
      state,
      rawEntries: [
        rawEntryOf({ time, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
      ],
    };
  }
  if (type === 'permission.record_approval_result') {
    const id = short(record.toolCallId);
    const isRefused = /^(?:rejected|denied|cancelled)$/.test(
      textOf(object(record.result).decision) ?? '',
    );
    return {
      state:
        isRefused && id !== null ? { ...state, refused: [...state.refused, id].slice(-10) } : state,
    };
  }
  if (/^turn\.(?:cancel|abort|interrupt)/.test(type)) return { state, rawEntries: [stopped(time)] };
  return SILENT.test(type) ? { state } : { state, unknown: type };
}

function promptOf({ parent }: KimiState, message: Json, time: string | null): RawEntry[] {
  const text = textIn(message.content).trim();
  if (text === '' || message.role !== 'user') return [];
  const kind = object(message.origin).kind;
  if (kind === 'user' && parent === null) return typedEntries({ native: null, time }, text);
  if (parent !== null && kind !== 'injection')
    return [rawEntryOf({ time, role: 'user', origin: 'agent', text, marks: ['subagent'] })];
  const isSummary = kind === 'compaction_summary' || kind === 'compaction';
  return [
    rawEntryOf({
      time,
      role: 'user',
      origin: 'injected',
      text,
      ...(isSummary ? { marks: ['compaction'] } : {}),
    }),
  ];
}

function readEvent(state: KimiState, event: Json, time: string | null): Read {
  const type = textOf(event.type) ?? 'none';
  const id = short(event.uuid);
  const marks = state.parent === null ? [] : ['subagent'];
  if (type === 'content.part') {
    const part = object(event.part);
    const thought = part.type === 'think';
    const text = dropBinary(textOf(thought ? part.think : part.text) ?? '').trim();
    const said = { native: id, time, origin: 'agent', text } as const;
    if (text === '') return { state };
    return {
      state,
      rawEntries: [
        thought
          ? rawEntryOf({ ...said, role: 'thinking' })
          : rawEntryOf({ ...said, role: 'assistant', marks }),
      ],
    };
  }
  if (type === 'tool.call') {
    const call = {
      id: short(event.toolCallId) ?? id ?? '',
      step: short(event.stepUuid),
      tool: textOf(event.name) ?? 'unknown',
    };
    return opened(state, call, event.args, time);
  }
  if (type === 'tool.result') {
    const result = object(event.result);
    const call = short(event.toolCallId) ?? short(event.parentUuid) ?? '';
    return ended(
      state,
      call,
      { text: textIn(result.output), isError: result.isError === true },
      time,
    );
  }
  if (type === 'step.end')
    return {
      state,
      usage: usageOf(state, object(event.usage), short(event.messageId) ?? id, time),
    };
  return type === 'step.begin' ? { state } : { state, unknown: `event:${type}` };
}
