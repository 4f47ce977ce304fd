import type { Adapter, LogName, LogRecord, SessionFacts, Shape, Step } from '../../types.js';
import { type Json, isObject, object, short } from '../fields.js';
import { bubbleOf } from './bubble.js';
import { readLine, type CursorState } from './transcript.js';

/** What the conversation's own row says about a message. */
const OWN = (field: string): string =>
  `SELECT json_extract(c.value, '$.${field}') FROM cursorDiskKV c
     WHERE c.key = 'composerData:' || substr(k.key, 10, instr(substr(k.key, 10), ':') - 1) AND json_valid(c.value)`;

/**
 * Messages, with name and folder from the conversation's own row. A value that is written again
 * gets a new row number, because `key` is unique on conflict replace. Only the fields that are read
 * leave the database: the others may contain keys.
 */
const ROWS = `
  SELECT rowid AS mark, rowid AS key, rowid AS line, name, data, parent FROM (
    SELECT k.rowid AS rowid, k.key AS name,
      CASE WHEN json_valid(k.value) IS NOT 1 THEN NULL WHEN k.key GLOB 'bubbleId:*' THEN json_object(
          'type', json_extract(k.value, '$.type'), 'text', json_extract(k.value, '$.text'),
          'createdAt', coalesce(json_extract(k.value, '$.createdAt'), (${OWN('createdAt')})),
          'thinking', json_extract(k.value, '$.thinking.text'),
          'tool', json_extract(k.value, '$.toolFormerData'), 'tokens', json_extract(k.value, '$.tokenCount'),
          'model', json_extract(k.value, '$.modelInfo.modelName'))
        ELSE json_object('name', json_extract(k.value, '$.name'), 'folder', json_extract(k.value, '$.workspaceIdentifier.uri'),
          'parent', json_extract(k.value, '$.subagentInfo.parentComposerId')) END AS data,
      CASE WHEN json_valid(k.value) AND k.key GLOB 'bubbleId:*' AND json_extract(k.value, '$.type') = 1 THEN
        (${OWN('subagentInfo.parentComposerId')}) END AS parent
    FROM cursorDiskKV k
    WHERE k.rowid > $key AND (k.key GLOB 'bubbleId:*' OR k.key GLOB 'composerData:*')
    ORDER BY k.rowid LIMIT $limit
  )`;

/** Cursor; docs/formats.md describes its stores. */
export const cursor: Adapter<CursorState> = {
  agent: 'cursor',
  title: 'Cursor',
  places: [
    {
      env: null,
      root: '.cursor',
      under: 'projects',
      globs: [
        '*/agent-transcripts/*/*.jsonl',
        '*/agent-transcripts/*.jsonl',
        '*/agent-transcripts/*/subagents/*.jsonl',
      ],
    },
    {
      env: null,
      root: 'databases',
      under: '',
      globs: ['state.vscdb', 'globalStorage/state.vscdb'],
      named: true,
    },
  ],
  shape: (relative): Shape => (relative.endsWith('.vscdb') ? 'rows' : 'lines'),
  rows: [
    {
      needs: ['cursorDiskKV.key', 'cursorDiskKV.value'],
      sql: ROWS,
      columns: ['line', 'name', 'data', 'parent'],
      overlap: 0,
    },
  ],
  beside: (relative) => {
    const depth = relative.split('/').length - 2;
    return relative.includes('/agent-transcripts/')
      ? [`${'../'.repeat(depth)}.workspace-trusted`]
      : [];
  },
  sessionIn: (relative) =>
    /\/agent-transcripts\/(?:.*\/)?([^/]+)\.jsonl$/.exec(`/${relative}`)?.[1] ?? null,
  start,
  step: (state, { value }: LogRecord): Step<CursorState> => {
    if (!isObject(value)) return { state, rawEntries: [], unknown: 'record' };
    return value.mark !== undefined && value.name !== undefined
      ? stepRow(state, value)
      : readLine(state, value);
  },
};

function start({ relative, beside = {} }: LogName): CursorState {
  const path = relative.split('/');
  const isChild = path.at(-2) === 'subagents';
  const session = relative.endsWith('.jsonl') ? path.at(-1)!.slice(0, -6) : null;
  return {
    session,
    parent: isChild ? path.at(-3)! : null,
    cwd: trustedFolder(Object.values(beside)[0]),
    slug: short(path.length > 2 ? path[0] : null),
    time: null,
    told: false,
  };
}

/** The folder that the person trusted, from a file beside the transcripts. */
function trustedFolder(json: string | undefined): string | null {
  if (json === undefined) return null;
  try {
    return short(object(JSON.parse(json)).workspacePath);
  } catch {
    return null;
  }
}

/** A row is a message of a conversation, or facts about the conversation. */
function stepRow(before: CursorState, row: Json): Step<CursorState> {
  const [kind, session, bubble] = (short(row.name) ?? '').split(':');
  const data = parse(row.data);
  if (session === undefined || data === null) return { state: before, rawEntries: [] };
  const state = { ...before, session, cwd: null, parent: null, told: true };
  if (kind === 'composerData') {
    const { fsPath, path } = object(data.folder);
    const parent = short(data.parent);
    const child = parent === null ? {} : { parent, subagent: true };
    const facts: SessionFacts = {
      session,
      title: short(data.name),
      cwd: short(fsPath) ?? short(path),
      ...child,
    };
    return { state, rawEntries: [], session: facts };
  }
  const { rawEntries, usage, unknown } = bubbleOf(data, bubble ?? '', short(row.parent));
  return {
    state,
    rawEntries,
    ...(session === before.session ? {} : { session: { session } }),
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function parse(json: unknown): Json | null {
  if (typeof json !== 'string') return null;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
