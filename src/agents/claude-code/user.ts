/**
 * Records of the user's channel. Several may repeat a prompt that was typed during the agent's
 * work.
 */
import { blocksOf } from '../blocks.js';
import type { Event } from '../engine.js';
import { textHash } from '../../text/fingerprint.js';
import { dropBinary, isoTime, type Json, object, text as textOf } from '../../text/fields.js';
import { contentText } from '../typed.js';
import { type At, type Piece, piece, pieceEvents, readPrompt, readQueued } from './prompt.js';
import { senderOf, type Sender } from './prompt.js';
import { resultEvents, taskEnd } from './results.js';
import { addSign, isChild, machineOf, type More, type QueuedPrompt } from './state.js';
import type { Reading } from './state.js';

/** A `user` record: prompts of people and programs, wrapped notices, and tool results. */
export function userEvents(reading: Reading): Event[] {
  reading.more.answer = null;
  let isExpansion = false;
  return blocksOf(object(reading.record.message).content).flatMap((block, part): Event[] => {
    if (block.type === 'tool_result') return resultEvents(reading, block, part);
    const text = dropBinary(textOf(block.text) ?? '');
    if (isExpansion && block.type === 'text')
      return [{ is: 'prompt', part, text, pieces: [piece('injected', text)] }];
    // Until 1.0 the next block of the same record was the expansion of a slash command.
    isExpansion ||= /^\s*<command-(?:name|message)>/.test(text);
    return text.trim() === '' ? [] : promptEvents(reading, text, part);
  });
}

function promptEvents(reading: Reading, text: string, part: number): Event[] {
  const { record, kept, more } = reading;
  const sender = whoSends(reading, text);
  const pieces = readPrompt(text, sender, record);
  const main = pieces.find(({ origin, shell }) => origin === 'user' && shell === undefined);
  const taken = takeQueued(more, main ? [text, main.text] : [text]);
  notePrompt(reading, sender, pieces);
  const at = { id: textOf(record.uuid), part };
  const end = sender === 'person' || taken !== null ? null : taskEnd(kept.calls, text, at);
  if (end !== null) return [end];
  const shown = taken === null ? pieces : pieces.filter((each) => taken !== text && each !== main);
  // A fork keeps this record, but not the queue's.
  const isQueued = record.promptSource === 'queued' && main !== undefined && taken === null;
  return pieceEvents(more, shown, (isQueued ? placeQueued(more, text) : null) ?? at, main);
}

/** Sender of this record, from the record's marks, else from the session's. */
function whoSends(reading: Reading, text: string): Sender {
  if (isChild(reading)) return 'agent';
  const sender = senderOf(reading.record);
  const { signs, fed } = reading.more;
  const isMade = fed && (ROLE.test(text) || PARSED.test(text.slice(0, 8000)));
  const isProgram = signs.includes('own') || isMade;
  return sender === 'unknown' && isProgram ? 'program' : sender;
}

// Prompts of programs. They count only together with another sign.
const ROLE =
  /^\s*(?:#[^\n]*\n+)?You are (?:an?|the|now|reviewing|evaluating|extracting|summari[sz]ing)\b/;
const PARSED = /\b(?:respond|reply|return|answer|output)\b[^.\n]{0,60}\bJSON\b/i;

/** Since 2.1.240 a queued prompt may become a user record; a fork copies it without the queue. */
function isRecent({ version }: Json): boolean {
  const [major = 0, minor = 0, patch = 0] = (textOf(version) ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 240)));
}

/** Records that a turn is running, and whether a person or a program sent the prompt. */
function notePrompt({ record, more }: Reading, sender: Sender, pieces: Piece[]): void {
  if (pieces.some(({ marks }) => marks.includes('interrupt'))) {
    more.busy = false;
    addSign(more, 'plain', sender === 'unknown');
    return;
  }
  if (sender === 'agent' || record.isMeta === true || record.isCompactSummary === true) return;
  const isTyped = record.promptSource === 'typed';
  const isOwn = pieces.some(({ origin, marks }) => origin === 'user' || marks.includes('pasted'));
  const uuid = textOf(record.uuid);
  if (isTyped && uuid && isRecent(record)) more.typed = { uuid: uuid.slice(0, 100), queued: [] };
  addSign(more, 'typed', isTyped);
  addSign(more, 'plain', isOwn);
  addSign(more, 'fed', sender === 'program');
  more.fed = false;
  more.busy ||= isOwn || sender === 'program';
}

const MAX_QUEUED = 24;
/** Number of later prompts in which to search for a queued prompt. */
const MAX_AGE = 4;

/**
 * A `queue-operation`. Often only this record contains a prompt that was typed during the agent's
 * work. The next user record repeats a prompt typed between turns, with marks of its author.
 */
export function queueEvents(reading: Reading): Event[] {
  const { record, more, kept } = reading;
  if (record.operation !== 'enqueue') return [];
  if (!more.busy) more.fed = true;
  const text = textOf(record.content);
  if (!more.busy || text === null) return [];
  const sender = kept.facts.subagent ? 'agent' : senderIn(more, record);
  return queuedEvents(reading, text, sender, record, isoTime(record.timestamp), false);
}

/** An `attachment` of type `queued_command`: the same prompt when the agent sees it. */
export function attachedEvents(reading: Reading, attachment: Json): Event[] {
  const { record, more } = reading;
  const prompt = contentText(attachment.prompt);
  const text = prompt.trim();
  if (text === '') return [];
  const { promptSource = record.promptSource, commandMode: mode } = attachment;
  const marks = { ...attachment, entrypoint: record.entrypoint, promptSource };
  const isNotice = mode === 'task-notification';
  const sender = isChild(reading) ? 'agent' : isNotice ? 'program' : senderIn(more, marks);
  const time = isoTime(attachment.timestamp) ?? isoTime(record.timestamp);
  const unseen = more.queued.filter((one) => !one.seen && isSame(one, text));
  const known = unseen.find((one) => one.time === time || one.time === null) ?? unseen[0];
  more.queued = more.queued.map((one) => (one === known ? { ...one, seen: true } : one));
  const shown = mode === 'bash' ? `<bash-input>${prompt}</bash-input>` : prompt;
  return known ? [] : queuedEvents(reading, shown, sender, marks, time, true);
}

function senderIn({ signs }: More, marks: Json): Sender {
  return machineOf(signs) ? 'program' : senderOf(marks);
}

/**
 * The id of a queued prompt: the uuid of the last unqueued prompt, and a hash of the text. A fork
 * may keep another record with another time.
 */
function placeQueued(more: More, text: string): At | null {
  if (more.typed === null) return null;
  const hash = textHash(text.trim());
  const { uuid } = more.typed;
  const queued = [...more.typed.queued, hash].slice(-MAX_QUEUED);
  more.typed = { uuid, queued };
  const nth = queued.filter((each) => each === hash).length;
  return { id: `queued:${uuid}`, part: nth === 1 ? hash : `${hash}:${nth}` };
}

/**
 * The id has the queue's time if there is no typed prompt before.
 * @param marks marks of the author
 */
function queuedEvents(
  { more, record, kept }: Reading,
  text: string,
  sender: Sender,
  marks: Json,
  time: string | null,
  seen: boolean,
): Event[] {
  const hash = textHash(text.trim());
  const id = time === null ? textOf(record.uuid) : `queued:${time}`;
  const found = placeQueued(more, text) ?? { id, part: time === null ? 0 : hash };
  const at = { ...found, time };
  const one = { length: text.trim().length, hash, time, seen, age: 0 };
  more.queued = [...more.queued, one].slice(-MAX_QUEUED);
  const end = taskEnd(kept.calls, text, at);
  if (end !== null) return [end];
  const pieces = readQueued(text, sender, marks);
  const main = pieces.find(({ origin }) => origin === 'user') ?? pieces[0];
  addSign(more, 'plain', main?.origin === 'user' && sender !== 'program');
  return pieceEvents(more, pieces, at, main);
}

/**
 * The text that was already returned when queued, alone or joined by line breaks. Each is
 * recognised once, and dropped after a few prompts.
 */
function takeQueued(more: More, texts: readonly string[]): string | null {
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

/** The queued prompts that form a text, in order; may be empty. */
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
