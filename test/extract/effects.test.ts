import { describe, expect, test } from 'vitest';
import { commandsOf } from './door.js';
import { sessionOf, typed } from './session-of.js';

let calls = 0;
function tool(name: string, more: object, output: string, failed = false) {
  const call = `c${(calls += 1)}`;
  return [
    { role: 'tool_call' as const, origin: 'agent' as const, tool: name, text: '', call, ...more },
    {
      role: 'tool_result' as const,
      origin: 'tool' as const,
      tool: name,
      text: output,
      call,
      outcome: failed ? ('failed' as const) : ('ok' as const),
    },
  ];
}
function shell(command: string, output: string) {
  return tool('Bash', { command }, output);
}
function tagged(tag: string, ...parts: Parameters<typeof sessionOf>[0]) {
  return commandsOf(sessionOf([typed('go on'), ...parts]))
    .filter((one) => one.tags.includes(tag))
    .map((one) => one.text);
}

describe('effects seen only in what tools print', () => {
  test('a generator tells what it wrote', () => {
    expect(tagged('rewrites-files', ...shell('make docs', 'node docs/gen.mjs\nGenerated docs/api.md\nwrote readme.md'))).toEqual([
      '`make docs` rewrites `docs/api.md`, `readme.md`; look at `git diff` after it.',
    ]);
    expect(tagged('rewrites-files', ...shell('make build', 'Generated dist/index.js'))).toEqual([]);
  });
  test('a check that repairs', () => {
    expect(tagged('rewrites-files', ...shell('npm run check', '> biome check\nFixed 3 files'))).toEqual([
      '`npm run check` is not read-only: it said `Fixed 3 files`; look at `git diff` after it.',
    ]);
    expect(tagged('rewrites-files', ...shell('npm run check', '> biome check\nChecked 3 files. No fixes applied.'))).toEqual([]);
  });
  test('the working tree before and after', () => {
    const run = shell('make gen', 'ok');
    const looks = (between: ReturnType<typeof shell>) => [
      ...shell('git status --short', ' M src/mail.ts'),
      ...between,
      ...shell('git status --short', ' M src/mail.ts\n M src/api.ts'),
    ];
    expect(tagged('rewrites-files', ...looks(run))).toEqual(['`make gen` rewrites `src/api.ts`; look at `git diff` after it.']);
    expect(tagged('rewrites-files', ...looks([...run, ...shell('git stash pop', 'ok')]))).toEqual([]);
    expect(
      tagged(
        'rewrites-files',
        ...looks([...run, ...tool('Edit', { files: ['/home/ana/shop/src/api.ts'], text: 'src/api.ts\n+x' }, 'ok')]),
      ),
    ).toEqual([]);
  });
});

describe('limits of an agent’s own tools', () => {
  const read = (file: string, output: string, failed = false) =>
    tool('Read', { files: [`/home/ana/shop/${file}`] }, output, failed);
  const refusal = 'File content (27013 tokens) exceeds maximum allowed tokens (25000). Use offset and limit.';
  test('a file that is read in parts', () => {
    expect(tagged('limit', ...read('data/zips.json', refusal, true), ...read('data/zips.json', '[1, 2'))).toEqual([
      '`data/zips.json` is too large for one read (`File content exceeds maximum allowed tokens`): read a part or search in it.',
    ]);
  });
  test('a folder that is searched in parts', () => {
    const grep = (place: string, output: string, failed = false) =>
      tool('Grep', { files: [`/home/ana/shop/${place}`] }, output, failed);
    expect(tagged('limit', ...grep('src', 'JSON record exceeded 65536 bytes', true), ...grep('src/mail', 'mail.ts'))).toEqual([
      'A search in the whole of `src` fails (`JSON record exceeded 65536 bytes`): search in a part of it.',
    ]);
  });
  test('once and never cured tells nothing, nor does another failure', () => {
    expect(tagged('limit', ...read('data/zips.json', refusal, true))).toEqual([]);
    expect(tagged('limit', ...read('data/zips.json', 'File does not exist', true), ...read('data/zips.json', '[1]'))).toEqual([]);
  });
});
