/** Whatever lies under the name of a log: a clear fact about it, nothing lost, the rest goes on. */
import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTestHome, prompt, testHome, type TestHome } from './ingest-home.js';

function good(text: string) {
  return prompt(text);
}
function bytes(...parts: (string | Buffer)[]) {
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}
function deep(levels: number) {
  return `{"type":"user","uuid":"deep","message":{"content":${'['.repeat(levels)}${']'.repeat(levels)}}}\n`;
}

/** Content, the texts that must come out of it, and what is said about its bad lines. */
const cases: [string, () => string | Buffer, string[], RegExp[]][] = [
  ['an empty file', () => '', [], []],
  ['blank lines', () => `\n\r\n  \n${good('after blanks')}\n`, ['after blanks'], []],
  ['random bytes', () => randomFillSync(Buffer.alloc(200_000)), [], [/binary/]],
  ['gzip', () => gzipSync(good('never seen')), [], [/binary/]],
  [
    'a file that ends in the middle of a record',
    () => good('whole') + good('cut off').slice(0, 100),
    ['whole'],
    [],
  ],
  [
    'a torn line among whole ones',
    () => `${good('before')}${good('torn').slice(0, 80)}\n${good('behind')}`,
    ['before', 'behind'],
    [/not JSON: it ends too early/],
  ],
  [
    'NUL bytes in front',
    () => bytes(Buffer.alloc(70_000), good('behind NULs')),
    ['behind NULs'],
    [/70000 NUL bytes/],
  ],
  [
    'NUL bytes between and at the end',
    () => bytes(good('one'), Buffer.alloc(5000), good('two'), Buffer.alloc(300)),
    ['one', 'two'],
    [/5000 NUL bytes/],
  ],
  [
    'invalid UTF-8',
    () =>
      bytes(
        good('clean'),
        good('broken MARK text').replace(/MARK.*/s, ''),
        Buffer.from([0xff, 0xfe]),
        good('broken MARK text').replace(/.*MARK/s, ''),
      ),
    ['clean', 'broken \ufffd\ufffd text'],
    [],
  ],
  ['a byte order mark', () => `\ufeff${good('behind the mark')}`, ['behind the mark'], []],
  ['CRLF', () => good('windows').replace('\n', '\r\n'), ['windows'], []],
  ['U+2028 inside', () => good('one\u2028line'), ['one\u2028line'], []],
  ['two records glued', () => good('left').trimEnd() + good('right'), ['left', 'right'], []],
  [
    'a record glued to the half line of a crash',
    () => good('lost half').slice(0, 60) + good('survivor'),
    ['survivor'],
    [/not JSON/],
  ],
  [
    'nested 200,000 deep',
    () => deep(200_000) + good('after the deep'),
    ['after the deep'],
    [/nested deeper/],
  ],
  [
    'no records: words, numbers, lists',
    () => `hello\n42\n[1,2]\n"text"\nNaN\n${good('a record')}`,
    ['a record'],
    [/not JSON/, /no record/, /no record/, /no record/, /not JSON/],
  ],
  [
    'keys of the prototype',
    () =>
      `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"type":"user"}\n${good('unharmed')}`,
    ['unharmed'],
    [],
  ],
  [
    'records of a foreign shape',
    () =>
      `{"type":7}\n{"type":"user","message":"text"}\n{"type":"user","message":{"content":{"a":1}},"uuid":[]}\n{"type":"assistant","message":null}\n${good('our own')}`,
    ['our own'],
    [],
  ],
];

describe('bad content', () => {
  let home: TestHome;
  const paths = new Map<string, string>();
  const found: { path: string; text: string }[] = [];
  const bad: { path: string; reason: string }[] = [];

  // All lie side by side and are read in one go: none may cost another anything.
  beforeAll(async () => {
    home = await makeTestHome();
    for (const [i, [name, content]] of cases.entries())
      paths.set(name, home.log(`shop/bad${i}.jsonl`, content()));
    paths.set('good', home.log('shop/good.jsonl', good('another log')));
    expect((await home.run()).failed).toBe(0);
    found.push(
      ...(await home.store.read((db) =>
        db.all<{ path: string; text: string }>('SELECT path, text FROM main.entries'),
      )),
    );
    bad.push(...(await home.bad()));
    expect(await home.run()).toEqual({ done: 0 });
  });
  afterAll(() => home.remove());

  const textsOf = (name: string): string[] =>
    found
      .filter(({ path }) => path === paths.get(name))
      .map(({ text }) => text)
      .sort();

  test.each(cases)('%s', (name, _, texts, reasons) => {
    expect(textsOf(name)).toEqual([...texts].sort());
    expect(bad.filter(({ path }) => path === paths.get(name)).map((each) => each.reason)).toEqual(
      reasons.map((reason) => expect.stringMatching(reason)),
    );
  });

  test('a log beside them is read, nothing else came of them, and no prototype has changed', () => {
    expect(textsOf('good')).toEqual(['another log']);
    const known = new Set(paths.values());
    expect([...found, ...bad].filter(({ path }) => !known.has(path))).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a line over 64 MiB is named with its size and hash; the lines around it are read; a picture of 60 MiB is left out', async () => {
    const home = await testHome();
    const path = home.log('shop/long.jsonl', good('before'));
    const fd = openSync(path, 'a');
    const chunk = Buffer.alloc(1024 * 1024, 'lorem ipsum ');
    writeSync(fd, '{"type":"user","text":"');
    for (let i = 0; i < 65; i++) writeSync(fd, chunk);
    writeSync(fd, `"}\n${good('between')}`);
    const [head, tail] = prompt('PICTURE').split('"PICTURE"') as [string, string];
    writeSync(
      fd,
      `${head}[{"type":"text","text":"look at this"},{"type":"image","source":{"type":"base64","data":"`,
    );
    const base64 = Buffer.alloc(1024 * 1024, 'QUJD');
    for (let i = 0; i < 60; i++) writeSync(fd, base64);
    writeSync(fd, `"}}]${tail}${good('behind')}`);
    closeSync(fd);
    await home.run();
    expect((await home.texts()).map((text) => text.slice(0, 12))).toEqual([
      'before',
      'between',
      'look at this',
      'behind',
    ]);
    expect(await home.bad()).toEqual([
      {
        path,
        line: 2,
        offset: expect.any(Number),
        reason: expect.stringMatching(
          /^longer than the limit: 681574\d\d bytes, sha256:[0-9a-f]{16}$/,
        ),
      },
    ]);
    expect((await home.texts()).join('').length).toBeLessThan(1000);
  });

  test('two gigabytes of NUL after a power loss are skipped', async () => {
    const home = await testHome();
    const path = home.log('shop/hole.jsonl', good('before the loss'));
    truncateSync(path, 2 ** 31);
    appendFileSync(path, `\n${good('after the loss')}`);
    await home.run();
    expect(await home.texts()).toEqual(['before the loss', 'after the loss']);
    expect(await home.bad()).toMatchObject([
      { line: 2, reason: expect.stringMatching(/^21474\d+ NUL bytes$/) },
    ]);
  });

  test('a thousand bad lines are counted, a hundred are named', async () => {
    const home = await testHome();
    home.log('shop/a.jsonl', 'nonsense\n'.repeat(1000) + good('still here'));
    await home.run();
    expect(await home.texts()).toEqual(['still here']);
    expect(await home.bad()).toHaveLength(100);
    expect((await home.checkpoints())[0]!.badLines).toBe(1000);
  });
});

describe('what only has the name of a log', () => {
  test('FIFOs, folders, dangling links and links out of the place do not hang, are not followed, and stop nothing', async () => {
    const home = await testHome();
    home.log('shop/good.jsonl', good('the only one'));
    const at = (name: string) => join(home.home, '.claude/projects/shop', name);
    for (let i = 0; i < 8; i++) execFileSync('mkfifo', [at(`pipe${i}.jsonl`)]);
    mkdirSync(at('folder.jsonl'));
    symlinkSync('/nowhere', at('dangling.jsonl'));
    symlinkSync('/etc/passwd', at('out.jsonl'));
    expect(await home.run()).toMatchObject({ done: 1, failed: 0 });
    expect(await home.texts()).toEqual(['the only one']);
  });
});
