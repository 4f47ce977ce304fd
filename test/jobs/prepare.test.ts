import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prepareEntries, type PrepareState } from '../../src/jobs/reading/prepare.js';
import type { PlacedRawEntry } from '../../src/jobs/reading/reader-fold.js';
import { capText, STORED_BYTES, TEXT_CAP } from '../../src/jobs/reading/text-cap.js';
import { createRedactor } from '../../src/redact/index.js';
import { hashTerm } from '../../src/terms/index.js';
import type { RawEntry, PreparedEntry } from '../../src/types.js';

const redactor = createRedactor({ key: 'home' });
const LOG = { agent: 'toy', path: '/logs/a.jsonl' };
const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

function raw(part: Partial<RawEntry>): RawEntry {
  return {
    ...{ native: null, time: '2026-08-03T09:14:05.120Z', role: 'user', origin: 'user' },
    ...{ tool: null, text: 'use pnpm', call: null, command: null, exit: null, outcome: null },
    ...{ files: [], cwd: '/work/shop', branch: 'main', ...part },
  };
}
function place(rawEntries: RawEntry[], from = 1): PlacedRawEntry[] {
  return rawEntries.map((each, i) => ({ raw: each, session: 's1', line: from + i, block: 0 }));
}
async function prepare(
  rawEntries: RawEntry[],
  before: PrepareState | null = null,
  own = redactor,
): Promise<{ entries: PreparedEntry[]; state: PrepareState }> {
  return prepareEntries(place(rawEntries), LOG, before, own, {});
}

describe('ids', () => {
  test('a native id is the whole name: path, session, place, time and text do not count', async () => {
    const [a] = (await prepare([raw({ native: 'u1:0' })])).entries;
    const edited = raw({ native: 'u1:0', text: 'edited', time: null });
    const moved: PlacedRawEntry[] = [{ raw: edited, session: 's2', line: 99, block: 3 }];
    const [b] = prepareEntries(moved, { ...LOG, path: '/elsewhere' }, null, redactor, {}).entries;
    expect(b?.id).toBe(a?.id);
    expect(b?.hash).not.toBe(a?.hash);
    expect(a?.id).toMatch(/^[0-9a-f]{32}$/);
    const placed = place([raw({ native: 'u1:0' })]);
    const [other] = prepareEntries(placed, { ...LOG, agent: 'else' }, null, redactor, {}).entries;
    expect(other?.id).not.toBe(a?.id);
  });

  test('a native id that is a text is masked before it is hashed', async () => {
    const natives = [`token ${secret}`, 'token [REDACTED:github-token]', secret];
    const { entries } = await prepare(natives.map((native) => raw({ native })));
    expect(entries[0]?.id).toBe(entries[1]?.id);
    expect(entries[2]?.id, 'any other is hashed as it is').toBe('13449802b75abbee09d47d7b840abf12');
  });

  test('without one: role, time, text and the how-manieth equal', async () => {
    const others = [{ role: 'assistant' }, { time: null }, { text: 'no' }] as const;
    const { entries } = await prepare([raw({}), raw({}), ...others.map(raw)]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(5);
    const again = await prepare([raw({ text: 'no' }), raw({}), raw({})]);
    const [first, second, , , no] = entries.map(({ id }) => id);
    expect(again.entries.map(({ id }) => id)).toEqual([no, first, second]);
  });

  test('two homes with different keys agree', async () => {
    const text = `token ${secret}`;
    const rawEntries = [raw({ text }), raw({ native: 'n', text })];
    const here = await prepare(rawEntries);
    const there = await prepare(rawEntries, null, createRedactor({ key: 'another home' }));
    expect(there.entries.map(({ id, hash }) => [id, hash])).toEqual(
      here.entries.map(({ id, hash }) => [id, hash]),
    );
    expect(there.entries[0]?.text).not.toBe(here.entries[0]?.text);
  });
});

test('however a log is cut into batches, the same entries', async () => {
  const text = fc.constantFrom(
    ...['yes', 'no', `key ${secret}`, 'cat .env', '-----BEGIN PRIVATE KEY-----'],
    ...['MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'],
    '-----END PRIVATE KEY-----',
  );
  const one = fc
    .record({
      ...{ text, native: fc.option(fc.string({ maxLength: 3 })) },
      role: fc.constantFrom<RawEntry['role']>('user', 'tool_result'),
      call: fc.constantFrom(null, 'c1'),
    })
    .map(raw);
  const reads = { role: 'tool_call', origin: 'agent', tool: 'Read', call: 'c1' } as const;
  const secretCall = raw({ ...reads, native: 'call', files: ['.env'], text: '.env' });
  await fc.assert(
    fc.asyncProperty(
      fc.array(one, { maxLength: 12 }),
      fc.array(fc.nat(12)),
      fc.nat(12),
      async (rawEntries, cuts, at) => {
        const all = [...rawEntries.slice(0, at), secretCall, ...rawEntries.slice(at)];
        const whole = await prepare(all);
        let state: PrepareState | null = null;
        const parts: PreparedEntry[] = [];
        const within = cuts.filter((cut) => cut < all.length);
        const bounds = [...new Set([0, ...within, all.length])].sort((a, b) => a - b);
        for (let i = 0; i + 1 < bounds.length; i++) {
          const placed = place(all).slice(bounds[i], bounds[i + 1]);
          const before = JSON.parse(JSON.stringify(state)) as PrepareState | null;
          const step = prepareEntries(placed, LOG, before, redactor, {});
          parts.push(...step.entries);
          state = step.state;
        }
        expect(parts).toEqual(whole.entries);
      },
    ),
    { numRuns: 60 },
  );
});

test('every field is masked, and terms are made of what is left', async () => {
  const names = {
    cwd: `/tmp/${secret}`,
    branch: secret,
    files: [`/a/${secret}.txt`],
    tool: secret,
  };
  const said = { native: 'n', text: `run ${secret}`, command: `deploy ${secret}` };
  const [entry] = (await prepare([raw({ ...said, ...names })])).entries;
  expect(JSON.stringify({ ...entry, terms: null })).not.toContain(secret);
  expect([...entry!.terms.hashes]).toContain(hashTerm('github-token'));
  expect([...entry!.terms.hashes]).not.toContain(hashTerm(secret.toLowerCase()));
  expect(entry!.length).toBe(entry!.terms.counts.reduce((sum, count) => sum + count, 0));
});

test('what a secret file holds is dropped from the call and from its result', async () => {
  const [env, plain] = ['/work/shop/.env', 'PLAIN=words of no shape'];
  const result = { role: 'tool_result', origin: 'tool' } as const;
  const read = { role: 'tool_call', origin: 'agent', tool: 'Read', call: 'c1' } as const;
  const head = {
    tool: 'Bash',
    call: 'c2',
    command: 'head -3 .env',
    exit: 0,
    outcome: 'ok',
  } as const;
  const { entries, state } = await prepare([
    raw({ ...read, native: 'a', files: [env], text: env }),
    raw({ ...result, native: 'b', tool: 'Read', call: 'c1', text: plain, outcome: 'ok' }),
    raw({ ...result, ...head, native: 'c', text: plain }),
  ]);
  expect(entries.map(({ text }) => text)).toEqual([
    '/work/shop/.env [content not stored]',
    '/work/shop/.env [content not stored]',
    '.env [content not stored]',
  ]);
  const late = raw({ ...result, native: 'd', call: 'c1', text: 'late words' });
  const later = await prepare([late], state);
  expect(later.entries[0]?.text).toBe('/work/shop/.env [content not stored]');
});

describe('long texts', () => {
  test('a secret at the cut leaves no half, an embedded file no part', () => {
    const before = 'word '.repeat(TEXT_CAP / 10 - 4);
    const capped = capText(`${before}${secret} ${'word '.repeat(80_000)}`, (text) => text);
    expect(capped).not.toContain(secret.slice(0, 12));
    const reduced = capText(`x data:image/png;base64,${'A'.repeat(400_000)} y`, () => 'x [BLOB] y');
    expect(reduced).toBe('x [BLOB] y');
  });

  test('every role has the cap; id, hash and terms come from the whole, so that a log read before adds no row', async () => {
    const text = `${'word '.repeat(30_000)}needle${' word'.repeat(30_000)}`;
    const [entry] = (await prepare([raw({ native: 'u', text })])).entries;
    expect(Buffer.byteLength(entry!.text)).toBeLessThanOrEqual(STORED_BYTES);
    expect(entry!.text).not.toContain('needle');
    const [other] = (await prepare([raw({ native: 'u', text: text.replace('needle', 'beetle') })]))
      .entries;
    expect(other!.hash).not.toBe(entry!.hash);
    expect(entry!.length).toBe(60_001);
  });
});
