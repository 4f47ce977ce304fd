/** What is new is looked through by single keys; a pipe and an agent get the list. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { says } from '../jobs/made-log.js';
import { type Stage, begunStage } from '../stage.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  stage.log({ session: SESSION, cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
    says('Remember: always use pnpm instead of npm in this repository.'),
    says('Remember: never push to main directly in this repository.'),
    says('Remember: never commit generated files in this repository.'),
  ]);
  await stage.type('run');
});

/**
 * A person at a terminal who presses these keys; asked for a line they type one of these, or cancel
 * it.
 */
async function press(
  stage: Stage,
  keys: string[],
  lines: (string | null)[] = [],
  screen = { columns: 200, rows: 50 },
) {
  const left = [...keys];
  return stage.typeAs(['review', '--project', 'all'], {
    terminal: true,
    outIsTerminal: true,
    screen,
    key: () => Promise.resolve(left.shift() ?? null),
    ask: () => Promise.resolve(lines.shift() ?? null),
  });
}
const waiting = async (stage: Stage): Promise<string[]> =>
  (await stage.type('review', '--project', 'all', '--json'))
    .json<{ waiting: { text: string }[] }>()
    .waiting.map(({ text }) => text);
const shown = async (stage: Stage): Promise<string> =>
  (await stage.type('lessons', 'list', '--project', 'all')).out;

test('keep, forget, edit and pin by one key; what was decided does not come again, status says how many wait', async () => {
  const stage = await begun();
  const [first, second, third, ...rest] = await waiting(stage);
  expect([typeof third, rest]).toEqual(['string', []]);
  expect((await stage.type('status')).out).toContain(
    '3 lessons to look through: `dripstone review`',
  );
  const said = await press(stage, ['x', 'k', 'f', 'q']);
  expect(said).toMatchObject({ code: 0 });
  expect(said.out).toContain('evidence:');
  expect(said.out).toContain(`forgotten: ${second}`);
  expect(said.out).toContain('2 lessons looked through, 1 left');
  expect(await waiting(stage)).toEqual([third]);
  expect(await shown(stage)).toContain(first);
  expect(await shown(stage)).not.toContain(second);
  await press(stage, ['e'], ['Ship on Mondays only.']);
  expect(await shown(stage)).toContain('Ship on Mondays only.');
  expect((await press(stage, [])).out).toBe('nothing new to look through\n');
  expect((await stage.type('status', '--json')).json()).toMatchObject({ review: { waiting: 0 } });
});

test('undo takes back the last decision, whatever it was, and that one alone', async () => {
  const stage = await begun();
  const before = await shown(stage);
  const said = await press(stage, ['k', 'f', 'u', 'u', 'u', 'p', 'u', 'q']);
  expect(said.out.match(/taken back/g)).toHaveLength(3);
  expect(said.err).toContain('nothing to undo');
  expect(await waiting(stage)).toHaveLength(3);
  expect(await shown(stage)).toBe(before);
});

test('a pipe and an agent get the list, and nothing counts as looked at; Ctrl-C ends it', async () => {
  const stage = await begun();
  expect((await stage.type('review', '--project', 'all')).out.match(/evidence:/g)).toHaveLength(3);
  stage.caller = { kind: 'agent', name: 'codex' };
  expect((await press(stage, ['f'])).out.match(/evidence:/g)).toHaveLength(3);
  stage.caller = { kind: 'person' };
  expect(await press(stage, ['\u0003', 'f'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('3 left') as string,
  });
  // What was pasted is no key.
  await press(stage, ['fff', 'q']);
  expect(await waiting(stage)).toHaveLength(3);
});

test('evidence never scrolls the lesson away: what does not fit is counted', async () => {
  const stage = await begun();
  for (let n = 2; n < 30; n++) {
    const session = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
    stage.log({ session, cwd: join(stage.home, 'shop'), day: '2026-11-18' }, [
      says('Remember: never push to main directly in this repository.'),
    ]);
  }
  await stage.type('run');
  const { out } = await press(stage, ['s', 's', 's'], [], { columns: 80, rows: 24 });
  const views = out.split(/\n(?=\d of \d\n)/).map((view) => view.trimEnd().split('\n').length);
  expect(Math.max(...views)).toBeLessThanOrEqual(22);
  expect(out).toMatch(/… \d+ more lines: `dripstone lessons show /);
});
