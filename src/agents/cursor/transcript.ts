/**
 * A line of a transcript: a message without id and, except for prompts, without time; results are
 * not in it.
 */
import type { RawEntry, SessionFacts, Step } from '../../types.js';
import { rawEntryOf, readToolCall } from '../calls.js';
import {
  type Json,
  between,
  dropBinary,
  isoTime,
  list,
  object,
  short,
  text as textOf,
} from '../fields.js';
import { typedEntries } from '../typed.js';

/** The session of a transcript, or of a database's last row. */
export interface CursorState {
  session: string | null;
  parent: string | null;
  cwd: string | null;
  /** Name of the project's folder among the transcripts. */
  slug: string | null;
  /** Time of the last prompt: nothing else in a transcript has one. */
  time: string | null;
  /** The facts were returned. */
  told: boolean;
}

export function readLine(before: CursorState, line: Json): Step<CursorState> {
  const content = object(line.message).content;
  const blocks =
    typeof content === 'string' ? [{ type: 'text', text: content }] : list(content).map(object);
  const time = timeIn(blocks) ?? before.time;
  const cwd = before.cwd ?? folderOf(blocks, before);
  const state: CursorState = { ...before, time, cwd, told: before.session !== null };
  const { rawEntries, unknown } = readRecord(line, blocks, state);
  const isNews = state.session !== null && (!before.told || cwd !== before.cwd);
  return {
    state,
    rawEntries: rawEntries.map((raw) => ({ ...raw, time, cwd: raw.cwd ?? cwd, bySession: true })),
    ...(isNews ? { session: factsOf(state) } : {}),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}

function factsOf({ session, parent, cwd }: CursorState): SessionFacts {
  return { session: session!, cwd, ...(parent === null ? {} : { parent, subagent: true }) };
}

function readRecord(
  line: Json,
  blocks: readonly Json[],
  state: CursorState,
): { rawEntries: RawEntry[]; unknown?: string } {
  if (line.type === 'turn_ended') return { rawEntries: endOf(line) };
  if (line.role === 'user')
    return { rawEntries: blocks.flatMap((block) => promptOf(textOf(block.text) ?? '', state)) };
  if (line.role !== 'assistant')
    return { rawEntries: [], unknown: textOf(line.type) ?? textOf(line.role) ?? 'none' };
  const parts = blocks.map((block) => partOf(block, state));
  const unknown = parts.find((part) => part.unknown !== undefined)?.unknown;
  return {
    rawEntries: parts.flatMap((part) => part.rawEntries),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function endOf({ status, error }: Json): RawEntry[] {
  if (
    status === 'success' ||
    !/abort|cancel|interrupt/i.test(textOf(error) ?? textOf(status) ?? '')
  )
    return [];
  return [
    rawEntryOf({
      role: 'system',
      origin: 'injected',
      text: 'The user interrupted the turn.',
      marks: ['interrupt'],
    }),
  ];
}

/** The placeholder of a picture that the person sent. */
const PICTURE = /^\[Image[^\]\n\r]*\]$/gm;
const OPENS = /<([a-z][\w-]*)(?:\s[^<>]*)?>/g;

/**
 * Removes closed blocks from a text. Searches from mark to mark: a pattern would search for the end
 * of each open one again.
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
 * The person's words are in `user_query`, among blocks with what the editor shows. Without that
 * tag, and with words outside all blocks, a button or the program itself sent the prompt.
 */
function promptOf(text: string, { parent }: CursorState): RawEntry[] {
  if (text.trim() === '') return [];
  // A file that the editor shows may contain the tag too: of two, neither is known to be the
  // person's.
  const query =
    text.split('<user_query>').length === 2 ? between(text, '<user_query>', '</user_query>') : null;
  if (parent !== null)
    return [
      rawEntryOf({
        role: 'user',
        origin: 'agent',
        text: (query ?? text).trim(),
        marks: ['subagent'],
      }),
    ];
  const rest = withoutBlocks(text).replace(PICTURE, '').trim();
  if (query === null || rest !== '')
    return [rawEntryOf({ role: 'user', origin: 'injected', text: text.trim() })];
  return typedEntries({ native: null, time: null }, query);
}

function partOf(
  block: Json,
  { parent }: CursorState,
): { rawEntries: RawEntry[]; unknown?: string } {
  const marks = parent === null ? [] : ['subagent'];
  const text = dropBinary(textOf(block.text) ?? '').trim();
  if (block.type === 'text') {
    // If a provider hides the content, this word replaces it.
    const said = text.replace(/(?:^|\n)\[REDACTED\]$/, '').trim();
    return {
      rawEntries:
        said === '' ? [] : [rawEntryOf({ role: 'assistant', origin: 'agent', text: said, marks })],
    };
  }
  if (block.type !== 'tool_use')
    return { rawEntries: [], unknown: `part:${textOf(block.type) ?? 'none'}` };
  const { tool, input } = toolOf(block);
  const call = readToolCall(tool, input);
  const { command, files } = call;
  const cwd = short(input.working_directory);
  const said = {
    role: 'tool_call',
    origin: 'agent',
    text: call.text,
    tool,
    command,
    files,
    cwd,
  } as const;
  return { rawEntries: [rawEntryOf({ ...said, marks: [...marks, ...call.marks] })] };
}

/** Tools that are found at run time are called through one of Cursor's own. */
function toolOf(block: Json): { tool: string; input: Json } {
  const tool = textOf(block.name) ?? 'unknown';
  const input = object(block.input);
  if (tool !== 'CallDynamicTool') return { tool, input };
  return { tool: textOf(input.toolName) ?? tool, input: object(input.arguments) };
}

const STAMP =
  /<timestamp>(?:\w+,\s*)?(\w{3}) (\d{1,2}), (\d{4}), (\d{1,2}):(\d\d)\s*([AP]M) \(UTC([+-]\d{1,2})?(?::(\d\d))?\)<\/timestamp>/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

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
 * The folder of the project, if a path that the agent used shows it. The transcripts' folder is
 * named after it, with a hyphen for every character except letters and digits, so the name alone is
 * ambiguous.
 */
function folderOf(blocks: readonly Json[], { slug }: CursorState): string | null {
  if (slug === null) return null;
  for (const block of blocks) {
    const input = object(block.input);
    for (const path of [
      short(input.working_directory),
      ...readToolCall('', input).files,
      short(input.target_directory),
    ]) {
      const found = path === null ? null : ancestorOf(path, slug);
      if (found !== null) return found;
    }
  }
  return null;
}

function ancestorOf(path: string, slug: string): string | null {
  for (let folder = path; folder.length > 1; folder = folder.replace(/[\\/][^\\/]*$/, '')) {
    if (slugOf(folder) === slug) return folder;
    if (!/[\\/]/.test(folder)) return null;
  }
  return null;
}

function slugOf(folder: string): string {
  return folder.replace(/[^A-Za-z\d]+/g, '-').replace(/^-|-$/g, '');
}
