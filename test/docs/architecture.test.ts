/**
 * docs/architecture.md names files; each must exist, and a walk that leaves a module out would send
 * a reader searching.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const top = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(top, 'docs/architecture.md'), 'utf8');

test('every file that the page names exists', () => {
  const named = [...page.matchAll(/`(src\/[\w/.-]+)`/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(top, path)))).toEqual([]);
});

test('every module stands in the drawing', () => {
  const drawing = page.slice(page.indexOf('```'), page.lastIndexOf('```'));
  const modules = readdirSync(join(top, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(modules.filter((name) => name !== 'types' && !drawing.includes(`${name}/`))).toEqual([]);
});
