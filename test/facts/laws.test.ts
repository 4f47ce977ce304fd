/**
 * Laws of facts: what a query says of an instant follows from the rows up to it, in whatever order
 * and forks they came.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FACT_NAMES, type FactEvent } from '../../src/types.js';
import { factEvents, type RowsOf, type RuleSaid } from '../lessons/facts-of.js';
import { runs } from '../runs.js';
import { asProjects, at, END, histories, history, until } from './made-history.js';

/** What the person of a project said in the middle of its history. */
function rulesOf(project: string): RuleSaid[] {
  const never = { polarity: 'never', commands: [], paths: [], instead: null } as const;
  return [
    {
      project,
      said: at(900),
      text: 'Use python3',
      fields: { ...never, paths: [], commands: ['python'], instead: 'python3' },
    },
    {
      project,
      said: at(0),
      text: 'Do not commit',
      fields: { ...never, paths: [], commands: ['git commit'] },
    },
    {
      project,
      said: at(400),
      text: 'Leave the schema',
      fields: { ...never, commands: [], paths: ['db'] },
    },
  ];
}

/** Each history is a project of its own, so that one database answers for many. */
async function ask(histories: readonly RowsOf[][], asOf = END): Promise<FactEvent[][]> {
  const projects = histories.map(([first]) => first!.project);
  const events = await factEvents(histories.flat(), asOf, projects.flatMap(rulesOf));
  return histories.map(([first]) => sorted(events.get(first!.project)!));
}

function sorted<E extends object>(events: readonly E[]): E[] {
  return [...events].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** An event without the name of the session, of which a fork has two. */
const bare = ({ session: _, ...event }: FactEvent): object => event;

/**
 * A fork that copied the first rows of a session and went no further; its name stands before or
 * behind the session's.
 */
function forked(sessions: readonly RowsOf[], length: number, before: boolean): RowsOf[] {
  const [first] = sessions;
  const { steps, edits, prompts } = first!.rows;
  const isCopied = ({ seq }: { seq: number }): boolean => seq <= length * 1000;
  const rows = { steps: steps.filter(isCopied), edits: edits.filter(isCopied), prompts };
  return [...sessions, { ...first!, session: before ? 'a-fork' : 'z-fork', rows }];
}

/** Rows without any time. */
function timeless({ rows: { steps, edits }, ...rest }: RowsOf): RowsOf {
  const bareOf = <R extends object>(list: readonly R[]): R[] =>
    list.map((row) => ({ ...row, time: null }));
  const bareSteps = steps.map((step) => ({ ...step, time: null, ended: null }));
  return { ...rest, rows: { steps: bareSteps, edits: bareOf(edits), prompts: [] } };
}

/** Few runs of many histories: a run costs a database. */
const isFull = process.env['DRIPSTONE_TEST_FULL'] === '1';
const often = { numRuns: runs(isFull ? 3 : 1, 200), endOnFailure: true };

describe('the events of a fact query', () => {
  test('are the same of a project alone, in a group and among all', () =>
    fc.assert(
      fc.asyncProperty(histories, async (all) => {
        const rows = asProjects(all.slice(0, 7));
        const [first, second, third, ...others] = rows.map(([session]) => session!.project);
        const groups = [[first!], [second!, third!], others];
        const rules = groups.flat().flatMap(rulesOf);
        const [apart, together] = [
          await factEvents(rows.flat(), END, rules, groups),
          await factEvents(rows.flat(), END, rules),
        ];
        for (const [project, events] of together)
          expect(sorted(apart.get(project)!)).toEqual(sorted(events));
      }),
      often,
    ));

  test('of an instant are those of later whose last row had happened by then, and later rows change none of them', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(2600), async (all, minutes) => {
        const projects = asProjects(all);
        const instant = at(minutes);
        const then = await ask(projects, instant);
        const later = await ask(projects);
        expect(then).toEqual(
          later.map((events) => events.filter(({ known_at }) => known_at <= instant)),
        );
        expect(then).toEqual(await ask(projects.map((known) => until(known, instant))));
      }),
      often,
    ));

  test('do not depend on the order of rows and sessions', () =>
    fc.assert(
      fc.asyncProperty(histories, async (all) => {
        const projects = asProjects(all);
        const turned = projects.map((known) =>
          known
            .toReversed()
            .map(({ rows, ...rest }) => ({
              ...rest,
              rows: { ...rows, steps: rows.steps.toReversed(), edits: rows.edits.toReversed() },
            })),
        );
        expect(await ask(turned)).toEqual(await ask(projects));
      }),
      often,
    ));

  test('are the same with a fork that holds a part of a session', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.nat(14), fc.boolean(), async (all, length, before) => {
        const projects = asProjects(all);
        const plain = (events: FactEvent[][]): object[][] =>
          events.map((each) => sorted(each.map(bare)));
        expect(plain(await ask(projects.map((known) => forked(known, length, before))))).toEqual(
          plain(await ask(projects)),
        );
      }),
      often,
    ));

  test('name the program that worked first, also with a fork that ends before it', async () => {
    const row = { kind: 'step', outcome: 'ok', error: 2, wait: 1 } as const;
    const fails = { ...row, pick: 4, outcome: 'failed', ran: 0 } as const;
    const [endsLast, endsFirst] = [10, 1].map((ran) => ({ ...row, pick: 5, ran }));
    const known = asProjects([[{ began: 0, rows: [fails, endsLast!, endsFirst!] }]])[0]!;
    const instead = async (sessions: RowsOf[]): Promise<unknown[]> =>
      (await ask([sessions]))[0]!
        .filter(({ fact, fields }) => fact === 'absent' && 'instead' in fields)
        .map(({ entry }) => entry);
    expect(await instead(known)).toEqual(['m0-2']);
    expect(await instead(forked(known, 2, true))).toEqual(['m0-2']);
    expect(await instead(forked(known, 2, false))).toEqual(['m0-2']);
  });

  test('need a time', () =>
    fc.assert(
      fc.asyncProperty(histories, async (all) => {
        expect((await ask(asProjects(all).map((known) => known.map(timeless)))).flat()).toEqual([]);
      }),
      often,
    ));

  test('the made histories prove facts of every kind', async () => {
    const [all] = fc.sample(fc.array(history, { minLength: 150, maxLength: 150 }), {
      numRuns: 1,
      seed: 7,
    });
    const found = new Set((await ask(asProjects(all!))).flat().map(({ fact }) => fact));
    expect([...found].sort()).toEqual([...FACT_NAMES].sort());
  });
});
