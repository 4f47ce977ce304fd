/**
 * Conversations in the database of Kiro CLI and of Amazon Q: one value of JSON each, written again
 * at each turn. `history` is a list of turns: what the person said or which results went back, and
 * the answer. A turn becomes a row.
 */
import type { RowQuery } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { type Json, isoTime, list, object, short, text as textOf, whole } from '../fields.js';
import type { Base } from '../open-calls.js';
import { promptOf } from './lines.js';
import { answered, asked, type KiroState, parse, type Read, resultText } from './state.js';

/**
 * Only the turn leaves the database: the value also has the agent's tools. The table's row and the
 * turn's place number it.
 */
const turns = (table: string, mark: string, id: string, time: string): string => `
  SELECT mark, key, key AS line, turn, cwd, session, time FROM (
    SELECT ${mark} AS mark, c.rowid * 1000000 + h.key AS key, h.value AS turn, c.key AS cwd, ${id} AS session, ${time} AS time
    FROM ${table} c, json_each(CASE WHEN json_valid(c.value) THEN c.value ELSE '{}' END, '$.history') h)
  WHERE (mark, key) > ($mark, $key) ORDER BY mark, key LIMIT $limit`;

const COLUMNS = ['line', 'turn', 'cwd', 'session', 'time'];

/**
 * The older table has no time, but a value that is written again gets a new row number: its key is
 * replaced on conflict.
 */
export const TURNS: RowQuery[] = [
  {
    needs: [
      'conversations_v2.conversation_id',
      'conversations_v2.updated_at',
      'conversations_v2.value',
    ],
    sql: turns(
      'conversations_v2',
      'CAST(c.updated_at AS INTEGER)',
      'c.conversation_id',
      'CAST(c.updated_at AS INTEGER)',
    ),
    columns: COLUMNS,
    overlap: 1000,
  },
  {
    needs: ['conversations.key', 'conversations.value'],
    sql: turns('conversations', 'c.rowid', "json_extract(c.value, '$.conversation_id')", 'NULL'),
    columns: COLUMNS,
    overlap: 0,
  },
];

/** @param row as `TURNS` returns it */
export function readTurn(before: KiroState, row: Json): Read & { at: string | null } {
  const { user: asks, assistant: answer, request_metadata: about } = parse(row.turn);
  const user = object(asks);
  const response = object(object(answer).Response ?? object(answer).ToolUse);
  const meta = object(about);
  const session = short(row.session);
  const anchor =
    short(response.message_id) ??
    short(meta.message_id) ??
    short(meta.request_id) ??
    short(user.timestamp) ??
    null;
  const native = anchor ?? `${session ?? ''}:${whole(row.line) ?? 0}`;
  const folder = short(object(object(user.env_context).env_state).current_working_directory);
  const state: KiroState = { ...before, session, cwd: short(row.cwd) ?? folder };
  const base: Base = { native, time: isoTime(user.timestamp), cwd: state.cwd };
  const content = object(user.content);
  const read = readUser(state, base, content);
  const time = isoTime(whole(meta.stream_end_timestamp_ms)) ?? base.time;
  const told = readAnswer(read.state, { ...base, time }, response, object(object(answer).ToolUse));
  return {
    ...told,
    rawEntries: [...read.rawEntries, ...told.rawEntries],
    at: isoTime(whole(row.time)),
  };
}

function readUser(before: KiroState, base: Base, content: Json): Read {
  const cancelled = object(content.CancelledToolUses);
  const results = list(
    object(content.ToolUseResults).tool_use_results ?? cancelled.tool_use_results,
  ).map(object);
  let read: Read = { state: before, rawEntries: [] };
  results.forEach((result, at) => {
    const place: Base = { ...base, native: `${base.native ?? ''}:result:${at}` };
    const ok = result.status === 'Error' ? false : result.status === 'Success' ? true : null;
    const rejected = content.CancelledToolUses !== undefined;
    const ended = answered(read.state, place, {
      id: result.tool_use_id,
      text: resultText(result.content),
      ok,
      rejected,
    });
    read = { state: ended.state, rawEntries: [...read.rawEntries, ...ended.rawEntries] };
  });
  const prompt = textOf(object(content.Prompt).prompt) ?? textOf(cancelled.prompt) ?? '';
  const place: Base = { ...base, native: `${base.native ?? ''}:prompt` };
  return { ...read, rawEntries: [...read.rawEntries, ...promptOf(place, prompt)] };
}

function readAnswer(before: KiroState, base: Base, response: Json, calling: Json): Read {
  const uses = list(calling.tool_uses).map(object);
  const text = textOf(response.content)?.trim() ?? '';
  const marks = uses.length === 0 ? ['final'] : [];
  let read: Read = { state: before, rawEntries: [] };
  if (text !== '')
    read.rawEntries.push(rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks }));
  uses.forEach(({ id, name, args }, at) => {
    const called = asked(
      read.state,
      { ...base, native: `${base.native ?? ''}:${at}` },
      { id, name, input: args },
    );
    read = { state: called.state, rawEntries: [...read.rawEntries, ...called.rawEntries] };
  });
  return read;
}
