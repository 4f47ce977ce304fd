import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { vscodeCopilot } from '../../src/agents/vscode-copilot.js';
import { fold } from './fold.js';

const folder = join(
  import.meta.dirname,
  '../fixtures/vscode-copilot/.config/Code/User/workspaceStorage/ab12/chatSessions',
);
const name = {
  relative: 'workspaceStorage/ab12/chatSessions/c0ffee00-1111-4222-8333-000000000001.jsonl',
};
const lines = readFileSync(join(folder, 'c0ffee00-1111-4222-8333-000000000001.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');

function rawEntriesOf(changes: unknown[]) {
  const records = vscodeCopilot.unfold!(changes, name) ?? [];
  return fold(
    vscodeCopilot,
    name,
    records.map((value, index) => ({ value, line: index + 1 })),
  ).rawEntries;
}
const parsed = (until = lines.length): unknown[] =>
  lines.slice(0, until).map((line) => JSON.parse(line) as unknown);

test('a log that is rewritten as one whole gives the same entries', () => {
  const [first, ...rest] = parsed() as {
    kind: number;
    k: (string | number)[];
    v: unknown;
    i?: number;
  }[];
  const whole = structuredClone(first!.v) as { requests: Record<string, unknown>[] };
  // The fixture sets whole fields of a request, and appends to lists: enough to be done by hand.
  for (const { kind, k, v, i } of rest) {
    if (k[0] !== 'requests') continue;
    const holder: Record<string, unknown> =
      k.length === 1 ? (whole as never) : whole.requests[k[1] as number]!;
    const key = k.at(-1) as string;
    if (kind === 1) holder[key] = v;
    if (kind === 2)
      holder[key] = [...(holder[key] as unknown[]).slice(0, i), ...((v as unknown[]) ?? [])];
  }
  expect(rawEntriesOf([{ kind: 0, v: whole }])).toEqual(rawEntriesOf(parsed()));
});

test('every cut of the log is read, and ids that were given stay', () => {
  const all = new Set(rawEntriesOf(parsed()).map(({ native }) => native));
  for (let until = 3; until < lines.length; until++) {
    // One part of the fixture is cut off again by a later change.
    const known = rawEntriesOf(parsed(until)).filter(({ text }) => !text.includes('cut off again'));
    for (const { native } of known) expect(all).toContain(native);
  }
});

test('a change cannot reach beyond the log, nor make a hole of any size', () => {
  const hostile = [
    { kind: 0, v: { requests: [] } },
    { kind: 1, k: ['__proto__', 'polluted'], v: true },
    { kind: 1, k: ['requests', 4_000_000_000], v: {} },
    { kind: 2, k: ['requests'], v: [], i: 4_000_000_000 },
    { kind: 1, k: [], v: 1 },
    { kind: 3 },
  ];
  expect(rawEntriesOf(hostile)).toEqual([]);
  expect(({} as Record<string, unknown>).polluted).toBe(undefined);
});

test('a change below something that is not there changes nothing', () => {
  const astray = [
    ['gone', 'a', 'b'],
    ['requests', 99, 'response', 0, 'value'],
    ['sessionId', 0, 'x', 'y'],
  ];
  const changes = [...parsed(), ...astray.map((k) => ({ kind: 1, k, v: 'x' }))];
  expect(rawEntriesOf(changes)).toEqual(rawEntriesOf(parsed()));
});
