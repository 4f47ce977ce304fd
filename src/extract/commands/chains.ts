import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import type { Call, Run } from './runs.js';

/** Steps whose order says something: what is put right or made before what is looked at. */
const ORDERED = new Set(['install', 'generate', 'format', 'lint', 'typecheck', 'check', 'build', 'test']);
const LONGEST = 4;

/** The project's own steps that a call runs one after the other, each only if the one before worked; null when it is no such chain. */
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
export function checkChains(session: SessionInput, runs: Run[]): Candidate[] {
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
