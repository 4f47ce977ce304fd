/** The program that a supervisor starts, and its name. */
import { EXIT } from '../errors.js';

export interface Program {
  /** Absolute path of node. */
  node: string;
  /** Absolute path of the compiled CLI. */
  cli: string;
  /** Variables that name folders; the supervisor passes no other variables. */
  env: Record<string, string>;
}

/** Name of the systemd unit and of the launchd agent. */
export const NAME = 'dripstone';

/**
 * Exit codes that a restart cannot fix: usage, second daemon, config, newer store, read-only home.
 */
export const NO_RESTART = [EXIT.usage, EXIT.daemonRuns, EXIT.config, EXIT.notWritable] as const;

/** Variables that change the home's place, and PATH, because a model may be a command. */
const KEPT = [
  ...['DRIPSTONE_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME'],
  ...['XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'PATH'],
];

export function keptEnvironment(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(KEPT.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** glibc gives each thread its own arena and keeps much of it; two arenas save memory. */
export const FEW_ARENAS: Record<string, string> = { MALLOC_ARENA_MAX: '2' };

/** Quotes one word for a POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What each exit code of the daemon means for the person who runs it. */
export function explainExit(code: number): string {
  const known: Record<number, string> = {
    [EXIT.error]: 'it met an error',
    [EXIT.usage]: 'it was started with wrong options: run `dripstone service install` again',
    [EXIT.daemonRuns]:
      'another daemon runs in this home: stop it (`dripstone status` names it), then start the service',
    [EXIT.config]:
      'config.yaml is invalid, or the store was written by a newer version: `dripstone status` says which',
    [EXIT.notWritable]: 'not writable: see `dripstone status --check`',
    [EXIT.internal]: 'an internal fault; it is started again',
    127: 'the program is gone: run `dripstone service install` again',
    203: 'node is no longer where it was: run `dripstone service install` again',
    137: 'it was killed (out of memory?)',
  };
  return known[code] ?? 'see its log';
}

// The file `dripstone` on PATH. Pure.

const HEAD = '# dripstone: made by `make install`, removed by `make uninstall`';

/** A script, not a link: it finds node without PATH, and a version manager cannot replace node. */
export function renderLauncher({ node, cli }: Pick<Program, 'node' | 'cli'>): string {
  return `#!/bin/sh\n${HEAD}\nexec ${shellWord(node)} ${shellWord(cli)} "$@"\n`;
}

/** The file's name; on Windows an earlier version wrote a different one. */
export const LAUNCHER = process.platform === 'win32' ? 'dripstone.cmd' : 'dripstone';

/** Whether a file on PATH is ours, so that it may be replaced or removed. */
export function isLauncher(text: string): boolean {
  return text.includes(HEAD.slice(2));
}
