/** What link makes for one person stays out of git, and unlinking gives the list back as it was. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutPatterns, withPattern } from '../../src/links/exclude.js';
import { runs } from '../runs.js';

test('law: taking the patterns out gives the list back', () => {
  const line = fc.oneof(
    fc.constantFrom('*.log', '# mine', '', '/CLAUDE.md', '# dripstone is fine', '\r'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (lines, isEnded) => {
      const text = lines.join('\n') + (isEnded ? '\n' : '');
      fc.pre(
        withoutPatterns(text) === text &&
          !text.split(/\r?\n/).some((each) => /^\s*\/(?:a|b)\s*$/.test(each)),
      );
      const both = withPattern(withPattern(text, '/a'), '/b');
      expect(both.split('\n')).toEqual(expect.arrayContaining(['/a', '/b']));
      expect(withPattern(both, '/a')).toBe(both);
      expect(withoutPatterns(withPattern(text, '/a'))).toBe(text);
      // Behind a line of ours that had no end the second one is the last.
      expect(withoutPatterns(both)).toBe(text);
    }),
    { numRuns: runs(300, 5000) },
  );
});

test('a pattern of the person is left alone', () => {
  expect(withPattern('/CLAUDE.local.md\n', '/CLAUDE.local.md')).toBe('/CLAUDE.local.md\n');
  expect(withoutPatterns('/CLAUDE.local.md\n')).toBe('/CLAUDE.local.md\n');
});
