/**
 * A message of OpenCode's newest versions, stored whole in `session_message`: converted to the
 * parts of older versions. Known from the program's own schema; not tested on real logs.
 */
import { type Json, list, object, text as textOf, whole } from '../../text/fields.js';

/** A message as older versions stored it in `message` and `part`. */
interface OlderMessage {
  info: Json;
  /** Each with a separate `id`. */
  parts: Json[];
  /** A command that the person ran. */
  isTyped: boolean;
}

/** Messages that only report a new agent, model or folder, or an idle session. */
const SILENT = new Set('agent-switched model-switched location-switched idle'.split(' '));

/** Null for an unknown kind. */
export function olderMessage(kind: string, id: string, data: Json): OlderMessage | null {
  const text = (more: Json = {}): Json => ({
    id: `${id}:text`,
    type: 'text',
    text: data.text,
    ...more,
  });
  const messageIn = (role: string, parts: Json[], isTyped = false): OlderMessage => ({
    info: { ...data, role, modelID: object(data.model).id ?? data.modelID, error: abortOf(data) },
    parts,
    isTyped,
  });
  if (SILENT.has(kind)) return messageIn('system', []);
  if (kind === 'user') return messageIn('user', [text()]);
  if (kind === 'synthetic' || kind === 'system' || kind === 'skill')
    return messageIn('user', [text({ synthetic: true })]);
  if (kind === 'compaction') {
    // The summary of a running message is incomplete.
    const summary = data.status === 'running' ? [] : [text({ text: data.summary })];
    const { info, ...rest } = messageIn('assistant', summary);
    return { ...rest, info: { ...info, summary: true } };
  }
  if (kind === 'assistant')
    return messageIn(
      'assistant',
      list(data.content).map((each, index) => partOf(object(each), `${id}:${index}`)),
    );
  if (kind === 'shell') {
    const isOver = whole(object(data.time).completed) !== null;
    const state = {
      status: isOver ? 'completed' : 'running',
      input: { command: data.command },
      output: textOf(data.output) ?? object(data.output).output,
      metadata: { exit: data.exit },
    };
    const callID = data.callID ?? data.shellID;
    return messageIn(
      'user',
      [{ id: `${id}:shell`, type: 'tool', tool: 'bash', callID, state }],
      true,
    );
  }
  return null;
}

function partOf(content: Json, id: string): Json {
  if (content.type !== 'tool') return { ...content, id };
  const state = object(content.state);
  const texts = list(state.content).map((each) => textOf(object(each).text) ?? '');
  const output = texts.filter((each) => each !== '').join('\n');
  const { type: errorType, message } = object(state.error);
  const error = textOf(state.error) ?? message;
  const time = { start: object(content.time).ran, end: object(content.time).completed };
  const metadata = state.metadata ?? state.structured;
  const older = { ...state, output, error, errorType, metadata, time };
  return { id, type: 'tool', tool: content.name, callID: content.id, state: older, time };
}

/** Older versions store the error's name, this one its type. */
function abortOf({ error }: Json): Json {
  const { name, type } = object(error);
  return {
    name: /abort|interrupt/i.test(`${textOf(type) ?? ''}${textOf(name) ?? ''}`)
      ? 'MessageAbortedError'
      : null,
  };
}
