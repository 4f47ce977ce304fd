/** What a person typed, pinned, reworded or forgot is theirs: neither an agent nor another reading of the same entries undoes it. */
import { describe, expect, test } from 'vitest';
import { distillProject, explain, lessonId, planAdd, planForget } from '../../src/distill/index.js';
import type { Edit } from '../../src/types.js';
import { busy, byText, candidate, DAY, material, PROJECT, shown } from './build.js';

const at = (minute: number): string => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
const idOf = (c: { kind: 'preference' | 'fact' | 'command' | 'gotcha' | 'correction' | 'decision'; key: string }): string => lessonId(PROJECT.id, c.kind, c.key);
const byAgent = (edit: Edit): Edit => ({ ...edit, author: 'claude-code' });

describe('a forget by an agent', () => {
  const typed = candidate({ kind: 'correction', text: 'Never edit the generated client by hand', key: 'generated' });
  const own = 'Never edit the generated client code by hand';
  const concluded = candidate({ kind: 'preference', saidBy: 'agent', text: 'Never edit the generated client file by hand', key: 'concluded', evidence: { session: 's7', trust: 0.4 } });

  test('reaches what agents said in other words, never what a person typed', () => {
    const add = byAgent(planAdd(PROJECT.id, 'preference', own, at(1)));
    const edits = [add, byAgent(planForget(add.lesson, at(2)))];
    const { lessons } = distillProject(material({ candidates: [typed, concluded], edits }));
    expect(shown(lessons)).toEqual([typed.text]);
    expect(byText(lessons, concluded.text).status).toBe('forgotten');
    expect(explain(byText(lessons, concluded.text), busy(DAY)).at(-1)).toBe('forgotten by an agent: it cannot come back by itself');
  });

  test('by a person reaches all of them, also when an agent forgot one too', () => {
    const edits = [byAgent(planForget(idOf(concluded), at(1))), planForget(idOf(typed), at(2))];
    const { lessons } = distillProject(material({ candidates: [typed, concluded], edits }));
    expect(shown(lessons)).toEqual([]);
    expect(explain(byText(lessons, concluded.text), busy(DAY)).at(-1)).toBe('forgotten by a person: it cannot come back by itself');
  });

  test('of a global lesson that it added leaves the rule that a person typed in a project', () => {
    const add = byAgent(planAdd(null, 'correction', typed.text, at(1)));
    const globals = distillProject(material({ project: null, edits: [add, byAgent(planForget(add.lesson, at(2)))] })).lessons;
    expect(globals).toMatchObject([{ status: 'forgotten' }]);
    const said = { ...concluded, kind: 'correction' as const, text: typed.text };
    expect(shown(distillProject(material({ candidates: [typed], globals })).lessons)).toEqual([typed.text]);
    expect(shown(distillProject(material({ candidates: [said], globals })).lessons)).toEqual([]);
  });
});
