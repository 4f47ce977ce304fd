/**
 * Sentences that a person typed once: offered in review, never twice, and a rule only when they say
 * so.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { says } from '../jobs/made-log.js';
import { type Stage, begunStage, openWeb } from '../stage.js';

const NAMES = [
  'alpha',
  'bravo',
  'delta',
  'gamma',
  'kappa',
  'lambda',
  'omega',
  'sigma',
  'theta',
  'zeta',
  'iota',
  'omicron',
];
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  const session = '11111111-1111-4111-8111-111111111111';
  stage.log({ session, cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
    ...NAMES.map((name) => says(`never delete \`${name}.lock\` by hand`)),
    says('is `make db` always needed?'),
    says('please fix the login page'),
  ]);
  expect((await stage.type('run')).out).toMatch(
    /^10 sentences of yours may become a rule: `.* review`$/m,
  );
});

interface Wish {
  text: string;
  day: string;
  path: string;
  line: number;
}
const offered = async (stage: Stage): Promise<Wish[]> =>
  (await stage.type('review', '--project', 'all', '--json')).json<{ wishes: Wish[] }>().wishes;
const rules = async (stage: Stage) =>
  (await stage.lessons('--project', 'all')).map(({ text, said_by: by }) => `${by}: ${text}`);

async function press(stage: Stage, keys: string[], line: string | null = null): Promise<string> {
  const left = [...keys];
  const { out } = await stage.typeAs(['review', '--project', 'all'], {
    terminal: true,
    outIsTerminal: true,
    key: () => Promise.resolve(left.shift() ?? null),
    ask: () => Promise.resolve(line),
  });
  return out;
}

test('a prohibition that names no command is asked for it, and is a rule without one, too', async () => {
  const stage = await begun();
  const session = '22222222-1111-4111-8111-111111111111';
  stage.log({ session, cwd: join(stage.home, 'shop'), day: '2026-11-19' }, [
    says('never create PRs'),
    says('no emojis please'),
  ]);
  await stage.type('run');
  const out = await press(stage, ['y', 'q'], 'gh pr create --draft');
  expect(out).toContain('taken: never create PRs\ncounted: gh pr create --draft\n');
  const listed = (await stage.type('rules', '--project', 'all', '--json')).json<{
    rules: { text: string; commands: string[] }[];
  }>().rules;
  expect(listed).toContainEqual(
    expect.objectContaining({ text: 'never create PRs', commands: ['gh pr create --draft'] }),
  );
});

test('ten a week at most, verbatim with their place; what is taken is the rule of the person, what is refused never comes again', async () => {
  const stage = await begun();
  const first = await offered(stage);
  expect(first).toHaveLength(10);
  expect(first[0]).toMatchObject({
    text: 'never delete `alpha.lock` by hand',
    day: '2026-11-18',
    line: 1,
  });
  expect(first[0]!.path).toMatch(/\.jsonl$/);
  expect(await rules(stage)).toEqual([]);
  expect((await stage.type('status', '--json')).json()).toMatchObject({
    review: { waiting: 0, wishes: 10 },
  });
  expect((await stage.type('status')).out).toContain('10 sentences of yours to look through');
  const out = await press(stage, ['y', 'n', 'e', 's', 'q'], 'never touch `delta.lock`');
  expect(out).toContain(`you typed: ${first[0]!.text}\n  2026-11-18 · `);
  expect((await rules(stage)).sort()).toEqual(
    [`user: ${first[0]!.text}`, 'user: never touch `delta.lock`'].sort(),
  );
  const decided = first.slice(0, 3).map(({ text }) => text);
  expect(await offered(stage)).toHaveLength(7);
  // A new week brings those that had no room, and none that was decided about, whatever is learnt
  // anew.
  stage.now = new Date('2026-11-28T12:00:00Z');
  await stage.type('run', '--rebuild');
  const later = (await offered(stage)).map(({ text }) => text);
  expect(later).toHaveLength(9);
  expect(later.filter((text) => decided.includes(text))).toEqual([]);
});

test('a pipe and an agent see them, and decide nothing', async () => {
  const stage = await begun();
  expect((await stage.type('review', '--project', 'all')).out.match(/you typed: /g)).toHaveLength(
    10,
  );
  stage.caller = { kind: 'agent', name: 'codex' };
  expect(await press(stage, ['y', 'n'])).toContain('you typed: ');
  expect(await rules(stage)).toEqual([]);
});

test('the page makes a rule of one as typed, never asks about another again, and takes both back', async () => {
  const stage = await begun();
  const web = openWeb(stage, { kind: 'person' });
  const wishes = async (): Promise<(Wish & { id: string; project: string })[]> =>
    (await web.page('GET', '/review')).body['wishes'];
  const [first, second] = await wishes();
  const added = await web.page('POST', '/lessons', {
    text: first!.text,
    kind: 'preference',
    project: first!.project,
  });
  await web.page('POST', `/review/${first!.id}`, { keep: true, wish: true });
  await web.page('POST', `/review/${second!.id}`, { keep: true, wish: true });
  await web.rest();
  expect(await rules(stage)).toEqual([`user: ${first!.text}`]);
  // Ten a week, decided ones among them.
  expect((await wishes()).map(({ text }) => text)).toHaveLength(8);
  await web.page('POST', '/undo', { id: added.body['id'] });
  for (const { id } of [first!, second!])
    await web.page('POST', `/review/${id}`, { keep: false, wish: true });
  expect((await wishes()).slice(0, 2)).toEqual([first, second]);
  await web.close();
  expect(await rules(stage)).toEqual([]);
});
