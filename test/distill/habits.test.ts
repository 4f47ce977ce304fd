import { describe, expect, test } from 'vitest';
import { distillProject } from '../../src/distill/index.js';
import { extractSession } from '../../src/extract/index.js';
import { MadeSession } from '../extract/made-session.js';
import { candidate, event, material, shown } from './build.js';

function wish(text: string, session: string, more: Parameters<typeof candidate>[0] = {}) {
  return candidate({ text, key: text.toLowerCase(), alone: false, worth: 0.46, ...more, evidence: event({ session }) });
}
function live(...candidates: ReturnType<typeof wish>[]) {
  return shown(distillProject(material({ candidates })).lessons);
}

describe('a wish told in other words in a second session', () => {
  test.each([
    ['Commit the change on a fresh branch from latest main', 'Open a fresh branch from latest main and commit'],
    ['Réponds avec un résumé court des fichiers changés', 'Termine avec un résumé court des fichiers'],
    ['在最新main的单独分支上提交这个修改', '在最新的main分支上开一个分支来提交修改'],
  ])('%s / %s', (one, other) => {
    expect(live(wish(one, 's1'), wish(other, 's2'))).toHaveLength(1);
    expect(live(wish(one, 's1'), wish(other, 's1'))).toEqual([]);
    expect(live(wish(other, 's2'), wish(one, 's1'))).toEqual(live(wish(one, 's1'), wish(other, 's2')));
  });

  test.each([
    ['Commit the change on a fresh branch from main', 'Draw the cart page in two columns'],
    ['Push the tests to port 8080 on the server', 'Push the tests to port 8081 on the server'],
    ['Add tests for the cart helpers', 'Never add tests for the cart helpers'],
    ['Run the linter', 'Run the tests'],
  ])('other wishes stay out: %s / %s', (one, other) => {
    expect(live(wish(one, 's1'), wish(other, 's2'))).toEqual([]);
  });

  test('an agent saying it twice makes no habit', () => {
    const said = { saidBy: 'agent' as const };
    expect(
      live(
        wish('Commit the change on a fresh branch from main', 's1', said),
        wish('Open a fresh branch from main and commit', 's2', said),
      ),
    ).toEqual([]);
  });
});

describe('names of branches', () => {
  const made = (id: string, ...branches: string[]) => {
    const session = new MadeSession(id);
    for (const branch of branches) session.shell(`git checkout -b ${branch}`, '');
    return extractSession({ ...session.input(), agent: 'codex' }).candidates.map((c) => ({
      ...c,
      project: material().project!.id,
    }));
  };
  const told = (...sessions: ReturnType<typeof made>[]) =>
    shown(distillProject(material({ candidates: sessions.flat() })).lessons).filter((text) => text.includes('branches'));

  test("are the project's when two sessions use them, whichever comes last", () => {
    const both = ['Work goes on branches of its own, named like `feat/…`, `fix/…`.'];
    expect(told(made('s1', 'feat/cart'), made('s2', 'fix/tax'))).toEqual(both);
    expect(told(made('s2', 'fix/tax'), made('s1', 'feat/cart'))).toEqual(both);
  });

  test("one person's or agent's prefix is not the project's when others are used", () => {
    expect(told(made('s1', 'ana/cart'), made('s2', 'fix/tax'), made('s3', 'codex/pay'), made('s4', 'fix/pay'))).toEqual([
      'Work goes on branches of its own, named like `fix/…`.',
    ]);
    expect(told(made('s1', 'ana/cart'), made('s2', 'codex/pay'))).toEqual([]);
    expect(told(made('s1', 'ana/cart'), made('s2', 'ana/pay'))).toEqual([
      'Work goes on branches of its own, named like `ana/…`.',
    ]);
  });
});
