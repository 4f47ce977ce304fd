/** `dripstone run`: reads everything once, writes context.md, and ends. */
import { createApp } from '../app.js';
import { homeOf, loadConfig, pathsOf } from '../config.js';
import { EXIT } from '../errors.js';
import { JOB_NAMES } from '../jobs/pipeline.js';
import { runAll } from '../jobs/run-all.js';
import { summarise, type Summary } from '../jobs/summary.js';
import type { JobName } from '../types.js';
import { printJson, usage, type Arguments, type Command, type Io } from './command.js';
import { askDaemon } from './delegate.js';
import { drawProgress } from './progress.js';
import { runSamples } from './samples.js';
import { renderNothingFound, renderSummary } from './summary-text.js';

export const runCommand: Command = {
  name: 'run',
  summary: 'read every session log once, draw lessons, write context.md',
  usage: '[--only JOB,…] [--rebuild] [--json]',
  options: {
    only: { type: 'string', value: 'JOBS', help: `only these, with commas: ${JOB_NAMES.join(', ')}` },
    rebuild: { type: 'boolean', help: 'draw all lessons again; edits, pins and forgotten lessons stay' },
    'samples-if-empty': { type: 'boolean', help: 'when no log is found, show what the shipped samples give' },
    json: { type: 'boolean', help: 'print the summary as JSON' },
  },
  exits: {
    [EXIT.partial]: 'done in part: some job failed, the rest is done',
    [EXIT.busy]: 'another process writes to this home or holds the store',
    [EXIT.notWritable]: 'the home cannot be written',
    [EXIT.interrupted]: 'interrupted; what was read is kept, the rest is read next time',
  },
  examples: [
    'dripstone run',
    'dripstone run --only ingest,extract,context',
    'dripstone run --only embed    # finish the vectors',
  ],
  async run(io, args) {
    const only = parseOnly(args.text('only'));
    if (tellSwitchedOff(io, args)) return EXIT.done;
    const summary = await runOnce(io, { only, rebuild: args.flag('rebuild') });
    if (args.flag('json')) printJson(io, { ...summary });
    else if (summary.files === 0 && only === null) {
      io.out(renderNothingFound(summary));
      if (args.flag('samples-if-empty')) return runSamples(io);
    } else io.out(renderSummary(summary));
    for (const { job, message } of summary.errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    if (io.signal.aborted) return EXIT.interrupted;
    return summary.errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};

/** @returns whether `enabled: false` stands in config.yaml; then nothing is read and nothing written */
export const tellSwitchedOff = (io: Io, args: Arguments): boolean => {
  if (loadConfig(pathsOf(homeOf(io.env)).config).enabled) return false;
  const note = 'dripstone is switched off (`enabled: false` in config.yaml): nothing was read';
  if (args.flag('json'))
    printJson(io, {
      files: null,
      entries: null,
      lessons: null,
      seconds: 0,
      agents: [],
      new: { entries: 0, sessions: 0 },
      contexts: [],
      places: [],
      notes: [note],
      errors: [],
    });
  else io.err(`${note}\n`);
  return true;
};

/** Asks the daemon when one runs, else does the work here. */
export const runOnce = async (io: Io, { only, rebuild }: { only: JobName[] | null; rebuild: boolean }): Promise<Summary> => {
  const answer = await askDaemon(io, { version: 1, kind: 'run', only, rebuild });
  if (answer?.kind === 'run') return answer.summary;
  const bar = drawProgress(io);
  await using app = await createApp({ ...io, access: 'write', hurry: true, progress: bar.report });
  try {
    const report = await runAll(app, { ...(only === null ? {} : { only }), rebuild });
    return await summarise(app, report);
  } finally {
    bar.clear();
  }
};

const parseOnly = (text: string | null): JobName[] | null => {
  if (text === null) return null;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const wrong = names.find((name) => !(JOB_NAMES as readonly string[]).includes(name));
  if (wrong !== undefined || names.length === 0)
    throw usage(`there is no job ${wrong ?? ''}`, `use some of ${JOB_NAMES.join(', ')}`);
  return names as JobName[];
};
