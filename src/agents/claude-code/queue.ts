/** Prompts that were typed while the agent worked: several records may repeat each. */
import type { Event } from '../engine.js';
import { isoTime, text as textOf, type Json, textHash } from '../fields.js';
import { contentText } from '../typed.js';
import { type At, pieceEvents, readQueued, senderOf, type Sender } from './prompt.js';
import { taskEnd } from './results.js';
import { addSign, idOf, isChild, machineOf, type More, type QueuedPrompt } from './state.js';
import type { Reading } from './state.js';

const MAX_QUEUED = 24;
/** A queued prompt is searched for in this many later prompts. */
const MAX_AGE = 4;

/**
 * A `queue-operation`. A prompt that was typed while the agent works is often written nowhere else.
 * One typed between turns is: the user record that follows at once repeats it, with marks that say
 * who typed it.
 */
export function queueEvents(reading: Reading): Event[] {
  const { record, more, kept } = reading;
  if (record.operation !== 'enqueue') return [];
  if (!more.busy) more.fed = true;
  const text = textOf(record.content);
  if (!more.busy || text === null) return [];
  const sender = kept.facts.subagent ? 'agent' : senderIn(more, record);
  return queuedEvents(reading, { text, sender, marks: record, time: isoTime(record.timestamp) });
}

/** An `attachment` of type `queued_command`: the same prompt when the agent sees it. */
export function attachedEvents(reading: Reading, attachment: Json): Event[] {
  const { record, more } = reading;
  const prompt = contentText(attachment.prompt);
  const text = prompt.trim();
  if (text === '') return [];
  const { entrypoint } = record;
  const promptSource = attachment.promptSource ?? record.promptSource;
  const marks = { ...attachment, entrypoint, promptSource };
  const mode = attachment.commandMode;
  const isNotice = mode === 'task-notification';
  const sender = isChild(reading) ? 'agent' : isNotice ? 'program' : senderIn(more, marks);
  const time = isoTime(attachment.timestamp) ?? isoTime(record.timestamp);
  const unseen = more.queued.filter((one) => !one.seen && isSame(one, text));
  const known = unseen.find((one) => one.time === time || one.time === null) ?? unseen[0];
  if (known === undefined) {
    const shown = mode === 'bash' ? `<bash-input>${prompt}</bash-input>` : prompt;
    return queuedEvents(reading, { text: shown, sender, marks, time, seen: true });
  }
  more.queued = more.queued.map((one) => (one === known ? { ...one, seen: true } : one));
  return [];
}

function senderIn({ signs }: More, marks: Json): Sender {
  return machineOf(signs) ? 'program' : senderOf(marks);
}

/**
 * The id of a queued prompt: the last prompt that was typed at once, and the text. A fork drops the
 * queue's records and keeps either the attachment or a user record, which has another time.
 */
export function placeQueued(more: More, text: string): At | null {
  if (more.typed === null) return null;
  const hash = textHash(text.trim());
  const { uuid } = more.typed;
  const queued = [...more.typed.queued, hash].slice(-MAX_QUEUED);
  more.typed = { uuid, queued };
  const nth = queued.filter((each) => each === hash).length;
  return { id: `queued:${uuid}`, part: nth === 1 ? hash : `${hash}:${nth}` };
}

interface Queued {
  text: string;
  sender: Sender;
  /** What says who typed it. */
  marks: Json;
  time: string | null;
  seen?: boolean;
}

/** Without a typed prompt before it the queue's time is in the id. */
function queuedEvents(reading: Reading, { text, sender, marks, time, seen }: Queued): Event[] {
  const { more, record, kept } = reading;
  const hash = textHash(text.trim());
  const id = time === null ? idOf(record) : `queued:${time}`;
  const found = placeQueued(more, text) ?? { id, part: time === null ? 0 : hash };
  const at = { ...found, time };
  const one = { length: text.trim().length, hash, time, seen: seen === true, age: 0 };
  more.queued = [...more.queued, one].slice(-MAX_QUEUED);
  const end = taskEnd(kept.calls, text, at);
  if (end !== null) return [end];
  const pieces = readQueued(text, sender, marks);
  const main = pieces.find(({ origin }) => origin === 'user') ?? pieces[0];
  addSign(more, 'plain', main?.origin === 'user' && sender !== 'program');
  return pieceEvents(more, pieces, at, main);
}

/**
 * Which of the texts was already returned when it was queued, as it is or several joined by line
 * breaks. Each is recognised once as a record of its own; one that no record repeats is dropped
 * after a few prompts.
 */
export function takeQueued(more: More, texts: readonly string[]): string | null {
  for (const text of texts) {
    const found = matching(more.queued, text.trim());
    if (found.length === 0 && text !== texts.at(-1)) continue;
    more.queued = more.queued
      .filter((one) => !found.includes(one))
      .map((one) => ({ ...one, age: one.age + 1 }))
      .filter((one) => one.age < MAX_AGE);
    return found.length === 0 ? null : text;
  }
  return null;
}

function isSame(one: QueuedPrompt, text: string): boolean {
  return one.length === text.length && one.hash === textHash(text);
}

/** The queued prompt that a text is, or those that make it up in order, or none. */
function matching(queued: readonly QueuedPrompt[], text: string): QueuedPrompt[] {
  const single = queued.findLast((one) => isSame(one, text));
  if (single) return [single];
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
