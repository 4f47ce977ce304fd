import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import { echoesOf } from './echoes.js';
import type { Run } from './runs.js';

const FIXING = /(?:^|\s)(--fix|--write|--autofix|-w|--unsafe-fixes|--auto-correct(?:-all)?)(?=\s|=|$)/;

/** Checks that change the files they check, where their name does not say so: a lint task that runs `… --fix`. */
export function rewritingCommands(session: SessionInput, runs: Run[]): Candidate[] {
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
