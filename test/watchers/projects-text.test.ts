import { describe, expect, test } from 'vitest';
import { folderKey } from '../../src/projects/folder-path.js';
import { slugOf } from '../../src/projects/plan-projects.js';
import { normaliseRemote } from '../../src/projects/remote.js';
import { worktreeOf } from '../../src/projects/group-folders.js';

describe('a remote', () => {
  test.each([
    ['git@github.com:ana/shop.git', 'github.com/ana/shop'],
    ['https://github.com/ana/shop', 'github.com/ana/shop'],
    ['https://ana:ghp_x@GitHub.com/ana/shop.git', 'github.com/ana/shop'],
    ['ssh://git@ssh.github.com:443/ana/shop.git', 'github.com/ana/shop'],
    ['ssh://git@git.example.org:7999/team/ana/shop.git', 'git.example.org/team/ana/shop'],
    ['https://gitlab.com/group/sub/shop/-/merge_requests/4', 'gitlab.com/group/sub/shop'],
    ['https://dev.azure.com/org/proj/_git/shop', 'dev.azure.com/org/proj/shop'],
    ['git@ssh.dev.azure.com:v3/org/proj/shop', 'dev.azure.com/org/proj/shop'],
    ['ana/shop', 'github.com/ana/shop'],
    ['/srv/git/shop.git', 'file:/srv/git/shop'],
    ['https://github.com/Ana/Shop', 'github.com/Ana/Shop'],
    ['../shop', null],
    ['', null],
  ])('%s is %s', (remote, expected) => expect(normaliseRemote(remote)).toBe(expected));
});

describe('a folder', () => {
  test.each([
    ['/home/ana/shop/', '/home/ana/shop'],
    ['/home/ana/./x/../shop', '/home/ana/shop'],
    ['C:\\Users\\Ana\\Shop', 'c:/users/ana/shop'],
    ['/mnt/c/Users/Ana/Shop', 'c:/users/ana/shop'],
    ['/odd\\name', '/odd\\name'],
    ['\\\\?\\C:\\Work\\Shop', 'c:/work/shop'],
    ['\\\\?\\UNC\\nas\\ana\\shop', '/nas/ana/shop'],
    ['\\\\nas\\ana\\shop', '/nas/ana/shop'],
    ['\\\\wsl$\\Ubuntu\\home\\ana\\shop', '/home/ana/shop'],
    ['/home/ana/gro\u0308\u00dfe', '/home/ana/gr\u00f6\u00dfe'],
  ])('%s is %s', (folder, key) => expect(folderKey(folder)).toBe(key));
});

const SEEN = new Set(['/home/ana/src/seen', '/home/ana/seen']);

describe('the path of a worktree', () => {
  test.each([
    ['/home/me/shop/.claude/worktrees/fix', '/home/me/shop', 'shop'],
    ['/home/me/shop/.worktrees/ana/long-branch', '/home/me/shop', 'shop'],
    ['/home/me/.codex/worktrees/0a6e/shop', null, 'shop'],
    ['/Users/ana/.cursor/worktrees/shop/x8f2a', null, 'x8f2a'],
    ['/home/ana/src/worktrees/shop/kind-canyon/shop', null, 'shop'],
    ['/data/me/.claude/worktrees/0a6e/shop', null, 'shop'],
    ['/home/ana/src/shop.worktrees/fix', '/home/ana/src/shop', 'shop'],
    ['/home/ana/seen_worktrees/fix', '/home/ana/seen', 'seen'],
    ['/home/ana/.claude-worktrees/shop/fix', null, 'shop'],
    ['/home/ana/conductor/workspaces/shop/fix', null, 'shop'],
  ])('%s lies in %s and is called %s', (key, repository, title) => {
    const found = worktreeOf(key, key.startsWith('/data') ? '/data/me' : '/home/me', SEEN);
    expect(found).toMatchObject({ repository, title });
  });
});

test('a slug is a safe name with as much of the id as it takes', () => {
  const id = '3fa9c01278aa0000';
  expect(slugOf('shop', id, new Set())).toBe('shop-3fa9');
  expect(slugOf('shop', id, new Set(['shop-3fa9']))).toBe('shop-3fa9c0');
  expect(slugOf('../../etc', id, new Set())).toBe('etc-3fa9');
  expect(slugOf('日本', id, new Set())).toBe('project-3fa9');
  expect(slugOf('.hidden name!', id, new Set())).toBe('hidden-name-3fa9');
  expect(slugOf('x'.repeat(300), id, new Set())).toHaveLength(45);
});
