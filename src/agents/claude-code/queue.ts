import type { Step } from '../../types.js';
import { list, object, isoTime, text as textOf, type Json, textHash } from '../fields.js';
import {
  isSidechain,
  placeOf,
  type RecordPlace,
  isMachine,
  type QueuedPrompt,
  type ClaudeState,
} from './state.js';
import { readNotice } from './wrappers.js';
import { placePieces, readQueued, senderOf, type Sender } from './prompt.js';

const MAX_QUEUED = 24;
/** A queued prompt is searched for in this many later prompts. */
const MAX_AGE = 4;

/**
 * A `queue-operation`. A prompt that was typed while the agent works is often written nowhere else.
 * One typed between turns is: the user record that follows at once repeats it, with marks that say
 * who typed it.
 */
export function stepQueue(state: ClaudeState, record: Json): Step<ClaudeState> {
  if (record.operation !== 'enqueue') return { state, rawEntries: [] };
  const text = textOf(record.content);
  if (!state.busy) return { state: { ...state, fed: true }, rawEntries: [] };
  if (text === null) return { state, rawEntries: [] };
  const sender = state.subagent ? 'agent' : isMachine(state.signs) ? 'program' : senderOf(record);
  return showQueued(state, record, placeOf(record, state), text, sender, isoTime(record.timestamp));
}

/** An `attachment` of type `queued_command`: the same prompt when the agent sees it. */
export function stepQueuedCommand(
  state: ClaudeState,
  record: Json,
  attachment: Json,
): Step<ClaudeState> {
  const prompt = attachment.prompt;
  const text =
    typeof prompt === 'string'
      ? prompt
      : list(prompt)
          .map((part) => textOf(object(part).text))
          .filter(Boolean)
          .join('\n');
  if (text.trim() === '') return { state, rawEntries: [] };
  const place = placeOf(record, state);
  const marks = {
    ...attachment,
    entrypoint: record.entrypoint,
    promptSource: attachment.promptSource ?? record.promptSource,
  };
  const mode = textOf(attachment.commandMode);
  const sender: Sender = isSidechain(record, state)
    ? 'agent'
    : mode === 'task-notification' || isMachine(state.signs)
      ? 'program'
      : senderOf(marks);
  const shown = mode === 'bash' ? `<bash-input>${text}</bash-input>` : text;
  const time = isoTime(attachment.timestamp) ?? place.time;
  const known = state.queued.find(
    (one) => !one.seen && isSame(one, text.trim()) && (one.time === time || one.time === null),
  );
  const other = known ?? state.queued.find((one) => !one.seen && isSame(one, text.trim()));
  if (other)
    return {
      state: {
        ...state,
        queued: state.queued.map((one) => (one === other ? { ...one, seen: true } : one)),
      },
      rawEntries: [],
    };
  return showQueued(state, marks, place, shown, sender, time, true);
}

/**
 * The id of a queued prompt: the last prompt that was typed at once, and the text. A fork drops the
 * queue's records and keeps either the attachment or a user record, which has another time.
 */
export function placeQueued(
  state: ClaudeState,
  text: string,
): { state: ClaudeState; uuid: string; block: string } | null {
  if (!state.typed) return null;
  const hash = textHash(text.trim());
  const queued = [...state.typed.queued, hash].slice(-MAX_QUEUED);
  const nth = queued.filter((each) => each === hash).length;
  return {
    state: { ...state, typed: { ...state.typed, queued } },
    uuid: `queued:${state.typed.uuid}`,
    block: nth === 1 ? hash : `${hash}:${nth}`,
  };
}

/** Without a typed prompt before it the queue's time is in the id. */
function showQueued(
  before: ClaudeState,
  record: Json,
  place: RecordPlace,
  text: string,
  sender: Sender,
  time: string | null,
  seen = false,
): Step<ClaudeState> {
  const hash = textHash(text.trim());
  const anchored = placeQueued(before, text);
  const state = anchored?.state ?? before;
  const uuid = anchored?.uuid ?? (time === null ? place.uuid : `queued:${time}`);
  const at: RecordPlace = { ...place, uuid, time: time ?? place.time };
  const block = anchored?.block ?? (time === null ? 0 : hash);
  const queued = [...state.queued, { length: text.trim().length, hash, time, seen, age: 0 }].slice(
    -MAX_QUEUED,
  );
  const notice = readNotice(state, at, text, block);
  if (notice) return { state: { ...notice.state, queued }, rawEntries: notice.rawEntries };
  const pieces = readQueued(text, sender, record);
  const main = pieces.find((piece) => piece.origin === 'user') ?? pieces[0];
  const person = main?.origin === 'user' && sender !== 'program';
  return placePieces(
    { ...state, queued, signs: { ...state.signs, plain: state.signs.plain || person } },
    at,
    pieces,
    block,
    main,
  );
}

/**
 * Whether a prompt, or several joined by line breaks, was already returned when it was queued. Each
 * is recognised once as a record of its own; one that no record repeats is dropped after a few
 * prompts.
 */
export function takeQueued(
  queued: QueuedPrompt[],
  prompt: string,
): { known: boolean; queued: QueuedPrompt[] } {
  const text = prompt.trim();
  const single = queued.findLast((one) => isSame(one, text));
  const matched = single ? [single] : joined(queued, text);
  const rest = queued
    .filter((one) => !matched.includes(one))
    .map((one) => ({ ...one, age: one.age + 1 }));
  return { known: matched.length > 0, queued: rest.filter((one) => one.age < MAX_AGE) };
}

function isSame(one: QueuedPrompt, text: string): boolean {
  return one.length === text.length && one.hash === textHash(text);
}

/** The queued prompts that make up a text, in order, or none. */
function joined(queued: QueuedPrompt[], text: string): QueuedPrompt[] {
  const found: QueuedPrompt[] = [];
  let at = 0;
  for (const one of queued) {
    if (!isSame(one, text.slice(at, at + one.length))) continue;
    found.push(one);
    at += one.length;
    while (at < text.length && /\s/.test(text[at]!)) at++;
  }
  return at === text.length && found.length > 1 ? found : [];
}
