/**
 * Factory's Droid: `$FACTORY_DIR` or `~/.factory`, `sessions/<slug>/<uuid>.jsonl`, some at the
 * root. Lines, appended: `session_start` with title and folder, `message` with blocks as in
 * Anthropic's API (its `message.id` is the record's `id`), `todo_state` and `compaction_state`. The
 * first user message starts with `<system-reminder>` blocks. Token counts are in another file for
 * the whole session, and are not read. Known from descriptions and one sample.
 */
import type { Adapter, LogRecord, SessionFacts, Step } from '../../types.js';
import { readBlocks } from './index.js';
import { rawEntryOf } from '../calls.js';
import { type Json, isObject, isoTime, object, short, text as textOf } from '../fields.js';
import { type Base, type OpenCall } from '../open-calls.js';
import { contentText } from '../typed.js';

interface DroidState {
  session: string | null;
  cwd: string | null;
  child: boolean;
  calls: OpenCall[];
}

const OWN = new Set(
  (
    'Read LS Execute Edit MultiEdit ApplyPatch Grep Glob Create TodoWrite Task ExitSpecMode AskUser KillProcess Skill ' +
    'TaskOutput ProposeMission'
  ).split(' '),
);
const TAGS = 'system-reminder|system_reminder|system-notification|environment_context|user-context';
const INTERRUPT = /^\s*\[?Request (?:interrupted|cancelled) by user/;

export const droid: Adapter<DroidState> = {
  agent: 'droid',
  title: 'Factory Droid',
  unproven: true,
  places: [
    { env: 'FACTORY_DIR', root: '.factory', under: 'sessions', globs: ['*.jsonl', '*/*.jsonl'] },
  ],
  start: () => ({ session: null, cwd: null, child: false, calls: [] }),
  step,
};

function step(before: DroidState, { value }: LogRecord): Step<DroidState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const base: Base = { native: short(value.id), time: isoTime(value.timestamp), cwd: before.cwd };
  switch (value.type) {
    case 'session_start': {
      const parent = short(value.callingSessionId) ?? short(value.parentSessionId);
      const session = short(value.id) ?? before.session;
      const state = {
        ...before,
        session,
        cwd: short(value.cwd) ?? before.cwd,
        child: parent !== null,
      };
      const facts: Omit<SessionFacts, 'session'> = {
        cwd: state.cwd,
        title: short(value.sessionTitle) ?? short(value.title),
        version: typeof value.version === 'string' ? short(value.version) : null,
        ...(parent === null ? {} : { parent, subagent: true }),
      };
      return {
        state,
        rawEntries: [],
        ...(state.session === null ? {} : { session: { session: state.session, ...facts } }),
      };
    }
    case 'message':
      return stepMessage(before, base, object(value.message));
    case 'compaction_state': {
      const text =
        textOf(value.summaryText) ?? textOf(value.summary) ?? 'The conversation was compacted.';
      return {
        state: before,
        rawEntries: [
          rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
        ],
      };
    }
    case 'todo_state':
    case 'session_end':
      return { state: before, rawEntries: [] };
    default:
      return {
        state: before,
        rawEntries: [],
        unknown: (textOf(value.type) ?? 'none').slice(0, 80),
      };
  }
}

function stepMessage(state: DroidState, base: Base, said: Json): Step<DroidState> {
  if (said.role !== 'user' && said.role !== 'assistant')
    return {
      state,
      rawEntries: [],
      unknown: `message:${textOf(said.role) ?? 'none'}`.slice(0, 80),
    };
  const text = contentText(said.content);
  if (said.role === 'user' && INTERRUPT.test(text))
    return {
      state,
      rawEntries: [
        rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['interrupt'] }),
      ],
    };
  const { calls, ...told } = readBlocks(base, state.calls, said, {
    isOwn: (tool) => OWN.has(tool),
    tags: TAGS,
    typist: state.child ? 'agent' : 'user',
    marks: state.child ? ['subagent'] : [],
    isFinal: true,
  });
  return { ...told, state: { ...state, calls } };
}
