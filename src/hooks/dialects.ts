/**
 * What each agent tells its hooks and what it expects from them: hook JSON in, a moment out; an answer in, what to print out.
 * Pure. Sources: docs/decisions/hooks.md.
 */
import type { Asked, HookMoment } from './asked.js';

type Payload = Record<string, unknown>;

/** What happens at one event of an agent. */
type Reader = (payload: Payload, agent: AgentHooks) => Pick<Asked, 'type' | 'text' | 'output'> | null;

interface AgentHooks {
  /** Reader of each event, by the agent's own name of the event. */
  events: Readonly<Record<string, Reader>>;
  /** Names of the tool that runs a shell command. */
  shell: RegExp;
  /** Names of the tools that change a file. */
  edit: RegExp;
  /** What the agent takes as more context at this event. */
  say(event: string, text: string): unknown;
}

const nested = (event: string, text: string): unknown => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
});

/** A session that goes on has heard the page. */
const start: Reader = ({ source }) => (source === 'resume' ? null : { type: 'start', text: '', output: null });

const prompt: Reader = ({ prompt: text }) => moment('prompt', text);

const before: Reader = (payload, { shell, edit }) => {
  const input = object(payload['tool_input']);
  const tool = string(payload['tool_name']) ?? '';
  if (shell.test(tool)) return moment('command', commandIn(input));
  return edit.test(tool) ? moment('edit', input['file_path']) : null;
};

/** An event that an agent has for failures alone. */
const failed: Reader = (payload, { shell }) => {
  if (!shell.test(string(payload['tool_name']) ?? '') || payload['is_interrupt'] === true) return null;
  return moment('failure', commandIn(object(payload['tool_input'])), string(payload['error']) ?? '');
};

const AGENTS: Readonly<Record<string, AgentHooks>> = {
  'claude-code': {
    events: { SessionStart: start, UserPromptSubmit: prompt, PreToolUse: before, PostToolUseFailure: failed },
    shell: /^Bash$/,
    edit: /^(?:Edit|MultiEdit|Write)$/,
    say: nested,
  },
};

/**
 * The moment that a hook's JSON is about; null for what is none: another event, another tool, a newer or broken shape.
 * @param event for agents whose JSON does not name it
 */
export function askedBy(agent: string, value: unknown, event: string | null): Asked | null {
  const hooks = Object.hasOwn(AGENTS, agent) ? AGENTS[agent]! : null;
  const payload = object(value);
  const name = event ?? string(payload['hook_event_name']) ?? '';
  const read = hooks !== null && Object.hasOwn(hooks.events, name) ? hooks.events[name]! : null;
  const found = read?.(payload, hooks!) ?? null;
  if (found === null) return null;
  return { version: 1, ask: 'recall', ...found, cwd: string(payload['cwd']), session: string(payload['session_id']), agent };
}

/** What a hook of this agent prints for an answer. */
export function printedFor(agent: string, value: unknown, event: string | null, text: string): string {
  const name = event ?? string(object(value)['hook_event_name']) ?? '';
  return JSON.stringify(AGENTS[agent]!.say(name, text));
}

/** Null without a text: there is nothing to ask about. */
function moment(type: HookMoment, text: unknown, output: string | null = null): ReturnType<Reader> {
  return typeof text === 'string' && text.trim() !== '' ? { type, text: clipped(text), output: output && clipped(output) } : null;
}

/** An error stands near the beginning or the end of what was printed. */
const END_CHARS = 32_768;

function clipped(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
}

/** Some agents give the words of a command instead of a line. */
function commandIn({ command }: Payload): string | null {
  return Array.isArray(command) ? command.filter((word) => typeof word === 'string').join(' ') : string(command);
}

function object(value: unknown): Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Payload) : {};
}

function string(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
