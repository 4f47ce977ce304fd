import type { Adapter, Draft, LogRecord, Place, SessionFacts, Step } from '../../types.js';
import { isObject, text as textOf, type Json } from '../fields.js';
import { stepAssistant } from './assistant.js';
import { stepAttachment } from './attachment.js';
import { readEnvelope, readFactRecord, readMachine } from './facts.js';
import { stepQueue } from './queue.js';
import { newFacts, startState, type State } from './state.js';
import { stepSystem } from './system.js';
import { stepUser } from './user.js';

const GLOBS = ['**/*.jsonl'];

/** Where Claude Code leaves its logs. The desktop app keeps a `.claude` folder per local session. */
const places: Place[] = [
  { env: 'CLAUDE_CONFIG_DIR', root: '.claude', under: 'projects', globs: GLOBS },
  { env: null, root: '.config/claude', under: 'projects', globs: GLOBS },
  ...[
    'Library/Application Support/Claude',
    '.config/Claude',
    'AppData/Roaming/Claude',
    'AppData/Local/Packages/Claude_*/LocalCache/Roaming/Claude',
  ].map((root) => ({ env: null, root, under: 'local-agent-mode-sessions', globs: ['**/local_*/.claude/projects/**/*.jsonl'] })),
];

/** Bookkeeping: snapshots, modes, repeated prompts. `progress` repeats what subagents and shells write elsewhere. */
const SILENT = new Set(
  (
    'progress file-history-snapshot file-history-delta last-prompt permission-mode mode bridge-session agent-name agent-color agent-setting atis-latch ' +
    'frame-link started result tag summary content-replacement marble-origami-commit marble-origami-snapshot attribution-snapshot speculation-accept task-summary'
  ).split(' '),
);

type Part = { state: State; drafts: Draft[]; unknown?: string };

function stepRecord(state: State, record: Json): Part & { facts?: Partial<SessionFacts> } {
  switch (record.type) {
    case 'user':
      return stepUser(state, record);
    case 'assistant':
      return stepAssistant(state, record);
    case 'attachment':
      return stepAttachment(state, record);
    case 'system':
      return stepSystem(state, record);
    case 'queue-operation':
      return stepQueue(state, record);
    default: {
      const fact = readFactRecord(state, record);
      if (fact) return { state: fact.state, drafts: [], facts: fact.facts };
      const type = textOf(record.type) ?? 'none';
      return SILENT.has(type) ? { state, drafts: [] } : { state, drafts: [], unknown: type };
    }
  }
}

/** Claude Code's session logs; README.md beside this file describes the format. */
export const claudeCode: Adapter<State> = {
  agent: 'claude-code',
  title: 'Claude Code',
  shape: 'lines',
  places,
  retentionDays: 30,
  start: (name) => startState(name.relative),
  step(state: State, { value }: LogRecord): Step<State> {
    if (!isObject(value)) return { state, drafts: [], unknown: 'none' };
    const part = stepRecord(readEnvelope(state, value), value);
    const after = readMachine(part.state);
    const session = newFacts(state, after, part.facts);
    return {
      state: after,
      drafts: part.drafts,
      ...(session ? { session } : {}),
      ...(part.unknown === undefined ? {} : { unknown: part.unknown.slice(0, 80) }),
    };
  },
};
