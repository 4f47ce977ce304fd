import { describe, expect, test } from 'vitest';
import { distillProject, lessonId, planForget, planPin } from '../../src/distill/index.js';
import { asLearnt } from '../../src/distill/crystal/remembered.js';
import { busy, candidate, material, PROJECT, shown } from './build.js';

const AT = '2026-11-20T10:00:00.000Z';
function command(text: string, given: Parameters<typeof candidate>[0] = {}) {
  return candidate({
    kind: 'command',
    saidBy: 'observed',
    text,
    key: text,
    importance: 4,
    tags: ['class:test'],
    worth: 0.6,
    ...given,
    evidence: { trust: 0.6, session: text, quote: text, ...given.evidence },
  });
}

const whole = command('Test: `pnpm test` (runs `vitest run`)', { worth: 0.7 });
const unit = command('Test: `pnpm test:unit`');
const one = command('Test: `pnpm vitest run FILE`', { tags: ['class:test', 'narrow'], worth: 0.5 });
const lint = command('Lint: `pnpm lint`', { tags: ['class:lint'] });

describe('commands of one class', () => {
  test('stand in one line, the best first, the narrow form behind', () => {
    const { lessons } = distillProject(material({ candidates: [one, unit, whole, lint] }));
    expect(shown(lessons)).toEqual([
      'Lint: `pnpm lint`',
      'Test: `pnpm test` (runs `vitest run`), `pnpm test:unit`; one at a time: `pnpm vitest run FILE`',
    ]);
    const line = lessons.find((l) => l.text.includes('one at a time'))!;
    expect(line.evidence.map((e) => e.quote).sort()).toEqual([one, unit, whole].map((c) => c.evidence.quote).sort());
    expect(lessons.filter((l) => l.supersededBy === line.id)).toHaveLength(3);
  });

  test('a line that has the words of a member is the same when only the crystal knows it', () => {
    const plain = command('Test: `uv run pytest`');
    const zoned = command('Test: `TZ=UTC uv run pytest`');
    const { lessons } = distillProject(material({ candidates: [plain, zoned] }));
    expect(shown(lessons)).toEqual(['Test: `uv run pytest`']);
    const again = distillProject(material({ candidates: [], remembered: lessons.map(asLearnt) })).lessons;
    expect(again.map(({ id, text, supersededBy }) => [id, text, supersededBy])).toEqual(
      lessons.map(({ id, text, supersededBy }) => [id, text, supersededBy]),
    );
  });

  test('a longer spelling of a named command adds nothing', () => {
    const { lessons } = distillProject(
      material({ candidates: [whole, command('Test: `pnpm test --silent`', { worth: 0.3 }), unit] }),
    );
    expect(shown(lessons)).toEqual(['Test: `pnpm test` (runs `vitest run`), `pnpm test:unit`']);
  });

  test('the spelling that repairs is named behind the one that checks, even when it is used more', () => {
    const { lessons } = distillProject(
      material({
        candidates: [
          command('Check: `acme check`', { tags: ['class:check'] }),
          command('Check: `acme check --fix`', { tags: ['class:check'], worth: 0.9 }),
        ],
      }),
    );
    expect(shown(lessons)).toEqual(['Check: `acme check` (`--fix` repairs)']);
  });

  test('more than three: the rest stands for itself', () => {
    const more = ['a', 'b', 'c', 'd'].map((n, i) => command(`Test: \`just ${n}\``, { worth: 0.9 - i / 10 }));
    expect(shown(distillProject(material({ candidates: more })).lessons)).toEqual([
      'Test: `just a`, `just b`, `just c`',
      'Test: `just d`',
    ]);
  });

  test('a line never grows past what context.md takes', () => {
    const long = ['x', 'y', 'z'].map((n) => command(`Test: \`make ${n.repeat(80)}\``));
    for (const text of shown(distillProject(material({ candidates: long })).lessons))
      expect(text.length).toBeLessThanOrEqual(190);
  });

  test('what a person pinned or forgot is not merged', () => {
    const id = lessonId(PROJECT.id, 'command', unit.key);
    expect(shown(distillProject(material({ candidates: [whole, unit], edits: [planPin(id, true, AT)] })).lessons)).toEqual(
      ['Test: `pnpm test:unit`', whole.text].sort(),
    );
    expect(shown(distillProject(material({ candidates: [whole, unit, one], edits: [planForget(id, AT)] })).lessons)).toEqual([
      'Test: `pnpm test` (runs `vitest run`); one at a time: `pnpm vitest run FILE`',
    ]);
  });

  test('forgetting the line forgets what stood in it, not what is learnt later', () => {
    const line = distillProject(material({ candidates: [whole, unit] })).lessons.find(
      (l) => l.text.includes('test:unit') && l.text.includes('vitest'),
    )!;
    const later = command('Test: `pnpm e2e`', { evidence: { day: '2026-11-21' } });
    const { lessons } = distillProject(
      material({ candidates: [whole, unit, later], clock: busy('2026-11-21'), edits: [planForget(line.id, AT)] }),
    );
    expect(shown(lessons)).toEqual(['Test: `pnpm e2e`']);
  });

  test('a command that is no longer there drops out of the line', () => {
    const gone = command('Test: `pnpm test:unit`', { evidence: { session: 'later', supports: false, trust: 0.9 } });
    const { lessons } = distillProject(material({ candidates: [whole, unit, gone] }));
    expect(shown(lessons)).toEqual([whole.text]);
  });
});
