/**
 * Converts each agent's hook JSON to a moment, and an answer to the output that the agent expects.
 * Pure. Sources: docs/decisions/hooks.md.
 */
import type { HookMoment } from '../types.js';
import type { MomentRequest } from '../wire.js';

type Payload = Record<string, unknown>;

/** Reads one event of an agent. */
type Reader = (
  payload: Payload,
  agent: AgentHooks,
) => Pick<MomentRequest, 'type' | 'text' | 'output'> | null;

/** The program's output and exit code. */
interface Printed {
  out: string;
  code: number;
}

interface AgentHooks {
  /** Reader of each event, by the agent's own name of the event. */
  events: Readonly<Record<string, Reader>>;
  /** Names of the tool that runs a shell command. */
  shell: RegExp;
  /** Names of the tools that change a file. */
  edit: RegExp;
  /** Output that gives the agent more context at this event. */
  say(event: string, text: string): Printed;
  /** Output that makes the agent refuse the call; without it the agent can only be warned. */
  deny?: (event: string, text: string) => Printed;
}

const json = (value: unknown): Printed => ({ out: JSON.stringify(value), code: 0 });

const nested = (event: string, text: string): Printed =>
  json({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });

const denied = (event: string, text: string): Printed =>
  json({
    hookSpecificOutput: {
      hookEventName: event,
      permissionDecision: 'deny',
      permissionDecisionReason: text,
    },
  });

/**
 * At a failure Copilot reads the plain output of a hook that exits with 2; at other events it reads
 * JSON.
 */
const copilot = (event: string, text: string): Printed =>
  event === 'PostToolUseFailure' ? { out: text, code: 2 } : json({ additionalContext: text });

/** A resumed session still has the page, unless the agent compacted it. */
const start: Reader = ({ source }) =>
  source === 'resume'
    ? null
    : { type: source === 'compact' ? 'compaction' : 'start', text: '', output: null };

/** The end of a turn that no hook made longer, with the agent's last message if the JSON has it. */
const end: Reader = ({ stop_hook_active: isLonger, last_assistant_message, prompt_response }) =>
  isLonger === true
    ? null
    : {
        type: 'end',
        text: clipped(string(last_assistant_message) ?? string(prompt_response) ?? ''),
        output: null,
      };

const prompt: Reader = ({ prompt: text }) => moment('prompt', text);

/** Qwen Code's `prompt` may be the result of a tool; `submitted_prompt` is the typed text. */
const submitted: Reader = ({ submitted_prompt: text }) => moment('prompt', text);

const before: Reader = (payload, { shell, edit }) => {
  const input = object(payload['tool_input']);
  const tool = string(payload['tool_name']) ?? '';
  if (shell.test(tool)) return moment('command', commandIn(input));
  return edit.test(tool) ? moment('edit', input['file_path']) : null;
};

/** An event only for failures. */
const failed: Reader = (payload, { shell }) => {
  if (!shell.test(string(payload['tool_name']) ?? '') || payload['is_interrupt'] === true)
    return null;
  return moment(
    'failure',
    commandIn(object(payload['tool_input'])),
    string(payload['error']) ?? '',
  );
};

/** An event after every tool; the result shows whether the command failed. */
const ended: Reader = (payload, { shell }) => {
  if (!shell.test(string(payload['tool_name']) ?? '')) return null;
  const { text, exit } = resultIn(payload['tool_response']);
  return exit === null || exit === 0
    ? null
    : moment('failure', commandIn(object(payload['tool_input'])), text);
};

/** The line with the exit code in results of Codex, Gemini CLI and Qwen Code. */
const EXITED = /^(?:Process exited with code|Exit code:?) (-?\d+)/im;

function resultIn(response: unknown): { text: string; exit: number | null } {
  const { llmContent, output, metadata, exit_code: code } = object(response);
  const parts = Array.isArray(llmContent)
    ? llmContent.map((part) => string(object(part)['text']) ?? '').join('\n')
    : llmContent;
  const text = [response, parts, output].find((each) => typeof each === 'string') as
    string | undefined;
  const given = [code, object(metadata)['exit_code']].find((each) => Number.isInteger(each)) as
    number | undefined;
  const named = EXITED.exec(text ?? '')?.[1];
  return { text: text ?? '', exit: given ?? (named === undefined ? null : Number(named)) };
}

const GEMINI_TOOLS = { shell: /^run_shell_command$/, edit: /^(?:replace|edit|write_file)$/ };

const AGENTS: Readonly<Record<string, AgentHooks>> = {
  'claude-code': {
    events: {
      SessionStart: start,
      UserPromptSubmit: prompt,
      PreToolUse: before,
      PostToolUseFailure: failed,
      Stop: end,
    },
    shell: /^Bash$/,
    edit: /^(?:Edit|MultiEdit|Write)$/,
    say: nested,
    deny: denied,
  },
  codex: {
    events: {
      SessionStart: start,
      UserPromptSubmit: prompt,
      PreToolUse: before,
      PostToolUse: ended,
      Stop: end,
    },
    // `apply_patch` has file names only inside the patch.
    ...{ shell: /^Bash$/, edit: /^$/, say: nested, deny: denied },
  },
  'gemini-cli': {
    events: { SessionStart: start, BeforeAgent: prompt, AfterTool: ended, AfterAgent: end },
    ...{ ...GEMINI_TOOLS, say: nested },
  },
  'qwen-code': {
    events: {
      SessionStart: start,
      UserPromptSubmit: submitted,
      PostToolUse: ended,
      PostToolUseFailure: failed,
      Stop: end,
    },
    ...{ ...GEMINI_TOOLS, say: nested },
  },
  'copilot-cli': {
    events: { SessionStart: start, PostToolUseFailure: failed, Stop: end },
    ...{ shell: /^bash$/i, edit: /^$/, say: copilot },
  },
};

/** The moment of a hook's JSON; null for another event or tool, or an unknown shape. */
export function askedBy(agent: string, value: unknown): MomentRequest | null {
  const hooks = Object.hasOwn(AGENTS, agent) ? AGENTS[agent]! : null;
  const payload = object(value);
  const name = eventIn(payload);
  const read = hooks !== null && Object.hasOwn(hooks.events, name) ? hooks.events[name]! : null;
  const found = read?.(payload, hooks!) ?? null;
  if (found === null) return null;
  return {
    version: 1,
    ask: 'recall',
    ...found,
    cwd: string(payload['cwd']),
    session: string(payload['session_id']),
    agent,
  };
}

/**
 * The output of a hook of this agent. It begins with a newline, since logs put it after other text
 * or between tags.
 */
export function printedFor(
  agent: string,
  value: unknown,
  { text, deny = false }: { text: string; deny?: boolean },
): Printed {
  const { events, say, deny: refuse } = AGENTS[agent]!;
  const event = eventIn(object(value));
  const shown = `\n${text.trimEnd()}\n`;
  if (events[event] === end) return json({ decision: 'block', reason: shown });
  return (deny && refuse !== undefined ? refuse : say)(event, shown);
}

function eventIn(payload: Payload): string {
  return string(payload['hook_event_name']) ?? '';
}

/** Null without a text. */
function moment(type: HookMoment, text: unknown, output: string | null = null): ReturnType<Reader> {
  return typeof text === 'string' && text.trim() !== ''
    ? { type, text: clipped(text), output: output && clipped(output) }
    : null;
}

/** Characters kept at each end: an error is near the beginning or the end of the output. */
const END_CHARS = 32_768;

function clipped(text: string): string {
  return text.length <= 2 * END_CHARS
    ? text
    : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
}

/** Some agents send a list of words instead of a line. */
function commandIn({ command }: Payload): string | null {
  return Array.isArray(command)
    ? command.filter((word) => typeof word === 'string').join(' ')
    : string(command);
}

function object(value: unknown): Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Payload)
    : {};
}

function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
