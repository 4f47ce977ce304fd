import { expect, test } from 'vitest';
import {
  distillProject,
  formatCrystal,
  parseCrystal,
  planAdd,
  planForget,
  planReword,
  purgeCrystal,
  renderCrystal,
  type Purged,
} from '../../src/lessons/index.js';
import { busy, candidate, DAY, material, PROJECT } from './build.js';

const AT = '2026-11-20T10:00:00.000Z';
const a = candidate({
  key: 'a',
  text: 'Use the blue lamp',
  evidence: { session: 's1', entry: 'e1', quote: 'use the blue lamp' },
});
const b = candidate({
  key: 'b',
  text: 'Use the red lamp',
  evidence: { session: 's2', entry: 'e2', quote: 'use the red lamp' },
});
const both = candidate({
  key: 'a',
  text: 'Use the blue lamp',
  evidence: { session: 's3', entry: 'e3', quote: 'again: use the blue lamp' },
});
const c = candidate({
  key: 'c',
  text: 'Use the yellow lamp',
  evidence: { session: 's4', entry: 'e4', quote: 'use the yellow lamp' },
});
const yellow = distillProject(material({ candidates: [c] })).lessons[0]!.id;
const edits = [planAdd(PROJECT.id, 'fact', 'The green lamp is broken', AT), planForget(yellow, AT)];
function made() {
  const relations = [
    { from: 'src/a.ts', rel: 'tested_by' as const, to: 'make lamp', sessions: ['s1', 's2'] },
    { from: 'src/red.ts', rel: 'tested_by' as const, to: 'make red', sessions: ['s2'] },
  ];
  const { lessons } = distillProject(material({ candidates: [a, b, both, c], edits }));
  const text = renderCrystal({
    project: PROJECT,
    clock: busy(DAY),
    lessons,
    edits,
    relations,
    previous: null,
  });
  return parseCrystal(text).crystal!;
}
function asked(more: Partial<Purged>): Purged {
  return { ids: new Set(), sessions: new Set(), hasPurged: () => false, ...more };
}
function textsOf(purged: Purged) {
  return purgeCrystal(made(), purged)
    .crystal.lessons.map(({ text }) => text)
    .sort();
}

test('nothing asked, nothing changed', () => {
  const { crystal, removed, changed } = purgeCrystal(made(), asked({}));
  expect({ removed, changed }).toEqual({ removed: [], changed: false });
  expect(formatCrystal(crystal)).toBe(formatCrystal(made()));
});

test('a lesson goes with its only evidence, and stays while another session supports it', () => {
  expect(textsOf(asked({ ids: new Set(['e2']) }))).toEqual([
    'The green lamp is broken',
    'Use the blue lamp',
  ]);
  expect(textsOf(asked({ ids: new Set(['e1']) }))).toContain('Use the blue lamp');
  expect(textsOf(asked({ ids: new Set(['e1', 'e3']) }))).not.toContain('Use the blue lamp');
  expect(textsOf(asked({ sessions: new Set(['claude-code\u0000s2']) }))).not.toContain(
    'Use the red lamp',
  );
});

test('words go wherever they stand: text, quote, edit, relation, entity; what was forgotten stays so', () => {
  const purged = asked({ hasPurged: (text) => /red|green/.test(text) });
  const { crystal, removed } = purgeCrystal(made(), purged);
  expect(formatCrystal(crystal)).not.toMatch(/\bred\b|green/);
  expect(removed).toHaveLength(2);
  expect(crystal.tombstones.map(({ id }) => id)).toEqual([yellow]);
  expect(Object.keys(crystal.written)).toHaveLength(2);
  expect(purgeCrystal(crystal, purged).changed).toBe(false);
});

test('of what was forgotten the entries go that were purged', () => {
  expect(made().tombstones).toMatchObject([{ id: yellow, sources: [{ entry: 'e4' }] }]);
  expect(purgeCrystal(made(), asked({ ids: new Set(['e4']) })).crystal.tombstones).toMatchObject([
    { id: yellow, sources: [] },
  ]);
});

test('a session leaves the relations that it showed', () => {
  const { crystal } = purgeCrystal(made(), asked({ sessions: new Set(['claude-code\u0000s2']) }));
  expect(crystal.relations).toEqual([
    { from: 'src/a.ts', rel: 'tested_by', to: 'make lamp', sessions: ['s1'] },
  ]);
  expect(crystal.entities).toEqual([
    { name: 'make lamp', type: 'command' },
    { name: 'src/a.ts', type: 'file' },
  ]);
});

test('what a hand said in other words of a lesson that goes stays, under an id of its own', () => {
  const crystal = made();
  const [lesson] = crystal.lessons.filter(({ text }) => text === 'Use the red lamp');
  const text = 'Use the lamp on the left';
  const edit = planReword(lesson!.id!, text, null, AT);
  const learnt = {
    kind: lesson!.kind,
    text: lesson!.text,
    importance: 4 as const,
    said_by: 'user' as const,
  };
  const reworded = {
    ...crystal,
    lessons: crystal.lessons.map((each) =>
      each === lesson ? { ...each, text, learnt, pinned: true } : each,
    ),
    edits: [...crystal.edits, edit],
  };
  const { crystal: left, removed } = purgeCrystal(reworded, asked({ ids: new Set(['e2']) }));
  expect(removed).toEqual([lesson!.id]);
  expect(JSON.stringify(left)).not.toContain('red lamp');
  const { lessons } = distillProject(material({ edits: left.edits }));
  expect(lessons.filter((each) => each.text === text)).toMatchObject([
    { pinned: true, said_by: 'user', status: 'live' },
  ]);
  expect(purgeCrystal(left, asked({ ids: new Set(['e2']) })).changed).toBe(false);
});
