import type {
  Adapter,
  RawEntry,
  LogName,
  LogRecord,
  Outcome,
  SessionFacts,
  Shape,
  Step,
  Usage,
} from '../../types.js';
import { rawEntryOf, readToolCall } from '../calls.js';
import {
  type Json,
  dropBinary,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import { typedEntries } from '../typed.js';
import { tables } from './tables.js';
import { olderMessage } from './whole-message.js';

/** The session of the last row: rows of several sessions are mixed. */
interface OpencodeState {
  session: string | null;
  cwd: string | null;
  title: string | null;
}

/** A part of a message or the message itself, from any of the three stores. */
interface Piece {
  session: string;
  message: string;
  info: Json;
  /** Null for the message itself. */
  part: Json | null;
  partId: string | null;
  /** Columns or fields of the session, if present. */
  head: Json;
  /** A command that the person ran. */
  isTyped?: boolean;
}

/** OpenCode; README.md beside this file describes its three stores. */
export const opencode: Adapter<OpencodeState> = family('opencode', 'OpenCode', [
  { env: 'XDG_DATA_HOME', below: 'opencode', root: '.local/share/opencode', under: '' },
]);

/**
 * MiMo Code, made from OpenCode (kenn-io/agentsview reads it so, `internal/parser`); not tested on
 * real logs.
 */
export const mimoCode: Adapter<OpencodeState> = {
  ...family('mimocode', 'MiMo Code', [
    { env: 'XDG_DATA_HOME', below: 'mimocode', root: '.local/share/mimocode', under: '' },
  ]),
  unproven: true,
};

/** An agent that keeps its sessions as OpenCode does, in another folder. */
export function family(
  agent: string,
  title: string,
  roots: { env: string | null; below?: string; root: string; under: string }[],
): Adapter<OpencodeState> {
  return {
    agent,
    title,
    places: [
      ...roots.map((root) => ({
        ...root,
        globs: ['*.db', 'storage/session/*/ses_*.json', 'storage/message/*/msg_*.json'],
      })),
      { env: null, root: 'exports', under: '', globs: ['*.json'], named: true },
    ],
    shape: (relative): Shape => (relative.endsWith('.db') ? 'rows' : 'document'),
    rows: tables,
    beside: (relative) => {
      const message = /^storage\/message\/[^/]+\/(msg_[^/]+)\.json$/.exec(relative);
      return message ? [`../../part/${message[1]!}/*`] : [];
    },
    unfold: unfoldDocument,
    start: () => ({ session: null, cwd: null, title: null }),
    step,
  };
}

/** The records of an exported session, or of a message or session file of the old tree. */
function unfoldDocument(document: unknown, { beside = {} }: LogName): unknown[] | null {
  const whole = object(document);
  if (isObject(whole.info) && Array.isArray(whole.messages)) {
    const messages = whole.messages.map(object);
    return messages.flatMap(({ info, parts }) => [
      ...list(parts).map((part) => ({ head: whole.info, info, part })),
      { head: whole.info, info },
    ]);
  }
  if (textOf(whole.id) === null) return null;
  if (textOf(whole.role) === null)
    return textOf(whole.directory) === null ? null : [{ head: whole }];
  const parts = Object.keys(beside)
    .sort()
    .map((name) => parse(beside[name]!))
    .filter((part) => textOf(part.type) !== null);
  return [...parts.map((part) => ({ info: whole, part })), { info: whole }];
}

function parse(json: unknown): Json {
  if (typeof json !== 'string') return object(json);
  try {
    return object(JSON.parse(json));
  } catch {
    return {};
  }
}

/** A row or a record of a document as a piece; null when it is neither. */
function pieceOf(value: Json): Piece | null {
  const isRow = value.mark !== undefined;
  const info = parse(value.info);
  const part = isRow
    ? value.data === null
      ? null
      : parse(value.data)
    : isObject(value.part)
      ? value.part
      : null;
  const head: Json = isRow
    ? {
        id: value.session,
        parentID: value.parent,
        directory: value.directory,
        title: value.title,
        version: value.version,
      }
    : object(value.head);
  const session = textOf(head.id) ?? textOf(info.sessionID);
  const message = textOf(value.message) ?? textOf(info.id) ?? '';
  if (session === null) return null;
  return {
    session,
    message,
    info,
    part,
    partId: part === null ? null : (textOf(value.part) ?? textOf(part.id)),
    head,
  };
}

function step(before: OpencodeState, { value }: LogRecord): Step<OpencodeState> {
  const piece = isObject(value) ? pieceOf(value) : null;
  if (piece === null) return { state: before, rawEntries: [], unknown: 'record' };
  const kind = isObject(value) ? textOf(value.kind) : null;
  if (kind === null || !isObject(value) || value.mark === undefined)
    return stepPiece(before, piece);
  const message = olderMessage(kind, piece.message, piece.info);
  if (message === null)
    return {
      ...stepPiece(before, { ...piece, info: {} }),
      unknown: `message:${kind}`.slice(0, 80),
    };
  const { info, isTyped } = message;
  const steps: Step<OpencodeState>[] = [];
  for (const part of [...message.parts, null])
    steps.push(
      stepPiece(steps.at(-1)?.state ?? before, {
        ...piece,
        info,
        isTyped,
        part,
        partId: textOf(part?.id),
      }),
    );
  const known = {
    ...steps.find(({ session }) => session !== undefined),
    ...steps.find(({ usage }) => usage !== undefined),
  };
  const unknown = steps.find((each) => each.unknown !== undefined)?.unknown;
  return {
    state: steps.at(-1)!.state,
    rawEntries: steps.flatMap(({ rawEntries }) => rawEntries),
    ...(known.session === undefined ? {} : { session: known.session }),
    ...(known.usage === undefined ? {} : { usage: known.usage }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function stepPiece(before: OpencodeState, piece: Piece): Step<OpencodeState> {
  const cwd =
    short(object(piece.info.path).cwd) ??
    short(piece.head.directory) ??
    (piece.session === before.session ? before.cwd : null);
  const title = short(piece.head.title);
  const state: OpencodeState = { session: piece.session, cwd, title };
  const isNew =
    state.session !== before.session || state.cwd !== before.cwd || state.title !== before.title;
  const { rawEntries, unknown } =
    piece.part === null ? messageOf(piece) : partOf(piece, piece.part);
  const usage = piece.part === null ? usageOf(piece) : null;
  return {
    state,
    rawEntries: rawEntries.map((raw) => ({ ...raw, cwd })),
    ...(isNew ? { session: factsOf(piece, state) } : {}),
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}

function factsOf({ session, head }: Piece, { cwd, title }: OpencodeState): SessionFacts {
  const parent = short(head.parentID);
  return {
    session,
    cwd,
    title: title !== null && /^New session - /.test(title) ? null : title,
    version: short(head.version),
    ...(parent === null ? {} : { parent, subagent: true }),
  };
}

/** What only the message says: that the person stopped it. */
function messageOf({ message, info }: Piece): { rawEntries: RawEntry[]; unknown?: string } {
  const error = textOf(object(info.error).name);
  if (error !== 'MessageAbortedError') return { rawEntries: [] };
  const time = timeOf(info);
  const text = 'The user interrupted the turn.';
  return {
    rawEntries: [
      rawEntryOf({
        native: `${message}:abort`,
        time,
        role: 'system',
        origin: 'injected',
        text,
        marks: ['interrupt'],
      }),
    ],
  };
}

function usageOf({ message, info }: Piece): Usage | null {
  const tokens = object(info.tokens);
  const cache = object(tokens.cache);
  const count = (value: unknown): number => whole(value) ?? 0;
  if (
    info.role !== 'assistant' ||
    count(tokens.input) + count(tokens.output) + count(cache.read) === 0
  )
    return null;
  const reasoning = count(tokens.reasoning);
  return {
    native: message,
    time: timeOf(info),
    model: short(info.modelID),
    input: count(tokens.input),
    cacheRead: count(cache.read),
    cacheWrite: count(cache.write),
    output: count(tokens.output) + reasoning,
    reasoning,
    cost: typeof info.cost === 'number' && info.cost > 0 ? info.cost : null,
  };
}

function timeOf(info: Json, part: Json = {}): string | null {
  const times = object(part.time);
  return isoTime(times.start) ?? isoTime(object(info.time).created) ?? isoTime(times.created);
}

/** Parts that repeat or describe: snapshots, steps, retries, files that were attached. */
const SILENT = new Set('step-start step-finish snapshot patch file agent retry subtask'.split(' '));

function partOf(piece: Piece, part: Json): { rawEntries: RawEntry[]; unknown?: string } {
  const { info, head } = piece;
  const native = piece.partId;
  const type = textOf(part.type) ?? 'none';
  const base = { native, time: timeOf(info, part) };
  const isChild = short(head.parentID) !== null;
  const text = dropBinary(textOf(part.text) ?? '').trim();
  if (type === 'tool') {
    const rawEntries = toolOf(part, base);
    if (piece.isTyped !== true) return { rawEntries };
    // The log does not say how it ended.
    return {
      rawEntries: rawEntries.map((each) =>
        each.role === 'tool_call' ? { ...each, origin: 'user' } : { ...each, outcome: null },
      ),
    };
  }
  if (type === 'compaction')
    return {
      rawEntries: [
        rawEntryOf({
          ...base,
          role: 'system',
          origin: 'injected',
          text: 'The conversation was compacted.',
          marks: ['compaction'],
        }),
      ],
    };
  if (type === 'reasoning')
    return {
      rawEntries:
        text === '' ? [] : [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })],
    };
  if (type !== 'text')
    return SILENT.has(type) ? { rawEntries: [] } : { rawEntries: [], unknown: `part:${type}` };
  if (text === '') return { rawEntries: [] };
  if (info.role === 'user') {
    const isMade = part.synthetic === true || part.ignored === true || text.startsWith('▣ ');
    if (!isMade && !isChild) return { rawEntries: typedEntries(base, text) };
    const origin = isMade ? 'injected' : 'agent';
    return {
      rawEntries: [
        rawEntryOf({
          ...base,
          role: 'user',
          origin,
          text,
          ...(isChild ? { marks: ['subagent'] } : {}),
        }),
      ],
    };
  }
  if (info.summary === true)
    return {
      rawEntries: [
        rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
      ],
    };
  const final = info.finish === 'stop' ? ['final'] : [];
  return {
    rawEntries: [
      rawEntryOf({
        ...base,
        role: 'assistant',
        origin: 'agent',
        text,
        marks: [...(isChild ? ['subagent'] : []), ...final],
      }),
    ],
  };
}

/** A tool part is its call and, once it has ended, its result. */
function toolOf(part: Json, base: { native: string | null; time: string | null }): RawEntry[] {
  const tool = textOf(part.tool) ?? 'unknown';
  const state = object(part.state);
  const call = readToolCall(tool, state.input);
  const id = textOf(part.callID) ?? base.native;
  const { command, files, web, marks } = call;
  const shared = { tool, call: id, command, files };
  const native = (end: string): string | null =>
    base.native === null ? null : `${base.native}:${end}`;
  const asked = rawEntryOf({
    ...base,
    ...shared,
    native: native('call'),
    role: 'tool_call',
    origin: 'agent',
    text: call.text,
    marks,
  });
  if (state.status !== 'completed' && state.status !== 'error') return [asked];
  const exit = whole(object(state.metadata).exit);
  const text = dropBinary(textOf(state.output) ?? textOf(state.error) ?? '');
  const origin = tool === 'task' ? 'agent' : web || isForeignTool(tool) ? 'external' : 'tool';
  const time = isoTime(object(state.time).end) ?? base.time;
  const outcome = outcomeOf(state, exit, tool);
  return [
    asked,
    rawEntryOf({
      ...shared,
      time,
      native: native('result'),
      role: 'tool_result',
      origin,
      text,
      exit,
      outcome,
    }),
  ];
}

function outcomeOf(state: Json, exit: number | null, tool: string): Outcome {
  const error = textOf(state.error) ?? '';
  if (
    /^The user (?:rejected|has rejected|dismissed)|^(?:PermissionRejected|RejectedError)/.test(
      error,
    )
  )
    return 'rejected';
  if (/aborted/i.test(error) && error.length < 80) return 'interrupted';
  return state.status === 'error' || tool === 'invalid' || (exit !== null && exit !== 0)
    ? 'failed'
    : 'ok';
}

/** Tools of OpenCode itself; any other belongs to an MCP server or a plugin. */
const OWN = new Set(
  (
    'bash edit write read grep glob list ls patch apply_patch multiedit todowrite todoread task question skill lsp ' +
    'invalid batch plan_exit plan_enter'
  ).split(' '),
);

function isForeignTool(tool: string): boolean {
  return !OWN.has(tool);
}
