import type { Adapter, RawEntry, LogRecord, Origin, Role, SessionFacts, Step } from '../types.js';
import { isObject, isoTime, text, whole, type Json } from '../text/fields.js';
import { rawEntryOf } from './calls.js';

/** Folders and sessions of the writing tools; a file may contain several. */
interface InboxState {
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

/** Values of `type`, an alternative to `role`. */
const TYPES = new Map<string, { role: Role; origin: Origin }>(
  Object.entries({
    instruction: { role: 'user', origin: 'user' },
    decision: { role: 'assistant', origin: 'agent' },
    tool: { role: 'tool_call', origin: 'agent' },
    outcome: { role: 'tool_result', origin: 'tool' },
    error: { role: 'tool_result', origin: 'tool' },
  }),
);

function rawEntryFrom(record: Json, words: string, kind: { role: Role; origin: Origin }): RawEntry {
  const exit = kind.role === 'tool_result' ? whole(record.exit) : null;
  const isCall = kind.role === 'tool_call';
  const ended = exit === null ? null : exit === 0 ? 'ok' : 'failed';
  return rawEntryOf({
    ...kind,
    time: isoTime(record.at),
    tool: text(record.tool),
    text: words,
    call: text(record.call),
    command: text(record.command) ?? (isCall ? words : null),
    exit,
    outcome: record.type === 'error' ? 'failed' : ended,
    cwd: text(record.cwd),
    branch: text(record.branch),
    ...(record.type === 'decision' ? { marks: ['final'] } : {}),
    bySession: true,
  });
}

/**
 * `inbox/*.jsonl` in our own home: lines `{agent, session, role, text, at, cwd}` by any tool
 * without logs, or with `type` (instruction, tool, outcome, decision, error) for the role.
 */
export const inbox: Adapter<InboxState> = {
  agent: 'inbox',
  title: 'Inbox (any tool)',
  places: [{ env: 'DRIPSTONE_HOME', root: '.dripstone', under: 'inbox', globs: ['*.jsonl'] }],
  start: () => ({ session: null, cwd: null }),
  step(state: InboxState, { value }: LogRecord): Step<InboxState> {
    if (!isObject(value)) return { state, rawEntries: [], unknown: 'none' };
    const words = text(value.text);
    const kind = ROLES.get(text(value.role) ?? '') ?? TYPES.get(text(value.type) ?? '');
    const own = text(value.session);
    if (words === null || kind === undefined || own === null)
      return { state, rawEntries: [], unknown: kind === undefined ? 'role' : 'line' };
    const session = `${text(value.agent) ?? 'unknown'}:${own}`;
    const raw = rawEntryFrom(value, words, kind);
    const isNew = session !== state.session || (raw.cwd !== null && raw.cwd !== state.cwd);
    const facts: SessionFacts = { session, cwd: raw.cwd, branch: raw.branch };
    return {
      state: { session, cwd: raw.cwd },
      rawEntries: [raw],
      ...(isNew ? { session: facts } : {}),
    };
  },
};
