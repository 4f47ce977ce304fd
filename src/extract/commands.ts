import type { Candidate, Entry } from '../types.js';
import { observed } from './commands/candidate.js';
import { costlyCommands } from './commands/costs.js';
import { echoesOf } from './commands/echoes.js';
import { changesOf, type Call, type Run, callsOf, runsOf, sessionRoots } from './commands/runs.js';
import { habitsOf } from './commands/habits.js';
import { neededParts, sandboxedCommands } from './commands/needs.js';
import { releaseSteps } from './commands/releases.js';
import { replacedCommands } from './commands/renaming.js';
import { workingCommands } from './commands/steps-that-work.js';
import { writingCommands } from './commands/written.js';
import { changedCommands } from './cures/changed.js';
import type { SessionInput } from './session.js';
import { isPassing, placeIn } from './shell/steps.js';

/** Commands that work here, what replaces those that never do, what rewrites files, and habits around them. */
export function extractCommands(session: SessionInput): Candidate[] {
  const calls = callsOf(session);
  const runs = runsOf(session, calls);
  const changes = changesOf(session.entries, sessionRoots(session));
  const replaced = [...replacedCommands(session, calls), ...neededParts(session, runs, changes)];
  return [
    ...workingCommands(session, runs),
    ...replaced,
    ...rewritingCommands(session, runs),
    ...changedCommands(session, calls, changes, new Set(replaced.map((c) => c.evidence.entry))),
    ...writingCommands(session, calls, runs, changes),
    ...toolLimits(session),
    ...sandboxedCommands(session, runs),
    ...checkChains(session, runs),
    ...costlyCommands(session, runs),
    ...releaseSteps(session, calls, runs),
    ...habitsOf(session, calls, runs),
  ];
}

/** Steps whose order says something: what is put right or made before what is looked at. */
const ORDERED = new Set(['install', 'generate', 'format', 'lint', 'typecheck', 'check', 'build', 'test']);
const LONGEST = 4;

/**
 * The project's own steps that a call runs one after the other, each only if the one before worked; null when it is no such
 * chain.
 */
function chainOf(call: Call, runs: Run[]): Run[] | null {
  const chain = runs.filter(
    (r) => r.form.entry && !r.form.passing && !r.form.narrow && !r.form.unsure && ORDERED.has(r.form.class),
  );
  const joined = call.steps.every(
    (s, i) =>
      !runs.some((r) => r.step === s) ||
      s.joint === '&&' ||
      !call.steps.slice(i + 1).some((later) => runs.some((r) => r.step === later)),
  );
  const whole = chain.length === runs.length && new Set(chain.map((r) => r.form.text)).size === chain.length;
  return joined && whole && chain.length > 1 && chain.length <= LONGEST && chain.every((r) => r.verdict === 'ok') ? chain : null;
}

/** The order in which checks are run together: it counts when two sessions agree. */
function checkChains(session: SessionInput, runs: Run[]): Candidate[] {
  const calls = new Map<Call, Run[]>();
  for (const run of runs) calls.set(run.call, [...(calls.get(run.call) ?? []), run]);
  const found = new Map<string, { chain: Run[]; count: number }>();
  for (const [call, own] of calls) {
    const chain = chainOf(call, own);
    const text = chain?.map((r) => r.form.text).join(' && ');
    if (chain !== null && text !== undefined && text.length <= 120)
      found.set(text, { chain, count: (found.get(text)?.count ?? 0) + 1 });
  }
  const [best] = [...found.entries()].sort(
    ([a, x], [b, y]) => y.count - x.count || y.chain.length - x.chain.length || (a < b ? -1 : 1),
  );
  if (best === undefined) return [];
  const [text, { chain }] = best;
  const last = chain[chain.length - 1] as Run;
  return [
    observed(session, {
      kind: 'fact',
      text: `Run together after a change, in this order: \`${text}\`.`,
      key: `habit:chain:${text}`,
      importance: 3,
      alone: false,
      worth: 0.55,
      entry: last.call.entry,
      quote: last.call.entry.command ?? text,
      tags: ['habit', 'order'],
      commands: chain.map((r) => r.form.text),
    }),
  ];
}

/** A tool refuses because there is too much of something; the words and their number, which is shown. */
const TOO_MUCH = /[^.\n]{0,60}(?:exceed(?:s|ed)?|too (?:large|big|long)|larger than|over the limit)[^.\n]{0,60}/i;
const SEARCH = /grep|search|glob|find/i;

/** The tool's answer as a code span: its first clause with the limit, numbers kept. */
function limitIn(text: string): string | null {
  const hit = TOO_MUCH.exec(text.slice(0, 600).replace(/<\/?\w+>|\s*\([^()\n]*\)/g, ''))?.[0];
  const clean =
    hit
      ?.replace(/`/g, "'")
      .replace(/\s+/g, ' ')
      .replace(/^\W+|[\s,;:(]+$/g, '')
      .trim() ?? '';
  return clean.length >= 12 && clean.length <= 90 && !clean.includes('/') ? clean : null;
}

/**
 * Files and folders that an agent's own tool refused for their size: told when the same tool later took a part of it, or
 * refused twice. Shell commands have their own rules.
 */
function toolLimits(session: SessionInput): Candidate[] {
  const roots = sessionRoots(session);
  const calls = new Map(
    session.entries.filter((e) => e.role === 'tool_call' && e.call !== null && e.command === null).map((e) => [e.call, e]),
  );
  const met = new Map<string, { entry: Entry; tool: string; limit: string; times: number; cured: boolean }>();
  for (const result of session.entries) {
    const call = result.role === 'tool_result' && !result.copied ? calls.get(result.call) : undefined;
    const path = call?.files[0];
    const file = path === undefined ? null : placeIn(roots, path.startsWith('/') ? path : `${call?.cwd ?? ''}/${path}`);
    if (call === undefined || file === null || file === '' || isPassing(file)) continue;
    const before = met.get(file);
    const limit = result.outcome === 'failed' ? limitIn(result.text) : null;
    if (limit !== null)
      met.set(file, {
        entry: call,
        tool: call.tool ?? '',
        limit,
        times: (before?.times ?? 0) + 1,
        cured: before?.cured ?? false,
      });
    else if (result.outcome === 'ok')
      for (const [name, one] of met)
        if (one.tool === call.tool && (file === name || file.startsWith(`${name}/`))) one.cured = true;
  }
  return [...met]
    .filter(([, one]) => one.cured || one.times > 1)
    .map(([file, { entry, tool, limit }]) =>
      observed(session, {
        kind: 'gotcha',
        // What a search met may be one long line in one file: the folder need not be large.
        text: SEARCH.test(tool)
          ? `A search in the whole of \`${file}\` fails (\`${limit}\`): search in a part of it.`
          : `\`${file}\` is too large for one read (\`${limit}\`): read a part or search in it.`,
        key: `limit:${file}`,
        importance: 2,
        alone: true,
        worth: 0.42,
        entry,
        quote: limit,
        tags: ['limit'],
        files: [file],
        commands: [],
      }),
    )
    .filter((c) => c.text.length <= 200);
}

const FIXING = /(?:^|\s)(--fix|--write|--autofix|-w|--unsafe-fixes|--auto-correct(?:-all)?)(?=\s|=|$)/;

/** Checks that change the files they check, where their name does not say so: a lint task that runs `… --fix`. */
function rewritingCommands(session: SessionInput, runs: Run[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const run of runs) {
    if (
      run.form.passing ||
      !run.form.entry ||
      !/^(?:lint|check|typecheck|test)$/.test(run.form.class) ||
      /fix|fmt|format|write/i.test(run.form.name)
    )
      continue;
    const echo = echoesOf(run).find((e) => FIXING.test(e));
    if (echo === undefined) continue;
    found.set(
      run.form.text,
      observed(session, {
        kind: 'gotcha',
        text: `\`${run.form.text}\` is not read-only: it runs \`${echo}\` and rewrites files; look at \`git diff\` after it.`,
        key: `rewrites:${run.form.text}`,
        importance: 3,
        alone: true,
        worth: 0.75,
        entry: run.call.entry,
        quote: run.call.entry.command ?? run.form.text,
        tags: ['rewrites-files', `class:${run.form.class}`],
        commands: [run.form.text],
      }),
    );
  }
  return [...found.values()];
}
