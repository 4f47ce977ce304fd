import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exitsOf, renderHelp } from '../../src/command.js';
import { loadCommands } from '../../src/commands/index.js';
import { REMOVED } from '../../src/commands/index.js';
import { setStage } from '../stage.js';

const commands = await loadCommands();
const manual = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
describe('commands', () => {
  test.each(commands.map((command) => [command.name, command] as const))(
    '%s explains its options and exit codes',
    (name, command) => {
      expect(renderHelp(command)).toMatch(/exit codes:\n\s+0\s+/);
      expect(renderHelp(command)).toMatch(new RegExp(`examples:\\n[\\s\\S]*dripstone ${name}`));
      expect(
        exitsOf(command)
          .map(([, text]) => text)
          .every((text) => text.length > 3),
      ).toBe(true);
      for (const option of Object.keys(command.options))
        expect(renderHelp(command)).toContain(`--${option}`);
    },
  );

  test('`help --all` has the help of each command', async () => {
    const { out } = await setStage().type('help', '--all');
    for (const command of commands) expect(out).toContain(renderHelp(command));
  });

  test('every sentence of `status` that names a code is in the manual', () => {
    const table = readFileSync(
      new URL('../../src/jobs/upkeep/status-rows.ts', import.meta.url),
      'utf8',
    );
    const codes = new Set([...table.matchAll(/\brow\(\s*'(\w+)'/g)].map((match) => match[1]!));
    expect(codes.size).toBeGreaterThan(10);
    expect([...codes].filter((code) => !manual.includes(`\`${code}\``))).toEqual([]);
  });

  test('every exit code of the code is in the manual', () => {
    const codes = new Set(commands.flatMap((command) => exitsOf(command).map(([code]) => code)));
    expect([...codes].filter((code) => !new RegExp(`^\\| ${code} \\|`, 'm').test(manual))).toEqual(
      [],
    );
  });
});

describe('typing', () => {
  const stage = setStage();

  test.each([
    [[], 2, 'usage: dripstone'],
    [['--help'], 0, 'usage: dripstone'],
    [['help', 'run'], 0, 'exit codes'],
    [['search', '--help'], 0, 'exit codes'],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
  ])('%j', async (argv, code, text) => {
    const said = await stage.type(...argv);
    expect(said.code).toBe(code);
    expect(said.out).toMatch(text);
  });

  test.each([
    [['serach', 'x'], 'did you mean `dripstone search`'],
    [['search', '--limt', '3', 'x'], 'did you mean --limit'],
    [['search'], 'search "some words"'],
    [['search', 'x', '--limit', 'many'], '--help'],
    [['search', 'x', '--mode', 'magic'], 'hybrid'],
    [['search', 'x', '--kind', 'gotchas'], 'gotcha'],
    [['search', 'x', '--role', 'robot'], 'tool_result'],
    [['search', 'x', '--since', '2026-02-30'], 'year, month and day'],
    [['model', 'use'], 'dripstone model'],
    [['help', 'serach'], 'did you mean `dripstone search`'],
    [['lessons', 'edit', 'k3f', ' '], 'lessons forget'],
    [['lessons', 'burn'], 'forget'],
    [['lessons', 'show'], 'lessons show ID'],
    [['run', '--only', 'ingest,dance'], 'extract'],
    [['context', '--project', 'nowhere'], 'dripstone run'],
  ])('%j is a usage error that ends in the next step', async (argv, hint) => {
    const said = await stage.type(...argv);
    expect(said.code).toBe(2);
    expect(said.out).toBe('');
    expect(said.err).toContain('next:');
    expect(said.err).toContain(hint);
  });

  test.each([[['search', 'x']], [['show', 'abcdef']], [['lessons', 'list']]])(
    '%j without a store is exit 10',
    async (argv) => {
      const said = await stage.type(...argv);
      expect([said.code, said.out]).toEqual([10, '']);
      expect(said.err).toContain('dripstone run');
    },
  );

  test('context, status and its check have an answer without a store', async () => {
    expect((await stage.type('context', '--json')).json()).toMatchObject({
      version: 1,
      project: null,
      path: `${stage.stone}/global/context.md`,
    });
    expect((await stage.type('status', '--json')).json()).toMatchObject({
      version: 1,
      daemon: null,
      sources: [],
      store: { bytes: 0, entries: 0, lessons: 0 },
    });
    const checked = await stage.type('status', '--check', '--json');
    expect(checked.code).toBe(1);
    expect(
      checked
        .json<{ checks: { name: string; ok: boolean; cure: string | null }[] }>()
        .checks.find((check) => check.name === 'logs'),
    ).toMatchObject({ ok: false, cure: expect.stringContaining('agents.roots') as string });
  });

  test('switched off, run and crystallize write nothing, and have an object for programs', async () => {
    const off = setStage({ config: 'enabled: false\n' });
    for (const command of ['run', 'crystallize']) {
      expect((await off.type(command, '--json')).json()).toMatchObject({
        version: 1,
        files: null,
        notes: [expect.stringContaining('switched off')],
      });
      expect(await off.type(command)).toMatchObject({
        code: 0,
        out: '',
        err: expect.stringContaining('switched off') as string,
      });
    }
    expect(off.has('memory.duckdb')).toBe(false);
  });

  test('without any log run says in one line what it looked for, and exits 0', async () => {
    const said = await stage.type('run');
    expect(said.code).toBe(0);
    expect(said.out.split('\n')[0]).toMatch(/no session logs were found: .*claude-code, codex/);
  });
});

test.each(Object.entries(REMOVED))(
  '%s was removed, and names what replaces it',
  async (name, successor) => {
    const stage = setStage();
    const said = await stage.type(name, '--json');
    expect(said.code).toBe(2);
    expect(said.err).toContain(successor);
    expect(commands.map((command) => command.name)).not.toContain(name);
  },
);
