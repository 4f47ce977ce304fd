import type { RawEntry, Step } from '../../types.js';
import { dropBinary, isObject, list, object, text as textOf, type Json } from '../fields.js';
import { isSidechain, makeRawEntry, placeOf, type RecordPlace } from './state.js';
import { readNotice } from './wrappers.js';
import { placePieces, readPrompt, senderOf, type Piece, type Sender } from './prompt.js';
import { readResult } from './results.js';
import { placeQueued, takeQueued } from './queue.js';
import type { OpenCall, ClaudeState } from './state.js';

/** A `user` record: prompts of people and programs, wrapped notices, and tool results. */
export function stepUser(state: ClaudeState, record: Json): Step<ClaudeState> {
  const place = placeOf(record, state);
  const content = object(record.message).content;
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : list(content).filter(isObject);
  const rawEntries: RawEntry[] = [];
  let now = state;
  let expands = false;
  blocks.forEach((block, index) => {
    const text = dropBinary(textOf(block.text) ?? '');
    if (expands && block.type === 'text')
      return void rawEntries.push(makeRawEntry(place, index, 'user', 'injected', text.trim()));
    const step =
      block.type === 'tool_result'
        ? stepResult(now, record, place, block, index)
        : stepText(now, record, place, text, index);
    now = step.state;
    expands ||= isCommand(text);
    rawEntries.push(...step.rawEntries);
  });
  return { state: now.answer ? { ...now, answer: null } : now, rawEntries };
}

/**
 * Until 1.0 the expansion of a slash command followed it as a block of the same record, without a
 * mark.
 */
function isCommand(text: string): boolean {
  return /^\s*<command-(?:name|message)>/.test(text);
}

/** Who fills the user's channel in this record: by the record's marks, else by the session's. */
function whoSends(state: ClaudeState, record: Json, text: string): Sender {
  if (isSidechain(record, state)) return 'agent';
  const sender = senderOf(record);
  return sender === 'unknown' && (state.signs.own || (state.fed && isProgramPrompt(text)))
    ? 'program'
    : sender;
}

/**
 * Prompts that programs write: a role to play, or an answer for a parser. Counts only together with
 * another sign.
 */
function isProgramPrompt(text: string): boolean {
  return (
    /^\s*(?:#[^\n]*\n+)?You are (?:an?|the|now|reviewing|evaluating|extracting|summari[sz]ing)\b/.test(
      text,
    ) || /\b(?:respond|reply|return|answer|output)\b[^.\n]{0,60}\bJSON\b/i.test(text.slice(0, 8000))
  );
}

function stepText(
  state: ClaudeState,
  record: Json,
  place: RecordPlace,
  text: string,
  index: number,
): Step<ClaudeState> {
  if (text.trim() === '') return { state, rawEntries: [] };
  const sender = whoSends(state, record, text);
  const pieces = readPrompt(text, sender, record);
  const prompt = pieces.find((piece) => piece.role === 'user' && piece.origin === 'user');
  const whole = takeQueued(state.queued, text);
  const taken = whole.known || !prompt ? whole : takeQueued(state.queued, prompt.text);
  const after = afterPrompt({ ...state, queued: taken.queued }, record, sender, pieces);
  const notice = sender === 'person' || taken.known ? null : readNotice(after, place, text, index);
  if (notice) return notice;
  const shown = !taken.known
    ? pieces
    : whole.known
      ? []
      : pieces.filter((piece) => piece !== prompt);
  // A fork keeps this record and not the one of the queue.
  const queued =
    record.promptSource === 'queued' && prompt && !taken.known ? placeQueued(after, text) : null;
  return queued === null
    ? placePieces(after, place, shown, index, prompt)
    : placePieces(queued.state, { ...place, uuid: queued.uuid }, shown, queued.block, prompt);
}

/** Since 2.1.240 a queued prompt may become a user record, which a fork copies without the queue. */
function isRecent({ version }: Json): boolean {
  const [major = 0, minor = 0, patch = 0] = (textOf(version) ?? '').split('.').map(Number);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 240)));
}

/** What a prompt says about the session: a turn is running, and a person or a program sent it. */
function afterPrompt(
  state: ClaudeState,
  record: Json,
  sender: Sender,
  pieces: Piece[],
): ClaudeState {
  const interrupted = pieces.some((piece) => piece.marks.includes('interrupt'));
  if (interrupted)
    return {
      ...state,
      busy: false,
      signs: { ...state.signs, plain: state.signs.plain || sender === 'unknown' },
    };
  if (sender === 'agent' || record.isMeta === true || record.isCompactSummary === true)
    return state;
  const own = pieces.some((piece) => piece.origin === 'user' || piece.marks.includes('pasted'));
  const typed =
    record.promptSource === 'typed' && typeof record.uuid === 'string' && isRecent(record)
      ? { uuid: record.uuid.slice(0, 100), queued: [] }
      : state.typed;
  const signs = {
    ...state.signs,
    typed: state.signs.typed || record.promptSource === 'typed',
    plain: state.signs.plain || own,
    fed: state.signs.fed || sender === 'program',
  };
  const busy = own || sender === 'program' ? true : state.busy;
  return { ...state, ...(typed === undefined ? {} : { typed }), signs, fed: false, busy };
}

function stepResult(
  state: ClaudeState,
  record: Json,
  place: RecordPlace,
  block: Json,
  index: number,
): Step<ClaudeState> {
  const id = textOf(block.tool_use_id);
  const call = state.calls.find((open) => open.id === id) ?? null;
  const result = readResult(block, record, call);
  const origin =
    call && /^(?:TaskOutput|BashOutput)$/.test(call.tool) && result.origin === 'tool' && call.web
      ? 'external'
      : result.origin;
  const common = { tool: call?.tool ?? null, call: id, files: result.files };
  const marks = origin === 'agent' ? ['subagent'] : [];
  const rawEntries = [
    makeRawEntry(place, index, 'tool_result', origin, result.text, {
      ...common,
      command: call?.command ?? null,
      exit: result.exit,
      outcome: result.outcome,
      marks,
    }),
  ];
  if (!isSidechain(record, state)) {
    if (result.reason !== null)
      rawEntries.push(
        makeRawEntry(place, `${index}:reason`, 'user', 'user', result.reason, {
          ...common,
          files: [],
          marks: ['rejection'],
        }),
      );
    result.answers.forEach((answer, n) =>
      rawEntries.push(
        makeRawEntry(place, `${index}:answer${n}`, 'user', 'user', answer, {
          ...common,
          files: [],
          marks: ['question'],
        }),
      ),
    );
  }
  return { state: { ...state, calls: closeCall(state.calls, call, result.task) }, rawEntries };
}

/** A call that left a task running stays open until the task ends. */
function closeCall(calls: OpenCall[], call: OpenCall | null, task: string | null): OpenCall[] {
  if (call === null) return calls;
  return task === null
    ? calls.filter((open) => open !== call)
    : calls.map((open) => (open === call ? { ...call, task } : open));
}
