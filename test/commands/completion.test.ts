/** What a shell completes: commands, their verbs and options. */
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { loadCommands } from '../../src/commands/index.js';
import { setStage } from '../stage.js';

const stage = setStage();
const names = (await loadCommands()).map(({ name }) => name);
const scriptOf = async (shell: string): Promise<string> =>
  (await stage.type('completion', shell)).out;

test.each(['bash', 'zsh', 'fish'])(
  '%s knows every command, its verbs and options',
  async (shell) => {
    const script = await scriptOf(shell);
    for (const name of names) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
    const words = /(?:lessons\).*|from lessons'.*)/.exec(script)![0];
    expect(words).toMatch(/list show why .*--project .*--help/);
    expect(/(?:search\).*|from search'.*)/.exec(script)![0]).not.toMatch(/ QUERY|"QUERY/);
  },
);

test('another word is wrong usage', async () => {
  expect(await stage.type('completion', 'tcsh')).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish') as string,
  });
});

const shells = ['bash', 'zsh', 'fish'].filter((name) => spawnSync(name, ['-c', '']).status === 0);
test.each(shells)('%s reads the script', async (shell) => {
  const parsed = spawnSync(shell, ['-n'], { input: await scriptOf(shell) });
  expect([parsed.status, parsed.stderr.toString()]).toEqual([0, '']);
});

test('bash offers what begins with the typed word', async () => {
  const script = `${await scriptOf('bash')}
    COMP_WORDS=(dripstone lessons --proj); COMP_CWORD=2; _dripstone; echo "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe('--project\n');
});
