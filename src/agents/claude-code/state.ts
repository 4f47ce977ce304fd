import type { RawEntry, Origin, Role, SessionFacts } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { type Json, isoTime, short, text as textOf } from '../fields.js';

/**
 * A tool call without its result so far. Contains no text that may be a secret: the state is stored
 * before redaction.
 */
export interface OpenCall {
  id: string;
  tool: string;
  /**
   * The shell command when it is short and plain, else null (the result can still be joined by
   * `call`).
   */
  command: string | null;
  files: string[];
  /** The result comes from outside (web, MCP). */
  web: boolean;
  /** Name of the background task that continues after the first result. */
  task: string | null;
}

/**
 * A prompt that was typed while the agent worked and already returned: only its length and hash are
 * kept.
 */
export interface QueuedPrompt {
  length: number;
  hash: string;
  time: string | null;
  /** Its attachment was read: the agent has received it. */
  seen: boolean;
  /** Other prompts seen since. */
  age: number;
}

/**
 * What is kept between two readings of a log. Plain JSON under 16 KiB, stored with the checkpoint.
 */
export interface ClaudeState {
  /** File name without folder and ending. */
  file: string;
  session: string | null;
  parent: string | null;
  subagent: boolean;
  cwd: string | null;
  branch: string | null;
  version: string | null;
  /** The person named the session, so titles by a model no longer count. */
  named: boolean;
  /** A turn is running: what is typed now is queued. */
  busy: boolean;
  /** The first records queued a prompt and took it at once, as programs do. */
  fed: boolean;
  /** Signs of a program and of a person. */
  signs: {
    sdk: boolean;
    other: boolean;
    typed: boolean;
    fed: boolean;
    plain: boolean;
    own: boolean;
  };
  machine: boolean | null;
  calls: OpenCall[];
  queued: QueuedPrompt[];
  /** Native id of the last `!` command, which its output answers. */
  bang: string | null;
  /** The answer of the last record. Optional, because states of earlier versions lack it. */
  answer?: OpenAnswer | null;
  /** The last prompt that says it was typed at once, and hashes of those queued since. */
  typed?: { uuid: string; queued: string[] } | null;
}

/** The id of an answer, and of its first record. */
export interface OpenAnswer {
  id: string | null;
  first: string | null;
}

/** State before the first record, from the path below `projects/`. */
export function startState(relative: string): ClaudeState {
  const parts = relative.split('/');
  const file = (parts.at(-1) ?? '').replace(/\.jsonl$/, '');
  const below = parts.lastIndexOf('subagents');
  const subagent = file !== '' && (below >= 0 || /^agent-/.test(file));
  return {
    file,
    session: null,
    parent: below > 0 ? parts[below - 1]! : null,
    subagent,
    cwd: null,
    branch: null,
    version: null,
    named: false,
    busy: false,
    fed: false,
    signs: { sdk: false, other: false, typed: false, fed: false, plain: false, own: false },
    machine: null,
    calls: [],
    queued: [],
    bang: null,
  };
}

/** Fewer than a dozen calls run at the same time. */
const MAX_CALLS = 40;
const CALL_BYTES = 10 * 1024;

/** Adds a call and drops the oldest, so that the list stays bounded. */
export function addCall(calls: OpenCall[], call: OpenCall): OpenCall[] {
  const kept = [...calls.filter((open) => open.id !== call.id), call].slice(-MAX_CALLS);
  let bytes = kept.reduce((sum, open) => sum + bytesOf(open), 0);
  while (bytes > CALL_BYTES) bytes -= bytesOf(kept.shift()!);
  return kept;
}

/** Upper limit of its size as JSON: three bytes for each character, and the names of the fields. */
function bytesOf(call: OpenCall): number {
  return (
    120 +
    3 *
      (call.id.length +
        call.tool.length +
        (call.command?.length ?? 0) +
        (call.task?.length ?? 0) +
        call.files.reduce((sum, file) => sum + file.length + 3, 0))
  );
}

/** Whether the session's signs say that a program started it. */
export function isMachine({ sdk, other, typed, fed, plain, own }: ClaudeState['signs']): boolean {
  if (own) return true;
  if (typed) return false;
  return (sdk && !other) || (fed && !plain);
}

/**
 * Facts that differ from earlier ones, with the session's id; undefined when there is nothing new.
 */
export function newFacts(
  before: ClaudeState,
  after: ClaudeState,
  extra: Partial<SessionFacts> = {},
): SessionFacts | undefined {
  const facts: Partial<SessionFacts> = { ...extra };
  const fresh = before.session !== after.session;
  if (fresh || before.parent !== after.parent) facts.parent = after.parent;
  if (fresh && after.subagent) facts.subagent = true;
  if (fresh || before.version !== after.version) facts.version = after.version;
  if (fresh || before.branch !== after.branch) facts.branch = after.branch;
  if (fresh || before.cwd === null) facts.cwd ??= after.cwd;
  if (after.machine !== null && (fresh || before.machine !== after.machine))
    facts.machine = after.machine;
  for (const key of Object.keys(facts) as (keyof SessionFacts)[])
    if (facts[key] === null || facts[key] === undefined) delete facts[key];
  if (after.session === null) return undefined;
  return fresh || Object.keys(facts).length > 0 ? { session: after.session, ...facts } : undefined;
}

/** What all entries of one record share. */
export interface RecordPlace {
  uuid: string | null;
  time: string | null;
  cwd: string | null;
  branch: string | null;
  marks: string[];
}

/** Reads what all entries of a record share; sidechain records are a subagent's. */
export function placeOf(record: Json, state: ClaudeState): RecordPlace {
  return {
    uuid: textOf(record.uuid),
    time: isoTime(record.timestamp),
    cwd: short(record.cwd) ?? state.cwd,
    branch: branchOf(record) ?? state.branch,
    marks: isSidechain(record, state) ? ['subagent'] : [],
  };
}

export function isSidechain(record: Json, state: ClaudeState): boolean {
  return record.isSidechain === true || state.subagent;
}

/** The branch; a detached head has none. */
export function branchOf(record: Json): string | null {
  const branch = short(record.gitBranch);
  return branch === 'HEAD' ? null : branch;
}

/** What a record says beyond its place and text. */
type RawDetails = Partial<
  Omit<RawEntry, 'native' | 'time' | 'role' | 'origin' | 'text' | 'cwd' | 'branch'>
>;

/**
 * Makes an entry of a record: the native id is the record's own id, the block's index and, for a
 * part of a block, a suffix.
 */
export function makeRawEntry(
  place: RecordPlace,
  block: string | number,
  role: Role,
  origin: Origin,
  text: string,
  more: RawDetails = {},
): RawEntry {
  const native = place.uuid === null ? null : `${place.uuid}:${block}`;
  const { time, cwd, branch } = place;
  const raw = Object.assign(rawEntryOf({ native, time, role, origin, text, cwd, branch }), more);
  const own = raw.marks ?? [];
  const marks = place.marks.length === 0 ? own : [...new Set([...place.marks, ...own])];
  if (marks.length > 0) raw.marks = marks;
  else if (raw.marks !== undefined) delete raw.marks;
  return raw;
}
