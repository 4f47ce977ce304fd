import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { MAX_TEXT, observed } from './candidate.js';
import type { CommandClass } from './class-tool.js';
import { echoesOf } from './echoes.js';
import type { Run } from './runs.js';

/** One success of these is enough; others must work in two sessions. */
const ALONE = new Set<CommandClass>(['test', 'lint', 'format', 'typecheck', 'check', 'build', 'run', 'release']);
/** One success of the project's own entry point for these is enough too: `make setup`, `npm run generate`. */
const ALONE_ENTRY = new Set<CommandClass>(['install', 'generate', 'docs', 'db']);
const IMPORTANT = new Set<CommandClass>(['test', 'lint', 'build', 'release', 'check', 'typecheck', 'format']);

/** Checks: their failure says something about the code, not about the command. */
const JUDGES = new Set<CommandClass>(['test', 'lint', 'format', 'typecheck', 'check', 'build', 'ci', 'review']);

/** Classes that are worth less than others. */
const SMALL = new Set<CommandClass>(['task', 'clean', 'review', 'ci']);

/** Title before the commands of a class. */
const CLASS_TITLE: Record<CommandClass, string> = {
  test: 'Test',
  lint: 'Lint',
  format: 'Format',
  typecheck: 'Typecheck',
  check: 'Check',
  build: 'Build',
  run: 'Run',
  release: 'Release',
  install: 'Install',
  generate: 'Generate',
  db: 'Database',
  docs: 'Docs',
  ci: 'CI',
  review: 'Pull request',
  infra: 'Infrastructure',
  clean: 'Clean',
  task: 'Task',
};

interface Tally {
  text: string;
  runs: Run[];
  ok: Run[];
  failed: Run[];
}

/** Runs of one general form, with their successes and failures. */
export function tallyRuns(runs: Run[]): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const run of runs) {
    if (run.form.passing) continue;
    const tally = tallies.get(run.form.key) ?? { text: run.form.text, runs: [], ok: [], failed: [] };
    tally.runs.push(run);
    if (run.verdict === 'ok') tally.ok.push(run);
    if (run.verdict === 'failed') tally.failed.push(run);
    tallies.set(run.form.key, tally);
  }
  return tallies;
}

/** Lines that say the command itself is not there: evidence against it, whatever it was to do. */
const MISSING =
  /(?:missing script|no rule to make target|command not found|no such (?:file|task|target|command|recipe)|unknown (?:command|option|flag|task|target)|unrecognized (?:arguments|subcommand|option)|does not contain (?:task|recipe)|not recognized as an internal|no task .{0,40}found|task .{0,40}not found|Cannot find module|can't open file|No module named|unexpected argument|unknown shorthand flag|flag provided but not defined)/i;

/** The part of a failed run's output that names the program, script or flag as missing. */
function missingLine(run: Run): string | null {
  const lines = (run.call.result?.text ?? '').split('\n').slice(0, 200);
  const named = run.form.words.filter((w) => /[\w./-]{3,}/.test(w) && !/^[A-Z]+$/.test(w));
  return lines.find((l) => MISSING.test(l) && l.length < 400 && named.some((w) => l.includes(w.replace(/^.*\//, '')))) ?? null;
}

/** Value of a command: how often it worked, how much of the time, and whether it is the project's own. */
function worthOf(tally: Tally): number {
  const first = tally.runs[0] as Run;
  const share = tally.ok.length / Math.max(1, tally.ok.length + tally.failed.length);
  const base = IMPORTANT.has(first.form.class) ? 0.5 : ALONE.has(first.form.class) ? 0.4 : 0.25;
  return (
    base +
    Math.min(0.25, 0.08 * Math.log2(1 + tally.ok.length)) +
    (first.form.entry ? 0.12 : 0) +
    0.1 * (share - 0.5) -
    (first.form.narrow ? 0.12 : 0)
  );
}

/** What the runner printed most often; of equals the longer. */
function commonEchoes(runs: Run[]): string[] {
  const counts = new Map<string, { echoes: string[]; count: number }>();
  for (const run of runs) {
    const echoes = echoesOf(run);
    const key = echoes.join('\u0000');
    if (echoes.length > 0) counts.set(key, { echoes, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return (
    [...counts.values()].sort(
      (a, b) => b.count - a.count || b.echoes.length - a.echoes.length || (a.echoes.join() < b.echoes.join() ? -1 : 1),
    )[0]?.echoes ?? []
  );
}

function textOf(tally: Tally): string {
  const first = tally.runs[0] as Run;
  const echoes = (first.form.narrow ? [] : commonEchoes(tally.runs)).map((e) => `\`${e}\``);
  const title = `${CLASS_TITLE[first.form.class]}: \`${tally.text}\``;
  const whole = `${title} (runs ${echoes.join(', ')})`;
  return echoes.length === 0 || whole.length > MAX_TEXT ? title : whole;
}

/** Looking with the hosting site's tool, and what it does without options, says nothing of this project. */
function isCommonKnowledge({ form }: Run): boolean {
  return (
    /^(?:review|ci)$/.test(form.class) &&
    form.words[0] === 'gh' &&
    !/^\w+=/.test(form.text) &&
    (/^(?:view|list|ls|checks|diff|status|watch|checkout|download|comment|edit|ready|close|reopen|review)$/.test(
      form.words[2] ?? '',
    ) ||
      !form.words.some((w) => w.startsWith('-')))
  );
}

function candidateOf(session: SessionInput, tally: Tally): Candidate | null {
  const run = tally.ok[tally.ok.length - 1];
  if (run === undefined) return null;
  const tried = tally.ok.length + tally.failed.length;
  if (tally.ok.length * 3 < tried && tally.failed.some((f) => missingLine(f) !== null)) return null;
  const classed = run.form.class;
  if (isCommonKnowledge(run)) return null;
  // One file looked at with a tool is a probe; a second session makes it the way here.
  const probe = run.form.narrow && !run.form.entry && /^(?:lint|format|typecheck)$/.test(classed);
  const enough = ALONE.has(classed) || (ALONE_ENTRY.has(classed) && run.form.entry);
  return observed(session, {
    kind: 'command',
    text: textOf(tally),
    key: `${classed}:${run.form.key}`,
    importance: IMPORTANT.has(classed) ? 4 : SMALL.has(classed) ? 2 : 3,
    alone: enough && !run.form.unsure && !probe,
    worth: worthOf(tally),
    entry: run.call.entry,
    quote: run.call.entry.command ?? tally.text,
    tags: [`class:${classed}`, ...(run.form.entry ? ['entry'] : []), ...(run.form.narrow ? ['narrow'] : [])],
    commands: [tally.text, ...tally.ok.slice(0, 3).map((r) => r.step.words.join(' '))],
  });
}

/** Failures in a row after which a step counts as broken. */
const BROKEN = 2;

/**
 * Evidence against a command: its program or script is missing, or the step only failed. A check that fails is no such
 * evidence.
 */
function denialOf(session: SessionInput, tally: Tally): Candidate | null {
  const last = tally.runs[tally.runs.length - 1];
  if (last === undefined || last.verdict !== 'failed') return null;
  const missing = missingLine(last) !== null;
  const broken = tally.ok.length === 0 && tally.failed.length >= BROKEN && !JUDGES.has(last.form.class);
  if (!missing && !broken) return null;
  return observed(session, {
    kind: 'command',
    text: `${CLASS_TITLE[last.form.class]}: \`${tally.text}\``,
    key: `${last.form.class}:${last.form.key}`,
    importance: 3,
    alone: false,
    worth: 0,
    entry: last.call.entry,
    quote: last.call.result?.error ?? last.call.entry.command ?? tally.text,
    supports: false,
    trust: missing ? 0.6 : 0.4,
    tags: [`class:${last.form.class}`, ...(missing ? [] : ['fails'])],
    commands: [tally.text],
  });
}

/** One candidate per class and general form that worked, and one against each form that is missing. */
export function workingCommands(session: SessionInput, runs: Run[]): Candidate[] {
  const found: Candidate[] = [];
  for (const tally of tallyRuns(runs).values()) {
    const worked = candidateOf(session, tally);
    const denied = denialOf(session, tally);
    if (worked !== null && denied === null) found.push(worked);
    if (denied !== null) found.push(denied);
  }
  return found;
}
