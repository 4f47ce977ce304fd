/** `dripstone run`: reads everything once, writes context.md, and ends; `dripstone crystallize`: runs the nightly work now. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp, withApp } from '../app.js';
import { homeOf, loadConfig, pathsOf, userHomeOf } from '../config.js';
import { EXIT, type ExitCode, usage } from '../errors.js';
import type { Answer } from '../jobs/requests.js';
import { runAll } from '../jobs/loop.js';
import { countUnread } from '../jobs/upkeep/world.js';
import { counted, withCommas } from '../text/amounts.js';
import { type Summary, summarise } from '../jobs/publishing/summary.js';
import { shippedFile } from '../place.js';
import { readContext } from '../recall/context-file.js';
import { loadProjects } from '../store/index.js';
import { JOB_NAMES, type JobName } from '../types.js';
import { type Arguments, type Command, printJson, WORKING, value, flag } from '../command.js';
import { byDaemonOrHere } from '../work.js';
import { offerModel } from './model/use.js';
import { printEnding, withRunnableCommands } from './ending.js';
import { firstReplay } from './replay.js';
import type { Io } from '../io.js';
import { NIGHTLY } from '../jobs/nightly/night.js';
import { drawProgress } from './progress.js';
import { shortPath } from '../links/line.js';
import { present } from '../text/order.js';

export const runCommand: Command = {
  name: 'run',
  summary: 'read every session log once, learn lessons, write context.md',
  usage: '[--only JOB,…] [--rebuild] [--json]',
  options: {
    only: value('JOBS', `only these, with commas: ${JOB_NAMES.join(', ')}`),
    rebuild: flag('learn all lessons again; edits, pins and forgotten lessons stay'),
    'samples-if-empty': flag('if there is no log, show what the shipped samples give'),
    json: flag('print the summary as JSON'),
  },
  exits: {
    [EXIT.partial]: 'partly done: a job failed, the rest is done',
    ...WORKING,
    [EXIT.interrupted]: 'interrupted; what was read is kept, the rest is read next time',
  },
  examples: [
    'dripstone run',
    'dripstone run --only ingest,extract,context',
    'dripstone run --only embed    # finish the vectors',
  ],
  async run(io, args) {
    const only = parseOnly(args.text('only'));
    if (isSwitchedOff(io, args)) return EXIT.done;
    const summary = await runOnce(io, only, args.flag('rebuild'));
    const [paths, userHome] = [pathsOf(homeOf(io.env)), userHomeOf(io.env)];
    if (args.flag('json')) printJson(io, { ...summary });
    else if (io.signal.aborted) io.out(renderSummary(summary, userHome, only));
    else if (summary.files === 0 && only === null) {
      io.out(renderNothingFound(summary));
      if (args.flag('samples-if-empty')) return runSamples(io);
    } else
      io.out(
        withRunnableCommands(
          only === null ? renderRun(summary, userHome) : renderSummary(summary, userHome, only),
          io,
        ),
      );
    if (only === null && hasNews(summary) && !args.flag('json') && !io.signal.aborted)
      await printEnding(io, summary);
    const code = endOf(io, summary);
    if (!io.signal.aborted && only === null && !args.flag('json'))
      await offerModel(io, paths, loadConfig(paths.config));
    return code;
  },
};

/** Prints the errors of jobs. @returns the exit code */
function endOf(io: Io, { errors }: Summary): ExitCode {
  for (const { job, message } of errors) io.err(`dripstone: ${job} failed: ${message}\n`);
  if (io.signal.aborted) return EXIT.interrupted;
  return errors.length > 0 ? EXIT.partial : EXIT.done;
}

/** Whether config.yaml has `enabled: false`; then prints that nothing was read. */
function isSwitchedOff(io: Io, args: Arguments): boolean {
  if (loadConfig(pathsOf(homeOf(io.env)).config).enabled) return false;
  const note = 'dripstone is switched off (`enabled: false` in config.yaml): nothing was read';
  if (args.flag('json'))
    printJson(io, {
      files: null,
      entries: null,
      lessons: null,
      seconds: 0,
      agents: [],
      new: { entries: 0, sessions: 0, pages: 0 },
      contexts: [],
      places: [],
      notes: [note],
      errors: [],
    });
  else io.err(`${note}\n`);
  return true;
}

/** Asks a running daemon, else does the work in this process. */
export async function runOnce(io: Io, only: JobName[] | null, rebuild = false): Promise<Summary> {
  const answer = await byDaemonOrHere(io, { kind: 'run', only, rebuild }, async () => ({
    kind: 'run',
    summary: await runHere(io, only, rebuild),
  }));
  return (answer as Extract<Answer, { kind: 'run' }>).summary;
}

async function runHere(io: Io, only: JobName[] | null, rebuild: boolean): Promise<Summary> {
  const bar = drawProgress(io);
  const options = { ...io, access: 'write', mode: 'once', progress: bar.report } as const;
  try {
    return await withApp(options, async (app) => {
      const report = await runAll(app, { ...(only === null ? {} : { only }), rebuild });
      const summary = await summarise(app, report);
      if (io.signal.aborted) {
        const left = await countUnread(app);
        bar.clear();
        const logs = left === 0 ? 'every log is read' : `${counted(left, 'log')} left`;
        io.err(`interrupted, ${logs}; the next \`dripstone run\` continues there\n`);
      }
      return summary;
    });
  } finally {
    bar.clear();
  }
}

function parseOnly(text: string | null): JobName[] | null {
  if (text === null) return null;
  const names = [...new Set(text.split(',').flatMap((name) => name.trim() || []))];
  const wrong = names.find((name) => !(JOB_NAMES as readonly string[]).includes(name));
  if (wrong !== undefined || names.length === 0)
    throw usage(`there is no job ${wrong ?? ''}`, `use some of ${JOB_NAMES.join(', ')}`);
  return names as JobName[];
}

// Shows how dripstone works if there is nothing to read: runs the shipped sample sessions in a
// temporary home.

async function runSamples(io: Io): Promise<ExitCode> {
  const home = mkdtempSync(join(tmpdir(), 'dripstone-samples-'));
  try {
    io.out('\nHere is what the shipped sample sessions give, in a throw-away home:\n\n');
    await using app = await createApp({
      ...io,
      env: { HOME: shippedFile('test/samples/home'), DRIPSTONE_HOME: home },
      access: 'write',
      mode: 'once',
    });
    const report = await runAll(app, {});
    io.out(renderSummary(await summarise(app, report), ''));
    const [first] = await app.store.read((db) => loadProjects(db));
    if (first) io.out(`\n${readContext(app.paths, first).text}`);
    const back = await firstReplay(app);
    if (back.length > 0) io.out(`\n${back.join('\n')}\n`);
    io.out(
      '\nThe throw-away home is removed now. Work with an agent, then type `make run` again.\n',
    );
    return EXIT.done;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

export const crystallizeCommand: Command = {
  name: 'crystallize',
  summary: 'do the nightly work now: write tiers, age lessons, update crystal.json, move old tiers',
  usage: '[--json]',
  options: { json: flag('print the summary as JSON') },
  exits: {
    [EXIT.partial]: 'partly done: a job failed, the rest is done',
    ...WORKING,
    [EXIT.interrupted]: 'interrupted; what was done is kept',
  },
  examples: ['dripstone crystallize'],
  async run(io, args) {
    if (isSwitchedOff(io, args)) return EXIT.done;
    const only: JobName[] = [...NIGHTLY, 'ask', 'context'];
    const summary = await runOnce(io, only);
    if (args.flag('json')) printJson(io, { ...summary });
    else io.out(renderSummary(summary, userHomeOf(io.env), only));
    return endOf(io, summary);
  },
};

const SHOWN_CONTEXTS = 8;

/** Whether a run read or wrote something. */
function hasNews({ new: { entries, sessions, pages } }: Pick<Summary, 'new'>): boolean {
  return entries + sessions + pages > 0;
}

/** One line for a run that found nothing new, with notes for the person. */
function renderRun(summary: Summary, userHome: string): string {
  if (hasNews(summary)) return renderSummary(summary, userHome);
  const head =
    `nothing new in ${counted(summary.files, 'log')} · ${counted(summary.lessons, 'lesson')} · ` +
    `${summary.seconds.toFixed(1)} s`;
  return `${[head, ...summary.notes].join('\n')}\n`;
}

/**
 * A few lines for a person: what was read, the results, and their places.
 * @param userHome shown as `~`
 * @param only the jobs that ran; null: all. The summary counts only these jobs as new
 */
function renderSummary(
  summary: Summary,
  userHome: string,
  only: readonly JobName[] | null = null,
): string {
  const [hasRead, hasLearnt] = [
    only?.includes('ingest') ?? true,
    only?.includes('extract') ?? true,
  ];
  const fresh = [
    ...(hasRead ? [counted(summary.new.entries, 'entry', 'entries')] : []),
    ...(hasLearnt ? [`${counted(summary.new.sessions, 'session')} looked through`] : []),
  ];
  const agents = summary.agents
    .map(({ agent, sessions }) => `${agent} ${withCommas(sessions)}`)
    .join(', ');
  const total = summary.agents.reduce((sum, { sessions }) => sum + sessions, 0);
  const lines = present([
    `${hasRead ? 'read' : 'stored:'} ${counted(summary.files, 'log')}, ` +
      `${counted(total, 'session')}${agents && ` (${agents})`} · ` +
      `${counted(summary.entries, 'entry', 'entries')} · ${counted(summary.lessons, 'lesson')} · ${summary.seconds.toFixed(1)} s`,
    fresh.length > 0 && `new this time: ${fresh.join(', ')}`,
    ...summary.contexts
      .slice(0, SHOWN_CONTEXTS)
      .map(
        ({ path, lines: n, tokens }) =>
          `${summary.new.sessions + summary.new.pages > 0 ? 'wrote' : 'see'} ${shortPath(path, userHome)} ` +
          `(${counted(n, 'line')}, ${counted(tokens, 'token')})`,
      ),
    summary.contexts.length > SHOWN_CONTEXTS &&
      `  and ${counted(summary.contexts.length - SHOWN_CONTEXTS, 'more project')}`,
    ...summary.notes,
  ]);
  return `${lines.join('\n')}\n`;
}

/** One line, since `status --json` prints each folder. */
function renderNothingFound({ places }: Summary): string {
  const agents = [...new Set(places.map(({ agent }) => agent))].filter((each) => each !== 'inbox');
  return (
    `no session logs were found: looked for those of ${agents.join(', ')} in their usual folders. If yours keeps them ` +
    'elsewhere, name its folder in config.yaml (agents.roots)\n'
  );
}
