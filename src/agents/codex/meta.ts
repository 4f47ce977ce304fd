import type { SessionFacts } from '../../types.js';
import { isObject, object, text as textOf, type Json } from '../fields.js';
import type { State } from './state.js';

export interface Meta {
  state: State;
  facts: Omit<SessionFacts, 'session'> | null;
}

const PROGRAM = /^(?:codex[_-]exec|codex_mcp|codex_sdk\w*|codex_github_action|.*[_-]exec)$/i;

/** Whether a program started the session: `exec`, MCP, automations, reviews and subagents; never the CLI, app or IDE. */
function isMachine(payload: Json): boolean {
  const source = payload.source;
  const thread = textOf(payload.thread_source);
  if (isObject(source)) return true;
  if (typeof source === 'string' && /^(?:exec|mcp|review|automation|subagent)/i.test(source)) return true;
  if (thread !== null && /^(?:subagent|automation|review|memory|exec|mcp|schedul|system|guardian)/i.test(thread)) return true;
  return PROGRAM.test(textOf(payload.originator) ?? '');
}

/** The session that spawned a subagent or that a fork copied. */
function parentOf(payload: Json): string | null {
  const spawn = object(object(object(payload.source).subagent).thread_spawn);
  return textOf(payload.parent_thread_id) ?? textOf(spawn.parent_thread_id) ?? textOf(payload.forked_from_id);
}

const isSubagent = (payload: Json): boolean =>
  isObject(object(payload.source).subagent) ||
  typeof object(payload.source).subagent === 'string' ||
  payload.thread_source === 'subagent';

/**
 * Reads `session_meta`. The file's first one names its session; a later one with the same id is an update, one with
 * another id says that copied history of that session follows.
 */
export function readMeta(state: State, payload: Json): Meta {
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
  const own = first || id === state.session;
  const after: State = {
    ...state,
    session: state.session ?? id,
    telling: id,
    cwd: place.cwd ?? state.cwd,
    branch: place.branch ?? state.branch,
    machine: own ? state.machine || isMachine(payload) : state.machine,
    subagent: own ? state.subagent || isSubagent(payload) : state.subagent,
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

/** A subfolder, worktree or branch that the turn works in. */
export function readContext(state: State, payload: Json): State {
  return { ...state, cwd: textOf(payload.cwd) ?? state.cwd };
}
