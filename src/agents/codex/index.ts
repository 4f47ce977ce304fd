import type { Adapter, LogRecord, LogPlace, SessionFacts } from '../../types.js';
import { type Json, isObject, isoTime, object, short, text as textOf } from '../fields.js';
import { stepEvent } from './event.js';
import { stepItem } from './item.js';
import {
  type CodexState,
  beginPiece,
  enterTurn,
  isCopiedTurn,
  nothing,
  type Read,
  shared,
  startState,
  type Time,
} from './state.js';

const GLOBS = ['**/rollout-*.jsonl', '**/rollout-*.jsonl.zst'];

/** Active logs by local day; archived ones are in one flat folder. */
const places: LogPlace[] = ['sessions', 'archived_sessions'].map((under) => ({
  env: 'CODEX_HOME',
  root: '.codex',
  under,
  globs: GLOBS,
}));

/** `world_state` repeats AGENTS.md and settings; the others contain no text of the conversation. */
const SILENT =
  /^(?:world_state|inter_agent_communication|inter_agent_communication_metadata|session_state|token_usage_record)$/;

type ReadRecord = Read & { facts?: Omit<SessionFacts, 'session'> | null };

function stepCompacted(state: CodexState, time: Time, payload: Json): Read {
  const text = textOf(payload.message) ?? 'The conversation was compacted.';
  return shared(state, time, 1, {
    role: 'system',
    origin: 'injected',
    text,
    marks: ['compaction'],
  });
}

function stepRecord(state: CodexState, record: Json): ReadRecord {
  const payload = object(record.payload);
  const time = isoTime(record.timestamp);
  switch (record.type) {
    case 'session_meta': {
      const meta = readMeta(state, payload);
      return { ...nothing(meta.state), facts: meta.facts };
    }
    case 'turn_context':
      return nothing(enterTurn(readContext(state, payload), textOf(payload.turn_id) ?? state.turn));
    case 'response_item':
      return stepItem(state, time, payload);
    case 'event_msg':
      return {
        ...stepEvent(state, time, payload),
        facts:
          payload.type === 'thread_name_updated'
            ? { title: textOf(payload.thread_name) ?? textOf(payload.name) }
            : null,
      };
    case 'compacted':
      return stepCompacted(state, time, payload);
    default: {
      const type = textOf(record.type) ?? 'none';
      return SILENT.test(type) ? nothing(state) : { ...nothing(state), unknown: type };
    }
  }
}

/**
 * Which session the following entries belong to. Copied turns belong to the parent, so fork and
 * parent agree in whatever order they are read.
 */
function settle(before: CodexState, after: CodexState, copied: string | null): CodexState {
  if (after.turn === before.turn || after.session === null) return after;
  if (!isCopiedTurn(after.turn, after.session))
    return after.turn !== null && after.telling !== after.session
      ? { ...after, telling: after.session }
      : after;
  return copied === null ? after : { ...after, telling: copied };
}

/** The session's id in the name of a log, wherever the log was moved. */
const SESSION = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=[^/]*$)/;

/** Codex's session logs; docs/formats.md describes the format. */
export const codex: Adapter<CodexState> = {
  agent: 'codex',
  title: 'Codex',
  places,
  start({ relative }) {
    const scope = SESSION.exec(relative)?.[0] ?? null;
    return { ...startState(), scope, isOpen: scope !== null };
  },
  step(saved: CodexState, { value }: LogRecord): Read {
    if (!isObject(value)) return { state: saved, rawEntries: [], unknown: 'none' };
    const before = beginPiece(saved, value, value.type === 'session_meta');
    const told = stepRecord(before, value);
    const state = settle(before, told.state, before.telling);
    const facts = told.facts ?? null;
    const moved = state.telling !== before.telling;
    const session =
      state.telling !== null && (facts !== null || moved)
        ? { session: state.telling, ...facts }
        : undefined;
    return {
      state,
      rawEntries: told.rawEntries,
      ...(session ? { session } : {}),
      ...(told.usage ? { usage: told.usage } : {}),
      ...(told.unknown === undefined ? {} : { unknown: told.unknown.slice(0, 80) }),
    };
  },
};

/**
 * TRAE CLI 2, which keeps its sessions as Codex does (observed in real logs by kenn-io/agentsview,
 * `docs/internal/session-format-sources.md`); not tested on real logs here.
 */
export const trae: Adapter<CodexState> = {
  ...codex,
  agent: 'trae',
  title: 'TRAE CLI',
  unproven: true,
  places: ['sessions', 'archived_sessions'].map((under) => ({
    env: null,
    root: '.trae/cli',
    under,
    globs: GLOBS,
  })),
};

interface Meta {
  state: CodexState;
  facts: Omit<SessionFacts, 'session'> | null;
}

const PROGRAM = /^(?:codex[_-]exec|codex_mcp|codex_sdk\w*|codex_github_action|.*[_-]exec)$/i;

/**
 * Whether a program started the session: `exec`, MCP, automations, reviews and subagents; never the
 * CLI, app or IDE.
 */
function isMachine(payload: Json): boolean {
  const source = payload.source;
  const thread = textOf(payload.thread_source);
  if (isObject(source)) return true;
  if (typeof source === 'string' && /^(?:exec|mcp|review|automation|subagent)/i.test(source))
    return true;
  if (
    thread !== null &&
    /^(?:subagent|automation|review|memory|exec|mcp|schedul|system|guardian)/i.test(thread)
  )
    return true;
  return PROGRAM.test(textOf(payload.originator) ?? '');
}

/** The session that spawned a subagent or that a fork copied. */
function parentOf(payload: Json): string | null {
  const spawn = object(object(object(payload.source).subagent).thread_spawn);
  return (
    textOf(payload.parent_thread_id) ??
    textOf(spawn.parent_thread_id) ??
    textOf(payload.forked_from_id)
  );
}

function isSubagent(payload: Json): boolean {
  return (
    isObject(object(payload.source).subagent) ||
    typeof object(payload.source).subagent === 'string' ||
    payload.thread_source === 'subagent'
  );
}

/**
 * Reads `session_meta`. The first one in a file names its session; a later one with the same id is
 * an update, and one with another id says that copied history of that session follows.
 */
function readMeta(state: CodexState, payload: Json): Meta {
  const id = textOf(payload.id) ?? textOf(payload.session_id);
  if (id === null) return { state, facts: null };
  const git = object(payload.git);
  const place = {
    cwd: textOf(payload.cwd),
    branch: textOf(git.branch),
    remote: textOf(git.repository_url),
    version: textOf(payload.cli_version),
  };
  const first = state.session === null;
  const forked = textOf(payload.forked_from_id);
  const own = first || id === state.session;
  const after: CodexState = {
    ...state,
    session: state.session ?? id,
    telling: id,
    // What follows the head of a fork before the first turn is copied: the parent's log may have
    // lost its own head.
    ...(state.turns > 0 ? {} : { scope: forked, isOpen: forked !== null }),
    cwd: place.cwd ?? state.cwd,
    branch: place.branch ?? state.branch,
    machine: own ? state.machine || isMachine(payload) : state.machine,
    subagent: own ? state.subagent || isSubagent(payload) : state.subagent,
    ...(own ? {} : { parent: { machine: isMachine(payload), subagent: isSubagent(payload) } }),
  };
  const said = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== null));
  if (!own) return { state: after, facts: said };
  const parent = parentOf(payload);
  return {
    state: after,
    facts: {
      ...said,
      ...(parent ? { parent } : {}),
      ...(after.machine ? { machine: true } : {}),
      ...(after.subagent ? { subagent: true } : {}),
    },
  };
}

/** A subfolder, worktree or branch in which the turn works, and its model. */
function readContext(state: CodexState, payload: Json): CodexState {
  return {
    ...state,
    cwd: textOf(payload.cwd) ?? state.cwd,
    model: short(payload.model) ?? state.model,
  };
}
