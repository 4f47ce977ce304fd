import { describe, expect, test } from 'vitest';
import { extractConclusions } from '../../src/extract/sentences/conclusions.js';
import { extractNotes } from '../../src/extract/notes.js';
import { splitParagraph } from '../../src/extract/sentences/split.js';
import { answered, edited, sessionOf, typed } from './session-of.js';

test('"this file" in a file of rules is that file', () => {
  const session = sessionOf([
    typed('write that down'),
    edited(
      '/home/ana/shop/AGENTS.md',
      '+- After editing `package.json`, update this file only if new build steps were introduced.',
    ),
  ]);
  expect(extractConclusions(session).map((one) => one.text)).toEqual([
    'After editing `package.json`, update `AGENTS.md` only if new build steps were introduced',
  ]);
});

describe('two halves of one rule', () => {
  const rule = 'Never edit `src/api.gen.ts` by hand. Change `openapi.yaml` and run `make api` instead.';
  test('stay together', () => {
    expect(splitParagraph(rule)).toEqual([rule]);
    expect(splitParagraph('Use tabs. Use `make api` instead of `make gen`.')).toHaveLength(2);
    expect(extractNotes(sessionOf([answered(`Remember: ${rule}`)])).map((one) => one.text)).toEqual([rule.slice(0, -1)]);
  });
});
