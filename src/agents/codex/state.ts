import type { RawEntry, Origin, Role, Step } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { jsonLength, textHash } from '../fields.js';
import type { Printed } from './script.js';

/** A tool call without its result so far (see fields.ts: the state is stored before redaction). */
export interface OpenCall {
  id: string;
  /** What its entries are named by, if the id alone is not unique. */
  key?: string;
  tool: string;
  command: string | null;
  files: string[];
  web: boolean;
  /** Worst exit status of an event before the result. */
  exit: number | null;
  /** Call that started the process which this call polls. */
  polls: string | null;
  /** A script's runs if they belong to several calls, in order. */
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
  /** It fetches: so does what a poll shows. */
  web?: boolean;
}

/**
 * What is kept between two readings of a log. Plain JSON under 16 KiB, stored with the checkpoint.
 */
export interface CodexState {
  /** Id of the session that this file is. */
  session: string | null;
  /** Session that the records belong to now: in a fork first the parent's. */
  telling: string | null;
  turn: string | null;
  /**
   * Replaces the session in ids if a session was saved under several ids, or its head is not in the
   * file.
   */
  scope: string | null;
  /**
   * The next record, if it is not a head, identifies this piece of the session: see `beginPiece`.
   *
   */
  isOpen?: boolean;
  /** Number of the turn in the file: the scope of ids if turns have none. */
  turns: number;
  cwd: string | null;
  branch: string | null;
  machine: boolean;
  subagent: boolean;
  /** The same of the session whose history a fork or a subagent begins with. */
  parent?: Starter;
  /**
   * Texts of this turn that were already returned: hash of role and text -> times, per stream (`a`
   * item, `b` event).
   */
  said: Record<string, [number, number]>;
  calls: OpenCall[];
  running: Running[];
  /** Model of the turn. */
  model?: string | null;
  /** Tokens of the whole thread: input, cached part of it, output, reasoning part of it. */
  counted?: [number, number, number, number] | null;
  /** Latest known tokens of the whole thread that went into the cache. */
  written?: number;
}

export type Read = Step<CodexState>;
export type Time = string | null;

/** Whether a program started a session, and whether it is a subagent's. */
interface Starter {
  machine: boolean;
  subagent: boolean;
}

export function startState(): CodexState {
  return {
    session: null,
    telling: null,
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

/** Adds a call and drops the oldest, so that the list stays bounded. */
export function addCall(state: CodexState, call: OpenCall): CodexState {
  const calls = [...state.calls.filter((open) => open.id !== call.id), call].slice(-MAX_CALLS);
  let bytes = calls.reduce((sum, open) => sum + jsonLength(open) + 1, 1); // brackets and commas
  while (bytes > CALL_BYTES) bytes -= jsonLength(calls.shift()!) + 1;
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

/** A gateway or a model that numbers its calls begins anew in each answer, turn or session. */
const NUMBERED = /^(?:[\w.-]*[A-Za-z][:_.-])?\d{1,5}$/;

/**
 * What a new call's entries are named by: the id, or its turn, the id and how often the turn had it.
 */
export function nameCall(state: CodexState, id: string): { state: CodexState; key: string } {
  if (!NUMBERED.test(id)) return { state, key: id };
  const { said, nth } = countText(state, `c${id}`, 0);
  return { state: { ...state, said }, key: keyOfCall(state, id, nth[0]) };
}

/** The same of a result whose call is unknown. */
export function nameResult(state: CodexState, id: string): string {
  return NUMBERED.test(id) ? keyOfCall(state, id, state.said[`c${id}`]?.[0] ?? 1) : id;
}

function keyOfCall(state: CodexState, id: string, nth: number): string {
  return `${scopeOf(state)}:${id}${nth > 1 ? `#${nth}` : ''}`;
}

/** What ids that are unique in a turn alone begin with. */
function scopeOf(state: CodexState): string {
  return state.turn ?? `${state.scope ?? state.telling ?? ''}:${state.turns}`;
}

/** Counts a text of the turn in one stream; the oldest texts are forgotten. */
function countText(
  state: CodexState,
  key: string,
  stream: 0 | 1,
): { said: CodexState['said']; seen: [number, number]; nth: [number, number] } {
  const seen = state.said[key] ?? [0, 0];
  const nth: [number, number] = stream === 0 ? [seen[0] + 1, seen[1]] : [seen[0], seen[1] + 1];
  const said = { ...state.said, [key]: nth };
  const [oldest] = Object.keys(said).length > MAX_SAID ? Object.keys(said) : [];
  if (oldest !== undefined) delete said[oldest];
  return { said, seen, nth };
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
function meet(
  state: CodexState,
  stream: 0 | 1,
  role: string,
  text: string,
): { state: CodexState; native: string | null } {
  const key = keyOf(role, text);
  const { said, seen, nth } = countText(state, key, stream);
  const told = nth[stream] <= seen[1 - stream]!;
  return {
    state: { ...state, said },
    native: told ? null : `${scopeOf(state)}:${key}:${nth[stream]}`,
  };
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

function isCopy({ turn, session, telling }: CodexState): boolean {
  return turn === null ? telling !== session : isCopiedTurn(turn, session);
}

/** Who started the session that the present records belong to. */
export function starterOf(state: CodexState): Starter {
  return isCopy(state) ? (state.parent ?? { machine: false, subagent: false }) : state;
}

/**
 * The time of a record. A copy is stamped when it is made: the start of its turn, which the turn's
 * id has, is nearer.
 */
export function timeOf({ turn, session }: CodexState, time: string | null): string | null {
  if (!isCopiedTurn(turn, session)) return time;
  const isOriginal = time !== null && Date.parse(time) < msOf(session!);
  return isOriginal ? time : new Date(msOf(turn!)).toISOString();
}

function msOf(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

export function makeRawEntry(
  state: CodexState,
  time: Time,
  native: string | null,
  role: Role,
  origin: Origin,
  text: string,
  more: Partial<RawEntry> = {},
): RawEntry {
  const { marks: own = [], ...said } = more;
  const marks = [...(starterOf(state).subagent ? ['subagent'] : []), ...own];
  return rawEntryOf({
    cwd: state.cwd,
    branch: state.branch,
    ...said,
    native,
    time: timeOf(state, time),
    role,
    origin,
    text,
    ...(marks.length > 0 ? { marks } : {}),
  });
}

/** The entry of a text that the other stream may have, too; an empty text gives none. */
export function shared(
  before: CodexState,
  time: Time,
  stream: 0 | 1,
  said: { role: Role; origin: Origin; text: string; key?: string; marks?: string[] },
): Read {
  const { role, origin, text, key = text, marks = [] } = said;
  const { state, native } = meet(before, stream, role, key);
  if (native === null || text === '') return nothing(state);
  return { state, rawEntries: [makeRawEntry(state, time, native, role, origin, text, { marks })] };
}

export function inOrder(state: CodexState, steps: readonly ((now: CodexState) => Read)[]): Read {
  return steps.reduce<Read>(
    ({ state: now, rawEntries }, step) => {
      const next = step(now);
      return { state: next.state, rawEntries: [...rawEntries, ...next.rawEntries] };
    },
    { state, rawEntries: [] },
  );
}

export function nothing(state: CodexState): Read {
  return { state, rawEntries: [] };
}
