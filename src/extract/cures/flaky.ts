import type { Candidate, Entry } from '../../types.js';
import { observed } from '../commands/candidate.js';
import { isProbe } from '../commands/programs.js';
import type { Change, Call, Run } from '../commands/runs.js';
import type { SessionInput } from '../session.js';
import type { Step } from '../shell/steps.js';
import { errorSpan } from '../../text/error-span.js';
import { isTelling } from './failures.js';

const OUTSIDE =
  /timed? ?out|ETIMEDOUT|ECONNRESET|network|rate limit|429|502|503|quota|No space|killed|address already in use|EADDRINUSE|lock|refused/i;

/** Flips that make a command flaky; a single one may have a cause that the log does not show. */
const FLIPS = 2;

/** Programs that `isProbe` knows and that change something all the same. */
const CHANGES = new Set(
  (
    'mkdir rmdir rm mv cp touch chmod chown ln tee kill pkill killall patch apply_patch tar unzip gunzip gzip zip dos2unix ' +
    'xargs open code vim vi nano ' +
    'curl wget http ssh scp rsync sqlite3 duckdb psql mysql redis-cli mongosh sudo source . eval export set unset tmux screen'
  ).split(' '),
);
const GIT_LOOKS = new Set(
  'status log diff show blame grep branch remote rev-parse ls-files describe config reflog shortlog'.split(' '),
);
const IN_PLACE = /^-i|^--in-place|^-\w*i$/;

/** Whether a step only looks, moves within the shell or talks: the next command ends as it would have without it. */
function isLooking(step: Step): boolean {
  const program = (step.words[0] ?? '').replace(/^.*\//, '');
  if (step.redirected || step.scripted || step.joint === '&' || program === '') return false;
  if (program === 'git') return GIT_LOOKS.has(step.words[1] ?? '');
  if (/^(?:sed|perl|awk|yq|jq)$/.test(program) && step.words.some((w) => IN_PLACE.test(w))) return false;
  return isProbe(program) && !CHANGES.has(program);
}

/**
 * Whether nothing happened between two places that could have changed the outcome: all but talking, reading and looking could.
 */
function isQuietBetween(entries: Entry[], calls: Call[], changes: Change[], from: number, to: number): boolean {
  if (changes.some((c) => c.at > from && c.at < to)) return false;
  if (calls.some((c) => c.at > from && c.at < to && !c.steps.every(isLooking))) return false;
  const acts = (e: Entry): boolean =>
    e.role === 'user' || (e.role === 'tool_call' && e.command === null && !READS.test(e.tool ?? ''));
  return !entries.slice(from + 1, to).some(acts);
}

/** Tools of agents that only look. */
const READS = /read|view|grep|glob|search|list|^ls$|todo|plan|think|output|poll|stdin|wait/i;

interface Flips {
  count: number;
  error: string;
  /** The run that passed last after such a failure; without one there is nothing to run again for. */
  worked: Run;
}

/** How often the same call changed its outcome although nothing that could matter happened in between. */
function flipsOf(session: SessionInput, calls: Call[], changes: Change[], runs: Run[]): Flips | null {
  let count = 0;
  let error: string | null = null;
  let worked: Run | null = null;
  for (const [i, run] of runs.entries()) {
    const before = runs[i - 1];
    const failed = run.verdict === 'failed' ? run : before;
    if (before === undefined || before.verdict === run.verdict || before.call === run.call) continue;
    if (!isQuietBetween(session.entries, calls, changes, before.at, run.at)) continue;
    const signature = failed?.call.result?.error;
    if (!isTelling(signature) || OUTSIDE.test(signature)) continue;
    count += 1;
    error = signature;
    if (run.verdict === 'ok') worked = run;
  }
  return error === null || worked === null ? null : { count, error, worked };
}

/**
 * Test commands that, word for word the same, failed and passed with nothing in between that could matter: known after two flips,
 * in this session or in two. A service started, an install or an edit in between is the cure, and the command is not flaky.
 */
export function flakyCommands(session: SessionInput, calls: Call[], runs: Run[], changes: Change[]): Candidate[] {
  const same = new Map<string, Run[]>();
  for (const run of runs) {
    if (run.form.class !== 'test' || run.form.passing || run.verdict === 'unknown') continue;
    const key = `${run.form.key}\0${run.call.entry.command ?? ''}`;
    same.set(key, [...(same.get(key) ?? []), run]);
  }
  return [...same.values()].flatMap((own) => {
    const flips = flipsOf(session, calls, changes, own);
    if (flips === null) return [];
    const { text } = flips.worked.form;
    const said = `it failed with ${errorSpan(flips.error, 80)} and passed unchanged`;
    return [
      observed(session, {
        kind: 'gotcha',
        text: `\`${text}\` is flaky or order-dependent: ${said}; run it again before looking for a cause.`,
        key: `flaky:${text}:${flips.error}`,
        importance: 3,
        alone: flips.count >= FLIPS,
        worth: 0.5,
        entry: flips.worked.call.entry,
        quote: flips.error,
        tags: ['cure', 'flaky'],
        commands: [text],
      }),
    ];
  });
}
