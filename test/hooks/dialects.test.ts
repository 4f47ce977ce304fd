/**
 * Hook JSON as each agent's documentation shows it (dialects.json): which moment it is, and what the
 * agent takes back.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { askedBy, printedFor } from '../../src/hooks/dialects.js';
import { runs } from '../runs.js';

interface Dialect {
  /** Fields that each payload of the agent has. */
  always: Record<string, unknown>;
  cases: {
    name: string;
    payload: Record<string, unknown>;
    /** Null: no moment. */
    asked: object | null;
    /** The event that a text is printed for, `block`, or what is printed. */
    says?: string | object;
  }[];
}
const DIALECTS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'dialects.json'), 'utf8'),
) as Record<string, Dialect>;

function printed(says: string | object): unknown {
  if (typeof says === 'object') return says;
  if (says === 'block') return { out: '{"decision":"block","reason":"\\ntext\\n"}', code: 0 };
  const hookSpecificOutput = { hookEventName: says, additionalContext: '\ntext\n' };
  return { out: JSON.stringify({ hookSpecificOutput }), code: 0 };
}

function payloadOf(agent: string, name: string): Record<string, unknown> {
  const { always, cases } = DIALECTS[agent]!;
  return { ...always, ...cases.find((each) => each.name === name)!.payload };
}

describe.each(Object.entries(DIALECTS))('%s', (agent, { cases }) => {
  test.each(cases)('$name', ({ name, asked, says }) => {
    const payload = payloadOf(agent, name);
    const found = askedBy(agent, payload);
    if (asked === null) return expect(found).toBeNull();
    const whose = { version: 1, ask: 'recall', cwd: '/w/shop', session: 'abc123', agent };
    expect(found).toEqual({ output: null, ...whose, ...asked });
    if (says !== undefined)
      expect(printedFor(agent, payload, { text: 'text' })).toEqual(printed(says));
  });
});

describe('a refusal', () => {
  test.each(['claude-code', 'codex'])('%s is told not to run it, and why', (agent) => {
    const before = payloadOf(agent, 'before a command');
    const { out, code } = printedFor(agent, before, { text: 'why', deny: true });
    const decision = { permissionDecision: 'deny', permissionDecisionReason: '\nwhy\n' };
    expect(JSON.parse(out)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision },
    });
    expect(code).toBe(0);
  });

  test('an agent that documents no refusal is warned', () => {
    const payload = payloadOf('gemini-cli', 'a failed command');
    expect(printedFor('gemini-cli', payload, { text: 'text', deny: true })).toEqual(
      printed('AfterTool'),
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
  const agents = fc.constantFrom(...Object.keys(DIALECTS), 'toString', 'none');
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
