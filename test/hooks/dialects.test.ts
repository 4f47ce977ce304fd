/** Hook JSON as each agent's documentation shows it: which moment it is, and what the agent takes back. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import { runs } from '../runs.js';

interface Case {
  payload: Record<string, unknown>;
  /** For agents that name the event on the command line. */
  event?: string;
  /** Null: no moment. */
  asked: Record<string, unknown> | null;
  says?: unknown;
}

const nested = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: 'text' } });

const claude = { session_id: 'abc123', transcript_path: '/t/abc123.jsonl', cwd: '/w/shop', permission_mode: 'default' };
const bash = { tool_name: 'Bash', tool_input: { command: 'npm test', description: 'Run tests' }, tool_use_id: 'toolu_01' };

const CASES: Record<string, Record<string, Case>> = {
  'claude-code': {
    'a session starts': {
      payload: { ...claude, hook_event_name: 'SessionStart', source: 'startup', model: 'm' },
      asked: { type: 'start', text: '' },
      says: nested('SessionStart'),
    },
    'a session goes on': { payload: { ...claude, hook_event_name: 'SessionStart', source: 'resume' }, asked: null },
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
      payload: { ...claude, hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: { file_path: '/w/shop/a.ts' } },
      asked: null,
    },
    'a failed command': {
      payload: { ...claude, hook_event_name: 'PostToolUseFailure', ...bash, error: 'Exit code 1\nno rule', is_interrupt: false },
      asked: { type: 'failure', text: 'npm test', output: 'Exit code 1\nno rule' },
      says: nested('PostToolUseFailure'),
    },
    'a command that the person stopped': {
      payload: { ...claude, hook_event_name: 'PostToolUseFailure', ...bash, error: 'x', is_interrupt: true },
      asked: null,
    },
    'an event of later': { payload: { ...claude, hook_event_name: 'PostToolUseDream', ...bash }, asked: null },
  },
};

describe.each(Object.entries(CASES))('%s', (agent, cases) => {
  test.each(Object.entries(cases))('%s', (_, { payload, event = null, asked, says }) => {
    const found = askedBy(agent, payload, event);
    if (asked === null) return expect(found).toBeNull();
    const whose = { version: 1, ask: 'recall', cwd: '/w/shop', session: 'abc123', agent };
    expect(found).toEqual({ output: null, ...whose, ...asked });
    if (says !== undefined) expect(JSON.parse(printedFor(agent, payload, event, 'text'))).toEqual(says);
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
      tool_input: fc.oneof(fc.record({ command: fc.jsonValue(), file_path: fc.jsonValue() }), fc.jsonValue()),
      error: fc.jsonValue(),
      cwd: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const agents = fc.constantFrom(...Object.keys(CASES), 'toString', 'none');
  fc.assert(
    fc.property(agents, fc.oneof(payload, fc.jsonValue()), (agent, value) => {
      const asked = askedBy(agent, value, null);
      if (asked !== null)
        expect([asked.text, asked.output ?? '', asked.cwd ?? ''].every((each) => typeof each === 'string')).toBe(true);
    }),
    { numRuns: runs(300, 5000) },
  );
});

test('of a long output both ends are asked about, of which one has the error', () => {
  const payload = { ...claude, hook_event_name: 'PostToolUseFailure', ...bash, error: `first ${'x'.repeat(900_000)} last` };
  const { output } = askedBy('claude-code', payload, null)!;
  expect(output!.length).toBeLessThan(70_000);
  expect([output!.startsWith('first'), output!.endsWith('last')]).toEqual([true, true]);
});
