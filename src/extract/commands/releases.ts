import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import type { Call, Run } from './runs.js';

const VERSION_TAG = /^(v?)\d+\.\d+\.\d+(?:[-+.]\w+)*$/;

interface Tagging {
  at: number;
  call: Call;
  /** `v` or nothing. */
  prefix: string;
}

function operands(words: string[]): string[] {
  return words.slice(2).filter((w) => !w.startsWith('-'));
}

function taggings(calls: Call[]): Tagging[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      const [git, verb] = step.words;
      const name =
        git === 'git' && verb === 'tag' && !step.words.some((w) => /^(?:-d|--delete|-l|--list)$/.test(w))
          ? operands(step.words).find((w) => VERSION_TAG.test(w))
          : undefined;
      return name === undefined || call.verdicts[i] === 'failed' || call.folders[i] === null || step.scripted
        ? []
        : [{ at: call.at, call, prefix: name.startsWith('v') ? 'v' : '' }];
    }),
  );
}

/** Whether a tag was pushed after this entry: `git push origin v1.2.3`, `--tags`, `--follow-tags`. */
function pushes(calls: Call[], after: number): boolean {
  return calls.some(
    (c) =>
      c.at >= after &&
      c.steps.some(
        (s, i) =>
          s.words[0] === 'git' &&
          s.words[1] === 'push' &&
          c.verdicts[i] !== 'failed' &&
          (operands(s.words).some((w) => VERSION_TAG.test(w)) || s.words.some((w) => /^--(?:follow-)?tags$/.test(w))),
      ),
  );
}

/** How a release was made: the project's own release command, the tag, and what is pushed. */
export function releaseSteps(session: SessionInput, calls: Call[], runs: Run[]): Candidate[] {
  const tagged = taggings(calls).filter((t) => pushes(calls, t.at));
  const last = tagged.at(-1);
  if (last === undefined) return [];
  const before = runs
    .filter((r) => r.form.class === 'release' && r.verdict === 'ok' && !r.form.passing && r.at <= last.at && last.at - r.at < 60)
    .at(-1);
  const tag = `${last.prefix}X.Y.Z`;
  const steps = [
    ...(before === undefined ? [] : [`\`${before.form.text}\``, 'commit']),
    `\`git tag ${tag}\``,
    `push the branch and \`git push origin ${tag}\``,
  ];
  return [
    observed(session, {
      kind: 'command',
      text: `Release steps: ${steps.join(', ')}.`,
      key: `release-steps:${last.prefix}`,
      importance: 4,
      alone: true,
      worth: 0.6 + (before === undefined ? 0 : 0.1),
      entry: last.call.entry,
      quote: last.call.entry.command ?? '',
      tags: ['release-steps'],
      commands: before === undefined ? [] : [before.form.text],
    }),
  ];
}
