/**
 * Measures whether a hook answers only where a fact fits, over invented logs.
 * Usage: tsx bench/silence.ts [-v] (needs `make build`; -v prints each wrong answer)
 * Each kind is a home of 60 cases: two of three moments are failures, one is a first prompt. In the
 * log of a case a command failed, something cured the failure, and the command passed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.js';
import { systemClock } from '../src/clock.js';
import { projectHere } from '../src/recall/projects.js';
import { answerMoment } from '../src/recall/moments/answer.js';
import { answers, claudeLog, says, shell, type Turn } from '../test/jobs/made-log.js';

const CASES = 60;
const NOUNS =
  'parser scheduler ledger gateway renderer importer planner router archive mailer'.split(' ');
const PARTS = 'timeout buffer cursor header checksum locale quota token window'.split(' ');
const ABSENT = 'telescope orchard lantern compass violin harbour meadow pebble saddle anvil'.split(
  ' ',
);

type Kind = 'fits' | 'absent' | 'adjacent' | 'contradicted' | 'superseded';
/** One thing that can fail. */
interface Thing {
  noun: string;
  part: string;
  n: number;
}

const testOf = ({ noun, n }: Thing): string =>
  [`npm run test:${noun}`, `cargo test ${noun}`, `pytest tests/${noun}`, `go test ./${noun}`][
    n % 4
  ]!;
const errorOf = ({ noun, part, n }: Thing, other = 0): string =>
  [
    `error: ${noun} ${part} refused the connection on port ${4000 + n}`,
    `TypeError: ${noun}.${part} is not a function`,
    `panic: ${part} of ${noun} is locked by another process`,
    `ModuleNotFoundError: No module named '${noun}_${part}'`,
    `fatal: cannot read ${noun}/${part}.toml: permission denied`,
    `Error: ${noun} ${part} expired at startup`,
  ][(n + other) % 6]!;
const cureOf = ({ noun, part, n }: Thing): string =>
  [
    `make ${part}-${noun}`,
    `npm run reset:${noun}-${part}`,
    `docker compose up -d ${noun}-${part}`,
    `uv sync --group ${noun}-${part}`,
    `./scripts/fix-${part}.sh ${noun}`,
  ][n % 5]!;

const thing = (n: number, nouns = NOUNS): Thing => ({
  noun: nouns[n % nouns.length]!,
  part: PARTS[(n + Math.floor(n / nouns.length)) % PARTS.length]!,
  n,
});

function learnt(of: Thing): Turn[] {
  return [
    says(`Make the tests of the ${of.noun} pass again.`),
    shell(testOf(of), errorOf(of), 1),
    answers(`The ${of.noun} cannot use its ${of.part} before \`${cureOf(of)}\` has run.`),
    shell(cureOf(of), 'done', 0),
    shell(testOf(of), `${20 + of.n} passed`, 0),
    answers(`The tests of the ${of.noun} pass: \`${cureOf(of)}\` has to run first.`),
  ];
}

function later(of: Thing, kind: Kind): Turn[] {
  const { noun, part } = of;
  if (kind === 'contradicted')
    return [
      says(`The tests of the ${noun} fail again, have a look.`),
      shell(testOf(of), errorOf(of), 1),
      shell(cureOf(of), 'done', 0),
      shell(testOf(of), errorOf(of), 1),
      answers(
        `\`${cureOf(of)}\` does not help any more: the same error is back, and the cause is unknown.`,
      ),
    ];
  return [
    says(
      [
        `We drop the ${part} of the ${noun}: delete it, and whatever \`${cureOf(of)}\` did.`,
        `From now on \`make all\` prepares the ${noun}, instead of \`${cureOf(of)}\`.`,
        `The ${noun} should work without its ${part}.`,
      ][Math.floor(of.n / 3) % 3]!,
    ),
    shell(`git rm -r ${noun}/${part}`, `rm '${noun}/${part}'`, 0),
    shell(testOf(of), `${20 + of.n} passed`, 0),
    answers(`The ${noun} has no ${part} any more, and \`${cureOf(of)}\` is gone.`),
  ];
}

/** The failure or prompt of a case now. */
function now(
  of: Thing,
  kind: Kind,
): { type: 'failure' | 'prompt'; text: string; output: string | null } {
  const isFailure = of.n % 3 < 2;
  const at = kind === 'absent' ? thing(of.n, ABSENT) : of;
  const near = { ...of, part: PARTS[(PARTS.indexOf(of.part) + 4) % PARTS.length]! };
  const [asked, error] =
    kind !== 'adjacent'
      ? [at, errorOf(at)]
      : of.n % 2 === 0
        ? [of, errorOf(of, 3)]
        : [near, errorOf(near)];
  return isFailure
    ? { type: 'failure', text: testOf(asked), output: `Exit code 1\n${error}` }
    : {
        type: 'prompt',
        text:
          kind === 'adjacent'
            ? `Rename the ${near.part} of the ${near.noun} to something shorter.`
            : `The ${asked.noun} stops with "${error}". Find out what its ${asked.part} needs.`,
        output: null,
      };
}

/** Null if the hook did the right thing. */
function faultOf(kind: Kind, of: Thing, text: string): string | null {
  const hasCure = text.includes(cureOf(of));
  if (kind === 'fits') return hasCure ? null : 'no answer';
  // A newer sentence about the end of the old fact is no old answer.
  const isOld = hasCure && !/does not help any more|is gone|We drop|instead of/.test(text);
  return (kind === 'absent' || kind === 'adjacent' ? text !== '' : isOld) ? text : null;
}

async function run(kind: Kind): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'dripstone-silence-'));
  const cwd = `/home/ann/work/${kind}`;
  const folder = join(home, '.claude/projects', cwd.replaceAll('/', '-'));
  const env = { ...process.env, HOME: home, DRIPSTONE_HOME: join(home, '.dripstone') };
  mkdirSync(folder, { recursive: true });
  mkdirSync(env.DRIPSTONE_HOME, { mode: 0o700 });
  writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), 'embed: {enabled: false}\n');
  const things = Array.from({ length: CASES }, (_, n) => thing(n));
  const put = (of: Thing, name: string, day: string, turns: Turn[]): void => {
    const session = `${name}${String(of.n).padStart(7, '0')}`;
    writeFileSync(join(folder, `${session}.jsonl`), claudeLog({ session, cwd, day }, turns));
  };
  for (const of of things) {
    put(of, 'a', `2026-11-${String(1 + (of.n % 9)).padStart(2, '0')}`, learnt(of));
    if (kind === 'contradicted' || kind === 'superseded')
      put(of, 'b', `2026-11-${11 + (of.n % 9)}`, later(of, kind));
  }
  const cli = join(import.meta.dirname, '../dist/cli.js');
  execFileSync(process.execPath, [cli, 'run'], { env, stdio: 'ignore' });
  const signal = new AbortController().signal;
  const app = await createApp({ env, clock: systemClock, signal, access: 'read' });
  const right = { failure: 0, prompt: 0 };
  const all = { failure: 0, prompt: 0 };
  try {
    const project = await projectHere(app, null, cwd);
    for (const of of things) {
      const asked = { ...now(of, kind), session: null };
      const { text } = await answerMoment(app, project, asked);
      const fault = faultOf(kind, of, text);
      all[asked.type]++;
      if (fault === null) right[asked.type]++;
      else if (process.argv.includes('-v'))
        console.error(`${kind} ${asked.type} ${asked.text} ${asked.output ?? ''}\n${fault}\n`);
    }
  } finally {
    await app[Symbol.asyncDispose]();
    rmSync(home, { recursive: true });
  }
  const share = (type: 'failure' | 'prompt'): string => `${right[type]} of ${all[type]}`;
  return `| ${kind} | ${share('failure')} | ${share('prompt')} |`;
}

console.log('| the fact | failures right | first prompts right |\n| --- | --- | --- |');
for (const kind of ['absent', 'contradicted', 'adjacent', 'superseded', 'fits'] as const)
  console.log(await run(kind));
