/** Claude Code's session logs; docs/formats.md describes the format. */
import type { LogPlace, SessionFacts } from '../../types.js';
import { agent, type Agent, type Event } from '../engine.js';
import { isoTime, type Json, object, short, text as textOf } from '../../text/fields.js';
import { assistantEvents } from './assistant.js';
import { AGENT } from './calls.js';
import { attachmentEvents, systemEvents } from './shown.js';
import { addSign, isChild, machineOf, type More, type Reading } from './state.js';
import { queueEvents, userEvents } from './user.js';

const GLOBS = ['**/*.jsonl'];

/** The desktop app keeps a `.claude` folder per local session. */
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

const START: More = {
  ...{ file: '', parent: null, cwd: null, branch: null, version: null },
  ...{ named: false, busy: false, fed: false, signs: [], queued: [] },
  ...{ bang: null, answer: null, typed: null },
};

const family = {
  // Other tools belong to MCP servers; calls show whether a tool fetches from the web.
  ownTools: /^(?!mcp__)/i,
  agentTools: AGENT,
  tags: null,
  repeats: true,
  more: START,
  begin({ relative }) {
    const folders = relative.split('/');
    const file = (folders.at(-1) ?? '').replace(/\.jsonl$/, '');
    const below = folders.lastIndexOf('subagents');
    const more = { ...START, file, parent: below > 0 ? folders[below - 1]! : null };
    if (file === '' || (below < 0 && !file.startsWith('agent-'))) return { more };
    return { session: file, parent: more.parent, subagent: true, more };
  },
  place(record, kept) {
    const time = isoTime(record.timestamp);
    const child = isChild({ record, kept });
    const cwd = short(record.cwd) ?? kept.more.cwd;
    return {
      id: textOf(record.uuid),
      time,
      child,
      cwd,
      branch: branchOf(record) ?? kept.more.branch,
    };
  },
  read(record, kept) {
    const reading = { record, kept, more: Object.assign({}, kept.more) };
    const session = readEnvelope(reading);
    const events = readRecord(reading);
    const news = newsOf(reading, session);
    return { events: news === null ? events : [news, ...events], more: reading.more };
  },
} satisfies Partial<Agent<More>>;

export const claudeCode = agent<More>({
  ...family,
  agent: 'claude-code',
  title: 'Claude Code',
  places,
  retention: { days: 30, file: 'settings.json', setting: 'cleanupPeriodDays' },
});

/**
 * OpenClaude, a program made from Claude Code that writes the same logs (Gitlawb/openclaude:
 * `src/utils/sessionStorage.ts`); not tested on real logs.
 */
export const openClaude = agent<More>({
  ...family,
  agent: 'openclaude',
  title: 'OpenClaude',
  unproven: true,
  places: [{ env: null, root: '.openclaude', under: 'projects', globs: GLOBS }],
});

/** Folders in which programs talk to the agent about other sessions. */
const OWN_FOLDER = /[/\\]\.(?:dripstone|claude-mem)(?:[/\\]|$)/;

/**
 * Reads the facts about the session in a record's envelope. Titles, links and queue records may
 * name another session without switching to it.
 * @returns the session
 */
function readEnvelope({ record, kept: { facts }, more }: Reading): string {
  const id = short(record.sessionId);
  const isChained = textOf(record.uuid) !== null;
  if (facts.subagent) more.parent ??= id;
  const isNamed = !facts.subagent && id !== null && (isChained || facts.session === '');
  const session = isNamed ? id : facts.session;
  if (!isChained) return session;
  more.cwd = short(record.cwd) ?? more.cwd;
  more.branch = branchOf(record) ?? more.branch;
  more.version = short(record.version) ?? more.version;
  more.parent ??= short(object(record.forkedFrom).sessionId);
  const entry = textOf(record.entrypoint);
  const isSdk = entry?.startsWith('sdk') === true;
  addSign(more, 'own', more.cwd !== null && OWN_FOLDER.test(more.cwd));
  addSign(more, 'sdk', isSdk);
  addSign(more, 'other', entry !== null && !isSdk);
  return session || more.file;
}

/** The branch; null for a detached head. */
function branchOf(record: Json): string | null {
  const branch = short(record.gitBranch);
  return branch === 'HEAD' ? null : branch;
}

/** The new facts in the record. The first folder is the session's. */
function newsOf({ kept, more }: Reading, session: string): Event | null {
  const isFresh = session !== kept.facts.session;
  const was = kept.more;
  const news: Omit<Partial<SessionFacts>, 'session'> = {};
  if (isFresh || more.parent !== was.parent) news.parent = more.parent;
  if (isFresh || more.version !== was.version) news.version = more.version;
  if (isFresh || more.branch !== was.branch) news.branch = more.branch;
  if (isFresh || was.cwd === null) news.cwd = more.cwd;
  const machine = more.signs === was.signs && !isFresh ? null : machineOf(more.signs);
  if (machine !== null && (isFresh || machine !== machineOf(was.signs))) news.machine = machine;
  const isNews = isFresh || Object.values(news).some((value) => value !== null);
  return session !== '' && isNews ? { is: 'session', ...news, session } : null;
}

/**
 * Bookkeeping: snapshots, modes, repeated prompts. `progress` repeats records of subagents and
 * shells.
 */
const SILENT =
  /^(?:progress|file-history-snapshot|file-history-delta|last-prompt|permission-mode|mode|bridge-session|agent-name|agent-color|agent-setting|atis-latch|frame-link|started|result|tag|summary|content-replacement|marble-origami-commit|marble-origami-snapshot|attribution-snapshot|speculation-accept|task-summary|continued-in|marble-origami-reset|fork-context-ref|artifact-comment-monitor|artifact-autoreact-ledger|ended-by-model|history-suppression|isolation-latch|observer-ref|cost-state|failed|launched|session-name|slug)$/;

function readRecord(reading: Reading): Event[] {
  const { record, more } = reading;
  switch (record.type) {
    case 'user':
      return userEvents(reading);
    case 'assistant':
      return assistantEvents(reading);
    case 'attachment':
      return attachmentEvents(reading);
    case 'system':
      return systemEvents(reading);
    case 'queue-operation':
      return queueEvents(reading);
    case 'custom-title':
      more.named = true;
      return [{ is: 'session', title: textOf(record.customTitle) }];
    case 'ai-title':
      return more.named ? [] : [{ is: 'session', title: textOf(record.aiTitle) }];
    case 'pr-link':
      return [{ is: 'session', remote: remoteOf(record) }];
    case 'relocated':
      return [{ is: 'session', cwd: textOf(record.relocatedCwd) }];
    case 'worktree-state': {
      const { originalCwd, worktreeBranch } = object(record.worktreeSession);
      return [{ is: 'session', original_cwd: textOf(originalCwd), branch: textOf(worktreeBranch) }];
    }
    default: {
      const type = textOf(record.type) ?? 'none';
      return SILENT.test(type) ? [] : [{ is: 'unknown', type }];
    }
  }
}

/** `host/owner/repo` of a pull request. */
function remoteOf(record: Json): string | null {
  const url =
    /^https?:\/\/([^/\s]+)\/([\w.-]+\/[\w./-]+?)\/(?:-\/)?(?:pull|pulls|merge_requests)\//.exec(
      textOf(record.prUrl) ?? '',
    );
  if (url) return `${url[1]}/${url[2]}`;
  const repository = textOf(record.prRepository) ?? '';
  return /^[\w.-]+\/[\w.-]+$/.test(repository) ? `github.com/${repository}` : null;
}
