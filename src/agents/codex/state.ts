import type { RawEntry, Origin, Role, Step } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { textHash } from '../fields.js';
import type { Printed } from './printed.js';

/** A tool call without its result so far (see fields.ts: the state is stored before redaction). */
export interface OpenCall {
  id: string;
  tool: string;
  command: string | null;
  files: string[];
  web: boolean;
  /** Worst exit status of an event before the result. */
  exit: number | null;
  /** Call that started the process which this call polls. */
  polls: string | null;
  /**
   * A script's runs if they belong to several calls, in order. Optional for the same reason as
   * `model`, like the next.
   */
  runs?: OpenRun[];
  /** The runs that each of the script's texts is of, if that is sure. */
  printed?: Printed;
  /** A script whose command may not have run, or more than once. */
  isMaybe?: boolean;
  /** A script that reads exit codes. */
  reads?: boolean;
}

/** One command or poll of a script; `call` is null if nothing names the process or the command. */
export interface OpenRun {
  call: string | null;
  command: string | null;
  exit: number | null;
}

/** A process or script that continues after its call's result; a later poll has its exit. */
export interface Running {
  process: string;
  call: string;
  command: string | null;
  /** It fetches: so does what a poll shows. Optional for the same reason as `model`. */
  web?: boolean;
}

/**
 * What is kept between two readings of a log. Plain JSON under 16 KiB, stored with the checkpoint.
 */
export interface CodexState {
  /** Id of the session that this file is. */
  session: string | null;
  /**
   * Session that the records belong to now: in a fork first the parent's. The name is part of saved
   * checkpoints.
   */
  telling: string | null;
  /** Lines are `{timestamp, type, payload}`; before September 2025 they were bare items. */
  wrapped: boolean;
  turn: string | null;
  /**
   * Replaces the session in ids if a session was saved under several ids, or its head is not in the
   * file.
   */
  scope: string | null;
  /**
   * The next record, if it is not a head, identifies this piece of the session: see `beginPiece`.
   * Optional for the same reason as `model`.
   */
  isOpen?: boolean;
  /** Number of the turn in the file: the scope of ids if turns have none. */
  turns: number;
  cwd: string | null;
  branch: string | null;
  machine: boolean;
  subagent: boolean;
  /**
   * Texts of this turn that were already returned: hash of role and text -> times, per stream (`a`
   * item, `b` event).
   */
  said: Record<string, [number, number]>;
  calls: OpenCall[];
  running: Running[];
  /** Model of the turn. Optional, as `counted`, because states from earlier versions lack it. */
  model?: string | null;
  /**
   * Latest known tokens of the whole thread: input, cached part of it, output, reasoning part of
   * it.
   */
  counted?: [number, number, number, number] | null;
}

export function startState(): CodexState {
  return {
    session: null,
    telling: null,
    wrapped: false,
    turn: null,
    scope: null,
    turns: 0,
    cwd: null,
    branch: null,
    machine: false,
    subagent: false,
    said: {},
    calls: [],
    running: [],
    model: null,
    counted: null,
  };
}

const MAX_CALLS = 24;
const MAX_RUNNING = 8;
const MAX_SAID = 120;
const CALL_BYTES = 7 * 1024;

/** Length of a call as JSON, computed once: a call never changes. */
const lengths = new WeakMap<OpenCall, number>();
function lengthOf(call: OpenCall): number {
  let length = lengths.get(call);
  if (length === undefined) lengths.set(call, (length = JSON.stringify(call).length));
  return length;
}

/** Adds a call and drops the oldest, so that the list stays bounded. */
export function addCall(state: CodexState, call: OpenCall): CodexState {
  const calls = [...state.calls.filter((open) => open.id !== call.id), call].slice(-MAX_CALLS);
  let bytes = calls.reduce((sum, open) => sum + lengthOf(open) + 1, 1); // brackets and commas
  while (bytes > CALL_BYTES) bytes -= lengthOf(calls.shift()!) + 1;
  return { ...state, calls };
}

export function addRunning(state: CodexState, running: Running): CodexState {
  return {
    ...state,
    running: [...state.running.filter((one) => one.process !== running.process), running].slice(
      -MAX_RUNNING,
    ),
  };
}

export function findCall(state: CodexState, id: string | null): OpenCall | null {
  return state.calls.find((open) => open.id === id) ?? null;
}

/** A new turn: texts of the last one no longer matter. */
export function enterTurn(state: CodexState, turn: string | null): CodexState {
  return turn !== null && turn === state.turn
    ? state
    : { ...state, turn, turns: state.turns + 1, said: {} };
}

/**
 * A log without its head is a piece of its session, and a session may lose its head twice. The
 * first record with its time names the piece, so equal words in two pieces are two entries. Copies
 * of the piece begin with the same record.
 * @param record the first one, or the first below the head of a fork
 */
export function beginPiece(state: CodexState, record: unknown, isHead: boolean): CodexState {
  if (state.isOpen !== true || isHead) return state;
  return { ...state, isOpen: false, scope: `${state.scope}:${textHash(JSON.stringify(record))}` };
}

/**
 * The turn that a record names without beginning it. If a log lost its beginning or a part, such a
 * record names the turn that was running all along, so its texts are not returned again.
 * @param isEnd the record ends the turn
 */
export function nameTurn(state: CodexState, turn: string | null, isEnd = false): CodexState {
  if (turn === null || turn === state.turn) return state;
  const { said } = state;
  return { ...enterTurn(state, turn), ...(state.turn === null || isEnd ? { said } : {}) };
}

function keyOf(role: string, text: string): string {
  return `${role[0]}${textHash(text.trim())}`;
}

/** Whether either stream has contained this text in the present turn. */
export function isTold(state: CodexState, role: string, text: string): boolean {
  return Object.hasOwn(state.said, keyOf(role, text));
}

/**
 * Codex writes a message twice, as an item and as an event, in either order. The n-th equal text of
 * one stream is the same entry as the n-th of the other.
 * @param stream 0 for response items, 1 for events
 * @returns the entry's native id, or null in `native` when the other stream has returned it already
 */
export function meet(
  state: CodexState,
  stream: 0 | 1,
  role: string,
  text: string,
  turn: string | null = state.turn,
): { state: CodexState; native: string | null } {
  const key = keyOf(role, text);
  const seen = state.said[key] ?? [0, 0];
  const now: [number, number] = stream === 0 ? [seen[0] + 1, seen[1]] : [seen[0], seen[1] + 1];
  const said = { ...state.said, [key]: now };
  const [oldest] = Object.keys(said).length > MAX_SAID ? Object.keys(said) : [];
  if (oldest !== undefined) delete said[oldest];
  const told = now[stream] <= seen[1 - stream]!;
  const scope = turn ?? `${state.scope ?? state.telling ?? ''}:${state.turns}`;
  return { state: { ...state, said }, native: told ? null : `${scope}:${key}:${now[stream]}` };
}

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a turn is older than the file's own session: copied history of a fork. Both ids are
 * UUIDv7, whose first 48 bits are the time.
 */
export function isCopiedTurn(turn: string | null, session: string | null): boolean {
  return (
    turn !== null &&
    session !== null &&
    V7.test(turn) &&
    V7.test(session) &&
    turn.slice(0, 13) < session.slice(0, 13)
  );
}

/** Makes one entry with the present working folder and branch. */
export function makeRawEntry(
  state: CodexState,
  time: string | null,
  native: string | null,
  role: Role,
  origin: Origin,
  text: string,
  more: Partial<RawEntry> = {},
): RawEntry {
  const { marks: own = [], ...said } = more;
  const marks = [...(state.subagent ? ['subagent'] : []), ...own];
  return rawEntryOf({
    cwd: state.cwd,
    branch: state.branch,
    ...said,
    native,
    time,
    role,
    origin,
    text,
    ...(marks.length > 0 ? { marks } : {}),
  });
}

export function nothing(state: CodexState): Step<CodexState> {
  return { state, rawEntries: [] };
}
