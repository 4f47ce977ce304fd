import type { SessionFacts } from '../../types.js';
import { isObject, object, short, text as textOf, type Json } from '../fields.js';
import { branchOf } from './entry.js';
import { isMachine, type State } from './state.js';

/** Folders in which programs talk to the agent about other sessions. */
const OWN_FOLDER = /[/\\]\.(?:dripstone|claude-mem)(?:[/\\]|$)/;

/** What a record's envelope says about its session. Titles, links and queue records may name another session: they do not switch. */
export function readEnvelope(state: State, record: Json): State {
  const id = short(record.sessionId);
  const chained = textOf(record.uuid) !== null;
  const session = state.subagent ? state.file : id !== null && (chained || state.session === null) ? id : state.session;
  const parent = state.subagent ? (state.parent ?? id) : null;
  if (!chained) return session === state.session && parent === state.parent ? state : { ...state, session, parent };
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
  return same ? state : { ...state, session: session ?? (state.file || null), parent, cwd, branch, version, signs };
}

function readSigns(signs: State['signs'], record: Json, cwd: string | null): State['signs'] {
  const entry = textOf(record.entrypoint);
  const program = entry?.startsWith('sdk') ?? false;
  const own = signs.own || (cwd !== null && OWN_FOLDER.test(cwd));
  const sdk = signs.sdk || program;
  const other = signs.other || (entry !== null && !program);
  return own === signs.own && sdk === signs.sdk && other === signs.other ? signs : { ...signs, own, sdk, other };
}

/** The session's machine flag, once any sign is there. */
export function readMachine(state: State): State {
  const { sdk, other, typed, fed, plain, own } = state.signs;
  const machine = sdk || other || typed || fed || plain || own ? isMachine(state.signs) : null;
  return machine === state.machine ? state : { ...state, machine };
}

/** Facts of the records that carry nothing else: titles, worktrees, pull requests. Null for any other record. */
export function readFactRecord(state: State, record: Json): { state: State; facts: Partial<SessionFacts> } | null {
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
      return { state, facts: { originalCwd: textOf(tree.originalCwd), branch: textOf(tree.worktreeBranch) } };
    }
    default:
      return null;
  }
}

/** `host/owner/repo` of a pull request. */
function remoteOf(record: Json): string | null {
  const url = /^https?:\/\/([^/\s]+)\/([\w.-]+\/[\w./-]+?)\/(?:-\/)?(?:pull|pulls|merge_requests)\//.exec(
    textOf(record.prUrl) ?? '',
  );
  if (url) return `${url[1]}/${url[2]}`;
  const repository = textOf(record.prRepository);
  return repository && /^[\w.-]+\/[\w.-]+$/.test(repository) && isObject(record) ? `github.com/${repository}` : null;
}
