/**
 * The MCP server in agents' settings: put in and taken out as one edit that leaves every other
 * byte.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addServer, removeServer } from '../../src/links/servers.js';
import { setStage, type Stage } from '../commands/stage.js';
import { runs } from '../runs.js';

const PLACE = {
  key: 'mcpServers',
  name: 'dripstone',
  entry: { command: 'dripstone', args: ['mcp'] },
};

describe('the edit', () => {
  test.each([
    [
      'two servers',
      '{\n  "mcpServers": {\n    "a": { "command": "x" },\n    "b": { "args": ["1", "2"] }\n  },\n  "z": 1\n}\n',
    ],
    ['tabs and CRLF', '{\r\n\t"z": [1, 2],\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}'],
    ['no server', '{\n    "mcpServers": {},\n    "theme": "dark"\n}\n'],
    ['no key', '{\n    "theme": "da}rk\\"{"\n}\n'],
    ['one line', '{"mcpServers":{"a":{"command":"x"}},"n":-1.5e3}'],
    ['empty', '{}'],
    ['blank', ' {\n }\n'],
    ['keys that look like numbers', '{"2": true, "1": null}'],
  ])('%s: other bytes stay, and come back', (_, text) => {
    const { text: linked, made } = addServer(text, PLACE)!;
    const parsed = JSON.parse(linked) as { mcpServers: Record<string, unknown> };
    expect(parsed.mcpServers['dripstone']).toEqual(PLACE.entry);
    expect(addServer(linked, PLACE)).toEqual({ text: linked, made: null });
    expect(removeServer(linked, PLACE, made!)).toBe(text);
    if (text.includes('    "b"'))
      expect(linked).toContain('\n    "dripstone": {\n      "command": "dripstone",');
  });

  test('law: whatever the file holds, taking out gives back what was there', () => {
    const any = fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('mcpServers', 'dripstone', '__proto__')),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(any, fc.constantFrom(undefined, 1, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const edit = addServer(text, PLACE);
        if (edit === null || edit.made === null) return;
        const { mcpServers, ...others } = JSON.parse(edit.text) as Record<string, unknown>;
        expect((mcpServers as Record<string, unknown>)['dripstone']).toEqual(PLACE.entry);
        expect(Object.keys(others)).toEqual(
          Object.keys(JSON.parse(text) as object).filter((key) => key !== 'mcpServers'),
        );
        expect(removeServer(edit.text, PLACE, edit.made)).toBe(text);
      }),
      { numRuns: runs(300, 5000) },
    );
  });

  test.each([
    ['a comment', '{\n  // mine\n  "mcpServers": {}\n}'],
    ['a comma too many', '{"mcpServers": {},}'],
    ['a byte order mark', '\ufeff{}'],
    ['a list', '[]'],
    ['nothing', ''],
    ['servers that are no object', '{"mcpServers": []}'],
    ['a key twice', '{"mcpServers": {}, "mcpServers": {}}'],
    ['another entry of this name', '{"mcpServers": {"dripstone": {"command": "node"}}}'],
  ])('%s: no safe edit', (_, text) => {
    expect(addServer(text, PLACE)).toBeNull();
    expect(removeServer(text, PLACE, 'file')).toBeUndefined();
  });

  test('what was added since stays', () => {
    const { text } = addServer(undefined, PLACE)!;
    expect(removeServer(text, PLACE, 'file')).toBeNull();
    const more = text.replace('"mcpServers": {', '"mcpServers": {\n    "a": {},');
    expect(JSON.parse(removeServer(more, PLACE, 'file')!)).toEqual({ mcpServers: { a: {} } });
    expect(JSON.parse(removeServer(text, PLACE, 'entry')!)).toEqual({ mcpServers: {} });
  });
});

describe('link --mcp', { timeout: 30_000 }, () => {
  let stage: Stage;
  let repo: string;
  beforeEach(() => {
    stage = setStage();
    repo = join(stage.home, 'src/shop');
    mkdirSync(join(repo, '.git'), { recursive: true });
    writeFileSync(join(repo, '.git/HEAD'), 'ref: refs/heads/main\n');
  });
  afterEach(() => stage.remove());
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  const text = (path: string) => readFileSync(join(repo, path), 'utf8');

  test('adds the server where that is safe, tells the rest, and unlink takes exactly it out', async () => {
    const settings =
      '{\n  "theme": "dark",\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}\n';
    put('.gemini/settings.json', settings);
    put('.vscode/mcp.json', '{ // mine\n}\n');
    const { code, out } = await stage.type('link', repo, '--mcp', '--agents', 'all', '--json');
    expect(code).toBe(0);
    const { files } = JSON.parse(out) as {
      files: { path: string; change: string; note: string | null }[];
    };
    const of = (name: string) => files.find(({ path }) => path === join(repo, name))!;
    expect(
      ['.mcp.json', '.cursor/mcp.json', '.gemini/settings.json', '.vscode/mcp.json'].map(
        (name) => of(name).change,
      ),
    ).toEqual(['added', 'added', 'added', 'left']);
    expect(of('.vscode/mcp.json').note).toContain('strict JSON');
    expect(JSON.parse(text('.cursor/mcp.json'))).toEqual({
      mcpServers: { dripstone: { command: 'dripstone', args: ['mcp'] } },
    });
    expect(JSON.parse(text('.gemini/settings.json'))).toMatchObject({
      theme: 'dark',
      mcpServers: { a: {}, dripstone: {} },
    });
    const again = (await stage.type('link', repo, '--mcp', '--agents', 'all', '--json')).json<{
      files: { change: string }[];
    }>();
    expect(new Set(again.files.map(({ change }) => change))).toEqual(new Set(['kept', 'left']));
    expect((await stage.type('unlink', repo)).code).toBe(0);
    expect(text('.gemini/settings.json')).toBe(settings);
    expect(text('.vscode/mcp.json')).toBe('{ // mine\n}\n');
    for (const path of ['.mcp.json', '.cursor', 'AGENTS.md'])
      expect(existsSync(join(repo, path)), path).toBe(false);
  });

  test('only shows with --print, and without --mcp no settings are touched', async () => {
    expect(
      (await stage.type('link', repo, '--mcp', '--agents', 'cursor', '--print')).out,
    ).toContain('"dripstone": {"command"');
    expect(existsSync(join(repo, '.cursor'))).toBe(false);
    expect((await stage.type('link', repo, '--agents', 'cursor')).code).toBe(0);
    expect(existsSync(join(repo, '.cursor/mcp.json'))).toBe(false);
    expect((await stage.type('link', '--global', '--mcp')).code).toBe(2);
  });

  test('settings that are a link out of the repository are left alone', async () => {
    writeFileSync(join(stage.home, 'shared.json'), '{}');
    mkdirSync(join(repo, '.cursor'));
    symlinkSync(join(stage.home, 'shared.json'), join(repo, '.cursor/mcp.json'));
    const { code, out } = await stage.type('link', repo, '--mcp', '--agents', 'cursor');
    expect([code, readFileSync(join(stage.home, 'shared.json'), 'utf8')]).toEqual([0, '{}']);
    expect(out).toContain('outside the repository');
  });
});
