/**
 * Made histories: what people's agents ran, changed and were told, in sessions that fail, retry and
 * get past it.
 */
import fc from 'fast-check';
import type { ParsedRows, StepRow } from '../../src/types.js';
import type { RowsOf } from '../lessons/facts-of.js';

const START = Date.parse('2026-11-02T08:00:00.000Z');
export const END = '2030-01-01T00:00:00.000Z';
export const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();

/** What is run: forms that differ in an option, a variable, a wrapper or a program. */
const COMMANDS: readonly Partial<StepRow>[] = [
  { words: ['pytest', 'unit'], class: 'test' },
  { words: ['uv', 'run', 'pytest', 'unit'], program: 'uv', class: 'test' },
  { words: ['pytest', 'unit', '--frozen'], class: 'test' },
  { words: ['make', 'db'], class: 'db', own: true },
  { words: ['python', 'tool.py', 'go'], class: 'run' },
  { words: ['python3', 'tool.py', 'go'], class: 'run' },
  { words: ['git', 'commit', '-m', 'x'], class: 'vcs' },
];
const ERRORS = [
  'Error: unknown flag --frozen',
  'fixture db not found',
  'python: command not found',
];
const FILES = ['src/a.ts', 'src/b.ts', 'db/schema.sql'];

type Made = {
  kind: 'step' | 'edit';
  pick: number;
  outcome: StepRow['outcome'];
  error: number;
  wait: number;
  ran: number | null;
};

const made = fc.record<Made>({
  kind: fc.constantFrom('step', 'step', 'step', 'step', 'edit', 'edit'),
  pick: fc.nat(20),
  outcome: fc.constantFrom('ok', 'ok', 'failed', 'failed', 'unknown'),
  error: fc.nat(2),
  wait: fc.constantFrom(0, 1, 1, 5, 400),
  ran: fc.constantFrom(0, 1, 2, 10, null),
});
const session = fc.record({
  began: fc.nat(2000),
  rows: fc.array(made, { minLength: 2, maxLength: 14 }),
});
export const history = fc.array(session, { minLength: 1, maxLength: 4 });

function rowsOf(
  name: string,
  { began, rows }: { began: number; rows: readonly Made[] },
): ParsedRows {
  const out: ParsedRows = { steps: [], edits: [], prompts: [] };
  let minutes = began;
  rows.forEach(({ kind, pick, outcome, error, wait, ran }, n) => {
    minutes += wait;
    const place = { entry: `${name}-${n}`, seq: (n + 1) * 1000, time: at(minutes) };
    const command = COMMANDS[pick % COMMANDS.length]!;
    if (kind === 'edit')
      out.edits.push({ ...place, file: FILES[pick % FILES.length]!, deleted: false });
    else
      out.steps.push({
        ...{
          ...place,
          n: 0,
          at: out.steps.length,
          ended: ran === null ? null : at(minutes + ran),
          outcome,
        },
        ...{
          program: command.words![0]!,
          words: [],
          form: command.words!.join(' '),
          class: 'other',
          narrow: false,
          own: false,
        },
        ...{ shown: true, env: [], folder: '', ...command },
        ...{
          error: outcome === 'failed' ? ERRORS[error]! : null,
          absent: outcome === 'failed' && error === 2,
        },
      });
  });
  return out;
}

function placed(
  project: string,
  sessions: readonly { began: number; rows: readonly Made[] }[],
): RowsOf[] {
  return sessions.map((each, n) => ({
    project,
    session: `m${n}`,
    began: at(each.began),
    rows: rowsOf(`m${n}`, each),
  }));
}

export const histories = fc.array(history, { minLength: 40, maxLength: 40 });
export const asProjects = (
  all: readonly { began: number; rows: readonly Made[] }[][],
): RowsOf[][] => all.map((sessions, n) => placed(`p${n}`, sessions));

/** Rows that had happened by then. */
export function until(known: readonly RowsOf[], instant: string): RowsOf[] {
  const happened = (time: string | null): boolean => time !== null && time <= instant;
  return known.map((one) => ({
    ...one,
    rows: {
      ...one.rows,
      steps: one.rows.steps.filter(({ time, ended }) => happened(ended ?? time)),
      edits: one.rows.edits.filter(({ time }) => happened(time)),
    },
  }));
}
