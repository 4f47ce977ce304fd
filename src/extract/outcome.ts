import type { Outcome } from '../types.js';
import { readOutput } from './outcome-lines.js';
import type { Step } from './shell/steps.js';

export type Verdict = 'ok' | 'failed' | 'unknown';

const FILTERS = new Set([
  'head',
  'tail',
  'cat',
  'tee',
  'less',
  'sed',
  'wc',
  'sort',
  'uniq',
  'cut',
  'awk',
  'tr',
  'column',
  'fold',
  'strings',
]);
const QUIET = new Set([
  'cd',
  'echo',
  'export',
  'set',
  'true',
  'sleep',
  'printf',
  'mkdir',
  'source',
  '.',
  'pwd',
  'date',
  ':',
  'unset',
  'wait',
]);

const isQuiet = (step: Step): boolean => step.words.length === 0 || QUIET.has(step.words[0] ?? '');

/** The output goes through something that chooses lines: what is missing proves nothing. */
function isSifted(steps: Step[], at: number): boolean {
  for (let i = at; i < steps.length && steps[i]?.joint === '|'; i += 1) {
    const next = steps[i + 1]?.words[0] ?? '';
    if (next !== '' && !FILTERS.has(next)) return true;
  }
  return false;
}

/** Whether the status of the whole text says nothing about the step: piped away, or followed by `;`, `||` or `&`. */
function isHidden(steps: Step[], at: number): boolean {
  for (let i = at; i < steps.length; i += 1) {
    const joint = steps[i]?.joint ?? '';
    if (joint === '|' || joint === '||' || joint === '&') return true;
    if (joint === ';' && steps.slice(i + 1).some((s) => s.words.length > 0)) return true;
  }
  return false;
}

/**
 * How each step of a shell text ended, by the status of the whole and by what its output says.
 * A hidden status counts as success only if the output shows no failure; a failed chain blames a step only when no other could be it.
 */
export function judgeSteps(steps: Step[], outcome: Outcome | null, exit: number | null, output: string): Verdict[] {
  if (outcome === 'rejected' || outcome === 'interrupted') return steps.map(() => 'unknown');
  const read = readOutput(output);
  const failed = outcome === 'failed' || (exit !== null && exit !== 0);
  const known = outcome !== null || exit !== null;
  const loud = steps.filter((s) => !isQuiet(s));
  return steps.map((step, at) => {
    if (step.joint === '&') return 'unknown';
    const hidden = isHidden(steps, at);
    if (failed && !hidden) {
      if (loud.length <= 1 || steps.length === 1) return 'failed';
      const last = loud[loud.length - 1] === step;
      return last && loud.slice(0, -1).every((s) => s.joint === '|' || isHidden(steps, steps.indexOf(s))) ? 'failed' : 'unknown';
    }
    if (!hidden) return known ? (exit === null && read.failure && !read.success ? 'unknown' : 'ok') : judgeByOutput(read, output);
    // A program that fails says why: with nothing thrown away or picked out, silence is success.
    if (output.trim() === '' && known && !failed && !isSifted(steps, at) && !step.redirected && !step.silenced && !isQuiet(step))
      return 'ok';
    if (isSifted(steps, at)) return read.failure ? 'unknown' : read.success ? 'ok' : 'unknown';
    return judgeByOutput(read, step.redirected ? '' : output);
  });
}

const BACKGROUND = /\brunning in (?:the )?background\b|process still running|^Process running with session/i;

function judgeByOutput(read: { failure: boolean; success: boolean }, output: string): Verdict {
  if (!read.failure && !read.success && BACKGROUND.test(output.slice(0, 400))) return 'unknown';
  if (read.failure) return 'failed';
  return read.success || output.trim() !== '' ? 'ok' : 'unknown';
}
