import { describe, expect, test } from 'vitest';
import { extractConclusions } from '../../src/extract/conclusions.js';
import { pointsBack } from '../../src/extract/conclusions-pointing.js';
import { readFrame } from '../../src/extract/conclusions-frame.js';
import { recast } from '../../src/extract/conclusions-recast.js';
import { extractNotes } from '../../src/extract/notes.js';
import { extractUserSentences } from '../../src/extract/sentences.js';
import { splitParagraph } from '../../src/extract/sentences-split.js';
import { answered, edited, sessionOf, typed } from './session-of.js';

const alone = (text: string): string[] => extractConclusions(sessionOf([typed('why is mail late?'), answered(text, { marks: ['final'] })])).filter((one) => one.alone).map((one) => one.text);
const said = (text: string) => extractUserSentences(sessionOf([typed(text)]));

describe('a statement that leans on words before it', () => {
  test.each([
    'On a new release those archives are gone, so `apt-get install` fails', 'The mail queue is global; both legs are one run', '`lint.sh` already validates it — a typo is rejected', '`relay.ts` needs them, so the order matters', '`relay.ts` also reads `MAIL_HOST`',
  ])('leans: %s', (text) => {
    expect(pointsBack(text, readFrame(text)?.predicate ?? null)).toBe(true);
  });
  test.each([
    'Removing those `//nolint` marks breaks the build', '`setUp` sets both `HOME` and `PATH`', 'Old archives are kept, since those archives are linked', '`make seed` only works when Postgres is up, because it connects at once', 'Both the relay and the queue need `TZ`',
  ])('stands: %s', (text) => {
    expect(pointsBack(text, readFrame(text)?.predicate ?? null)).toBe(false);
  });
});

describe('what one session says alone', () => {
  test('a word of any code names no tool', () => {
    expect(alone('`mode` silently ignores an empty value.')).toEqual([]);
    expect(alone('`postqueue` silently ignores an empty value of `mydomain`.')).toHaveLength(1);
  });
  test('what tells of a moment or a change waits for a second session', () => {
    const told = extractConclusions(sessionOf([typed('why is mail late?'), answered('The `MAIL_HOST` setting is now hardcoded to `relay.test`, because Postfix ignores `/etc/hosts`.', { marks: ['final'] })]));
    expect(told.map((one) => one.alone)).toEqual([false]);
    expect(told[0]?.tags).toContain('minor');
  });
  test.each(['A relay behind a proxy ignores `MAIL_HOST`, because Postfix resolves it first', '`mail.yaml` is the only setting file without a schema, because Postfix ignores it', '`relay.conf` covers nothing on Windows (grepped), because Postfix ignores it', 'The cartFooter uses `shrink-0` instead of `sticky` to stay at the bottom'])('a thing that may be, an inventory, a look, a change: %s', (text) => {
    expect(alone(`${text}.`)).toEqual([]);
  });
  test('a heading with a noun is no sentence', () => {
    expect(readFrame('Documentation rewrite - `RELEASE.md` in a new format')).toBeNull();
    expect(readFrame('Docker and Podman cache `RUN` layers')?.subject.trim()).toBe('Docker and Podman');
  });
});

describe('told as what holds', () => {
  test.each([
    ['`./actions/check-mail` (installs `postqueue` itself, so it works anywhere)', '`./actions/check-mail` installs `postqueue` itself, so it works anywhere'],
    ['`relayctl` still needs the `RELAY=eu` prefix', '`relayctl` needs the `RELAY=eu` prefix'],
    ['`relay.ts` (see the notes)', '`relay.ts` (see the notes)'],
  ])('%s', (text, told) => {
    expect(recast(text)).toBe(told);
  });
  test('"this file" in a file of rules is that file', () => {
    const session = sessionOf([typed('write that down'), edited('/home/ana/shop/AGENTS.md', '+- After editing `package.json`, update this file only if new build steps were introduced.')]);
    expect(extractConclusions(session).map((one) => one.text)).toEqual(['After editing `package.json`, update `AGENTS.md` only if new build steps were introduced']);
  });
});

describe('two halves of one rule', () => {
  const rule = 'Never edit `src/api.gen.ts` by hand. Change `openapi.yaml` and run `make api` instead.';
  test('stay together', () => {
    expect(splitParagraph(rule)).toEqual([rule]);
    expect(splitParagraph('Use tabs. Use `make api` instead of `make gen`.')).toHaveLength(2);
    expect(extractNotes(sessionOf([answered(`Remember: ${rule}`)])).map((one) => one.text)).toEqual([rule.slice(0, -1)]);
    expect(alone(rule)).toEqual([rule.slice(0, -1)]);
  });
  test('the second alone is none', () => {
    expect(alone('Change `openapi.yaml` and run `make api` before a build instead.')).toEqual([]);
  });
});

describe('what the person holds to', () => {
  test('a wish for whatever comes', () => {
    expect(said('We want whatever is cheaper to run.')).toMatchObject([{ kind: 'preference', alone: true }]);
    expect(said('We want a cheaper plan.').filter((one) => one.alone)).toEqual([]);
  });
  test('a complaint that quotes the rule', () => {
    expect(said("i think the cart doesn't follow the rule that prices must be shown with tax. i think sums.ts is odd").map((one) => one.text)).toEqual(['Prices must be shown with tax']);
  });
});
