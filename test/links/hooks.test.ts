/**
 * Hooks in agents' settings: put in beside those of others, and taken out so that every byte is as
 * it was.
 */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { HOOK_PLACES } from '../../src/links/hook-places.js';
import { withHooks, withoutHooks } from '../../src/links/hooks.js';
import { parseJson } from '../../src/links/json-text.js';
import { type Stage, setStage } from '../stage.js';
import { runs } from '../runs.js';

const PLACE = HOOK_PLACES.find(({ agent }) => agent === 'claude-code')!;
const EVENTS = [
  { event: 'SessionStart' },
  { event: 'PreToolUse', matcher: 'Bash' },
  { event: 'PreToolUse', matcher: 'Edit' },
];
const put = (text: string | undefined): string | null =>
  withHooks(text, PLACE, EVENTS, () => "'node' 'hook.cjs' 2>/dev/null || true");
const theirs =
  '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo \\"# dripstoned\\"" }] }';

describe('the edit', () => {
  test.each([
    ['nothing', '{}'],
    ['blank', ' {\n }\n'],
    ['no hooks', '{\n    "theme": "da}rk\\"{"\n}\n'],
    ['no events', '{\n  "hooks": {},\n  "z": [1]\n}\n'],
    ['another event', `{\n  "hooks": {\n    "Stop": [\n      ${theirs}\n    ]\n  }\n}\n`],
    [
      'hooks of others at the same event',
      `{\n\t"hooks": {\n\t\t"PreToolUse": [\n\t\t\t${theirs},\n\t\t\t${theirs}\n\t\t]\n\t},\n\t"n": null\n}`,
    ],
    ['an empty list', '{\n  "hooks": { "PreToolUse": [], "SessionStart": [ ] }\n}\n'],
    ['CRLF', '{\r\n  "model": "m",\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n'],
    ['one line', `{"hooks":{"PreToolUse":[${theirs}]},"n":-1.5e3}`],
    [
      'comments',
      `// mine\n{\n  "a": 1, // one\n  /* "hooks": {} */\n  "hooks": {\n    "PreToolUse": [\n      ${theirs} // last\n    ]\n  }\n}\n`,
    ],
    [
      'commas at the end',
      `{\n  "hooks": {\n    "PreToolUse": [\n      ${theirs},\n    ],\n  },\n}\n`,
    ],
    ['a byte order mark', '\ufeff{\n  "a": 1\n}\n'],
  ])('%s: ours stand beside, and every byte comes back', (_, text) => {
    const linked = put(text)!;
    expect(linked.match(/# dripstone(?: made \w+)?"/g)).toHaveLength(3);
    expect(parseJson(linked)).not.toBeNull();
    expect(withoutHooks(linked)).toBe(text);
  });

  test.each([
    ['no JSON', '{ theme: dark }'],
    ['half of it', '{"hooks": {'],
    ['a list', '[]'],
    ['hooks that are a list', '{"hooks": []}'],
    ['an event that is an object', '{"hooks": {"PreToolUse": {}}}'],
    ['a key twice', '{"hooks": {}, "hooks": {}}'],
  ])('%s: no safe edit', (_, text) => {
    expect(put(text)).toBeNull();
    expect(withoutHooks(text)).toBe(text);
  });

  test('law: whatever the file holds, taking out gives back what was there', () => {
    const entry = fc.oneof(fc.constant(JSON.parse(theirs) as unknown), fc.jsonValue());
    const hooks = fc.dictionary(
      fc.constantFrom('PreToolUse', 'SessionStart', 'Stop'),
      fc.array(entry, { maxLength: 3 }),
    );
    const any = fc.record({ hooks, theme: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(any, fc.constantFrom(undefined, 1, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const linked = put(text)!;
        expect(JSON.parse(linked)).toMatchObject({
          hooks: { SessionStart: expect.anything(), PreToolUse: expect.anything() },
        });
        expect(withoutHooks(linked)).toBe(text);
      }),
      { numRuns: runs(300, 5000) },
    );
  });
});

describe('link --hooks', { timeout: 60_000 }, () => {
  let stage: Stage;
  beforeEach(() => (stage = setStage()));
  const at = (path: string): string => join(stage.home, path);
  const write = (path: string, text: string): void => void stage.put(path, text);
  const MINE =
    '{\n  "model": "m",\n  "hooks": {\n    "SessionStart": [\n      { "hooks": [] }\n    ]\n  }\n}\n';

  test('writes the moments of config into the settings of agents that are used here; unlink gives every byte back', async () => {
    write('.claude/settings.json', MINE);
    chmodSync(at('.claude/settings.json'), 0o640);
    const said = await stage.type('link', '--hooks', '--json');
    expect(said.code).toBe(0);
    expect(said.json()).toMatchObject({
      moments: ['start', 'compaction', 'failure'],
      hooks: [
        {
          agent: 'claude-code',
          path: at('.claude/settings.json'),
          events: ['SessionStart', 'PostToolUseFailure'],
          change: 'added',
        },
      ],
    });
    const linked = readFileSync(at('.claude/settings.json'), 'utf8');
    expect(linked).toMatch(
      /hook\.cjs' 'claude-code' '[^']*stone' 2>\/dev\/null \|\| true # dripstone"/,
    );
    expect(statSync(at('.claude/settings.json')).mode & 0o777).toBe(0o640);
    expect((await stage.type('link', '--hooks', '--json')).json()).toMatchObject({
      hooks: [{ change: 'kept' }],
    });
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nhooks: {moments: [failure]}\n',
    );
    expect((await stage.type('link', '--hooks', '--json')).json()).toMatchObject({
      hooks: [{ change: 'replaced' }],
    });
    const { hooks } = JSON.parse(readFileSync(at('.claude/settings.json'), 'utf8')) as {
      hooks: Record<string, unknown[]>;
    };
    expect([hooks['SessionStart'], hooks['PostToolUseFailure']!.length]).toEqual([
      [{ hooks: [] }],
      1,
    ]);
    writeFileSync(
      join(stage.stone, 'config.yaml'),
      'embed: {enabled: false}\nhooks: {moments: [failure, end]}\n',
    );
    const hooksCheck = async () =>
      (await stage.type('status', '--check', '--json'))
        .json<{ checks: { name: string }[] }>()
        .checks.find(({ name }) => name === 'hooks');
    expect(await hooksCheck()).toMatchObject({
      ok: false,
      text: 'Claude Code has no hook for: end',
      cure: '`dripstone link --hooks` adds it',
    });
    await stage.type('link', '--hooks');
    expect(await hooksCheck()).toMatchObject({ ok: true });
    expect((await stage.type('unlink', '--hooks')).out).toBe(`${at('.claude/settings.json')}\n`);
    expect(readFileSync(at('.claude/settings.json'), 'utf8')).toBe(MINE);
  });

  test('settings behind a link are changed there; --print, and settings that are no JSON, change nothing', async () => {
    write('dotfiles/claude.json', MINE);
    mkdirSync(at('.claude'));
    symlinkSync('../dotfiles/claude.json', at('.claude/settings.json'));
    expect((await stage.type('link', '--hooks', '--print')).out).toContain('not written');
    expect(readFileSync(at('dotfiles/claude.json'), 'utf8')).toBe(MINE);
    await stage.type('link', '--hooks');
    expect(lstatSync(at('.claude/settings.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('dotfiles/claude.json'), 'utf8')).toContain('# dripstone');
    await stage.type('unlink', '--all');
    expect(readFileSync(at('dotfiles/claude.json'), 'utf8')).toBe(MINE);
    writeFileSync(at('dotfiles/claude.json'), '{ mine }');
    expect((await stage.type('link', '--hooks', '--json')).json()).toMatchObject({
      hooks: [{ change: 'left' }],
    });
    expect(readFileSync(at('dotfiles/claude.json'), 'utf8')).toBe('{ mine }');
  });
});
