/** `dripstone crystallize`: the nightly work, now. */
import { createApp } from '../app.js';
import { EXIT } from '../errors.js';
import { runAll } from '../jobs/run-all.js';
import { summarise } from '../jobs/summary.js';
import { printJson, type Command } from './command.js';
import { drawProgress } from './progress.js';
import { renderSummary } from './summary-text.js';

export const crystallizeCommand: Command = {
  name: 'crystallize',
  summary: 'do the nightly work now: tiers, ageing, crystal.json, archive',
  usage: '[--json]',
  options: { json: { type: 'boolean', help: 'print the summary as JSON' } },
  exits: {
    [EXIT.partial]: 'done in part: some job failed, the rest is done',
    [EXIT.busy]: 'another process writes to this home or holds the store',
    [EXIT.notWritable]: 'the home cannot be written',
    [EXIT.interrupted]: 'interrupted; what was done is kept',
  },
  async run(io, args) {
    const bar = drawProgress(io);
    await using app = await createApp({ ...io, access: 'write', hurry: true, progress: bar.report });
    const report = await runAll(app, { only: ['rollup', 'extract', 'decay', 'crystallize', 'context'] });
    bar.clear();
    const summary = await summarise(app, report);
    if (args.flag('json')) printJson(io, { ...summary });
    else io.out(renderSummary(summary));
    for (const { job, message } of summary.errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    if (io.signal.aborted) return EXIT.interrupted;
    return summary.errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};
