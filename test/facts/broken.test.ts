/** What breaks a rule of the person, what keeps it, and what does neither. */
import { beforeAll, describe, expect, test } from 'vitest';
import { ruleOf } from '../../src/parse/index.js';
import type { FactEvent, ParsedRows, StepRow } from '../../src/types.js';
import { factEvents, type RowsOf } from '../lessons/facts-of.js';

const at = (minute: number): string => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;

interface Case {
  rule: string;
  /** Run one a minute, from the tenth on. */
  ran?: readonly string[];
  how?: Partial<StepRow>;
  edited?: readonly string[];
  /** What the person typed before. */
  typed?: string;
  /** Minute at which the rule was said. */
  said?: number;
  /** Steps and edits that broke it, with a `+` those that kept it. */
  gives: readonly string[];
}

const PUSHES = [
  'git push origin x --force',
  'git push --force origin x',
  'git push origin x',
  'git stash push',
];
const CASES: Readonly<Record<string, Case>> = {
  'a forbidden command, in whatever order its flags stand': {
    rule: 'Never run `git push --force`',
    ran: PUSHES,
    gives: ['+ git push origin x', 'git push --force origin x', 'git push origin x --force'],
  },
  'the command that is to be used keeps it': {
    rule: 'Use `uv run pytest`, not `pytest`',
    ran: ['pytest a', 'uv run pytest a'],
    gives: ['+ uv run pytest a', 'pytest a'],
  },
  'a branch that the push names': {
    rule: 'Never run `git push main`',
    ran: ['git push origin HEAD:main', 'git push origin dev'],
    gives: ['+ git push origin dev', 'git push origin HEAD:main'],
  },
  'a forbidden folder, and nothing beside it': {
    rule: "Don't edit `src/generated/`",
    edited: ['src/generated/a.ts', 'src/generated.ts', 'src/main.ts'],
    gives: ['src/generated/a.ts'],
  },
  'a forbidden file by its name': {
    rule: 'Never hand-edit `readme.md`',
    edited: ['web/readme.md'],
    gives: ['web/readme.md'],
  },
  'a prompt that says the rule is no permission': {
    rule: 'Never use `npm`',
    ran: ['npm ci'],
    typed: 'Remember: Never use `npm`',
    gives: ['npm ci'],
  },
  'only what ran after it was said': {
    rule: 'Never use `npm`',
    ran: ['npm ci', 'npm i x'],
    said: 10,
    gives: ['npm i x'],
  },
  'not a mention, a dry run or a help text': {
    rule: 'Never run `git push`',
    ran: ['echo git push', 'git push -n', 'git push --dry-run', 'git push --help'],
    gives: [],
  },
  'not a look': {
    rule: 'Never use `npm`',
    ran: ['npm view left-pad', 'npm --version', 'pnpm i'],
    gives: [],
  },
  'not what failed': {
    rule: 'Never use `npm`',
    ran: ['npm ci'],
    how: { outcome: 'failed' },
    gives: [],
  },
  'not what ran outside the project': {
    rule: 'Never use `npm`',
    ran: ['npm ci'],
    how: { folder: null },
    gives: [],
  },
  'not what the person asked for in that session': {
    rule: 'Never use `npm`',
    ran: ['npm ci'],
    typed: 'try npm ci',
    gives: [],
  },
  'not a push that they asked for': {
    rule: 'Never run `git push`',
    ran: ['git push'],
    typed: 'commit and push',
    gives: [],
  },
};

function sessionOf(project: string, { ran = [], how = {}, edited = [], typed }: Case): RowsOf {
  const steps = ran.map((command, n): StepRow => {
    const words = command.split(' ');
    const place = {
      entry: `e${n}`,
      n: 0,
      seq: n,
      at: n,
      time: at(n + 10),
      ended: null,
      error: null,
      absent: false,
    };
    const kind = {
      program: words[0]!,
      words,
      form: command,
      class: 'other',
      narrow: false,
      own: false,
      shown: true,
    };
    return { ...place, ...kind, env: [], folder: '', outcome: 'ok', ...how };
  });
  const edits = edited.map((file, n) => ({
    entry: `f${n}`,
    seq: n,
    time: at(n + 10),
    file,
    deleted: false,
  }));
  const prompts = typed === undefined ? [] : [{ entry: 'p', seq: 0, time: at(1), text: typed }];
  const rows: ParsedRows = { steps, edits, prompts };
  return { project, session: 's', began: at(0), rows };
}

describe('what breaks a rule', () => {
  const cases = Object.entries(CASES);
  let events: Map<string, FactEvent[]>;
  beforeAll(async () => {
    const rules = cases.map(([project, { rule, said = 0 }]) => {
      const { commands, paths, ...fields } = ruleOf(rule)!;
      return {
        project,
        said: at(said),
        text: rule,
        fields: { ...fields, commands: [...commands], paths: [...paths] },
      };
    });
    events = await factEvents(
      cases.map(([name, each]) => sessionOf(name, each)),
      undefined,
      rules,
    );
  });
  test.each(cases)('%s', (name, { gives }) => {
    const told = events.get(name)!.filter(({ fact }) => fact === 'broken');
    expect(told.map(({ supports, quote }) => `${supports ? '' : '+ '}${quote}`).sort()).toEqual(
      gives,
    );
  });
});
