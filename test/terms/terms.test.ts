import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashedTermsOf, hashTerm, normaliseQuery, termsOf } from '../../src/terms/index.js';
import { stem } from '../../src/terms/split.js';
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

  test('base64, long chains and lonely letters give nothing', () => {
    expect(
      keys('aGVsbG8gd29ybGQgMTIzNDU2Nzg5MGFiY2RlZg x 1234567890123456 ' + 'a'.repeat(65)),
    ).toEqual([]);
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

  test('what was read before changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 40 })),
        fc.string({ maxLength: 80 }),
        (before, text) => {
          const alone = [...termsOf(text)];
          for (const other of before) termsOf(other);
          expect([...termsOf(text)]).toEqual(alone);
        },
      ),
    );
  });

  test('more distinct words than the memo holds are still counted, up to its limit', () => {
    const text = Array.from({ length: 260_000 }, (_, i) => `w${i.toString(36)}x`).join(' ');
    expect(termsOf(text).size).toBe(260_000);
    expect(termsOf('plain words').size).toBe(2);
  });
});

test('a stretch of millions of characters ends, and what stands around it is found', () => {
  const text = `first é${'a/'.repeat(3_000_000)} last`;
  expect([...termsOf(text).keys()]).toEqual(['first', 'ea', 'a/a', 'last']);
});

test('stretches are those of a pattern', () => {
  const ideograph = String.raw`[[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3005\u30fc\uff70]--[\u{10000}-\u{10ffff}]]`;
  const word = String.raw`[[\w\p{L}\p{N}\p{M}]--${ideograph}--[\u{10000}-\u{10ffff}]]`;
  const flag = String.raw`(?<![${word}${ideograph}.\/\\\-])--(?=[a-z])`;
  const pattern = new RegExp(
    String.raw`(?!\d)${word}(?:#|\+\+)|(?:${flag})?${word}+(?:[.\/\\\-]${word}+)*|${ideograph}+`,
    'gv',
  );
  const pieces = 'a B 1 _ - -- . / \\ # + ++ ( 数 データ é ٣ 😀 \ud800 ｆ 々 ー \u0301'.split(' ');
  fc.assert(
    fc.property(fc.array(fc.constantFrom(' ', ...pieces)), (parts) => {
      const text = parts.join('');
      const wanted = new Map<string, number>();
      for (const [stretch] of text.matchAll(pattern))
        for (const [term, count] of termsOf(stretch))
          wanted.set(term, (wanted.get(term) ?? 0) + count);
      expect(termsOf(text)).toEqual(wanted);
    }),
  );
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
