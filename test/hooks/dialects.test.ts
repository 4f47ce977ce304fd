/**
 * Hook JSON as each agent's documentation shows it: which moment it is, and what the agent takes
 * back.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import { runs } from '../runs.js';

interface Case {
  payload: Record<string, unknown>;
  /** Null: no moment. */
  asked: Record<string, unknown> | null;
  says?: unknown;
}

const nested = (hookEventName: string) => ({
  ...{
    out: JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext: '\ntext\n' } }),
    code: 0,
  },
});

const block = { out: '{"decision":"block","reason":"\\ntext\\n"}', code: 0 };

const claude = {
  session_id: 'abc123',
  transcript_path: '/t/abc123.jsonl',
  cwd: '/w/shop',
  permission_mode: 'default',
};
const bash = {
  tool_name: 'Bash',
  tool_input: { command: 'npm test', description: 'Run tests' },
  tool_use_id: 'toolu_01',
};

const codex = { ...claude, turn_id: 't1', model: 'm' };
const codexRan = (tool_response: unknown) => ({
  hook_event_name: 'PostToolUse',
  ...bash,
  tool_response,
});
const gemini = {
  session_id: 'abc123',
  transcript_path: '/t/abc.json',
  cwd: '/w/shop',
  timestamp: '2026-11-20T10:00:00Z',
};
const geminiRan = (hook_event_name: string, llmContent: unknown) => ({
  ...{ hook_event_name, tool_name: 'run_shell_command', tool_input: { command: 'npm test' } },
  tool_response: { llmContent, returnDisplay: '' },
});
const copilot = { session_id: 'abc123', timestamp: '2026-11-20T10:00:00Z', cwd: '/w/shop' };

const CASES: Record<string, Record<string, Case>> = {
  'claude-code': {
    'a session starts': {
      payload: { ...claude, hook_event_name: 'SessionStart', source: 'startup', model: 'm' },
      asked: { type: 'start', text: '' },
      says: nested('SessionStart'),
    },
    'a session goes on': {
      payload: { ...claude, hook_event_name: 'SessionStart', source: 'resume' },
      asked: null,
    },
    'a session goes on after a compaction': {
      payload: { ...claude, hook_event_name: 'SessionStart', source: 'compact' },
      asked: { type: 'compaction', text: '' },
      says: nested('SessionStart'),
    },
    'a turn ends': {
      payload: {
        ...{ ...claude, hook_event_name: 'Stop', stop_hook_active: false },
        last_assistant_message: 'Done.',
      },
      asked: { type: 'end', text: 'Done.' },
      says: block,
    },
    'a turn that a hook made longer ends': {
      payload: { ...claude, hook_event_name: 'Stop', stop_hook_active: true },
      asked: null,
    },
    'a prompt': {
      payload: { ...claude, hook_event_name: 'UserPromptSubmit', prompt: 'Release it' },
      asked: { type: 'prompt', text: 'Release it' },
      says: nested('UserPromptSubmit'),
    },
    'before a command': {
      payload: { ...claude, hook_event_name: 'PreToolUse', ...bash },
      asked: { type: 'command', text: 'npm test' },
      says: nested('PreToolUse'),
    },
    'before an edit': {
      payload: {
        ...{ ...claude, hook_event_name: 'PreToolUse', tool_name: 'Edit' },
        tool_input: { file_path: '/w/shop/a.ts', old_string: 'a', new_string: 'b' },
      },
      asked: { type: 'edit', text: '/w/shop/a.ts' },
    },
    'before another tool': {
      payload: {
        ...claude,
        hook_event_name: 'PreToolUse',
        tool_name: 'Read',
        tool_input: { file_path: '/w/shop/a.ts' },
      },
      asked: null,
    },
    'a failed command': {
      payload: {
        ...claude,
        hook_event_name: 'PostToolUseFailure',
        ...bash,
        error: 'Exit code 1\nno rule',
        is_interrupt: false,
      },
      asked: { type: 'failure', text: 'npm test', output: 'Exit code 1\nno rule' },
      says: nested('PostToolUseFailure'),
    },
    'a command that the person stopped': {
      payload: {
        ...claude,
        hook_event_name: 'PostToolUseFailure',
        ...bash,
        error: 'x',
        is_interrupt: true,
      },
      asked: null,
    },
    'an event of later': {
      payload: { ...claude, hook_event_name: 'PostToolUseDream', ...bash },
      asked: null,
    },
  },
  codex: {
    'a session starts': {
      payload: { ...codex, hook_event_name: 'SessionStart', source: 'startup' },
      asked: { type: 'start', text: '' },
      says: nested('SessionStart'),
    },
    'before a command': {
      payload: { ...codex, hook_event_name: 'PreToolUse', ...bash },
      asked: { type: 'command', text: 'npm test' },
      says: nested('PreToolUse'),
    },
    'a failed command': {
      payload: {
        ...codex,
        ...codexRan('Chunk ID: c1\nProcess exited with code 7\nFinal output:\nno rule'),
      },
      asked: {
        type: 'failure',
        text: 'npm test',
        output: 'Chunk ID: c1\nProcess exited with code 7\nFinal output:\nno rule',
      },
      says: nested('PostToolUse'),
    },
    'a failed command, as an object': {
      payload: {
        ...codex,
        ...codexRan({ output: 'no rule', metadata: { exit_code: 2, duration_seconds: 0.1 } }),
      },
      asked: { type: 'failure', text: 'npm test', output: 'no rule' },
    },
    'a command that passed': {
      payload: { ...codex, ...codexRan('Process exited with code 0\nerror: none') },
      asked: null,
    },
    'a command of which nothing tells how it ended': {
      payload: { ...codex, ...codexRan('error: maybe') },
      asked: null,
    },
    'a turn ends': {
      payload: {
        ...{ ...codex, hook_event_name: 'Stop', stop_hook_active: false },
        last_assistant_message: null,
      },
      asked: { type: 'end', text: '' },
      says: block,
    },
  },
  'gemini-cli': {
    'a session starts': {
      payload: { ...gemini, hook_event_name: 'SessionStart', source: 'startup' },
      asked: { type: 'start', text: '' },
      says: nested('SessionStart'),
    },
    'a prompt': {
      payload: { ...gemini, hook_event_name: 'BeforeAgent', prompt: 'Release it' },
      asked: { type: 'prompt', text: 'Release it' },
      says: nested('BeforeAgent'),
    },
    'a failed command': {
      payload: { ...gemini, ...geminiRan('AfterTool', 'Output: no rule\nExit Code: 2') },
      asked: { type: 'failure', text: 'npm test', output: 'Output: no rule\nExit Code: 2' },
      says: nested('AfterTool'),
    },
    'a command that passed': {
      payload: { ...gemini, ...geminiRan('AfterTool', 'Output: fine') },
      asked: null,
    },
    'a turn ends': {
      payload: {
        ...{ ...gemini, hook_event_name: 'AfterAgent', stop_hook_active: false },
        ...{ prompt: 'Release it', prompt_response: 'Done.' },
      },
      asked: { type: 'end', text: 'Done.' },
      says: block,
    },
    'another tool': {
      payload: { ...gemini, ...geminiRan('AfterTool', 'Exit Code: 2'), tool_name: 'read_file' },
      asked: null,
    },
  },
  'qwen-code': {
    'a typed prompt': {
      payload: {
        ...gemini,
        hook_event_name: 'UserPromptSubmit',
        prompt: 'laid before it',
        submitted_prompt: 'Release it',
      },
      asked: { type: 'prompt', text: 'Release it' },
      says: nested('UserPromptSubmit'),
    },
    'what is no typed prompt': {
      payload: { ...gemini, hook_event_name: 'UserPromptSubmit', prompt: 'output' },
      asked: null,
    },
    'a command that ended with 1': {
      payload: {
        ...gemini,
        ...geminiRan('PostToolUse', [{ text: 'no rule' }, { text: 'Exit Code: 1' }]),
      },
      asked: { type: 'failure', text: 'npm test', output: 'no rule\nExit Code: 1' },
      says: nested('PostToolUse'),
    },
    'a command that could not run': {
      payload: { ...gemini, ...geminiRan('PostToolUseFailure', ''), error: 'no such program' },
      asked: { type: 'failure', text: 'npm test', output: 'no such program' },
      says: nested('PostToolUseFailure'),
    },
  },
  'copilot-cli': {
    'a session starts': {
      payload: {
        ...copilot,
        hook_event_name: 'SessionStart',
        source: 'new',
        initial_prompt: 'Release it',
      },
      asked: { type: 'start', text: '' },
      says: { out: '{"additionalContext":"\\ntext\\n"}', code: 0 },
    },
    'a failed command': {
      payload: {
        ...copilot,
        hook_event_name: 'PostToolUseFailure',
        ...bash,
        tool_name: 'bash',
        error: 'no rule',
      },
      asked: { type: 'failure', text: 'npm test', output: 'no rule' },
      says: { out: '\ntext\n', code: 2 },
    },
    'another tool': {
      payload: {
        ...copilot,
        hook_event_name: 'PostToolUseFailure',
        tool_name: 'view',
        tool_input: {},
        error: 'no file',
      },
      asked: null,
    },
  },
};

describe.each(Object.entries(CASES))('%s', (agent, cases) => {
  test.each(Object.entries(cases))('%s', (_, { payload, asked, says }) => {
    const found = askedBy(agent, payload);
    if (asked === null) return expect(found).toBeNull();
    const whose = { version: 1, ask: 'recall', cwd: '/w/shop', session: 'abc123', agent };
    expect(found).toEqual({ output: null, ...whose, ...asked });
    if (says !== undefined) expect(printedFor(agent, payload, { text: 'text' })).toEqual(says);
  });
});

describe('a refusal', () => {
  const before = { ...claude, hook_event_name: 'PreToolUse', ...bash };
  test.each(['claude-code', 'codex'])('%s is told not to run it, and why', (agent) => {
    const { out, code } = printedFor(agent, before, { text: 'why', deny: true });
    const decision = { permissionDecision: 'deny', permissionDecisionReason: '\nwhy\n' };
    expect(JSON.parse(out)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision },
    });
    expect(code).toBe(0);
  });

  test('an agent that documents no refusal is warned', () => {
    const payload = { ...gemini, ...geminiRan('AfterTool', 'Exit Code: 2') };
    expect(printedFor('gemini-cli', payload, { text: 'text', deny: true })).toEqual(
      nested('AfterTool'),
    );
  });
});

test('law: whatever a hook is given, it asks about a moment or nothing, and fits into a request', () => {
  const payload = fc.record(
    {
      hook_event_name: fc.oneof(
        fc.constantFrom(...['SessionStart', 'PreToolUse', 'PostToolUseFailure', '__proto__']),
        fc.jsonValue(),
      ),
      tool_name: fc.oneof(fc.constantFrom('Bash', 'Edit'), fc.jsonValue()),
      tool_input: fc.oneof(
        fc.record({ command: fc.jsonValue(), file_path: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      error: fc.jsonValue(),
      cwd: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const agents = fc.constantFrom(...Object.keys(CASES), 'toString', 'none');
  fc.assert(
    fc.property(agents, fc.oneof(payload, fc.jsonValue()), (agent, value) => {
      const asked = askedBy(agent, value);
      if (asked !== null)
        expect(
          [asked.text, asked.output ?? '', asked.cwd ?? ''].every(
            (each) => typeof each === 'string',
          ),
        ).toBe(true);
    }),
    { numRuns: runs(300, 5000) },
  );
});
