/** OpenCode and the agents made from it; docs/formats.md describes their three stores. */
import type { Adapter, LogName } from '../../types.js';
import { agent, type Event, type Kept } from '../engine.js';
import { isObject, isoTime, type Json, list, object, parse, short } from '../../text/fields.js';
import { text as textOf, whole } from '../../text/fields.js';
import { tables } from './tables.js';
import { olderMessage } from './whole-message.js';

export const opencode = family('opencode', 'OpenCode', [
  { env: 'XDG_DATA_HOME', below: 'opencode', root: '.local/share/opencode', under: '' },
]);

/**
 * MiMo Code, made from OpenCode (kenn-io/agentsview reads it so, `internal/parser`); not tested on
 * real logs.
 */
export const mimoCode: Adapter<Kept<null>> = {
  ...family('mimocode', 'MiMo Code', [
    { env: 'XDG_DATA_HOME', below: 'mimocode', root: '.local/share/mimocode', under: '' },
  ]),
  unproven: true,
};

/** An agent with sessions as in OpenCode, in another folder. */
export function family(
  name: string,
  title: string,
  roots: { env: string | null; below?: string; root: string; under: string }[],
): Adapter<Kept<null>> {
  const globs = ['*.db', 'storage/session/*/ses_*.json', 'storage/message/*/msg_*.json'];
  return agent<null>({
    agent: name,
    title,
    places: [
      ...roots.map((root) => ({ ...root, globs })),
      { env: null, root: 'exports', under: '', globs: ['*.json'], named: true },
    ],
    shape: (relative) => (relative.endsWith('.db') ? 'rows' : 'document'),
    rows: tables,
    beside: (relative) => {
      const message = /^storage\/message\/[^/]+\/(msg_[^/]+)\.json$/.exec(relative);
      return message ? [`../../part/${message[1]!}/*`] : [];
    },
    unfold: unfoldDocument,
    ownTools:
      'bash shell edit write read grep glob list ls patch apply_patch multiedit todowrite todoread task subagent question ' +
      'skill lsp invalid batch plan_exit plan_enter',
    agentTools: /^(?:task|subagent)$/,
    tags: null,
    repeats: true,
    more: null,
    read,
  });
}

/** The records of an exported session, or of a message or session file of the old tree. */
function unfoldDocument(document: unknown, { beside = {} }: LogName): unknown[] | null {
  const { info: head, messages, ...info } = object(document);
  if (isObject(head) && Array.isArray(messages))
    return messages
      .map(object)
      .flatMap((message) => [
        ...list(message.parts).map((part) => ({ head, info: message.info, part })),
        { head, info: message.info },
      ]);
  if (textOf(info.id) === null) return null;
  if (textOf(info.role) === null) return textOf(info.directory) === null ? null : [{ head: info }];
  const parts = Object.keys(beside)
    .sort()
    .map((name) => parse(beside[name]))
    .filter((part) => textOf(part.type) !== null);
  return [...parts.map((part) => ({ info, part })), { info }];
}

/** A row or a record of a document is a part of a message, or the message itself. */
function read(record: Json): Event[] {
  const isRow = record.mark !== undefined;
  const info = parse(record.info);
  const { session, parent, directory, title, version } = record;
  const head = isRow
    ? { id: session, parentID: parent, directory, title, version }
    : object(record.head);
  const own = short(head.id) ?? short(info.sessionID);
  if (own === null) return [{ is: 'unknown', type: 'record' }];
  const message = textOf(record.message) ?? textOf(info.id) ?? '';
  const kind = isRow ? textOf(record.kind) : null;
  if (kind === null) {
    const part = isRow && record.data !== null ? parse(record.data) : record.part;
    const events = isObject(part)
      ? partEvents(info, part, textOf(record.part) ?? textOf(part.id), false)
      : messageEvents(info, message);
    return [sessionEvent(own, head, info), ...events];
  }
  const older = olderMessage(kind, message, info);
  if (older === null)
    return [sessionEvent(own, head, {}), { is: 'unknown', type: `message:${kind}` }];
  const { parts, isTyped } = older;
  return [
    sessionEvent(own, head, older.info),
    ...parts.flatMap((part) => partEvents(older.info, part, textOf(part.id), isTyped)),
    ...messageEvents(older.info, message),
  ];
}

function sessionEvent(session: string, head: Json, info: Json): Event {
  const [parent, title] = [short(head.parentID), short(head.title)];
  return {
    is: 'session',
    session,
    parent,
    subagent: parent !== null,
    version: short(head.version),
    cwd: short(object(info.path).cwd) ?? short(head.directory),
    title: title?.startsWith('New session - ') ? null : title,
  };
}

/** Events from the message itself: its tokens, and a stop by the person. */
function messageEvents(info: Json, message: string): Event[] {
  const { input, output, reasoning, cache } = object(info.tokens);
  const { read: cacheRead, write: cacheWrite } = object(cache);
  const isStopped = object(info.error).name === 'MessageAbortedError';
  const [id, part, time] = [message, 'abort', timeOf(info)];
  return [
    ...(isStopped ? [{ is: 'notice', id, part, time, mark: 'interrupt' } as const] : []),
    {
      is: 'usage',
      native: info.role === 'assistant' ? message : null,
      time,
      model: info.modelID,
      input,
      cacheRead,
      cacheWrite,
      reasoning,
      cost: info.cost,
      output: (whole(output) ?? 0) + (whole(reasoning) ?? 0),
    },
  ];
}

function timeOf(info: Json, part: Json = {}): string | null {
  const times = object(part.time);
  return isoTime(times.start) ?? isoTime(object(info.time).created) ?? isoTime(times.created);
}

/** Parts that repeat or describe others: snapshots, steps, retries, attached files. */
const SILENT = /^(?:step-start|step-finish|snapshot|patch|file|agent|retry|subtask)$/;

function partEvents(info: Json, part: Json, id: string | null, isTyped: boolean): Event[] {
  const type = textOf(part.type) ?? 'none';
  const [time, text] = [timeOf(info, part), textOf(part.text)?.trim() ?? ''];
  if (type === 'tool') return toolEvents(part, id, time, isTyped);
  if (type === 'compaction') return [{ is: 'notice', id, time, mark: 'compaction' }];
  if (type === 'reasoning') return [{ is: 'thought', id, time, text }];
  if (type !== 'text') return SILENT.test(type) ? [] : [{ is: 'unknown', type: `part:${type}` }];
  if (info.role === 'user') {
    const isMade = part.synthetic === true || part.ignored === true || text.startsWith('▣ ');
    return [{ is: 'prompt', id, time, text, ...(isMade ? { by: 'injected' } : {}) }];
  }
  if (info.summary === true)
    return text === '' ? [] : [{ is: 'notice', id, time, text, mark: 'compaction' }];
  return [{ is: 'answer', id, time, text, final: info.finish === 'stop' }];
}

/** A tool part is its call and, once it has ended, its result. */
function toolEvents(part: Json, id: string | null, time: string | null, isTyped: boolean): Event[] {
  const state = object(part.state);
  const [tool, call] = [textOf(part.tool) ?? 'unknown', textOf(part.callID) ?? id];
  const by = isTyped ? 'user' : 'agent';
  const asked = { is: 'call', id, part: 'call', time, call, tool, input: state.input, by } as const;
  if (state.status !== 'completed' && state.status !== 'error') return [{ ...asked, child: false }];
  const error = textOf(state.error) ?? '';
  const isRefused =
    state.errorType === 'permission.rejected' ||
    /^The user (?:rejected|has rejected|dismissed)|^(?:PermissionRejected|RejectedError)/.test(
      error,
    );
  const isStopped = state.errorType === 'aborted' || (/aborted/i.test(error) && error.length < 80);
  return [
    { ...asked, child: false },
    {
      is: 'result',
      id,
      part: 'result',
      call,
      time: isoTime(object(state.time).end) ?? time,
      text: textOf(state.output) ?? error,
      // Some versions do not store how a command of the person ended.
      ok: isTyped ? null : state.status !== 'error' && tool !== 'invalid',
      exit: whole(object(state.metadata).exit),
      outcome: isRefused ? 'rejected' : isStopped ? 'interrupted' : null,
    },
  ];
}
