/**
 * SpecStory's exports, `.specstory/history/<time>-<slug>.md` in a repository: other agents' sessions as Markdown, rewritten as
 * they grow.
 *
 * - `<!-- Claude Code Session <id> (<time>) -->` begins a session.
 * - `_**User (2026-01-16 16:48:38Z)**_` and `_**Agent (<model> <time>)**_` begin a message; older exports from Cursor have
 *   `_**User**_` and `_**Assistant**_` without times; `- sidechain` is a subagent. `---` ends the person's message.
 * - `<think><details>…</details></think>` is the agent's thinking, `<tool-use
 *   data-tool-name="…"><details>…</details></tool-use>` a call with its result: a line of prose, the command or path between
 *   backticks, the output in a fence (`text`). Headings inside it are output.
 * - The changes of an edit are missing, and so are tokens. A failed command's output begins with `Exit code 1`.
 * - Messages have no ids: role, time and text identify them, and without a time role and text within their session.
 */
import type { Adapter, RawEntry, LogRecord, Outcome, Step } from '../types.js';
import { rawEntryOf, exitIn, isShellTool, readToolCall } from './calls.js';
import { readPrompt } from './claude-code/prompt.js';
import { isObject, isoTime, short, text as textOf } from './fields.js';
import { originOf } from './open-calls.js';

interface SpecstoryState {
  session: string | null;
  cwd: string | null;
  calls: number;
}

type Kind = 'session' | 'user' | 'agent' | 'thinking' | 'tool';

interface Block {
  kind: Kind;
  text: string;
  time: string | null;
  isChild: boolean;
  tool: string | null;
}

export const specstory: Adapter<SpecstoryState> = {
  agent: 'specstory',
  title: 'SpecStory exports',
  places: [
    {
      env: null,
      root: 'repositories',
      under: '',
      globs: ['.specstory/history/*.md', '*/.specstory/history/*.md'],
      named: true,
    },
  ],
  shape: () => 'page',
  unfold,
  start: ({ folder }) => ({
    session: null,
    cwd: short(/^(.+)[\\/]\.specstory[\\/]history$/.exec(folder ?? '')?.[1]),
    calls: 0,
  }),
  step,
};

const SESSION = /^<!-- .{1,60}? Session ([\w-]{4,100})(?: \([^)]*\))? -->$/;
const HEADING = /^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \(([^)]*)\))?\*\*_$/;
const TOOL = /^<tool-use\b[^>]{0,400}data-tool-name="([^"]{0,200})"[^>]*><details>/;
const THINKING = /^<think><details>(?:<summary>[^<]*<\/summary>)?/;
const ENDS = { tool: /<\/details><\/tool-use>\s*$/, thinking: /<\/details><\/think>\s*$/ } as const;

/** The messages, thoughts and calls of an export; null when the text is not one. */
function unfold(content: unknown): unknown[] | null {
  if (typeof content !== 'string') return null;
  const blocks: Block[] = [];
  let speaker: Omit<Block, 'text'> | null = null;
  for (const line of content.split(/\r?\n/)) {
    const open = blocks.at(-1);
    const end = open === undefined ? null : endOf(open);
    if (end !== null) {
      open!.text += `\n${line}`;
      continue;
    }
    const heading = HEADING.exec(line);
    const session = SESSION.exec(line)?.[1];
    const tool = TOOL.exec(line);
    if (session !== undefined)
      blocks.push({ kind: 'session', text: session, time: null, isChild: false, tool: null });
    else if (heading) {
      speaker = speakerOf(heading);
      blocks.push({ ...speaker, text: '' });
    } else if (speaker === null) continue;
    else if (tool)
      blocks.push({ ...speaker, kind: 'tool', text: line.slice(tool[0].length), tool: tool[1]! });
    else if (THINKING.test(line))
      blocks.push({ ...speaker, kind: 'thinking', text: line.replace(THINKING, '') });
    else if (open !== undefined && open.kind === speaker.kind) open.text += `\n${line}`;
    else blocks.push({ ...speaker, text: line });
  }
  return speaker === null ? null : blocks.filter(({ text }) => text.trim() !== '');
}

/** What ends an open thought or call; null when nothing is open. */
function endOf({ kind, text }: Block): RegExp | null {
  if (kind !== 'tool' && kind !== 'thinking') return null;
  return ENDS[kind].test(text) ? null : ENDS[kind];
}

function speakerOf([, name, sidechain, told = '']: RegExpExecArray): Omit<Block, 'text'> {
  const time = /(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)Z$/.exec(told);
  return {
    kind: name === 'User' ? 'user' : 'agent',
    time: time ? isoTime(`${time[1]}T${time[2]}Z`) : null,
    isChild: sidechain !== undefined,
    tool: null,
  };
}

function step(before: SpecstoryState, { value }: LogRecord): Step<SpecstoryState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const text = textOf(value.text) ?? '';
  if (value.kind === 'session') {
    const session = short(text) ?? before.session;
    const state = { ...before, session };
    return {
      state,
      rawEntries: [],
      ...(session === null ? {} : { session: { session, cwd: state.cwd } }),
    };
  }
  const block = {
    ...value,
    text,
    time: textOf(value.time),
    isChild: value.isChild === true,
    tool: textOf(value.tool),
  } as Block;
  const rawEntries = rawEntriesOf(block, before).map((raw) => ({
    ...raw,
    time: isoTime(block.time),
    cwd: before.cwd,
    ...(block.time === null ? { bySession: true as const } : {}),
  }));
  return {
    state: block.kind === 'tool' ? { ...before, calls: before.calls + 1 } : before,
    rawEntries,
  };
}

function rawEntriesOf(block: Block, state: SpecstoryState): RawEntry[] {
  const marks = block.isChild ? ['subagent'] : [];
  if (block.kind === 'user') return promptOf(block);
  if (block.kind === 'tool') return toolOf(block, state);
  const text = block.text
    .replace(ENDS.thinking, '')
    .replace(/\n---\s*$/, '')
    .trim();
  if (text === '') return [];
  if (block.kind === 'thinking') return [rawEntryOf({ role: 'thinking', origin: 'agent', text })];
  return block.kind === 'agent'
    ? [rawEntryOf({ role: 'assistant', origin: 'agent', text, marks })]
    : [];
}

/** The exported agents' own wrappers are in the text as they were in the log. */
function promptOf({ text, isChild }: Block): RawEntry[] {
  const said = text.replace(/\n---\s*$/, '').trim();
  return readPrompt(said, isChild ? 'agent' : 'unknown').map(
    ({ role, origin, text: words, marks, shell }) =>
      rawEntryOf({
        role,
        origin,
        text: words,
        marks,
        ...(shell === 'command' ? { tool: 'Bash', command: words } : {}),
      }),
  );
}

/** A call, and its result if the export has the output. */
function toolOf(block: Block, { session, calls }: SpecstoryState): RawEntry[] {
  const tool = block.tool ?? 'unknown';
  const body = block.text
    .replace(ENDS.tool, '')
    .replace(/<summary>[^<]*<\/summary>/, '')
    .trim();
  const fence = body.search(/^```/m);
  const head = (fence < 0 ? body : body.slice(0, fence)).trim();
  const output =
    fence < 0
      ? null
      : body
          .slice(fence)
          .replace(/^```\w*\n?/, '')
          .replace(/\n?```\s*$/, '');
  const quoted = /(?:^|\n|\s)`([^`]+)`\s*$/.exec(head)?.[1]?.trim() ?? null;
  const isShell = isShellTool(tool);
  const input = isShell
    ? { command: quoted ?? undefined }
    : { path: quoted ?? pathIn(output) ?? undefined };
  const asked = readToolCall(
    tool,
    quoted === null && (isShell || pathIn(output) === null) ? {} : input,
  );
  const isSearch = /^(?:Glob|Grep)$/.test(tool);
  const { command, marks } = asked;
  const files = isSearch ? [] : asked.files;
  const call = session === null ? null : `${session}#${calls}`;
  const shared = { tool, call, command, files };
  const what = command ?? (head === '' ? files.join('\n') : head);
  const child = block.isChild ? ['subagent'] : [];
  const raw = rawEntryOf({
    ...shared,
    role: 'tool_call',
    origin: 'agent',
    text: what,
    marks: [...child, ...marks],
  });
  if (output === null) return [raw];
  const exit = command === null ? null : exitIn(output.slice(0, 200));
  const isOwn = isShell || OWN.test(tool);
  const origin = /^(?:Task|Agent)$/.test(tool) ? 'agent' : originOf(asked, isOwn);
  const outcome = outcomeOf(output, exit);
  return [raw, rawEntryOf({ ...shared, role: 'tool_result', origin, text: output, exit, outcome })];
}

/** Tools of the exported agents themselves; any other belongs to an MCP server. */
const OWN =
  /^(?:Read|Write|Edit|MultiEdit|NotebookEdit|NotebookRead|Glob|Grep|LS|TodoWrite|TodoRead|Task\w*|Agent|BashOutput|KillShell|KillBash|Skill|ExitPlanMode|EnterPlanMode|AskUserQuestion|ToolSearch|LSP|(?:read|write|edit|create|delete|search|list|apply|glob|grep|todo|update|view|replace)_\w+|apply_patch|update_plan|codebase_search|grep|ls|view|replace|write|edit)$/;

/** The file that an edit's answer names. */
function pathIn(output: string | null): string | null {
  const found = /^(?:The file (.+?) has been updated|File created successfully at: (.+))/m.exec(
    output?.slice(0, 1000) ?? '',
  );
  return short(found?.[1] ?? found?.[2]);
}

function outcomeOf(output: string, exit: number | null): Outcome {
  if (/^The user doesn't want to (?:proceed|take this action)/.test(output)) return 'rejected';
  return /^\s*<tool_use_error>/.test(output) || (exit !== null && exit !== 0) ? 'failed' : 'ok';
}
