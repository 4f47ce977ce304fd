import { describe, expect, test } from 'vitest';
import { conclusionsOf, withdrawalsOf } from './door.js';
import { answered, called, edited, sessionOf, typed } from './session-of.js';

function taken(...parts: Parameters<typeof sessionOf>[0]) {
  return withdrawalsOf(sessionOf([typed('clean up'), ...parts])).map((one) => [
    one.value,
    one.evidence.supports,
    one.evidence.trust,
  ]);
}
const removal = edited('/home/ana/shop/src/mail.ts', '-export const legacyRelay = 1;');

describe('what a session removed', () => {
  test.each([
    'Removed `legacyRelay()` and its tests.',
    'No references to `legacyRelay` remain.',
    '`legacyRelay` no longer exists.',
  ])('%s', (report) => {
    expect(taken(removal, answered(report))).toEqual([['legacyRelay', false, 0.9]]);
  });
  test('a file, with its path', () => {
    expect(taken(called('git rm -q scripts/old-mail.sh'), answered('Deleted `old-mail.sh`.'))).toEqual([
      ['scripts/old-mail.sh', false, 0.9],
    ]);
  });
  test('not without the log, not out of one place, not when it is written again, not its successor', () => {
    expect(taken(answered('Removed `legacyRelay` entirely.'))).toEqual([]);
    expect(taken(removal, answered('Removed `legacyRelay` from `mail.ts`.'))).toEqual([]);
    expect(
      taken(removal, edited('/home/ana/shop/src/relay.ts', '+export const legacyRelay = 1;'), answered('Removed `legacyRelay`.')),
    ).toEqual([]);
    expect(
      taken(
        removal,
        edited('/home/ana/shop/src/mail.ts', '+x newRelay'),
        answered('Removed `legacyRelay` in favour of `newRelay`.'),
      ).map(([name]) => name),
    ).toEqual(['legacyRelay']);
  });
  test('a claim of the same session on it goes too', () => {
    const claim = answered('`legacyRelay` silently ignores `MAIL_HOST`, because Postfix overrides it.', { marks: ['final'] });
    const texts = (...more: Parameters<typeof sessionOf>[0]) =>
      conclusionsOf(sessionOf([typed('why?'), claim, typed('remove it'), ...more])).map((one) => one.text);
    expect(texts()).toHaveLength(1);
    expect(texts(removal, answered('Removed `legacyRelay`.'))).toEqual([]);
  });
});

describe('a claim that a later session takes back', () => {
  test('by the agent, outright and by name', () => {
    expect(taken(answered('The earlier note was wrong: `postfix` does read `MAIL_HOST` at start.'))).toEqual([
      ['mail_host\npostfix', false, 0.9],
    ]);
    expect(taken(answered('I was wrong about that.'), answered('`postfix` reads `MAIL_HOST` at start.'))).toEqual([]);
  });
  test('by the person', () => {
    expect(taken(answered('`postfix` ignores `MAIL_HOST`.'), typed("no, that's wrong, postfix.conf reads MAIL_HOST"))).toEqual([
      ['mail_host\npostfix.conf', false, 0.9],
    ]);
    expect(taken(typed('revert src/mail.ts and src/relay.ts'))).toEqual([]);
  });
});
