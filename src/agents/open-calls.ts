/** Open tool calls: the same for most agents. */
import type { RawEntry, Origin } from '../types.js';
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
  {
    id,
    tool,
    input,
    isShell,
  }: { id: string | null; tool: string; input: unknown; isShell?: boolean },
  isOwn: boolean,
): { raw: RawEntry; open: OpenCall } {
  const { text, command, files, web, marks } = readToolCall(isShell ? 'shell' : tool, input);
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

/**
 * Who wrote a result, if not another agent. Only what a tool of the agent itself did on this machine
 * is local: of a result whose call is unknown nobody can tell.
 */
export function originOf(call: Pick<OpenCall, 'web'> | null | undefined, isOwn: boolean): Origin {
  return call && isOwn && !call.web ? 'tool' : 'external';
}
