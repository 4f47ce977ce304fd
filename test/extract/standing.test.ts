import { describe, expect, test } from 'vitest';
import { conclusionsOf, notesOf } from './door.js';
import { answered, edited, sessionOf, typed } from './session-of.js';

test('"this file" in a file of rules is that file', () => {
  const session = sessionOf([
    typed('write that down'),
    edited(
      '/home/ana/shop/AGENTS.md',
      '+- After editing `package.json`, update this file only if new build steps were introduced.',
    ),
  ]);
  expect(conclusionsOf(session).map((one) => one.text)).toEqual([
    'After editing `package.json`, update `AGENTS.md` only if new build steps were introduced',
  ]);
});

describe('two halves of one rule', () => {
  const rule = 'Never edit `src/api.gen.ts` by hand. Change `openapi.yaml` and run `make api` instead.';
  test('stay together', () => {
    const notes = (text: string): string[] => notesOf(sessionOf([answered(`Remember: ${text}`)])).map((one) => one.text);
    expect(notes(rule)).toEqual([rule.slice(0, -1)]);
    expect(notes('Indent `src/gen` with tabs. Use `make api` instead of `make gen`.')).toHaveLength(2);
  });
});
