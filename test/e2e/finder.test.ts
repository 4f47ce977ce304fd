/** `dripstone search` in a real terminal: tmux draws it, where it is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { samplesStage } from '../commands/begun-stage.js';

const cli = join(import.meta.dirname, '../../dist/cli.js');
const hasTmux = spawnSync('tmux', ['-V']).status === 0;
const SLOW = { timeout: 20_000, interval: 100 };

function openTerminal(home: string, stone: string, command: string) {
  const [server, socket] = [
    join(home, 'tmux.sock'),
    (...argv: string[]) => ['-S', join(home, 'tmux.sock'), '-f', '/dev/null', ...argv],
  ];
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    DRIPSTONE_HOME: stone,
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    NO_COLOR: '1',
  };
  const tmux = (...argv: string[]): string =>
    execFileSync('tmux', socket(...argv), { env, encoding: 'utf8' });
  tmux(
    'new-session',
    '-d',
    '-x',
    '100',
    '-y',
    '20',
    `sh -c '${command}; echo "ended with $?"; exec cat'`,
  );
  onTestFinished(() => void spawnSync('tmux', socket('kill-server'), { env }));
  return {
    server,
    keys: (...names: string[]) => tmux('send-keys', ...names),
    text: (text: string) => tmux('send-keys', '-l', text),
    resize: (columns: number, rows: number) =>
      tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    screen: () => tmux('capture-pane', '-p').split('\n'),
  };
}

test.skipIf(!hasTmux)(
  'typed, chosen, resized and printed in a terminal; the screen before it comes back',
  async () => {
    const stage = await samplesStage();
    const search = `"${process.execPath}" "${cli}" search --project all`;
    const terminal = openTerminal(stage.home, stage.stone, `echo before; ${search}`);
    const shows = (pattern: RegExp) =>
      vi.waitFor(() => expect(terminal.screen().join('\n')).toMatch(pattern), SLOW);
    await shows(/type words to search for/);
    terminal.text('generated client');
    await shows(/^> generated client\n\d+ hits/);
    expect(terminal.screen()[2]).toMatch(/^> \S.* claude-code 11-\d\d │ entry/);
    terminal.keys('Down');
    await shows(/\n {2}\S.*\n> \S.* 11-\d\d │/);
    terminal.resize(40, 16);
    await shows(/\n─{40}\n/);
    expect(terminal.screen()[3]).toMatch(/^> .{24,} 11-\d\d$/);
    terminal.keys('Enter');
    await shows(/^before\n1\. \[\w[\s\S]*\.jsonl:\d+\n[\s\S]*ended with 0\n/);
  },
  60_000,
);

test.skipIf(!hasTmux)(
  'Escape ends it at once, with 130',
  async () => {
    const stage = await samplesStage();
    const terminal = openTerminal(stage.home, stage.stone, `"${process.execPath}" "${cli}" search`);
    const shows = (pattern: RegExp) =>
      vi.waitFor(() => expect(terminal.screen().join('\n')).toMatch(pattern), SLOW);
    await shows(/type words to search for/);
    terminal.keys('Escape');
    await shows(/^ended with 130\n/);
  },
  60_000,
);
