import type { SessionInput } from '../../src/parse/index.js';
import type { Entry } from '../../src/types.js';
import { BARE_ENTRY } from '../entry.js';

/** A session in memory: entries get their place and id from their order. */
export function sessionOf(parts: Partial<Entry>[], more: Partial<SessionInput> = {}): SessionInput {
  const entries = parts.map((part, index): Entry => ({
    ...BARE_ENTRY,
    id: `e${index}`.padEnd(32, '0'),
    seq: (index + 1) * 1000,
    time: `2026-11-2${index % 9}T10:00:00.000Z`,
    cwd: '/home/ana/shop',
    branch: 'main',
    path: '/logs/s1.jsonl',
    line: index + 1,
    ...part,
  }));
  return {
    agent: 'claude-code',
    session: 's1',
    facts: { session: 's1' },
    entries,
    project: { id: 'p'.repeat(16), name: 'shop', folders: ['/home/ana/shop'] },
    ...more,
  };
}

/** What a person typed. */
export function typed(text: string, more: Partial<Entry> = {}): Partial<Entry> {
  return { role: 'user', origin: 'user', text, ...more };
}

/** What the agent answered. */
export function answered(text: string, more: Partial<Entry> = {}): Partial<Entry> {
  return { role: 'assistant', origin: 'agent', text, ...more };
}

/** A command that the agent called. */
function called(command: string): Partial<Entry> {
  return { role: 'tool_call', origin: 'agent', tool: 'Bash', text: command, command };
}

/** A command and what it printed. */
export function ran(command: string, output: string, failed = false): Partial<Entry>[] {
  return [
    called(command),
    {
      role: 'tool_result',
      origin: 'tool',
      tool: 'Bash',
      text: output,
      command,
      outcome: failed ? 'failed' : 'ok',
      exit: failed ? 1 : 0,
    },
  ];
}
