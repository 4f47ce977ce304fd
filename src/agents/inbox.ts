import type { Adapter, Draft, LogRecord, Origin, Role, SessionFacts, Step } from '../types.js';
import { isObject, isoTime, text, whole, type Json } from './fields.js';

/** Folders and sessions of the tools that write here; a file may hold several. */
interface State {
  session: string | null;
  cwd: string | null;
}

const ROLES = new Map<string, { role: Role; origin: Origin }>(
  Object.entries({
    user: { role: 'user', origin: 'user' },
    assistant: { role: 'assistant', origin: 'agent' },
    agent: { role: 'assistant', origin: 'agent' },
    thinking: { role: 'thinking', origin: 'agent' },
    tool: { role: 'tool_result', origin: 'tool' },
    tool_result: { role: 'tool_result', origin: 'tool' },
    system: { role: 'system', origin: 'injected' },
  }),
);

function draftOf(record: Json, said: string, kind: { role: Role; origin: Origin }): Draft {
  const isResult = kind.role === 'tool_result';
  const exit = isResult ? whole(record.exit) : null;
  return {
    ...kind,
    native: null,
    time: isoTime(record.at),
    tool: text(record.tool),
    text: said,
    call: text(record.call),
    command: text(record.command),
    exit,
    outcome: exit === null ? null : exit === 0 ? 'ok' : 'failed',
    files: [],
    cwd: text(record.cwd),
    branch: text(record.branch),
    bySession: true,
  };
}

/**
 * `inbox/*.jsonl` below our own home: any tool without logs appends lines `{agent, session, role, text, at, cwd}` there. A
 * session is named by the tool and its own session id; a line without text or with an unknown role is counted and left out.
 */
export const inbox: Adapter<State> = {
  agent: 'inbox',
  title: 'Inbox (any tool)',
  places: [{ env: 'DRIPSTONE_HOME', root: '.dripstone', under: 'inbox', globs: ['*.jsonl'] }],
  start: () => ({ session: null, cwd: null }),
  step(state: State, { value }: LogRecord): Step<State> {
    if (!isObject(value)) return { state, drafts: [], unknown: 'none' };
    const said = text(value.text);
    const kind = ROLES.get(text(value.role) ?? '');
    const own = text(value.session);
    if (said === null || kind === undefined || own === null)
      return { state, drafts: [], unknown: kind === undefined ? 'role' : 'line' };
    const session = `${text(value.agent) ?? 'unknown'}:${own}`;
    const draft = draftOf(value, said, kind);
    const isNew = session !== state.session || (draft.cwd !== null && draft.cwd !== state.cwd);
    const facts: SessionFacts = { session, cwd: draft.cwd, branch: draft.branch };
    return { state: { session, cwd: draft.cwd }, drafts: [draft], ...(isNew ? { session: facts } : {}) };
  },
};
