import type { Candidate } from '../../types.js';
import type { Verdict } from '../outcome.js';
import type { SessionInput } from '../session.js';
import type { Step } from '../shell/steps.js';
import { observed } from './candidate.js';
import { asksForItself } from './classify.js';
import { missingWord, renamed, type Renaming } from './renaming.js';
import type { Call } from './runs.js';

/** A replacement stands at most this many entries after the failure. */
const REACH = 13;

interface Tried {
  at: number;
  call: Call;
  step: Step;
  verdict: Verdict;
}

/** Steps that anyone may repeat: no scripts, nothing outside the project. */
function triesOf(calls: Call[]): Tried[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      const shown =
        !step.scripted && step.words.length > 0 && call.folders[i] !== null && step.words.slice(0, 4).every((w) => w.length < 80);
      return shown ? [{ at: call.at, call, step, verdict: call.verdicts[i] ?? 'unknown' }] : [];
    }),
  );
}

/** Why the first form fails; the rest of tool text is never shown. */
function reasonOf(found: Renaming, missing: { word: string; kind: string }): string {
  if (missing.kind === 'program') return `\`${missing.word}\` by itself is not found`;
  if (missing.kind === 'module') return `without it \`${missing.word}\` is not found`;
  if (missing.kind === 'option') return `\`${missing.word}\` is not accepted`;
  return found.near ? 'the other name does not exist' : `there is no \`${missing.word}\``;
}

const startsWith = (words: string[], head: string): boolean => words.join(' ') === head || words.join(' ').startsWith(`${head} `);

/** Whether the form worked anywhere in the session: then nothing replaces it. */
const everWorked = (tries: Tried[], found: Renaming): boolean =>
  tries.some((t) => t.verdict === 'ok' && startsWith(t.step.words, found.from));

function toCandidate(
  session: SessionInput,
  tries: Tried[],
  found: Renaming,
  missing: { word: string; kind: string },
  to: Tried,
): Candidate {
  const failures = tries.filter((t) => t.verdict === 'failed' && startsWith(t.step.words, found.from)).length;
  return observed(session, {
    kind: 'correction',
    text: `Use \`${found.to}\` instead of \`${found.from}\`: ${reasonOf(found, missing)}.`,
    key: `instead:${found.from}`,
    importance: failures >= 3 ? 4 : 3,
    alone: true,
    worth: 0.66 + Math.min(0.1, 0.03 * failures),
    entry: to.call.entry,
    quote: to.call.entry.command ?? found.to,
    tags: ['replaced'],
    subject: `instead of ${found.from}`,
    value: found.to,
    commands: [found.to, to.step.words.join(' ')],
  });
}

/** Corrections from a form whose program, name, module or option is missing here to the form that worked soon after. */
export function replacedCommands(session: SessionInput, calls: Call[]): Candidate[] {
  const tries = triesOf(calls);
  const found = new Map<string, Candidate>();
  for (const [i, from] of tries.entries()) {
    if (from.verdict === 'ok' || from.call.result === null) continue;
    const missing = missingWord(from.step.words, from.call.result.text);
    if (missing === null) continue;
    for (const to of tries.slice(i + 1)) {
      if (to.at - from.at > REACH) break;
      if (to.verdict !== 'ok' || to.call === from.call || asksForItself(to.step.words)) continue;
      const pair = renamed(from.step.words, to.step.words, missing);
      if (pair === null || everWorked(tries, pair)) continue;
      found.set(pair.from, toCandidate(session, tries, pair, missing, to));
      break;
    }
  }
  return [...found.values()];
}
