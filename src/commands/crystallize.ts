/** `dripstone crystallize`: runs the nightly work now. */
import { userHomeOf } from '../config.js';
import { EXIT } from '../errors.js';
import { NIGHTLY } from '../jobs/nightly/night.js';
import type { JobName } from '../types.js';
import { printJson, type Command } from './command.js';
import { WORKING } from './typed.js';
import { runOnce, tellSwitchedOff } from './run.js';
import { renderSummary } from './summary-text.js';

export const crystallizeCommand: Command = {
  name: 'crystallize',
  summary: 'do the nightly work now: write tiers, age lessons, update crystal.json, move old tiers',
  usage: '[--json]',
  options: { json: { type: 'boolean', help: 'print the summary as JSON' } },
  exits: {
    [EXIT.partial]: 'partly done: a job failed, the rest is done',
    ...WORKING,
    [EXIT.interrupted]: 'interrupted; what was done is kept',
  },
  examples: ['dripstone crystallize'],
  async run(io, args) {
    if (tellSwitchedOff(io, args)) return EXIT.done;
    const only: JobName[] = [...NIGHTLY, 'ask', 'context'];
    const summary = await runOnce(io, { only, rebuild: false });
    if (args.flag('json')) printJson(io, { ...summary });
    else io.out(renderSummary(summary, userHomeOf(io.env), only));
    for (const { job, message } of summary.errors) io.err(`dripstone: ${job} failed: ${message}\n`);
    if (io.signal.aborted) return EXIT.interrupted;
    return summary.errors.length > 0 ? EXIT.partial : EXIT.done;
  },
};
