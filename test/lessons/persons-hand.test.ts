/**
 * What a person typed, pinned, reworded or forgot is theirs: neither an agent nor another reading
 * of the same entries undoes it.
 */
import { describe, expect, test } from 'vitest';
import {
  distillProject,
  explain,
  lessonId,
  parseCrystal,
  planAdd,
  planForget,
  planPin,
  planReword,
  rememberedEdits,
  rememberedLessons,
  renderCrystal,
  type Material,
} from '../../src/lessons/index.js';
import type { Edit } from '../../src/types.js';
import { busy, byText, candidate, DAY, material, PROJECT, shown } from './build.js';

function at(minute: number): string {
  return `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
}
function idOf(c: {
  kind: 'preference' | 'fact' | 'command' | 'gotcha' | 'correction' | 'decision';
  key: string;
}): string {
  return lessonId(PROJECT.id, c.kind, c.key);
}
function byAgent(edit: Edit): Edit {
  return { ...edit, author: 'claude-code' };
}

describe('a forget by an agent', () => {
  const typed = candidate({
    kind: 'correction',
    text: 'Never edit `client.gen.ts` by hand in this repository',
    key: 'generated',
  });
  const own = 'Never edit `client.gen.ts` in this repository by hand';
  const concluded = candidate({
    kind: 'preference',
    said_by: 'agent',
    text: 'Never edit the file `client.gen.ts` by hand in this repository',
    key: 'concluded',
    evidence: { session: 's7', trust: 0.4 },
  });

  test('reaches what agents said in other words, never what a person typed', () => {
    const add = byAgent(planAdd(PROJECT.id, 'preference', own, at(1)));
    const edits = [add, byAgent(planForget(add.lesson, at(2)))];
    const { lessons } = distillProject(material({ candidates: [typed, concluded], edits }));
    expect(shown(lessons)).toEqual([typed.text]);
    expect(byText(lessons, concluded.text).status).toBe('forgotten');
    expect(explain(byText(lessons, concluded.text), busy(DAY)).at(-1)).toBe(
      'forgotten by an agent: it cannot come back by itself',
    );
  });

  test('by a person reaches all of them, also when an agent forgot one too', () => {
    const edits = [byAgent(planForget(idOf(concluded), at(1))), planForget(idOf(typed), at(2))];
    const { lessons } = distillProject(material({ candidates: [typed, concluded], edits }));
    expect(shown(lessons)).toEqual([]);
    expect(explain(byText(lessons, concluded.text), busy(DAY)).at(-1)).toBe(
      'forgotten by a person: it cannot come back by itself',
    );
  });

  test('of a global lesson that it added leaves the rule that a person typed in a project', () => {
    const add = byAgent(planAdd(null, 'correction', typed.text, at(1)));
    const globals = distillProject(
      material({ project: null, edits: [add, byAgent(planForget(add.lesson, at(2)))] }),
    ).lessons;
    expect(globals).toMatchObject([{ status: 'forgotten' }]);
    const said = { ...concluded, kind: 'correction' as const, text: typed.text };
    expect(shown(distillProject(material({ candidates: [typed], globals })).lessons)).toEqual([
      typed.text,
    ]);
    expect(shown(distillProject(material({ candidates: [said], globals })).lessons)).toEqual([]);
  });
});

test('a global lesson that an agent adds in a person’s words stands beside them, not in their place', () => {
  const typed = candidate({
    kind: 'correction',
    text: 'Never edit `client.gen.ts` by hand in this repository',
    key: 'generated',
  });
  const addedBy = (edit: (e: Edit) => Edit) =>
    distillProject(
      material({ project: null, edits: [edit(planAdd(null, 'correction', typed.text, at(1)))] }),
    ).lessons;
  const left = (globals: ReturnType<typeof addedBy>) =>
    shown(distillProject(material({ candidates: [typed], globals })).lessons);
  expect(left(addedBy(byAgent))).toEqual([typed.text]);
  expect(left(addedBy((edit) => edit))).toEqual([]);
});

describe('another reading of the same entries', () => {
  const was = candidate({
    kind: 'decision',
    text: 'We deploy from the release branch',
    key: 'deploy',
    extractor: 1,
    evidence: { entry: 'e1', quote: 'We deploy from the release branch.' },
  });
  const beside = candidate({
    text: 'Keep functions short',
    key: 'short',
    evidence: { entry: 'e1', quote: 'Keep functions short.' },
  });
  const reworded = candidate({
    kind: 'preference',
    text: 'For every rollout take `release`',
    key: 'rollout',
    extractor: 2,
    evidence: { entry: 'e1', quote: 'We deploy from the release branch.' },
  });

  /** The crystal that the older extractor left, and what the newer one says of the same session. */
  const readAgain = (edits: Edit[], now: Material['candidates']): string[] => {
    const { lessons } = distillProject(material({ candidates: [was, beside], edits }));
    const text = renderCrystal({
      project: PROJECT,
      clock: busy(DAY),
      lessons,
      edits,
      relations: [],
      previous: null,
    });
    const crystal = parseCrystal(text).crystal!;
    const again = material({
      candidates: now,
      edits: rememberedEdits(crystal),
      remembered: rememberedLessons(crystal),
      tombstones: crystal.tombstones,
      extracted: new Set(['claude-code\u0000s1']),
    });
    const second = distillProject(again).lessons;
    const next = parseCrystal(
      renderCrystal({
        project: PROJECT,
        clock: busy(DAY),
        lessons: second,
        edits,
        relations: [],
        previous: crystal,
      }),
    ).crystal!;
    const third = distillProject({
      ...again,
      remembered: rememberedLessons(next),
      tombstones: next.tombstones,
      edits: rememberedEdits(next),
    }).lessons;
    expect(shown(third)).toEqual(shown(second));
    return shown(third);
  };

  test.each([
    ['another kind and wording', [reworded, beside]],
    ['nothing', [beside]],
    ['the same', [was, beside]],
  ])('that yields %s keeps pin, rewording and forget', (_, now) => {
    expect(readAgain([planPin(idOf(was), true, at(1))], now)).toEqual([beside.text, was.text]);
    expect(readAgain([planReword(idOf(was), 'Deploy from main', null, at(1))], now)).toEqual([
      'Deploy from main',
      beside.text,
    ]);
    expect(readAgain([planForget(idOf(was), at(1))], now)).toEqual([beside.text]);
  });

  test('drops what no hand is on', () => {
    expect(readAgain([], [beside])).toEqual([beside.text]);
    expect(
      readAgain([planPin(idOf(was), true, at(1)), planPin(idOf(was), false, at(2))], [beside]),
    ).toEqual([beside.text]);
  });
});
