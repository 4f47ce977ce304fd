import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeAll, lookAtOther } from '../../src/links/files.js';
import { addLink, dropLink, readLinks, renderLinks, type Link } from '../../src/links/registry.js';
import { testFolder } from '../folder.js';

test('what fails half-way is taken back: files, new files and folders', () => {
  const top = testFolder();
  const [first, third] = [join(top, 'a.md'), join(top, 'c.md')];
  writeFileSync(first, 'one');
  writeFileSync(third, 'three');
  const changes = [
    { file: lookAtOther(first), after: Buffer.from('ONE') },
    { file: lookAtOther(join(top, 'deep/er/b.md')), after: Buffer.from('TWO') },
    { file: lookAtOther(third), after: Buffer.from('THREE') },
  ];
  writeFileSync(third, 'somebody else was here');
  expect(() => changeAll(changes)).toThrow(/changed by somebody else/);
  expect(readFileSync(first, 'utf8')).toBe('one');
  expect(readFileSync(third, 'utf8')).toBe('somebody else was here');
  expect(readdirSync(top)).toEqual(['a.md', 'c.md']);
});

test('the registry is the same in any order of linking, and an unreadable one is empty', () => {
  const link = (repo: string | null, path: string): Link => ({
    repo,
    slug: 's',
    copy: false,
    folders: [],
    files: [{ agent: 'codex', path }],
  });
  const [a, b, global] = [
    link('/a', '/a/AGENTS.md'),
    link('/b', '/b/AGENTS.md'),
    link(null, '/h/.codex/AGENTS.md'),
  ];
  const text = (links: Link[]): string => renderLinks(links.reduce<Link[]>(addLink, []));
  expect(text([a, b, global])).toBe(text([global, b, a, a]));
  expect(
    addLink([a], { ...a, files: [{ agent: 'cursor', path: '/a/x.mdc' }] })[0]!.files,
  ).toHaveLength(2);
  expect(dropLink([a, global], null)).toEqual([a]);
  const file = join(testFolder(), 'links.json');
  expect(readLinks(file)).toEqual([]);
  writeFileSync(file, text([a, b]));
  expect(readLinks(file)).toEqual([a, b]);
  writeFileSync(file, '{"version":9}');
  expect(readLinks(file)).toEqual([]);
});
