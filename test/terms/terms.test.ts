import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashedTermsOf, hashTerm, normaliseQuery, termsOf } from '../../src/terms/index.js';
import { stem } from '../../src/text/stem.js';
import { anyCodePoints } from '../code-points.js';

function keys(text: string): string[] {
  return [...termsOf(text).keys()];
}

describe('a text longer than what is read at once', () => {
  const line = 'src/shop/bar-baz.ts --no-verify parseHTMLFile 数据库\n';
  const times = Math.ceil(150_000 / line.length);

  test.each([
    ['lines', line],
    ['one line', line.replace('\n', ' ')],
  ])('%s: every term as often as it stands there', (_, part) => {
    const once = termsOf(part);
    expect(termsOf(part.repeat(times))).toEqual(
      new Map([...once].map(([term, count]) => [term, count * times])),
    );
  });

  test('nothing of the text before is read on', () => {
    keys('in c++ and c#');
    expect(keys('in c')).toEqual(['in']);
    expect(hashedTermsOf('one two').length).toBe(2);
    expect(hashedTermsOf('one two').length).toBe(2);
  });
});

describe('termsOf', () => {
  test.each([
    ['parseHTMLFile', ['parsehtmlfile', 'pars', 'html', 'fil']],
    ['get_user_name', ['get_user_name', 'get', 'user', 'nam']],
    [
      'src/shop/bar-baz.ts',
      ['src', 'shop', 'bar-baz.ts', 'bar', 'baz', 'ts', 'src/shop/bar-baz.ts', 'shop/bar-baz.ts'],
    ],
    ['C:\\work\\app.cs', ['work\\app.cs', 'app.cs', 'app', 'work']],
    ['git commit --no-verify', ['git', 'commit', '--no-verify', 'no-verify', 'verify']],
    ['error TS2345 and E0308', ['ts2345', 'e0308']],
    ['took 512MB in 30s, 1.5GB free', ['512mb', '30s', '1.5gb']],
    ['@scope/pkg-name@1.2.3', ['scope/pkg-name', 'scop', 'pkg', '1.2.3']],
    ['c++ and C# code', ['c++', 'c#']],
    ['数据库迁移', ['数据', '据库', '库迁', '迁移']],
    ['データ', ['デー', 'ータ']],
    ['Überprüfung naïve ＦＵＬＬ', ['uberprufung', 'naiv', 'full']],
    ['миграция базы', ['миграция', 'базы']],
    ['utf8Decoder sha256', ['utf8decoder', 'utf8', 'decoder', 'sha256']],
  ])('%s', (text, wanted) => {
    expect(keys(text)).toEqual(expect.arrayContaining(wanted));
  });

  test('counts repeats and folds case', () => {
    expect(termsOf('Token token TOKEN').get('token')).toBe(3);
  });

  test('one stem for the forms of a word', () => {
    for (const forms of [
      ['migrate', 'migrates', 'migrating', 'migrated', 'migration', 'migrations'],
      ['cache', 'caches', 'cached', 'caching'],
      ['connect', 'connection', 'connections', 'connected'],
      ['class', 'classes'],
      ['policy', 'policies'],
      ['embed', 'embedding', 'embeds'],
    ]) {
      expect(new Set(forms.map(stem)).size, forms.join(' ')).toBe(1);
    }
  });

  test('the hashed form is the same set', () => {
    fc.assert(
      fc.property(anyCodePoints({ maxLength: 300 }), (text) => {
        const { terms, length } = hashedTermsOf(text);
        const plain = termsOf(text);
        expect([...terms.hashes]).toEqual([...plain.keys()].map(hashTerm));
        expect([...terms.counts]).toEqual([...plain.values()]);
        expect(length).toBe([...plain.values()].reduce((sum, count) => sum + count, 0));
        for (const term of plain.keys()) expect(term.length).toBeLessThanOrEqual(70);
      }),
    );
  });
});

test('a stretch of millions of characters ends, and what stands around it is found', () => {
  const text = `first é${'a/'.repeat(3_000_000)} last`;
  expect([...termsOf(text).keys()]).toEqual(['first', 'ea', 'a/a', 'last']);
});

test('hashTerm is stable and signed 64 bit', () => {
  expect(hashTerm('pnpm')).toBe(hashTerm(['p', 'npm'].join('')));
  expect([hashTerm('pnpm'), hashTerm('数据'), hashTerm('')]).toMatchInlineSnapshot(`
    [
      7622261461045070209n,
      -4813630874894142029n,
      -6107307654026706392n,
    ]
  `);
  const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => hashTerm(`term${i}`)));
  expect(hashes.size).toBe(100_000);
});

test('a query leaves function words out unless it has nothing else', () => {
  expect(normaliseQuery('how do I run the tests')).toEqual(['run', 'test']);
  expect(normaliseQuery('is_valid what')).toEqual(['is_valid', 'is', 'valid']);
  expect(normaliseQuery('what is it')).toEqual(['what', 'is', 'it']);
  expect(normaliseQuery('   ')).toEqual([]);
});
