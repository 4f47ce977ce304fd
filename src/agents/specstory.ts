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
import { exitIn, isShellTool, readToolCall } from './calls.js';
import { readPrompt } from './claude-code/prompt.js';
import { agent, type Event } from './engine.js';
import { isoTime, type Json, short, text as textOf } from '../text/fields.js';

type Kind = 'session' | 'user' | 'agent' | 'thinking' | 'tool';

interface Block {
  kind: Kind;
  text: string;
  time: string | null;
  isChild: boolean;
  tool: string | null;
}

/** `more` is the number of calls so far. */
export const specstory = agent<number>({
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
  // Tools of the exported agents; others belong to MCP servers.
  ownTools:
    /^(?:Bash|bash|shell|Read|Write|Edit|MultiEdit|NotebookEdit|NotebookRead|Glob|Grep|LS|TodoWrite|TodoRead|Task\w*|Agent|BashOutput|KillShell|KillBash|Skill|ExitPlanMode|EnterPlanMode|AskUserQuestion|ToolSearch|LSP|(?:read|write|edit|create|delete|search|list|apply|glob|grep|todo|update|view|replace|run|exec|execute)_\w+|apply_patch|update_plan|codebase_search|grep|ls|view|replace|write|edit)$/,
  agentTools: /^(?:Task|Agent)$/,
  tags: null,
  repeats: 'timed',
  begin: ({ folder }) => ({
    cwd: short(/^(.+)[\\/]\.specstory[\\/]history$/.exec(folder ?? '')?.[1]),
  }),
  more: 0,
  place: (block) => ({ time: isoTime(block.time) }),
  read(block, { facts, more }) {
    const text = (textOf(block.text) ?? '').replace(ENDS.thinking, '').replace(/\n---\s*$/, '');
    const child = block.isChild === true;
    switch (block.kind) {
      case 'session':
        return [{ is: 'session', session: short(text) }];
      case 'user':
        return promptEvents(text.trim(), child);
      case 'thinking':
        return [{ is: 'thought', text }];
      case 'agent':
        return [{ is: 'answer', text, child }];
      case 'tool': {
        const call = facts.session === '' ? null : `${facts.session}#${more}`;
        return { events: toolEvents(block, call, child), more: more + 1 };
      }
      default:
        return [{ is: 'unknown', type: 'record' }];
    }
  },
});

const SESSION = /^<!-- .{1,60}? Session ([\w-]{4,100})(?: \([^)]*\))? -->$/;
const HEADING = /^_\*\*(User|Agent|Assistant)( - sidechain)?(?: \(([^)]*)\))?\*\*_$/;
const TOOL = /^<tool-use\b[^>]{0,400}data-tool-name="([^"]{0,200})"[^>]*><details>/;
const THINKING = /^<think><details>(?:<summary>[^<]*<\/summary>)?/;
const ENDS = { tool: /<\/details><\/tool-use>\s*$/, thinking: /<\/details><\/think>\s*$/ } as const;

/** The messages, thoughts and calls of an export; null for another text. */
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

/** The end of an open thought or call; null if none is open. */
function endOf({ kind, text }: Block): RegExp | null {
  if (kind !== 'tool' && kind !== 'thinking') return null;
  return ENDS[kind].test(text) ? null : ENDS[kind];
}

function speakerOf([, name, sidechain, details = '']: RegExpExecArray): Omit<Block, 'text'> {
  const time = /(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)Z$/.exec(details);
  return {
    kind: name === 'User' ? 'user' : 'agent',
    time: time ? isoTime(`${time[1]}T${time[2]}Z`) : null,
    isChild: sidechain !== undefined,
    tool: null,
  };
}

/** The text contains the exported agents' wrappers as in their logs. */
function promptEvents(prompt: string, isChild: boolean): Event[] {
  return readPrompt(prompt, isChild ? 'agent' : 'unknown').map((piece): Event => {
    const { text, origin, shell } = piece;
    if (shell === 'command')
      return { is: 'call', call: null, tool: 'Bash', input: { command: text }, by: 'user' };
    return shell === 'output'
      ? { is: 'result', call: null, text, ok: null, exit: null, origin }
      : { is: 'prompt', text, pieces: [piece], child: isChild && origin === 'agent' };
  });
}

/** A call, and its result if the export has the output. */
function toolEvents(block: Json, call: string | null, child: boolean): Event[] {
  const tool = textOf(block.tool) ?? 'unknown';
  const body = (textOf(block.text) ?? '')
    .replace(ENDS.tool, '')
    .replace(/<summary>[^<]*<\/summary>/, '')
    .trim();
  const fence = body.search(/^```/m);
  const head = (fence < 0 ? body : body.slice(0, fence)).trim();
  const fenced = fence < 0 ? '' : body.slice(fence).replace(/^```\w*\n?/, '');
  const text = fenced.replace(/\n?```\s*$/, '');
  const quoted = /(?:^|\n|\s)`([^`]+)`\s*$/.exec(head)?.[1]?.trim() ?? null;
  const isSearch = /^(?:Glob|Grep)$/.test(tool);
  const path = isSearch ? null : (quoted ?? pathIn(text));
  const input = isShellTool(tool) ? { command: quoted } : path === null ? {} : { path };
  const { command, files } = readToolCall(tool, input);
  const what = command ?? (head === '' ? files.join('\n') : head);
  const isRefused = /^The user doesn't want to (?:proceed|take this action)/.test(text);
  const asked: Event = { is: 'call', call, tool, input, text: what, child };
  if (fence < 0) return [asked];
  return [
    asked,
    {
      ...{ is: 'result', call, text, ok: !/^\s*<tool_use_error>/.test(text) },
      exit: command === null ? null : exitIn(text.slice(0, 200)),
      outcome: isRefused ? 'rejected' : null,
    },
  ];
}

/** The file in an edit's answer. */
function pathIn(output: string): string | null {
  const found = /^(?:The file (.+?) has been updated|File created successfully at: (.+))/m.exec(
    output.slice(0, 1000),
  );
  return short(found?.[1] ?? found?.[2]);
}
