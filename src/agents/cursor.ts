/** Cursor; docs/formats.md describes its stores. */
import type { Outcome } from '../types.js';
import { isShellTool, readToolCall } from './calls.js';
import { agent, type Event } from './engine.js';
import {
  between,
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parse,
  parseAny,
  short,
  text as textOf,
  whole,
} from '../text/fields.js';
import { contentText, type PromptPiece } from './typed.js';

/** A field of the conversation's row, for a message. */
const OWN = (field: string): string =>
  `SELECT json_extract(c.value, '$.${field}') FROM cursorDiskKV c
     WHERE c.key = 'composerData:' || substr(k.key, 10, instr(substr(k.key, 10), ':') - 1) AND json_valid(c.value)`;

/**
 * Messages, with name and folder from the conversation's row; a rewritten value has a new row
 * number. Only these fields are read, since others may contain keys.
 */
const ROWS = `
  SELECT rowid AS mark, rowid AS key, rowid AS line, name, data, parent FROM (
    SELECT k.rowid AS rowid, k.key AS name,
      CASE WHEN json_valid(k.value) IS NOT 1 THEN NULL WHEN k.key GLOB 'bubbleId:*' THEN json_object(
          'type', json_extract(k.value, '$.type'), 'text', json_extract(k.value, '$.text'),
          'createdAt', coalesce(json_extract(k.value, '$.createdAt'), (${OWN('createdAt')})),
          'thinking', json_extract(k.value, '$.thinking.text'),
          'tool', json_extract(k.value, '$.toolFormerData'), 'tokens', json_extract(k.value, '$.tokenCount'),
          'model', json_extract(k.value, '$.modelInfo.modelName'), 'folder', (${OWN('workspaceIdentifier.uri')}))
        ELSE json_object('name', json_extract(k.value, '$.name'), 'folder', json_extract(k.value, '$.workspaceIdentifier.uri'),
          'parent', json_extract(k.value, '$.subagentInfo.parentComposerId')) END AS data,
      CASE WHEN json_valid(k.value) AND k.key GLOB 'bubbleId:*' AND json_extract(k.value, '$.type') = 1 THEN
        (${OWN('subagentInfo.parentComposerId')}) END AS parent
    FROM cursorDiskKV k NOT INDEXED
    WHERE k.rowid >= $mark AND k.rowid > $key AND (k.key GLOB 'bubbleId:*' OR k.key GLOB 'composerData:*')
    ORDER BY k.rowid LIMIT $limit
  )`;

const LOGS = [
  '*/agent-transcripts/*/*.jsonl',
  '*/agent-transcripts/*.jsonl',
  '*/agent-transcripts/*/subagents/*.jsonl',
];
const DATABASES = ['state.vscdb', 'globalStorage/state.vscdb'];

interface More {
  /** Name of the project's folder among the transcripts. */
  slug: string | null;
  /** Time of the last prompt, since other lines of a transcript have none. */
  time: string | null;
}

export const cursor = agent<More>({
  agent: 'cursor',
  title: 'Cursor',
  places: [
    { env: 'CURSOR_CONFIG_DIR', root: '.cursor', under: 'projects', globs: LOGS },
    { env: null, root: 'databases', under: '', globs: DATABASES, named: true },
  ],
  shape: (relative) => (relative.endsWith('.vscdb') ? 'rows' : 'lines'),
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
  // A tool's name may end with a version, such as `_v2`.
  ownTools:
    /^(?:read_file|edit_file|search_replace|write|delete_file|list_dir|grep|grep_search|ripgrep|ripgrep_raw_search|glob_file_search|file_search|codebase_search|semantic_search(?:_full)?|todo_(?:read|write)|read_lints|fix_lints|create_plan|apply_patch|ask_question|task|reapply|edit_notebook|create_diagram|update_memory|await|switch_mode|run_terminal_cmd|run_terminal_command|fetch_rules|knowledge_base|background_composer_followup|generate_image|read_semsearch_files)(?:_v\d+)?$/,
  tags: null,
  begin({ relative, beside = {} }) {
    const path = relative.split('/');
    const parent = path.at(-2) === 'subagents' ? path.at(-3)! : null;
    return {
      ...(relative.endsWith('.jsonl') ? { session: path.at(-1)!.slice(0, -6) } : {}),
      ...{ parent, subagent: parent !== null },
      // The folder that the person trusted.
      cwd: short(parse(Object.values(beside)[0]).workspacePath),
      more: { slug: short(path.length > 2 ? path[0] : null), time: null },
    };
  },
  more: { slug: null, time: null },
  read: (record, { facts, more }) =>
    record.mark !== undefined && record.name !== undefined
      ? rowEvents(record)
      : lineEvents(record, facts, more),
});

/** A row is a message of a conversation, or facts about the conversation. */
function rowEvents(row: Json): Event[] {
  const [kind, session, bubble = ''] = (short(row.name) ?? '').split(':');
  const data = parseAny(row.data);
  if (session === undefined || typeof row.data !== 'string' || !isObject(data)) return [];
  const { fsPath, path } = parse(data.folder);
  const cwd = short(fsPath) ?? short(path);
  if (kind !== 'composerData')
    return [
      { is: 'session', session, cwd },
      ...bubbleEvents(data, short(bubble), short(row.parent)),
    ];
  const [parent, title] = [short(data.parent), short(data.name)];
  return [{ is: 'session', session, title, cwd, parent, subagent: parent !== null }];
}

/** @param parent conversation whose agent sent the prompt; null for a person */
function bubbleEvents(data: Json, id: string | null, parent: string | null): Event[] {
  const at = { id, time: isoTime(data.createdAt), cwd: null, child: false };
  const text = textOf(data.text) ?? '';
  if (data.type === 1)
    return [{ is: 'prompt', ...at, text, by: parent ? 'agent' : 'user', child: parent !== null }];
  if (data.type !== 2) return [{ is: 'unknown', type: `bubble:${whole(data.type) ?? 'none'}` }];
  const { inputTokens, outputTokens } = object(data.tokens);
  return [
    { is: 'thought', ...at, part: 'thinking', text: textOf(data.thinking) ?? '' },
    { is: 'answer', ...at, text },
    ...(textOf(object(data.tool).name) === null ? [] : toolEvents(object(data.tool), at)),
    {
      ...{ is: 'usage', native: id, time: at.time, model: data.model },
      ...{ input: inputTokens, output: outputTokens },
    },
  ];
}

function toolEvents(data: Json, at: { id: string | null; time: string | null }): Event[] {
  const [tool, call] = [textOf(data.name)!, textOf(data.toolCallId)];
  const args = parse(data.rawArgs);
  const input = Object.keys(args).length > 0 ? args : parse(data.params);
  const place = { ...at, cwd: short(input.cwd), call, tool };
  const events: Event[] = [{ is: 'call', ...place, part: 'call', input, child: false }];
  const outcome = outcomeOf(data);
  if (outcome === null) return events;
  const result = parse(data.result);
  const isEmpty = Object.keys(result).length === 0;
  const plain = isEmpty && !/^\s*\{\s*\}\s*$/.test(textOf(data.result) ?? '');
  const shown =
    textOf(result.output) ??
    textOf(result.contents) ??
    (plain ? textOf(data.result) : null) ??
    messageOf(data);
  const hasMore = Object.keys(result).some((key) => !/^(?:rejected|exitCode|output)$/.test(key));
  const exit = whole(result.exitCode) ?? whole(result.exit_code);
  events.push({
    ...{ is: 'result', ...place, part: 'result', ok: outcome === 'ok' },
    text: shown ?? (hasMore ? JSON.stringify(result) : ''),
    ...(isShellTool(tool) ? (exit === null ? {} : { exit }) : { exit: null }),
    ...(outcome === 'rejected' || outcome === 'interrupted' ? { outcome } : {}),
  });
  return events;
}

function messageOf(data: Json): string | null {
  const error = parse(data.error);
  return textOf(error.clientVisibleErrorMessage) ?? textOf(error.message) ?? textOf(data.error);
}

/**
 * Null while the tool runs. A refused or failed command may have the status `completed`; another
 * field then has its end.
 */
function outcomeOf(data: Json): Outcome | null {
  const more = textOf(object(data.additionalData).status);
  const status = textOf(data.status);
  const isRefused =
    parse(data.result).rejected === true || more === 'rejected' || status === 'rejected';
  if (isRefused || (status === 'cancelled' && /reject|skip/i.test(messageOf(data) ?? '')))
    return 'rejected';
  if (status === 'cancelled' || status === 'aborted') return 'interrupted';
  if (status === 'error' || more === 'error') return 'failed';
  return status === 'completed' || status === 'success' ? 'ok' : null;
}

type Facts = { cwd?: string | null; subagent?: boolean };

/** A line of a transcript: a message without id, results and, except for prompts, time. */
function lineEvents(line: Json, facts: Facts, before: More): { events: Event[]; more: More } {
  const content = object(line.message).content;
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : list(content).map(object);
  const more = { ...before, time: timeIn(blocks) ?? before.time };
  const cwd = facts.cwd ?? folderOf(blocks, before.slug);
  const events = messageEvents(line, blocks, facts.subagent === true);
  return {
    events: [
      { is: 'session', cwd },
      ...events.map((event) => ({ time: more.time, ...event }) as Event),
    ],
    more,
  };
}

function messageEvents(line: Json, blocks: readonly Json[], isChild: boolean): Event[] {
  if (line.type === 'turn_ended') {
    const why = textOf(line.error) ?? textOf(line.status) ?? '';
    const isStop = line.status !== 'success' && /abort|cancel|interrupt/i.test(why);
    return isStop ? [{ is: 'notice', mark: 'interrupt' }] : [];
  }
  if (line.role === 'user')
    return blocks.map((block): Event => {
      const { type, text } = block;
      if (type === 'tool_result' || type === 'command_output') return otherEvent(block);
      const words = wordsIn(textOf(text)?.trim() ?? '', isChild);
      return { is: 'prompt', text: words.text, by: words.origin };
    });
  if (line.role !== 'assistant') return [{ is: 'unknown', type: line.type ?? line.role }];
  return blocks.map((block): Event => {
    // The word that replaces content that a provider hides.
    const text = (textOf(block.text) ?? '').trim().replace(/(?:^|\n)\[REDACTED\]$/, '');
    if (block.type === 'text') return { is: 'answer', text };
    if (block.type !== 'tool_use') return otherEvent(block);
    // A tool of Cursor calls the tools that are found at run time.
    const name = textOf(block.name) ?? 'unknown';
    const isDynamic = name === 'CallDynamicTool';
    const outer = object(block.input);
    const input = isDynamic ? object(outer.arguments) : outer;
    const tool = isDynamic ? (textOf(outer.toolName) ?? name) : name;
    return { is: 'call', call: null, tool, input, cwd: short(input.working_directory) };
  });
}

/** Blocks of some versions; the call of a result is unknown. */
function otherEvent(block: Json): Event {
  const text = textOf(block.thinking) ?? contentText(block.content ?? block);
  if (block.type === 'thinking') return { is: 'thought', text };
  if (block.type !== 'tool_result' && block.type !== 'command_output')
    return { is: 'unknown', type: `part:${textOf(block.type) ?? 'none'}` };
  return { is: 'result', call: null, text, ok: block.is_error === true ? false : null };
}

/** Placeholder of a picture from the person. */
const PICTURE = /^\[Image[^\]\n\r]*\]$/gm;
const OPENS = /<([a-z][\w-]*)(?:\s[^<>]*)?>/g;

/**
 * Removes closed blocks from a text, tag by tag, since a pattern would search the whole text for
 * each unclosed tag.
 */
function withoutBlocks(text: string): string {
  const lastEnd = new Map(
    [...text.matchAll(/<\/([a-z][\w-]*)>/g)].map(({ 1: name, index }) => [name!, index]),
  );
  let [rest, at] = ['', 0];
  for (const { 0: mark, 1: name, index } of text.matchAll(OPENS)) {
    if (index < at || (lastEnd.get(name!) ?? -1) < index) continue;
    rest += text.slice(at, index);
    at = text.indexOf(`</${name}>`, index + mark.length) + name!.length + 3;
  }
  return rest + text.slice(at);
}

/**
 * The person's words are in `user_query`. If the tag is missing, or there are words outside all
 * blocks, a program sent the prompt. With two such tags the person's is unknown.
 */
function wordsIn(text: string, isChild: boolean): Pick<PromptPiece, 'text' | 'origin'> {
  const isOne = text.split('<user_query>').length === 2;
  const query = isOne ? between(text, '<user_query>', '</user_query>') : null;
  if (isChild) return { text: query ?? text, origin: 'agent' };
  const rest = withoutBlocks(text).replace(PICTURE, '').trim();
  return query === null || rest !== ''
    ? { text, origin: 'injected' }
    : { text: query, origin: 'user' };
}

const STAMP =
  /<timestamp>(?:\w+,\s*)?(\w{3}) (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d)\s*([AP]M) \(UTC([+-]\d{1,2})?(?::(\d\d))?\)<\/timestamp>/;
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The minute at which a prompt was sent: `Tuesday, Aug 4, 2026, 1:15 PM (UTC+5:30)`. */
function timeIn(blocks: readonly Json[]): string | null {
  for (const block of blocks) {
    const found = STAMP.exec(textOf(block.text)?.slice(0, 20_000) ?? '');
    if (!found) continue;
    const [, month, day, year, hour, minute, half, zone = '+0', rest = '0'] = found;
    const offset = (Math.abs(Number(zone)) * 60 + Number(rest)) * (zone.startsWith('-') ? -1 : 1);
    const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
    return isoTime(
      Date.UTC(Number(year), MONTHS.indexOf(month!), Number(day), hours, Number(minute) - offset),
    );
  }
  return null;
}

/**
 * The project's folder, if a path that the agent used contains it. The transcripts' folder name is
 * ambiguous, since a hyphen replaces all other characters than letters and digits.
 */
function folderOf(blocks: readonly Json[], slug: string | null): string | null {
  if (slug === null) return null;
  const paths = blocks.flatMap(({ input: asked }) => {
    const input = object(asked);
    const { working_directory: folder, target_directory: target } = input;
    return [short(folder), ...readToolCall('', input).files, short(target)];
  });
  for (const path of paths)
    for (
      let folder = path ?? '';
      folder.length > 1;
      folder = /[\\/]/.test(folder) ? folder.replace(/[\\/][^\\/]*$/, '') : ''
    )
      if (folder.replace(/[^A-Za-z\d]+/g, '-').replace(/^-|-$/g, '') === slug) return folder;
  return null;
}
