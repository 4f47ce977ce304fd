/** `dripstone doctor`: checks the installation and names a cure for each failure. */
import { createApp } from '../app.js';
import { homeOf, pathsOf } from '../config.js';
import { EXIT } from '../errors.js';
import { runChecks, type Check } from '../jobs/upkeep/checks.js';
import { cureHome } from '../jobs/upkeep/cure.js';
import { printJson, type Command } from './command.js';
import { drawProgress } from './run.js';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check machine, home, logs and store; name a fix for each failure',
  usage: '[--fix] [--json]',
  options: {
    fix: {
      type: 'boolean',
      help: 'repair what is safe: modes, missing folders, leftovers of ended processes',
    },
    json: {
      type: 'boolean',
      help: 'print {"version":1,"ok","checks":[{"name","ok","text","cure","details"}],"fixed":[]}',
    },
  },
  exits: { [EXIT.error]: 'a check failed; the line `cure:` below it names the fix' },
  examples: ['dripstone doctor', 'dripstone doctor --fix'],
  async run(io, args) {
    const fixed = args.flag('fix') ? await cureHome(pathsOf(homeOf(io.env)), io.clock.now()) : [];
    const bar = drawProgress(io);
    await using app = await createApp({
      ...io,
      access: 'read',
      storeOptional: true,
      configOptional: true,
      progress: bar.report,
    });
    const checks = await runChecks(app);
    bar.clear();
    const ok = checks.every((check) => check.ok);
    if (args.flag('json')) printJson(io, { ok, checks, fixed });
    else {
      const failed = checks.filter((check) => !check.ok).length;
      const verdict = ok ? 'all is well' : `${failed} of ${checks.length} checks failed`;
      io.out(
        [
          ...fixed.map((line) => `fixed  ${line}`),
          ...checks.map((check) => renderCheck(check, app.userHome)),
          verdict,
          '',
        ].join('\n'),
      );
    }
    return ok ? EXIT.done : EXIT.error;
  },
};

/** Cures contain full paths: a person may type them where `~` has no meaning. */
function renderCheck({ name, ok, text, cure, details }: Check, userHome: string): string {
  const short = (line: string): string => line.replaceAll(`${userHome}/`, '~/');
  return [
    `${ok ? 'ok  ' : 'FAIL'} ${name}: ${short(text)}`,
    ...details.map((line) => `       ${short(line)}`),
    ...(cure === null ? [] : [`     cure: ${cure}`]),
  ].join('\n');
}
