import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  distillProject,
  formatCrystal,
  joinCrystals,
  parseCrystal,
  planAdd,
  planCrystalEdits,
  planForget,
  planPin,
  planReword,
  rememberedEdits,
  rememberedLessons,
  renderCrystal,
  type Crystal,
} from '../../src/lessons/index.js';
import { mergeCrystals } from '../../src/lessons/crystal/merge.js';
import type { Edit, Lesson } from '../../src/types.js';
import {
  anyCandidate,
  byText,
  candidate,
  DAY,
  material,
  type Placed,
  PROJECT,
  shown,
} from './build.js';
import { runs } from '../runs.js';

const CLOCK = { day: DAY, activeDays: ['2026-11-19', DAY] };
const AT = '2026-11-20T10:00:00.000Z';
const LATER = '2026-11-21T10:00:00.000Z';

function learnt(of: Parameters<typeof material>[0]): Lesson[] {
  return distillProject(material(of)).lessons;
}
function write(
  candidates: readonly Placed[],
  edits: readonly Edit[] = [],
  previous: Crystal | null = null,
): string {
  const remembered = previous ? rememberedLessons(previous) : [];
  const all = [...edits, ...(previous ? rememberedEdits(previous) : [])];
  const lessons = learnt({
    candidates,
    edits: all,
    remembered,
    ...(previous ? { tombstones: previous.tombstones } : {}),
  });
  return renderCrystal({
    project: PROJECT,
    clock: CLOCK,
    lessons,
    edits: all,
    relations: [],
    previous,
  });
}
function read(text: string): Crystal {
  const { crystal, problems } = parseCrystal(text);
  expect(problems).toEqual([]);
  return crystal!;
}
/** Changes the file as a person would, and gives the edits found. */
function editsAfter(
  text: string,
  change: (file: { lessons: Record<string, unknown>[]; tombstones: unknown[] }) => void,
): Edit[] {
  const file = JSON.parse(text) as { lessons: Record<string, unknown>[]; tombstones: unknown[] };
  change(file);
  const crystal = read(JSON.stringify(file));
  return planCrystalEdits(crystal.written, crystal, LATER);
}

const small = candidate();
const gotcha = candidate({
  kind: 'gotcha',
  said_by: 'observed',
  key: 'db',
  text: 'Run `make db` before the tests: migrations are not automatic',
  importance: 3,
  files: ['src/db/migrate.ts'],
  evidence: { session: 's2', entry: 'e2', trust: 0.6, quote: 'relation does not exist' },
});
const old = candidate({
  kind: 'command',
  said_by: 'observed',
  key: 'old',
  text: 'Build: `make old`',
  importance: 4,
  evidence: { session: 's3', day: '2025-01-01', trust: 0.6, quote: 'make old' },
});

describe('crystal.json', () => {
  test('has the documented shape', async () => {
    const relations = [
      {
        from: 'src/db/migrate.ts',
        rel: 'tested_by' as const,
        to: 'pnpm test',
        sessions: ['s2', 's1'],
      },
    ];
    const edits = [
      planPin(learnt({ candidates: [small] })[0]!.id, true, AT),
      planForget('0000000000000000', AT),
    ];
    const lessons = learnt({ candidates: [small, gotcha, old], edits });
    const text = renderCrystal({
      project: PROJECT,
      clock: CLOCK,
      lessons,
      edits,
      relations,
      previous: null,
    });
    await expect(text).toMatchFileSnapshot('golden/crystal.json');
    expect(text).not.toContain('"confidence"');
  });

  test('read and written again without the logs it has the same bytes', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 10 }), (candidates) => {
        const text = write(candidates);
        expect(write([], [], read(text))).toBe(text);
      }),
      { numRuns: runs(80, 800) },
    );
  });

  test('more commands of a class than its line holds: distilled again, from logs and crystal or the crystal alone, they have the same bytes', () => {
    const spelling = fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      worth: fc.constantFrom(0.35, 0.5, 0.6, 0.9),
      session: fc.constantFrom('s1', 's2', 's3'),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(spelling, { minLength: 2, maxLength: 8, selector: ({ name }) => name }),
        (spellings) => {
          const candidates = spellings.map(({ name, worth, session }) => {
            const text = `Test: \`just ${name}\``;
            return candidate({
              kind: 'command',
              said_by: 'observed',
              text,
              key: text,
              worth,
              tags: ['class:test'],
              evidence: { session, trust: 0.6, quote: text },
            });
          });
          const text = write(candidates);
          let again = text;
          for (let i = 0; i < 3; i++) again = write([], [], read(again));
          expect(again).toBe(text);
          expect(write(candidates, [], read(text))).toBe(text);
          for (const { id: _id, worth, text: words } of read(text).lessons) {
            const own = candidates.find((each) => each.text === words);
            if (own) expect(worth).toBe(own.worth);
          }
        },
      ),
      { numRuns: runs(50, 500) },
    );
  });

  test('lessons, faded ones too, come back from it alone', () => {
    const text = write([small, gotcha, old]);
    const lessons = learnt({ remembered: rememberedLessons(read(text)) });
    expect(lessons).toEqual(
      learnt({ candidates: [small, gotcha, old] })
        .map((l) => ({ ...l, learnt: undefined }))
        .map(({ learnt: _learnt, ...l }) => l),
    );
    expect(byText(lessons, 'Build: `make old`').status).toBe('faded');
  });

  test('a session that was extracted again speaks for itself', () => {
    const remembered = rememberedLessons(read(write([small, gotcha])));
    const lessons = learnt({ remembered, extracted: new Set(['claude-code\u0000s2']) });
    expect(shown(lessons)).toEqual([small.text]);
  });

  test('edits survive the loss of the database, and of logs and database', () => {
    const [lesson] = learnt({ candidates: [small] });
    const edits = [
      planReword(lesson!.id, 'Commit in small steps', null, AT),
      planAdd(PROJECT.id, 'fact', 'The queue lives in `src/lane.ts`', AT),
      planPin(lesson!.id, true, AT),
    ];
    const text = write(
      [small, gotcha],
      [...edits, planForget(byText(learnt({ candidates: [gotcha] }), gotcha.text).id, AT)],
    );
    const expected = ['Commit in small steps', 'The queue lives in `src/lane.ts`'];
    for (const candidates of [[small, gotcha], []]) {
      const again = write(candidates, [], read(text));
      expect(
        JSON.parse(again)
          .lessons.map((l: { text: string }) => l.text)
          .sort(),
      ).toEqual(expected);
      expect(again).toBe(text);
    }
  });

  test('undoing after the loss gives the learnt words back', () => {
    const [lesson] = learnt({ candidates: [small] });
    const crystal = read(
      write([small], [planReword(lesson!.id, 'Commit in small steps', null, AT)]),
    );
    const undone: Edit = {
      lesson: lesson!.id,
      action: 'undo',
      text: null,
      kind: null,
      scope: null,
      time: LATER,
    };
    const lessons = learnt({
      remembered: rememberedLessons(crystal),
      edits: [...rememberedEdits(crystal), undone],
    });
    expect(lessons[0]).toMatchObject({ text: small.text, said_by: 'user', importance: 4 });
  });

  test('a forgotten wording does not come back under another key on a new machine', () => {
    const { id } = learnt({ candidates: [small] })[0]!;
    const crystal = read(write([small], [planForget(id, AT)]));
    expect(crystal.lessons).toEqual([]);
    expect(JSON.stringify(crystal)).not.toContain('small commits');
    const elsewhere = candidate({ kind: 'decision', key: 'another', evidence: { session: 'x' } });
    const lessons = learnt({
      candidates: [elsewhere],
      edits: rememberedEdits(crystal),
      tombstones: crystal.tombstones,
    });
    expect(shown(lessons)).toEqual([]);
  });
});

describe('what a person changed', () => {
  const text = write([small, gotcha]);
  const find = (file: { lessons: Record<string, unknown>[] }, kind: string) =>
    file.lessons.find((l) => l.kind === kind)!;
  const id = (kind: string): string =>
    (JSON.parse(text) as { lessons: { kind: string; id: string }[] }).lessons.find(
      (l) => l.kind === kind,
    )!.id;

  test('pinned and unpinned, without touching whose words they are', () => {
    expect(editsAfter(text, (f) => Object.assign(find(f, 'gotcha'), { pinned: true }))).toEqual([
      planPin(id('gotcha'), true, LATER),
    ]);
    const pinned = write([small], [planPin(id('preference'), true, AT)]);
    expect(
      editsAfter(pinned, (f) => Object.assign(find(f, 'preference'), { pinned: false })),
    ).toEqual([planPin(id('preference'), false, LATER)]);
  });

  test('removed: a tombstone; a removed tombstone: undone', () => {
    expect(
      editsAfter(text, (f) => f.lessons.splice(f.lessons.indexOf(find(f, 'gotcha')), 1)),
    ).toEqual([planForget(id('gotcha'), LATER)]);
    const forgotten = write([small, gotcha], [planForget(id('gotcha'), AT)]);
    const [undo] = editsAfter(forgotten, (f) => f.tombstones.splice(0, 1));
    expect(undo).toMatchObject({ lesson: id('gotcha'), action: 'undo' });
  });

  test('a bare kind and text is a new lesson of the user, its unknown fields stay', () => {
    const bare = { kind: 'fact', text: 'Staging is rebuilt on Mondays', note: 'told by Grace' };
    const edits = editsAfter(text, (f) => f.lessons.push(bare));
    expect(edits).toEqual([planAdd(PROJECT.id, 'fact', bare.text, LATER)]);
    const file = JSON.parse(text) as { lessons: unknown[]; colour?: string };
    file.lessons.push(bare);
    file.colour = 'teal';
    const again = JSON.parse(write([small, gotcha], edits, read(JSON.stringify(file)))) as {
      colour: string;
      lessons: { text: string; note?: string; said_by: string }[];
    };
    expect(again.colour).toBe('teal');
    expect(again.lessons.find((l) => l.text === bare.text)).toMatchObject({
      note: 'told by Grace',
      said_by: 'user',
    });
    expect(
      planCrystalEdits(read(JSON.stringify(again)).written, read(JSON.stringify(again)), LATER),
    ).toEqual([]);
  });

  test('a copied lesson with other words is an addition, the copied one stays', () => {
    const edits = editsAfter(text, (f) =>
      f.lessons.push({ ...find(f, 'preference'), text: 'Squash before merging' }),
    );
    expect(edits).toEqual([planAdd(PROJECT.id, 'preference', 'Squash before merging', LATER)]);
  });

  test("another machine's lesson keeps its own evidence", () => {
    const foreign = JSON.parse(
      write([
        candidate({ key: 'k2', text: 'Name branches after tickets', evidence: { session: 'far' } }),
      ]),
    ) as { lessons: Record<string, unknown>[] };
    expect(editsAfter(text, (f) => f.lessons.push(...foreign.lessons))).toEqual([]);
  });
});

describe('what cannot be read', () => {
  test('is told, and never thrown', () => {
    expect(parseCrystal('{"version":1,').crystal).toBeNull();
    expect(parseCrystal('{"version":2}').problems[0]).toContain('version');
    const { crystal, problems } = parseCrystal(
      '{"version":1,"lessons":[{"kind":"tip","text":"x"},{"kind":"fact","text":"y"}]}',
    );
    expect(crystal!.lessons.map((l) => l.text)).toEqual(['y']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('lessons[0]: kind');
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json()),
        (text) => parseCrystal(text).crystal !== undefined,
      ),
    );
  });
});

describe('active days', () => {
  test('stand in the crystal, are united by a merge, and are kept when the database knows fewer', () => {
    const here = read(write([small]));
    expect(here.active_days).toEqual(['2026-11-19', DAY]);
    expect(mergeCrystals(here, { ...here, active_days: ['2026-10-02', DAY] }).active_days).toEqual([
      '2026-10-02',
      '2026-11-19',
      DAY,
    ]);
    expect(mergeCrystals({ ...here, active_days: ['2026-10-02', DAY] }, here).active_days).toEqual([
      '2026-10-02',
      '2026-11-19',
      DAY,
    ]);
    expect(read(write([small], [], { ...here, active_days: ['2026-10-02'] })).active_days).toEqual([
      '2026-10-02',
      '2026-11-19',
      DAY,
    ]);
  });

  test("a crystal without them counts the days that its evidence names, but not those of a person's hand", () => {
    const file = JSON.parse(
      write(
        [small, old],
        [
          planReword(
            byText(learnt({ candidates: [small] }), small.text).id,
            'Commit in small steps',
            null,
            LATER,
          ),
        ],
      ),
    ) as Record<string, unknown>;
    delete file['active_days'];
    expect(read(JSON.stringify(file)).active_days).toEqual(['2025-01-01', DAY]);
    expect(
      read(JSON.stringify({ ...file, active_days: ['2026-11-02', 7, 'yesterday', '2026-11-01'] }))
        .active_days,
    ).toEqual(['2026-11-01', '2026-11-02']);
  });
});

describe('merging two crystals', () => {
  const anyEdit = (id: string): fc.Arbitrary<Edit> =>
    fc.constantFrom(
      planPin(id, true, AT),
      planForget(id, AT),
      planForget(id, LATER),
      planReword(id, 'Other words', null, AT),
      planAdd(PROJECT.id, 'fact', 'Added by hand', AT),
      { ...planForget(id, AT), author: 'codex' },
    );
  const anyCrystal = fc.array(anyCandidate, { maxLength: 8 }).chain((candidates) => {
    const [first] = learnt({ candidates });
    return fc
      .array(anyEdit(first?.id ?? 'none'), { maxLength: 2 })
      .map((edits) => read(write(candidates, edits)));
  });
  const bytes = (crystal: Crystal): string => JSON.stringify(crystal);

  test('gives the same bytes in either order, and nothing twice', () => {
    fc.assert(
      fc.property(anyCrystal, anyCrystal, (a, b) => {
        const merged = mergeCrystals(a, b);
        expect(bytes(mergeCrystals(b, a))).toBe(bytes(merged));
        expect(bytes(mergeCrystals(merged, a))).toBe(bytes(merged));
        expect(bytes(mergeCrystals(merged, merged))).toBe(bytes(merged));
        const joined = formatCrystal(joinCrystals(a, b));
        expect(formatCrystal(joinCrystals(b, a))).toBe(joined);
        expect(formatCrystal(joinCrystals(joinCrystals(null, a), joinCrystals(null, b)))).toBe(
          joined,
        );
        expect(formatCrystal(joinCrystals(joinCrystals(a, b), b))).toBe(joined);
        const again = read(joined);
        expect(planCrystalEdits(again.written, again, LATER)).toEqual([]);
      }),
      { numRuns: runs(80, 800) },
    );
  });

  test('a tombstone in either holds', () => {
    const { id } = learnt({ candidates: [small] })[0]!;
    const merged = mergeCrystals(
      read(write([small, gotcha])),
      read(write([small], [planForget(id, AT)])),
    );
    expect(merged.lessons.map((l) => l.text)).toEqual([gotcha.text]);
    expect(merged.tombstones.map((t) => t.id)).toEqual([id]);
  });

  test("an agent's tombstone takes no lesson that the person said, pinned or worded on the other machine; it takes what is open to agents", () => {
    const observed = candidate({
      kind: 'fact',
      said_by: 'agent',
      key: small.key,
      text: small.text,
      evidence: { session: 's9', trust: 0.4 },
    });
    const said = candidate({
      ...observed,
      said_by: 'user',
      evidence: { session: 's8', trust: 0.9 },
    });
    const { id } = learnt({ candidates: [observed] })[0]!;
    const forgot = read(write([observed], [{ ...planForget(id, AT), author: 'codex' }]));
    expect(forgot.tombstones.map((stone) => stone.id)).toEqual([id]);
    const others = [
      read(write([said])),
      read(write([observed], [planPin(id, true, AT)])),
      read(write([observed], [planReword(id, 'My own words', null, AT)])),
    ];
    for (const other of others) {
      const merged = mergeCrystals(forgot, other);
      expect([merged.lessons.map((lesson) => lesson.id), merged.tombstones]).toEqual([[id], []]);
      for (const again of [
        mergeCrystals(other, forgot),
        mergeCrystals(merged, forgot),
        mergeCrystals(merged, other),
      ])
        expect(bytes(again)).toBe(bytes(merged));
    }
    for (const other of [read(write([observed])), read(write([]))])
      expect(mergeCrystals(forgot, other)).toMatchObject({ lessons: [], tombstones: [{ id }] });
    const byBoth = read(
      write([observed], [{ ...planForget(id, AT), author: 'codex' }, planForget(id, LATER)]),
    );
    expect(mergeCrystals(byBoth, others[0]!)).toMatchObject({ lessons: [], tombstones: [{ id }] });
  });
});

test('a fact of a kind that an older version learnt is left out, not taken for one that a person removed', () => {
  const file = JSON.parse(write([candidate()])) as { lessons: Record<string, unknown>[] };
  file.lessons[0] = { ...file.lessons[0], fact: 'of-older-versions', fields: { text: 'x' } };
  const crystal = read(JSON.stringify(file));
  expect(crystal.lessons).toEqual([]);
  expect(planCrystalEdits(crystal.written, crystal, LATER)).toEqual([]);
});
