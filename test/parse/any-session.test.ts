import fc from 'fast-check';
import { expect, test } from 'vitest';
import { extractSession } from '../../src/parse/index.js';
import { MadeSession } from './made-session.js';
import { growthOf } from '../growth.js';

const COMMANDS = [
  'npm test',
  'make check | tail -5',
  'pytest -k x',
  'git commit -m "fix: a"',
  "cat <<'EOF'\nx\nEOF",
  'cd web && npm run build; echo',
  'for f in *; do tsc $f; done',
  '$(',
  '"',
  'git tag v1.0.0 && git push --tags',
  '',
  'bash -lc "bash -lc \'make\'"',
];
const OUTPUTS = [
  '3 passed',
  'error TS2322: x',
  'pytest: command not found',
  'src/a.go:1:2: bad thing happens (rule)',
  '\u001b[31mFAIL\u001b[0m',
  'x'.repeat(3000),
  '> a@1 test\n> vitest run',
  '',
];

const event = fc.oneof(
  fc.record({
    type: fc.constant('shell' as const),
    command: fc.oneof(fc.constantFrom(...COMMANDS), fc.string({ maxLength: 40 })),
    output: fc.constantFrom(...OUTPUTS),
    failed: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('edit' as const),
    file: fc.constantFrom('a.ts', 'web/b.py', 'test/a.test.ts'),
  }),
  fc.record({
    type: fc.constant('user' as const),
    text: fc.oneof(fc.string({ maxLength: 80 }), fc.constant('never use npm here')),
  }),
  fc.record({ type: fc.constant('agent' as const), text: fc.string({ maxLength: 80 }) }),
);

test('any session is read without a fault, the same in any order of entries, in whole statements', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 25 }), (events) => {
      const made = new MadeSession();
      for (const e of events) {
        if (e.type === 'shell')
          made.shell(
            e.command,
            e.output,
            e.failed ? { outcome: 'failed', exit: 1, error: e.output.slice(0, 60) || null } : {},
          );
        else if (e.type === 'edit') made.edit(e.file);
        else if (e.type === 'user') made.user(e.text);
        else made.agent(e.text);
      }
      const input = made.input();
      const found = extractSession(input);
      expect(extractSession({ ...input, entries: [...input.entries].reverse() })).toEqual(found);
      for (const c of found.candidates) {
        expect(c.text.length).toBeLessThanOrEqual(200);
        expect((c.text.match(/`/g) ?? []).length % 2).toBe(0);
        expect(c.text).not.toMatch(/[\n\r]/);
        expect(c.evidence.quote.length).toBeLessThanOrEqual(300);
        expect(c.worth).toBeGreaterThanOrEqual(0);
        expect(c.worth).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 150, seed: 11 },
  );
});

test('one huge line of output takes time in proportion', async () => {
  const extract = (size: number): unknown =>
    extractSession(
      new MadeSession()
        .fails('make lint', `${'a.b/'.repeat(size)}:1:2: x`, 'x')
        .shell('npm test', 'y'.repeat(8 * size))
        .input(),
    );
  expect(await growthOf(extract, 6_250, 50_000, 24)).toBeLessThan(24);
});
