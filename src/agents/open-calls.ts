/** Open tool calls, and what a result says about its call: the same for most agents. */
import type { RawEntry, Origin, Outcome } from '../types.js';
import { rawEntryOf, readToolCall } from './calls.js';
import { dropBinary, plainCommand } from './fields.js';

/** Part of a state, which is stored before redaction: contains no text that may be a secret. */
export interface OpenCall {
  id: string;
  tool: string;
  command: string | null;
  files: string[];
  /** Its result comes from outside this machine. */
  web: boolean;
  /** The id that the id of its result begins with. */
  group?: string | null;
}

/** A plausible tool name: a damaged record may have other text in its place. */
const NAME = /^[\w.:/@-]{1,64}$/;

const MAX_CALLS = 24;
const CALLS_BYTES = 7 * 1024;

/** Adds a call and drops the oldest, so that the state stays small. */
export function addCall(
  calls: readonly OpenCall[],
  { id, tool, command, files, web, group }: OpenCall,
): OpenCall[] {
  const small: OpenCall = {
    id: id.slice(0, 200),
    tool: NAME.test(tool) ? tool : '',
    command: plainCommand(command),
    files: files.filter((file) => file.length <= 300 && plainCommand(file) !== null).slice(0, 4),
    web,
    ...(group === undefined ? {} : { group }),
  };
  const kept = [...calls.filter((open) => open.id !== small.id), small].slice(-MAX_CALLS);
  while (kept.length > 1 && JSON.stringify(kept).length > CALLS_BYTES) kept.shift();
  return kept;
}

/** Where and when a record was written. */
export type Base = Pick<RawEntry, 'native' | 'time'> &
  Partial<Pick<RawEntry, 'cwd' | 'branch' | 'marks' | 'bySession' | 'order' | 'copied'>>;

/**
 * Makes the raw entry of a call, and what the state keeps of it.
 * @param isOwn whether the tool is the agent's own: any other belongs to an MCP server or a plugin,
 * whose results are external
 */
export function askCall(
  base: Base,
  { id, tool, input }: { id: string | null; tool: string; input: unknown },
  isOwn: boolean,
): { raw: RawEntry; open: OpenCall } {
  const { text, command, files, web, marks } = readToolCall(tool, input);
  const external = web || !isOwn || files.some((file) => /^https?:/.test(file));
  const raw = rawEntryOf({
    ...base,
    role: 'tool_call',
    origin: 'agent',
    text: dropBinary(text),
    tool,
    call: id,
    command,
    files,
    marks: [...(base.marks ?? []), ...marks],
  });
  return { raw, open: { id: id ?? '', tool, command, files, web: external } };
}

/** How a call ended. */
export interface Ending {
  call: string | null;
  tool: string | null;
  text: string;
  exit?: number | null;
  /** What the log says about its success; null when it says nothing. */
  ok: boolean | null;
  outcome?: Outcome | null;
  /** Who wrote it, if not the tool: a subagent's report is the agent's. */
  origin?: Origin;
}

/**
 * Who wrote a result, if not another agent. Only what a tool of the agent itself did on this machine
 * is local: of a result whose call is unknown nobody can tell.
 */
export function originOf(call: Pick<OpenCall, 'web'> | null | undefined, isOwn: boolean): Origin {
  return call && isOwn && !call.web ? 'tool' : 'external';
}

/** The raw entry of a result with what is known of its call, and the calls that are still open. */
export function endCall(
  base: Base,
  calls: readonly OpenCall[],
  ending: Ending,
  isOwn: (tool: string) => boolean,
): { raw: RawEntry; calls: OpenCall[] } {
  const open = calls.find((each) => each.id === ending.call) ?? null;
  const tool = ending.tool ?? (open?.tool || null);
  const exit = ending.exit ?? null;
  const failed = ending.ok === false || (exit !== null && exit !== 0);
  const said: Outcome | null = failed
    ? 'failed'
    : ending.ok === null && exit === null
      ? null
      : 'ok';
  const raw = rawEntryOf({
    ...base,
    role: 'tool_result',
    origin: ending.origin ?? originOf(open, tool !== null && isOwn(tool)),
    text: dropBinary(ending.text),
    tool,
    call: ending.call,
    command: open?.command ?? null,
    files: open?.files ?? [],
    exit,
    outcome: ending.outcome ?? said,
  });
  return { raw, calls: calls.filter((each) => each !== open) };
}
