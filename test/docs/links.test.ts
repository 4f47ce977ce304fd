/**
 * Pages name each other by their path, and so do comments: each must exist. A decision is a page,
 * not a notebook.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const filesBelow = (folder: string, end: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...filesBelow('docs', '.md'),
  ...filesBelow('models', 'README.md'),
];
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('every link between pages leads to a file', () => {
  const links = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) =>
      join(dirname(page), target!),
    ),
  );
  expect(links.length).toBeGreaterThan(15);
  expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every source that a page names by its whole path exists', () => {
  // Other folders of `src/` are another project's: samples and sources that are quoted.
  const folders = readdirSync(join(root, 'src')).map((name) => `src/${name}`);
  const named = pages
    .flatMap((page) =>
      [...read(page).matchAll(/\b(?:src|bench|test)\/[\w./-]+\.(?:tsx?|py|sql)\b/g)].map(
        ([path]) => path,
      ),
    )
    .filter(
      (path) =>
        // A place for a name that the reader chooses.
        !/NAME|GROUP/.test(path) &&
        (!path.startsWith('src/') ||
          folders.some((folder) => path === folder || path.startsWith(`${folder}/`))),
    );
  expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
