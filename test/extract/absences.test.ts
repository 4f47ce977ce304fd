import { describe, expect, test } from 'vitest';
import { absencesOf, commandsOf } from './door.js';
import { MadeSession } from './made-session.js';

function absent(session: MadeSession): [string | null, string | null][] {
  return absencesOf(session.input()).map((c) => [c.subject, c.value]);
}

describe('what tools showed to be missing', () => {
  test.each([
    ['cat docs/state.md', 'cat: docs/state.md: No such file or directory', [null, 'docs/state.md']],
    [
      "ls '/home/ana/shop/scripts/seed.sh'",
      "ls: cannot access '/home/ana/shop/scripts/seed.sh': No such file or directory",
      [null, 'scripts/seed.sh'],
    ],
    ['cd web && cat vite.config.js', 'cat: vite.config.js: No such file or directory', [null, 'web/vite.config.js']],
    ['node a.js', "Error: ENOENT: no such file or directory, open '/home/ana/shop/data/a.json'", [null, 'data/a.json']],
    ['acme build --fast', "error: unknown option '--fast'", ['acme', '--fast']],
  ])('%s', (command, output, expected) => {
    expect(absent(new MadeSession().fails(command, output))).toEqual([expected]);
  });

  test('evidence against, never a lesson', () => {
    expect(absencesOf(new MadeSession().fails('cat a/b.md', 'cat: a/b.md: No such file or directory').input())[0]).toMatchObject({
      alone: false,
      evidence: { supports: false, trust: 0.6 },
    });
  });

  test('nothing temporary, foreign or unnamed; nothing that the session has seen or made', () => {
    expect(absent(new MadeSession().fails('cat /tmp/x/a.md', 'cat: /tmp/x/a.md: No such file or directory'))).toEqual([]);
    expect(absent(new MadeSession().fails('cat /etc/hosts.d', 'cat: /etc/hosts.d: No such file or directory'))).toEqual([]);
    expect(absent(new MadeSession().fails('make docs', 'cp: guide.md: No such file or directory'))).toEqual([]);
    expect(
      absent(new MadeSession().fails('cat docs/state.md', 'cat: docs/state.md: No such file or directory').edit('docs/state.md')),
    ).toEqual([]);
  });
});

describe('commands that began to fail', () => {
  const denied = (session: MadeSession): unknown[] =>
    commandsOf(session.input())
      .filter((c) => !c.evidence.supports)
      .map((c) => [c.key, c.evidence.trust]);

  test('a step that only failed, twice, loses confidence; a check that fails tells of the code', () => {
    expect(
      denied(new MadeSession().fails('npm run seed', 'connection refused').fails('npm run seed', 'connection refused')),
    ).toEqual([['db:npm run seed', 0.4]]);
    expect(denied(new MadeSession().fails('npm run seed', 'connection refused'))).toEqual([]);
    expect(
      denied(new MadeSession().fails('npm run seed', 'refused').fails('npm run seed', 'refused').shell('npm run seed', 'done')),
    ).toEqual([]);
    expect(denied(new MadeSession().fails('npm test', '1 failed').fails('npm test', '1 failed'))).toEqual([]);
  });
});
