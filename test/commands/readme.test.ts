/** The README's claims that a machine can check. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { COMMAND_NAMES } from '../../src/commands/index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}
/** Without the notes that it shows: they are about another project. */
const readme = read('README.md').replace(/^ {4}- .*$/gm, '');

describe('README', () => {
  test('names only commands that exist', () => {
    const named = new Set([...readme.matchAll(/`dripstone ([a-z]+)/g)].map((match) => match[1]!));
    expect([...named].filter((name) => !COMMAND_NAMES.includes(name))).toEqual([]);
  });

  test('names only make targets that exist, and the two first commands', () => {
    const makefile = read('Makefile');
    const named = [...readme.matchAll(/\bmake ([a-z]+)/g)].map((match) => match[1]!);
    expect(named).toEqual(expect.arrayContaining(['run', 'test']));
    expect(named.filter((name) => !new RegExp(`^${name}:`, 'm').test(makefile))).toEqual([]);
  });

  test('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !link.startsWith('http'));
    expect(links.filter((link) => !existsSync(root + link))).toEqual([]);
  });
});
