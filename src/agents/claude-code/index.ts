import type { Adapter, LogRecord, LogPlace, SessionFacts, Step } from '../../types.js';
import { type Json, isObject, object, short, text as textOf } from '../fields.js';
import { stepAssistant } from './assistant.js';
import { stepAttachment } from './attachment.js';
import { branchOf, type ClaudeState, isMachine, newFacts, startState } from './state.js';
import { stepQueue } from './queue.js';
import { stepSystem } from './system.js';
import { stepUser } from './user.js';

const GLOBS = ['**/*.jsonl'];

/**
 * Where Claude Code leaves its logs. The desktop app keeps a `.claude` folder per local session.
 */
const places: LogPlace[] = [
  { env: 'CLAUDE_CONFIG_DIR', root: '.claude', under: 'projects', globs: GLOBS },
  { env: null, root: '.config/claude', under: 'projects', globs: GLOBS },
  ...[
    'Library/Application Support/Claude',
    '.config/Claude',
    'AppData/Roaming/Claude',
    'AppData/Local/Packages/Claude_*/LocalCache/Roaming/Claude',
  ].map((root) => ({
    env: null,
    root,
    under: 'local-agent-mode-sessions',
    globs: ['**/local_*/.claude/projects/**/*.jsonl'],
  })),
];

/**
 * Bookkeeping: snapshots, modes, repeated prompts. `progress` repeats what subagents and shells
 * write elsewhere.
 */
const SILENT =
  /^(?:progress|file-history-snapshot|file-history-delta|last-prompt|permission-mode|mode|bridge-session|agent-name|agent-color|agent-setting|atis-latch|frame-link|started|result|tag|summary|content-replacement|marble-origami-commit|marble-origami-snapshot|attribution-snapshot|speculation-accept|task-summary)$/;

function stepRecord(
  state: ClaudeState,
  record: Json,
): Step<ClaudeState> & { facts?: Partial<SessionFacts> } {
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
      if (fact) return { state: fact.state, rawEntries: [], facts: fact.facts };
      const type = textOf(record.type) ?? 'none';
      return SILENT.test(type)
        ? { state, rawEntries: [] }
        : { state, rawEntries: [], unknown: type };
    }
  }
}

/** Claude Code's session logs; docs/formats.md describes the format. */
export const claudeCode: Adapter<ClaudeState> = {
  agent: 'claude-code',
  title: 'Claude Code',
  places,
  retention: { days: 30, file: 'settings.json', setting: 'cleanupPeriodDays' },
  start: (name) => startState(name.relative),
  step(state: ClaudeState, { value }: LogRecord): Step<ClaudeState> {
    if (!isObject(value)) return { state, rawEntries: [], unknown: 'none' };
    const part = stepRecord(readEnvelope(state, value), value);
    const after = readMachine(part.state);
    const session = newFacts(state, after, part.facts);
    return {
      state: after,
      rawEntries: part.rawEntries,
      ...(session ? { session } : {}),
      ...(part.usage ? { usage: part.usage } : {}),
      ...(part.unknown === undefined ? {} : { unknown: part.unknown.slice(0, 80) }),
    };
  },
};

/**
 * OpenClaude, a program made from Claude Code that writes the same logs (Gitlawb/openclaude:
 * `src/utils/sessionStorage.ts`); not tested on real logs.
 */
export const openClaude: Adapter<ClaudeState> = {
  agent: 'openclaude',
  title: 'OpenClaude',
  unproven: true,
  places: [{ env: null, root: '.openclaude', under: 'projects', globs: GLOBS }],
  start: claudeCode.start,
  step: claudeCode.step,
};

/** Folders in which programs talk to the agent about other sessions. */
const OWN_FOLDER = /[/\\]\.(?:dripstone|claude-mem)(?:[/\\]|$)/;

/**
 * What a record's envelope says about its session. Titles, links and queue records may name another
 * session without switching to it.
 */
function readEnvelope(state: ClaudeState, record: Json): ClaudeState {
  const id = short(record.sessionId);
  const chained = textOf(record.uuid) !== null;
  const session = state.subagent
    ? state.file
    : id !== null && (chained || state.session === null)
      ? id
      : state.session;
  const parent = state.subagent ? (state.parent ?? id) : null;
  if (!chained)
    return session === state.session && parent === state.parent
      ? state
      : { ...state, session, parent };
  const cwd = short(record.cwd) ?? state.cwd;
  const branch = branchOf(record) ?? state.branch;
  const version = short(record.version) ?? state.version;
  const signs = readSigns(state.signs, record, cwd);
  const same =
    session === state.session &&
    parent === state.parent &&
    cwd === state.cwd &&
    branch === state.branch &&
    version === state.version &&
    signs === state.signs;
  return same
    ? state
    : { ...state, session: session ?? (state.file || null), parent, cwd, branch, version, signs };
}

function readSigns(
  signs: ClaudeState['signs'],
  record: Json,
  cwd: string | null,
): ClaudeState['signs'] {
  const entry = textOf(record.entrypoint);
  const program = entry?.startsWith('sdk') ?? false;
  const own = signs.own || (cwd !== null && OWN_FOLDER.test(cwd));
  const sdk = signs.sdk || program;
  const other = signs.other || (entry !== null && !program);
  return own === signs.own && sdk === signs.sdk && other === signs.other
    ? signs
    : { ...signs, own, sdk, other };
}

/** The session's `machine` flag, as soon as there is a sign. */
function readMachine(state: ClaudeState): ClaudeState {
  const { sdk, other, typed, fed, plain, own } = state.signs;
  const machine = sdk || other || typed || fed || plain || own ? isMachine(state.signs) : null;
  return machine === state.machine ? state : { ...state, machine };
}

/**
 * Facts from records that contain nothing else: titles, worktrees, pull requests. Null for any
 * other record.
 */
function readFactRecord(
  state: ClaudeState,
  record: Json,
): { state: ClaudeState; facts: Partial<SessionFacts> } | null {
  switch (record.type) {
    case 'custom-title':
      return { state: { ...state, named: true }, facts: { title: textOf(record.customTitle) } };
    case 'ai-title':
      return { state, facts: state.named ? {} : { title: textOf(record.aiTitle) } };
    case 'pr-link':
      return { state, facts: { remote: remoteOf(record) } };
    case 'relocated':
      return { state, facts: { cwd: textOf(record.relocatedCwd) } };
    case 'worktree-state': {
      const tree = object(record.worktreeSession);
      return {
        state,
        facts: { originalCwd: textOf(tree.originalCwd), branch: textOf(tree.worktreeBranch) },
      };
    }
    default:
      return null;
  }
}

/** `host/owner/repo` of a pull request. */
function remoteOf(record: Json): string | null {
  const url =
    /^https?:\/\/([^/\s]+)\/([\w.-]+\/[\w./-]+?)\/(?:-\/)?(?:pull|pulls|merge_requests)\//.exec(
      textOf(record.prUrl) ?? '',
    );
  if (url) return `${url[1]}/${url[2]}`;
  const repository = textOf(record.prRepository);
  return repository && /^[\w.-]+\/[\w.-]+$/.test(repository) && isObject(record)
    ? `github.com/${repository}`
    : null;
}
