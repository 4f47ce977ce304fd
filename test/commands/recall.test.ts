/** Questions are always answered: over invented sessions, as typed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { answers, calls, says, shell, type Turn } from '../jobs/made-log.js';
import { startVectorServer } from '../embed/server.js';
import { type Stage, begunStage } from '../stage.js';

const CWD = '/home/mira/code/loom';
const INVALID = 'Error: Thread type is invalid: expected a spool but got undefined';

const edited = (file: string, old_string: string, new_string: string): Turn =>
  calls('Edit', { file_path: `${CWD}/${file}`, old_string, new_string });

const sessions: Record<string, { day: string; turns: Turn[] }> = {
  'e2e-one': {
    day: '2026-11-02',
    turns: [
      says('Run the shuttle spec'),
      shell('mise run test:e2e specs/shuttle.ts', '1 passed', 0),
      shell('mise run test:e2e specs/heddle.ts', '1 passed', 0),
      answers('Both specs pass.'),
    ],
  },
  'e2e-two': {
    day: '2026-11-03',
    turns: [
      says('And the warp spec'),
      shell('mise run test:e2e specs/warp.ts', '1 failed', 1),
      shell('pnpm vitest run unit', '9 passed', 0),
      answers('The warp spec fails on the second pick.'),
    ],
  },
  'cure-one': {
    day: '2026-11-05',
    turns: [
      says('The docs page is broken'),
      shell('pnpm docs', INVALID, 1),
      answers(
        "The thread type is invalid: it expected a spool and got undefined. I'm going to look at the import.",
      ),
      edited('docs/weave.mdx', 'import { Spool }', 'import Spool'),
      shell('pnpm docs', 'built 12 pages', 0),
      says('What was it?'),
      answers('Spool is a default export, but the page imported it as a named export.'),
    ],
  },
  'plan-only': {
    day: '2026-11-04',
    turns: [
      says('Stage the care label'),
      shell(
        `cd ${CWD} && git add care.txt`,
        "fatal: pathspec 'care.txt' did not match any files",
        1,
      ),
      answers(`Now I need to check if any care.txt exists. The folder is ${CWD} here.`),
    ],
  },
  schema: {
    day: '2026-11-05',
    turns: [
      says('Is the pattern file still right?'),
      answers("I'll validate it."),
      calls('Bash', {
        command: 'cue vet schema.cue patterns/twill.json',
        description: 'Validate the twill pattern',
      }),
      edited('patterns/twill.json', '4', '8'),
      answers('The twill pattern repeats after eight ends, the file said four.'),
    ],
  },
  dye: {
    day: '2026-11-04',
    turns: [
      ...['red', 'blue', 'green'].map((dye) => shell(`rinse ${dye}`, 'rinsed', 0)),
      says('Which dye of the weft is fast to light?'),
      answers('Madder is fast to light, saffron is not.'),
      shell('git commit -m "twirl every hank faster"', '[main 1] twirl', 0),
      shell('twirl --hanks 8', 'twirled', 0),
      shell('make check', 'all is well', 0),
      says('Implement the following plan:\n\n# Plan: dye all the weft\n\nDye it.'),
      answers('Every bobbin of the loom is wound anew.'),
    ],
  },
  wool: {
    day: '2026-11-05',
    turns: [
      says('Ship the bobbins'),
      calls('Bash', {
        command: 'cd wool && for f in skeins; do bobbin ship; done && export DONE=1',
        description: 'Ship the bobbins of wool',
      }),
      answers('They are shipped.'),
    ],
  },
  plan: {
    day: '2026-11-05',
    turns: [
      says('List the plans'),
      shell(`cd ${CWD} && plans list --repo mira/loom && plans lint`, 'two plans', 0),
      shell('loom weave --picks 5', 'woven', 0),
      shell('brew install p7zip', 'poured', 0),
      answers('There are two plans.'),
    ],
  },
  'talk-old': {
    day: '2026-11-06',
    turns: [
      says('How many picks do we allow per selvedge before we stop the loom?'),
      answers('I would allow eight picks per selvedge and stop after that.'),
      says('Settled: eight picks per selvedge.'),
    ],
  },
  'talk-new': {
    day: '2026-11-09',
    turns: [
      says('About the picks per selvedge: eight is too many on the new loom.'),
      answers('Then the limit of picks per selvedge is five from now on, on every loom.'),
      says('Yes, five picks, that supersedes eight.'),
    ],
  },
};

const begun = begunStage({ now: '2026-11-21T12:00:00Z' }, async (made) => {
  for (const [session, { day, turns }] of Object.entries(sessions))
    made.log({ session, cwd: CWD, day }, turns);
  await made.type('run');
  await made.type(
    'lessons',
    'add',
    'Never dye the warp with `loom dye --all`',
    '--project',
    'loom',
  );
});
let stage: Stage;
beforeEach(async () => {
  stage = await begun();
  stage.cwd = CWD;
});

const ask = async (...words: string[]): Promise<string> =>
  (await stage.type('recall', ...words)).out;

test('how a command is run: the form that ran most comes first, with its runs', async () => {
  const out = await ask('how do I run one e2e test');
  expect(out).toMatch(
    /^## Commands that ran here\n- `mise run test:e2e \w+`, as `mise run test:e2e specs\/\w+\.ts`: 3 runs in 2 sessions, 1 failed, last 2026-11-03/,
  );
});

test('a command that installs is shown to who names it whole, and is advice to nobody else', async () => {
  expect(await ask('--type', 'command', 'brew install p7zip')).toContain(
    '- `brew install p7zip`: 1 run',
  );
  expect(await ask('--type', 'command', 'brew install something')).not.toContain('p7zip');
});

test('what the shell does by itself is no command that ran', async () => {
  const out = await ask('--type', 'command', 'ship the bobbins of wool');
  const commands = out.split('## ').find((part) => part.startsWith('Commands that ran here'))!;
  expect(commands.match(/^- `[^`]*`/gm)).toEqual(['- `cd wool && bobbin ship`']);
});

test('a command that has the word only in its folder or repository is none of the program', async () => {
  const out = await ask('--type', 'command', 'loom');
  const commands = out.split('## ').find((part) => part.startsWith('Commands that ran here'))!;
  expect(commands.match(/^- `[^`]*`/gm)).toEqual(['- `loom weave --picks N`']);
});

test('a question for checks is answered with the command that checks', async () => {
  const commands = (await ask('how do I run the checks before the weft is shipped')).split(
    '## ',
  )[1]!;
  expect(commands).toContain('`make check`: 1 run');
});

test('the message of a commit is no word of a command', async () => {
  const commands = (await ask('how do I twirl a hank')).split('## ')[1]!;
  expect(commands).toContain('`twirl --hanks N`');
  expect(commands).not.toContain('git commit');
});

test('a prompt is answered with what its turn concluded, a file that is named with its edits', async () => {
  const concluded = 'the agent concluded: The twill pattern repeats after eight ends';
  expect(await ask('is the pattern file right')).toContain(concluded);
  expect(await ask('which dye of the weft is fast')).toContain(
    'the agent concluded: Madder is fast to light',
  );
  const out = await ask('what changed in twill.json and why');
  expect(out).toContain('1 edit of `patterns/twill.json`: Is the pattern file still right?');
  expect(out).toContain(concluded);
});

describe('fix', () => {
  test('an error that no session had is said to be new, before what is near', async () => {
    const { out } = await stage.type('fix', "ValueError: 'selvedge' has no picks");
    expect(out).toMatch(
      /^Weak match: no session here had this error\.\n\n## Earlier sessions\n.*selvedge/,
    );
  });

  test('shows what followed until it passed and what was said in the next turn, never the error itself', async () => {
    const { out } = await stage.type('fix', INVALID);
    const [heading, first] = out.split('\n');
    expect(heading).toBe('## What fixed it');
    expect(first).toContain('edited `docs/weave.mdx`');
    expect(first).toContain('Spool is a default export');
    expect(first).not.toContain('expected a spool');
  });

  test('neither a plan nor the name of the folder is what fixed it', async () => {
    const { out } = await stage.type('fix', "fatal: pathspec 'care.txt' did not match any files");
    expect(out).toMatch(/^## Earlier sessions\n/);
  });
});

test('a decision that was amended: the newer session comes first, with how it ended', async () => {
  const out = await ask('how many picks per selvedge are allowed');
  const [newer, older] = ['supersedes eight', 'Settled: eight picks'].map((text) =>
    out.indexOf(text),
  );
  expect(newer).toBeGreaterThan(0);
  expect(older).toBeGreaterThan(newer!);
  expect(out).toContain('session talk-new');
});

test('a program need not be named exactly, and a file is answered by its edits', async () => {
  expect(await ask('--type', 'command', 'vitest')).toContain('`pnpm vitest run');
  expect(await ask('docs/weave.mdx')).toContain(
    '1 edit of `docs/weave.mdx`: The docs page is broken',
  );
});

test('what nobody spoke of is said to be unknown, with the number of sessions', async () => {
  const { out, code } = await stage.type('recall', 'zymurgy quasar');
  expect(code).toBe(0);
  expect(out).toMatch(/^Nothing known in loom \(10 sessions\)\. Ask with other words/);
});

test('passages that are near in meaning answer only a question of which a word is known', async () => {
  const server = await startVectorServer(6);
  writeFileSync(
    join(stage.stone, 'config.yaml'),
    JSON.stringify({ embed: { url: server.url, model: 'toy' } }),
  );
  await stage.type('run');
  const unknown = await ask('how is the zymurgy of our quasar');
  expect(server.asked.flatMap(({ input }) => input).join()).toContain('zymurgy');
  expect(unknown).toMatch(/^Nothing known in loom \(10 sessions\)\. Ask with other words/);
  expect(await ask('what should we do then')).toMatch(/^Nothing known in loom/);
  const sessions = (await ask('the zymurgy of a selvedge')).split('## Earlier sessions\n')[1]!;
  expect(sessions).toContain('picks per selvedge');
});

test('a question whose weightiest word is unknown says so before what is near', async () => {
  const out = await ask('why is the selvedge zymurgic');
  expect(out).toMatch(/^Weak match: no session here has "zymurgic"\.\n\n## Earlier sessions/);
  expect(out).toContain('selvedge');
});

test('an answer is at most 2,400 characters, and a question may be a mebibyte or binary', async () => {
  const long = `${'weft tension at the heddle '.repeat(40_000)}\u0000\u0001${INVALID}`;
  for (const question of ['picks selvedge spec warp docs', long, '織機の選択回数は？']) {
    const { out, code } = await stage.type('recall', question);
    expect([code, out.length > 0, out.length <= 2401]).toEqual([0, true, true]);
  }
  for (const words of [
    ['recall', '  '],
    ['recall', '--type', 'edit', ''],
    ['fix', ''],
    ['fix', '-'],
  ]) {
    const { code, err } = await stage.type(...words);
    expect([words, code, err]).toEqual([words, 2, expect.stringMatching(/needs .*\n {2}next: /)]);
  }
});

test('a question in Chinese finds what was said in Chinese', async () => {
  stage.log({ session: 'zh', cwd: CWD, day: '2026-11-09' }, [
    says('织机启动之前要做什么？'),
    answers('织机启动之前必须先运行迁移脚本，否则图案表是空的。'),
  ]);
  await stage.type('run');
  const out = await ask('什么时候运行迁移脚本');
  expect(out).toContain('必须先运行迁移脚本');
});
