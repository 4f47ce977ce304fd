/** The turn of a record, the turn's session, and equal texts of the turn. */
import type { Event } from '../engine.js';
import { textHash } from '../../text/fingerprint.js';

/** A process or script that still runs after its call's result; a later poll shows its exit. */
export interface Running {
  process: string;
  call: string;
  command: string | null;
  /** The command fetches, so a poll's output is also external. */
  web: boolean;
}

/** Whether a program started a session, and whether it is a subagent's. */
const PERSON = { machine: false, subagent: false };

/** The state of a log between two records. Each record changes a copy, called `now`. */
export const START = {
  /** Id of this file's session. */
  session: null as string | null,
  /** Session of the present records: in a fork first the parent. */
  telling: null as string | null,
  turn: null as string | null,
  /** Used in ids instead of the session, which has several ids or whose head is missing. */
  scope: null as string | null,
  /** The next record, if it is not a head, names this piece of the session: see `beginPiece`. */
  isOpen: false,
  /** Number of the turn in the file: the scope of ids if turns have none. */
  turns: 0,
  cwd: null as string | null,
  branch: null as string | null,
  own: PERSON,
  /** The parent, with whose history a fork or subagent begins. */
  parent: PERSON,
  /** Texts and numbered calls of this turn: how often an item and an event contained each. */
  said: {} as Record<string, [number, number]>,
  running: [] as Running[],
  model: null as string | null,
  /** Tokens of the whole thread. */
  counted: null as number[] | null,
};

export type More = typeof START;

/** Begins a new turn and forgets the last turn's texts. */
export function enterTurn(now: More, turn: string | null): void {
  if (turn === null || turn !== now.turn)
    Object.assign(now, { turn, turns: now.turns + 1, said: {} });
}

/**
 * Sets the turn that a record names without beginning it. If a part of a log is lost, the turn is
 * the one that was already running, so its texts are not returned again.
 * @param isEnd the record ends the turn
 */
export function nameTurn(now: More, turn: string | null, isEnd = false): void {
  if (turn === null || turn === now.turn) return;
  const counts = now.turn === null || isEnd ? now.said : {};
  enterTurn(now, turn);
  now.said = counts;
}

/**
 * A log without its head is a piece of its session. The piece's first record identifies it, so that
 * equal words in two pieces are two entries, and copies of a piece are one entry.
 * @param record the first one, or the first below the head of a fork
 */
export function beginPiece(now: More, record: unknown): void {
  now.isOpen = false;
  now.scope = `${now.scope}:${textHash(JSON.stringify(record))}`;
}

/** The beginning of ids that are unique only within a turn. */
function scopeOf({ turn, scope, telling, turns }: More): string {
  return turn ?? `${scope ?? telling ?? ''}:${turns}`;
}

/** The stream of a record: 0 for response items, 1 for events. */
type Stream = 0 | 1;

const MOST_COUNTS = 120;

/** Counts a text of the turn in one stream; forgets the oldest texts. */
function count(now: More, key: string, stream: Stream): [number, number] {
  const [items, events] = now.said[key] ?? [0, 0];
  const nth: [number, number] = stream === 0 ? [items + 1, events] : [items, events + 1];
  now.said = { ...now.said, [key]: nth };
  const keys = Object.keys(now.said);
  if (keys.length > MOST_COUNTS) delete now.said[keys[0]!];
  return nth;
}

type Text = Event & { is: 'prompt' | 'answer' | 'thought' | 'notice' };

const LETTERS = { prompt: 'u', answer: 'a', thought: 't', notice: 's' };

function keyOf(is: Text['is'], text: string): string {
  return `${LETTERS[is]}${textHash(text.trim())}`;
}

/** Whether either stream has contained this text in the present turn. */
export function isInTurn(now: More, is: Text['is'], text: string): boolean {
  return Object.hasOwn(now.said, keyOf(is, text));
}

/**
 * Codex writes a message twice, as an item and as an event, in either order. The n-th equal text of
 * one stream is the same entry as the n-th of the other.
 */
export function once(now: More, stream: Stream, event: Text, text = event.text ?? ''): Event[] {
  const key = keyOf(event.is, text);
  const nth = count(now, key, stream);
  return nth[stream] <= nth[stream === 0 ? 1 : 0]
    ? []
    : [Object.assign(event, { id: `${scopeOf(now)}:${key}:${nth[stream]}` })];
}

/**
 * A call id that is only a number, which gateways and models use again in other answers, turns or
 * sessions.
 */
const NUMBERED = /^(?:[\w.-]*[A-Za-z][:_.-])?\d{1,5}$/;

/**
 * The name for a call's entries: the id, or turn, id and the number of its uses in the turn.
 * @param isNew the call begins; else its beginning is unknown
 */
export function nameOfCall(now: More, id: string, isNew: boolean): string {
  if (!NUMBERED.test(id)) return id;
  const nth = isNew ? count(now, `c${id}`, 0)[0] : (now.said[`c${id}`]?.[0] ?? 1);
  return `${scopeOf(now)}:${id}${nth > 1 ? `#${nth}` : ''}`;
}

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Whether a turn is older than the file's session, so that it is a fork's copied history. Both ids
 * are UUIDv7, whose first 48 bits are the time.
 */
export function isCopied({ turn, session }: More): boolean {
  const areDated = V7.test(turn ?? '') && V7.test(session ?? '');
  return areDated && turn!.slice(0, 13) < session!.slice(0, 13);
}

/** Whether a turn was taken over from another agent, whose own log has it. */
export function isImported({ turn }: More): boolean {
  return turn?.startsWith('external-import-turn-') === true;
}

/** Who started the session of the present records. */
export function starterOf(now: More): typeof PERSON {
  const isCopy = now.turn === null ? now.telling !== now.session : isCopied(now);
  return isCopy ? now.parent : now.own;
}

/**
 * The time of a record. A copied record has the time of the copy, so this returns the start of its
 * turn, from the turn's id.
 */
export function timeOf(now: More, time: string | null): string | null {
  if (!isCopied(now)) return time;
  const isOriginal = time !== null && Date.parse(time) < msOf(now.session!);
  return isOriginal ? time : new Date(msOf(now.turn!)).toISOString();
}

function msOf(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
