import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Project } from '../../src/types.js';
import type { FolderFacts } from '../../src/projects/folder-project.js';
import { planProjects } from '../../src/projects/plan-projects.js';
import { runs } from '../runs.js';

const HOME = '/home/me';

const UNKNOWN = { top: null, commonDir: null, main: null, remote: null };
function facts(folder: string, more: Partial<FolderFacts> = {}): FolderFacts {
  return { folder, exists: false, ...UNKNOWN, loggedRemotes: {}, belongsTo: [], ...more };
}
/** A folder in a repository that is there: by default its top, whose remote is at GitHub. */
function repo(folder: string, at: string | null = null, top = folder, main = top): FolderFacts {
  const remote = at === null ? null : `github.com/${at}`;
  return facts(folder, { exists: true, top, main, commonDir: `${main}/.git`, remote });
}
function logged(folder: string, remotes: Record<string, number>): FolderFacts {
  const named = Object.entries(remotes).map(([at, count]) => [`github.com/${at}`, count]);
  return facts(folder, { loggedRemotes: Object.fromEntries(named) as Record<string, number> });
}
function plan(folders: FolderFacts[], known: Project[] = [], names: Record<string, string[]> = {}) {
  return planProjects(folders, known, names, HOME);
}

/** Names of the folders of each project, sorted. */
function groups(
  folders: FolderFacts[],
  known: Project[] = [],
  names: Record<string, string[]> = {},
): string[][] {
  const { folderToProject } = plan(folders, known, names);
  const byId = new Map<string, string[]>();
  for (const [folder, id] of folderToProject)
    byId.set(id, [...(byId.get(id) ?? []), folder].sort());
  return [...byId.values()].sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
}

describe('one project are', () => {
  test('a repository, its sub-folders and its worktrees', () => {
    const folders = [
      repo('/home/me/shop'),
      repo('/home/me/shop/web', null, '/home/me/shop'),
      repo('/home/me/wt/fix', null, '/home/me/wt/fix', '/home/me/shop'),
    ];
    expect(groups(folders)).toHaveLength(1);
    expect(plan(folders).projects[0]).toMatchObject({
      name: 'shop',
      slug: expect.stringMatching(/^shop-[0-9a-f]{4}$/),
      remote: null,
    });
  });

  test('clones with the same remote, whatever they are called', () => {
    const folders = [repo('/home/me/shop', 'ana/shop'), repo('/srv/other', 'Ana/Shop')];
    expect(groups(folders)).toHaveLength(1);
    const known = { name: 'shop', remote: 'github.com/ana/shop' };
    expect(plan(folders).projects[0]).toMatchObject(known);
  });

  test('vanished worktrees of one name under one home, and the folder of that name', () => {
    const folders = [
      facts('/home/me/.codex/worktrees/0a6e/shop'),
      facts('/home/me/.codex/worktrees/77aa/shop'),
      facts('/home/me/.codex/worktrees/77ab/shop/src'),
      repo('/home/me/src/shop', 'ana/shop'),
    ];
    expect(groups(folders)).toHaveLength(1);
    expect(groups([...folders, facts('/home/ana/.codex/worktrees/1111/shop')])).toHaveLength(2);
    expect(groups([...folders, facts('/home/me/.codex/worktrees/0a6e/api')])).toHaveLength(2);
  });

  test('vanished folders for which the logs name one remote', () => {
    const folders = [
      logged('/a/one', { 'ana/shop': 1 }),
      logged('/b/two', { 'ana/shop': 3, 'ana/fork': 1 }),
    ];
    expect(groups(folders)).toHaveLength(1);
    expect(plan(folders).projects[0]!.name).toBe('shop');
  });

  test('a repository, a link to it, what is gone below it, and worktrees that are gone in it, beside it and with agents', () => {
    const folders = [
      repo('/home/me/shop'),
      facts('/home/me/link', { exists: true, belongsTo: ['/home/me/shop'] }),
      facts('/home/me/shop/gone/deeper'),
      facts('/home/me/shop/.claude/worktrees/fix'),
      facts('/home/me/shop/.worktrees/ana/fix'),
      facts('/home/me/shop.worktrees/fix'),
      facts('/home/me/shop_worktrees/fix'),
      facts('/home/me/.claude-worktrees/shop/fix'),
      facts('/home/me/copilot-worktrees/shop/fix'),
      facts('/home/me/conductor/workspaces/shop/lima'),
      facts('/tmp/worktrees/shop/fix'),
    ];
    for (const each of folders) expect(groups([folders[0]!, each]), each.folder).toHaveLength(1);
    expect(groups(folders)).toHaveLength(1);
  });

  test('the same folder in the spelling of two systems', () => {
    expect(
      groups([
        facts('C:\\Users\\Ana\\shop'),
        facts('/mnt/c/Users/ana/shop'),
        facts('c:/users/ana/shop'),
      ]),
    ).toHaveLength(1);
  });
});

describe('not one project are', () => {
  test.each<[string, FolderFacts[]]>([
    [
      'folders without git, though one lies in the other',
      [facts('/home/me/work', { exists: true }), facts('/home/me/work/shop', { exists: true })],
    ],
    [
      'folders of one name with two remotes',
      [repo('/a/shop', 'ana/shop'), repo('/b/shop', 'ben/x')],
    ],
    [
      'the home and what was started from it',
      [
        { ...logged(HOME, { 'ana/shop': 9 }), exists: true },
        facts('/home/me/x', { belongsTo: [HOME] }),
        repo('/home/me/shop', 'ana/shop'),
      ],
    ],
    [
      'a home under git and the folders in it',
      [repo(HOME, 'me/dotfiles'), repo('/home/me/notes', 'me/dotfiles', HOME)],
    ],
    [
      "anybody's home and the repository that a shell came from or went to",
      [
        facts('/Users/ana', { exists: true }),
        { ...repo('/Users/ana/Work/repo'), belongsTo: ['/Users/ana'] },
        facts('/Users/ana/notes', { belongsTo: ['/Users/ana', '/Users'] }),
        facts('C:\\Users\\x'),
        facts('c:/Users/x/shop', { belongsTo: ['C:\\Users\\x'] }),
        facts('/root'),
        facts('/root/y', { belongsTo: ['/root'] }),
      ],
    ],
    ['vanished plain folders of one name', [facts('/home/me/a/shop'), facts('/home/me/b/shop')]],
    [
      'a folder whose own remote differs from one that a log names',
      [
        repo('/a/shop', 'ana/shop'),
        { ...repo('/b/fork', 'ben/fork'), loggedRemotes: { 'github.com/ana/shop': 5 } },
      ],
    ],
  ])('%s', (_, folders) => expect(groups(folders)).toHaveLength(folders.length));

  test('loose worktrees and two projects that share their name', () => {
    const found = groups([
      repo('/home/me/a/shop', 'ana/shop'),
      repo('/home/me/b/shop', 'ben/shop'),
      facts('/home/me/.codex/worktrees/0a6e/shop'),
      facts('/home/me/.codex/worktrees/77aa/shop'),
    ]);
    expect(found.map((group) => group.length).sort()).toEqual([1, 1, 2]);
  });
});

describe('the id is fixed at first sight', () => {
  test('a remote that comes later, and another name, are aliases', () => {
    const first = plan([repo('/home/me/shop')]).projects;
    const withRemote = plan([repo('/home/me/shop', 'ana/shop')], first).projects;
    expect(withRemote).toMatchObject([
      { id: first[0]!.id, slug: first[0]!.slug, remote: 'github.com/ana/shop' },
    ]);
    const renamed = plan([repo('/home/me/shop', 'ana/store')], withRemote).projects;
    expect(renamed).toMatchObject([
      {
        id: first[0]!.id,
        name: 'shop',
        remote: 'github.com/ana/shop',
        aliases: ['github.com/ana/store', 'store'],
      },
    ]);
    // A clone under the old remote is still the same project.
    expect(
      groups([repo('/home/me/shop', 'ana/store'), repo('/b', 'ana/shop')], renamed),
    ).toHaveLength(1);
  });

  test('a folder that turns out to be another repository leaves; the id stays with the remote', () => {
    const known: Project[] = [
      {
        id: '00000000000000aa',
        slug: 'shop-0000',
        name: 'shop',
        remote: 'github.com/ana/shop',
        folders: ['/a', '/b'],
        aliases: [],
      },
    ];
    const { folderToProject } = plan([repo('/a', 'ana/shop'), repo('/b', 'ben/other')], known);
    expect(folderToProject.get('/a')).toBe('00000000000000aa');
    expect(folderToProject.get('/b')).not.toBe('00000000000000aa');
  });

  test('a project of which a crystal alone is left, without its folders, is the one that its folder made', () => {
    const [before] = plan([facts('/x')]).projects as [Project];
    const again = plan([facts('/x'), facts('/y')], [{ ...before, folders: [] }]);
    expect(again.folderToProject.get('/x')).toBe(before.id);
    expect(again.projects.find(({ id }) => id === before.id)!.slug).toBe(before.slug);
    expect(again.projects).toHaveLength(2);
  });
});

describe('for any set of folders', () => {
  const place = fc.constantFrom(
    HOME,
    '/home/me/shop',
    '/home/me/shop/web',
    '/home/me/api',
    '/home/me/src/shop',
    '/home/ana/shop',
    '/srv/shop',
    'C:\\work\\shop',
    '/mnt/c/work/shop',
    '/home/me/.codex/worktrees/0a6e/shop',
    '/home/me/.codex/worktrees/77aa/shop',
    '/home/me/.codex/worktrees/77aa/api',
    '/home/me/shop/.claude/worktrees/x',
    '/home/me/src/worktrees/shop/a/shop',
    '/home/ana/worktrees/shop',
    '/',
  );
  const remote = fc.constantFrom('ana/shop', 'ben/shop', 'ana/api');
  const folder: fc.Arbitrary<FolderFacts> = fc
    .record({
      at: place,
      exists: fc.boolean(),
      git: fc.boolean(),
      remote: fc.option(remote),
      remotes: fc.dictionary(remote, fc.integer({ min: 1, max: 3 }), { maxKeys: 2 }),
      belongsTo: fc.uniqueArray(place, { maxLength: 1 }),
    })
    .map(({ at, exists, git, remote: own, remotes, belongsTo }) => ({
      ...(exists && git ? repo(at, own) : facts(at, { exists })),
      loggedRemotes: logged(at, remotes).loggedRemotes,
      belongsTo,
    }));
  const set = fc.uniqueArray(folder, { selector: (each) => each.folder, maxLength: 12 });
  const names = fc.constantFrom<Record<string, string[]>>(
    {},
    { store: ['~/src/*', '/srv/*'] },
    { a: ['shop'], b: ['~/api'] },
  );

  test('order leaves no trace, and a second look changes nothing', () => {
    fc.assert(
      fc.property(set, fc.infiniteStream(fc.nat()), names, (folders, random, config) => {
        const once = plan(folders, [], config);
        const keys = new Map(folders.map((each) => [each, random.next().value as number]));
        const shuffled = [...folders].sort((a, b) => keys.get(a)! - keys.get(b)!);
        const again = plan(shuffled, [], config);
        expect(again.projects).toEqual(once.projects);
        expect(new Map([...again.folderToProject].sort())).toEqual(
          new Map([...once.folderToProject].sort()),
        );
        const second = plan(shuffled, once.projects, config);
        expect(second.projects).toEqual(once.projects);
        const knownShuffled = plan(folders, [...once.projects].reverse(), config);
        expect(knownShuffled).toEqual(plan(folders, once.projects, config));
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  test('every folder has a project, ids and slugs are its own', () => {
    fc.assert(
      fc.property(set, names, (folders, config) => {
        const { projects, folderToProject } = plan(folders, [], config);
        expect([...folderToProject.keys()].sort()).toEqual(
          folders.map((each) => each.folder).sort(),
        );
        expect(new Set(projects.map((project) => project.id)).size).toBe(projects.length);
        expect(new Set(projects.map((project) => project.slug)).size).toBe(projects.length);
        expect(projects.flatMap((project) => project.folders).sort()).toEqual(
          folders.map((each) => each.folder).sort(),
        );
        for (const { slug } of projects)
          expect(slug).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*-[0-9a-f]{4,16}$/);
      }),
      { numRuns: runs(150, 1_500) },
    );
  });
});

test('joined one after the other, parted and joined anew: each name and slug leads to the one project that has it now', () => {
  const folders = ['a', 'b', 'c'].map((name) => repo(`/home/me/${name}`, `ana/${name}`));
  const at = (...names: string[]): string[] => names.map((name) => `/home/me/${name}`);
  const [a, b, c] = plan(folders).projects.sort((x, y) => (x.name < y.name ? -1 : 1)) as [
    Project,
    Project,
    Project,
  ];
  const led = (known: Project[], word: string): string[] =>
    known
      .filter(
        ({ folders: own, name, slug, aliases }) =>
          own.length > 0 && [name, slug, ...aliases].includes(word),
      )
      .map(({ id }) => id);
  const joined = plan(folders, [a, b, c], { a: at('a', 'b') }).projects;
  const all = plan(folders, joined, { c: at('a', 'b', 'c') }).projects;
  for (const word of [a, b, c].flatMap(({ name, slug }) => [name, slug]))
    expect(led(all, word)).toEqual([c.id]);
  const apart = plan(folders, all).projects;
  for (const { id, name, slug } of [a, b, c])
    for (const word of [name, slug]) expect(led(apart, word)).toEqual([id]);
  const again = plan(folders, apart, { a: at('a', 'b') }).projects;
  for (const word of [b.name, b.slug]) expect(led(again, word)).toEqual([a.id]);
});
