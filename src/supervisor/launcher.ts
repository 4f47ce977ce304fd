/** The file `dripstone` on PATH. Pure. */
import { shellWord, type Program } from './program.js';

const HEAD = '# dripstone: made by `make install`, removed by `make uninstall`';

/** A script rather than a link: it finds node without PATH, and follows no version manager into another one. */
export function renderLauncher({ node, cli }: Pick<Program, 'node' | 'cli'>, platform: string): string {
  return platform === 'win32'
    ? `@rem ${HEAD.slice(2)}\r\n@"${node}" "${cli}" %*\r\n`
    : `#!/bin/sh\n${HEAD}\nexec ${shellWord(node)} ${shellWord(cli)} "$@"\n`;
}

export function launcherName(platform: string): string {
  return platform === 'win32' ? 'dripstone.cmd' : 'dripstone';
}

/** Whether a file on PATH is ours to replace or remove. */
export function isLauncher(text: string): boolean {
  return text.includes(HEAD.slice(2));
}
