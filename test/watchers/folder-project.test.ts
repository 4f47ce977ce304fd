import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lookAtFolder, mergeFacts } from '../../src/projects/folder-project.js';
import { createIgnoredPath } from '../../src/watchers/index.js';
import { put, testFolder } from '../folder.js';

const CONFIG =
  '[core]\n\tbare = false\n[remote "up"]\n\turl = https://github.com/up/shop.git\n[remote "origin"]\n\turl = git@github.com:ana/shop.git\n\tfetch = x\n';
const REPO = { 'shop/.git/HEAD': 'ref: refs/heads/main\n', 'shop/.git/config': CONFIG };

describe('a folder', () => {
  test('in a repository: top, common folder, remote', () => {
    const at = testFolder({ ...REPO, 'shop/web/src/a.ts': '' });
    expect(lookAtFolder(join(at, 'shop/web/src'))).toEqual({
      folder: join(at, 'shop/web/src'),
      exists: true,
      top: join(at, 'shop'),
      commonDir: join(at, 'shop/.git'),
      main: join(at, 'shop'),
      remote: 'github.com/ana/shop',
      loggedRemotes: {},
      belongsTo: [],
    });
  });

  test("with FIFOs in the place of git's files is looked at without waiting for their writers", () => {
    const at = testFolder(REPO);
    mkdirSync(join(at, 'shop/.git/logs'));
    mkdirSync(join(at, 'odd/.git/info'), { recursive: true });
    for (const name of [
      'shop/.git/logs/HEAD',
      'odd/.git/HEAD',
      'odd/.git/config',
      'odd/.git/info/exclude',
      'odd/.gitignore',
    ])
      execFileSync('mkfifo', [join(at, name)]);
    expect(lookAtFolder(join(at, 'shop'))).toMatchObject({ remote: 'github.com/ana/shop' });
    expect(lookAtFolder(join(at, 'odd'))).toMatchObject({ exists: true, remote: null });
    expect(createIgnoredPath(() => join(at, 'odd'))(join(at, 'odd/a'), null)).toBe(false);
  });

  test('with a config of one endless line is looked at in time', () => {
    for (const unit of ['\t', ' ', '[', 'url=', '"'])
      for (const lines of [
        `url=${unit.repeat(250_000 / unit.length)}\u2028=\n`,
        `url=${unit.repeat(1000)}=\r!\n`.repeat(60),
      ]) {
        const at = testFolder({
          'shop/.git/HEAD': 'x',
          'shop/.git/config': `[remote "origin"]\n${lines}`,
        });
        const { user } = process.cpuUsage();
        lookAtFolder(join(at, 'shop'));
        expect((process.cpuUsage().user - user) / 1e6).toBeLessThan(1);
      }
  });

  test('that is a worktree knows its repository', () => {
    const at = testFolder({ ...REPO, 'shop/.git/worktrees/fix/commondir': '../..\n' });
    put(join(at, 'wt/fix/.git'), `gitdir: ${at}/shop/.git/worktrees/fix\n`);
    expect(lookAtFolder(join(at, 'wt/fix'))).toMatchObject({
      top: join(at, 'wt/fix'),
      main: join(at, 'shop'),
      remote: 'github.com/ana/shop',
    });
  });

  test('that is a submodule is a repository of its own', () => {
    const at = testFolder({
      ...REPO,
      'shop/lib/.git': 'gitdir: ../.git/modules/lib\n',
      'shop/.git/modules/lib/HEAD': 'x',
      'shop/.git/modules/lib/config':
        '[remote "origin"]\nurl = "https://example.org/ana/lib.git"\n',
    });
    expect(lookAtFolder(join(at, 'shop/lib'))).toMatchObject({
      top: join(at, 'shop/lib'),
      main: join(at, 'shop/lib'),
      remote: 'example.org/ana/lib',
    });
  });

  test('that a link leads to belongs to what it is', () => {
    const at = testFolder({ ...REPO, 'notes/a.md': '' });
    for (const name of ['shop', 'notes']) symlinkSync(join(at, name), join(at, `to-${name}`));
    expect(lookAtFolder(join(at, 'to-notes')).belongsTo).toEqual([join(at, 'notes')]);
    expect(lookAtFolder(join(at, 'to-shop'))).toMatchObject({ main: join(at, 'shop') });
  });

  test('without git, gone, relative, or a broken repository', () => {
    const at = testFolder({ 'plain/a': '', 'broken/.git': 'nonsense', 'empty/.git/x': '' });
    expect(lookAtFolder(join(at, 'plain'))).toMatchObject({
      exists: true,
      top: null,
      remote: null,
    });
    expect(lookAtFolder(join(at, 'gone'))).toMatchObject({ exists: false });
    expect(lookAtFolder('plain')).toMatchObject({ exists: false });
    expect(lookAtFolder('//host/share')).toMatchObject({ exists: false });
    expect(lookAtFolder(join(at, 'plain/a'))).toMatchObject({ exists: false });
    expect(lookAtFolder(join(at, 'broken'))).toMatchObject({ exists: true, commonDir: null });
    expect(lookAtFolder(join(at, 'empty'))).toMatchObject({ exists: true, commonDir: null });
  });

  test('keeps what was seen before it vanished, and all that logs said', () => {
    const at = testFolder(REPO);
    const before = {
      ...lookAtFolder(join(at, 'shop')),
      loggedRemotes: { 'a/b/c': 2 },
      belongsTo: ['/x'],
    };
    rmSync(join(at, 'shop'), { recursive: true });
    const now = {
      ...lookAtFolder(join(at, 'shop')),
      loggedRemotes: { 'a/b/c': 1, 'd/e/f': 1 },
      belongsTo: ['/y'],
    };
    expect(mergeFacts(before, now)).toEqual({
      ...before,
      exists: false,
      loggedRemotes: { 'a/b/c': 2, 'd/e/f': 1 },
      belongsTo: ['/x', '/y'],
    });
    expect(mergeFacts(null, now)).toBe(now);
  });
});

describe('ignored paths', () => {
  const rulesIn = (files: Record<string, string>) => {
    const at = testFolder({ ...REPO, ...files });
    const ignored = createIgnoredPath(
      (folder) =>
        lookAtFolder(folder).top ?? (folder.startsWith(join(at, 'shop')) ? join(at, 'shop') : null),
    );
    return (path: string, cwd: string | null = join(at, 'shop')) =>
      ignored(path.replace('@', at), cwd);
  };

  test('are those of .gitignore, .secretsignore, .dripstoneignore and info/exclude', () => {
    const ignored = rulesIn({
      'shop/.gitignore': 'dist/\n*.log\n!keep.log\n',
      'shop/.secretsignore': 'vault.json\n',
      'shop/.dripstoneignore': '/private\n',
      'shop/.git/info/exclude': 'mine.txt\n',
    });
    for (const path of [
      'dist/a.js',
      '@/shop/dist/x/y.js',
      'a.log',
      'web/b.log',
      'vault.json',
      'private/x',
      'mine.txt',
      './dist/../a.log',
    ])
      expect(ignored(path), path).toBe(true);
    for (const path of [
      'src/a.ts',
      'keep.log',
      'web/private/x',
      '../outside.log',
      '/etc/passwd',
      '@/shop',
    ])
      expect(ignored(path), path).toBe(false);
  });

  test('the nearest folder that says anything decides; an ignored folder ignores all below it', () => {
    const ignored = rulesIn({
      'shop/.gitignore': '*.env\nbuild/\n',
      'shop/web/.gitignore': '!public.env\n*.tmp\n',
      'shop/build/.gitignore': '!x\n',
    });
    expect(ignored('web/public.env')).toBe(false);
    expect(ignored('web/secret.env')).toBe(true);
    expect(ignored('web/a.tmp')).toBe(true);
    expect(ignored('a.tmp')).toBe(false);
    expect(ignored('build/x')).toBe(true);
  });

  test('lines with more than four stars are left out, and a path of thousands of folders is ignored', () => {
    const ignored = rulesIn({
      'shop/.gitignore': `${'**/a/'.repeat(14)}b\n${'*a'.repeat(2000)}b\n`,
    });
    const started = process.cpuUsage();
    expect(ignored(`${'a/'.repeat(40)}c.ts`)).toBe(false);
    expect(ignored(`${'a/'.repeat(20)}b`)).toBe(false);
    expect(ignored('a'.repeat(250))).toBe(false);
    expect(ignored(`${'a/'.repeat(2000)}c.ts`)).toBe(true);
    expect(ignored(`${'a/'.repeat(500_000)}c.ts`)).toBe(false);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
