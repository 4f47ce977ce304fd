import { describe, expect, test } from 'vitest';
import { distillProject } from '../../src/distill/index.js';
import { candidate, event, material, shown } from './build.js';

const wish = (text: string, session: string, more: Parameters<typeof candidate>[0] = {}) => candidate({ text, key: text.toLowerCase(), alone: false, worth: 0.46, ...more, evidence: event({ session }) });
const live = (...candidates: ReturnType<typeof wish>[]) => shown(distillProject(material({ candidates })).lessons);

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
    expect(live(wish('Commit the change on a fresh branch from main', 's1', said), wish('Open a fresh branch from main and commit', 's2', said))).toEqual([]);
  });
});
