/** Reports the cost and the benefit of a model, for status and the summary. */
import type { HomePaths } from '../../config.js';
import { configText, optionsIn } from '../../config-file.js';
import {
  type LanguageModel,
  ModelError,
  MONTHLY_DAYS,
  findPrograms,
  openModel,
  restUntil,
  spendingSince,
} from '../../llm/index.js';
import { type Db, llmFailures, llmTotals, newestCall, tokensSince } from '../../store/index.js';
import type { StatusFacts } from '../../types.js';
import { waitingFor } from './backlog.js';
import type { JobContext } from '../job.js';
import { withCommas } from '../../text/amounts.js';

export type LlmFacts = NonNullable<StatusFacts['llm']>;

/** After this many sessions without a lesson, the model is probably not good enough. */
const MANY_CALLS = 20;

/** Null without a model. */
export async function gatherLlm(
  db: Db,
  { config, clock }: Pick<JobContext, 'config' | 'clock'>,
): Promise<LlmFacts | null> {
  const { provider, model, command, daily_tokens: dailyCap } = config.llm;
  if (provider === 'off') return null;
  const now = clock.now();
  const spent = await spentTokens(db, now);
  const failures = await llmFailures(db);
  const until = restUntil(failures);
  const { open, withheld } = await waitingFor(db, config.llm);
  return {
    provider,
    model: provider === 'command' ? (command[0] ?? '') : model,
    tokens_today: spent.day,
    tokens_month: spent.month,
    daily_cap: dailyCap,
    monthly_cap: MONTHLY_DAYS * dailyCap,
    ...(await llmTotals(db)),
    waiting: open.length,
    withheld,
    resting_until: until !== null && until > now ? until.toISOString() : null,
    error: failures.last?.error ?? null,
  };
}

/** Tokens in and out of this UTC day and calendar month. */
export async function spentTokens(db: Db, now: Date): Promise<{ day: number; month: number }> {
  const since = spendingSince(now);
  return { day: await tokensSince(db, since.day), month: await tokensSince(db, since.month) };
}

/** One sentence with the number of kept claims and the tokens they cost. */
export function describeWorth({ calls, unusable, tokens, kept, dropped }: LlmFacts): string {
  const claims = kept + Object.values(dropped).reduce((sum, count) => sum + count, 0);
  if (calls === 0) return 'no call was made yet';
  // A few sessions may give nothing to learn; many sessions should give something.
  if (claims === 0 && unusable === 0 && calls < MANY_CALLS)
    return `${calls} calls and ${withCommas(tokens)} tokens, nothing to keep yet`;
  if (kept === 0)
    return (
      `${calls} calls and ${withCommas(tokens)} tokens gave no lesson: \`dripstone model off\` ends it, a ` +
      'larger model may do better'
    );
  const reasons = Object.entries(dropped)
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${reason} ${count}`);
  return (
    `${kept} of ${claims} claims kept (${Math.round((100 * (claims - kept)) / claims)} % dropped), ` +
    `${((1000 * kept) / tokens).toFixed(2)} per 1,000 tokens, ${withCommas(Math.round(tokens / kept))} tokens ` +
    `each${reasons.length === 0 ? '' : `; dropped: ${reasons.join(', ')}`}`
  );
}

/** A failed model by name, and when it is asked again, for the last lines of a run. */
export async function describeFailure(
  db: Db,
  { config, clock }: Pick<JobContext, 'config' | 'clock'>,
): Promise<string[]> {
  if (config.llm.provider === 'off') return [];
  const last = await newestCall(db);
  if (last?.outcome === 'cancelled')
    return [
      `the model does not answer: ${last.error}; \`dripstone model use\` tries it with more patience, nights do so too`,
    ];
  const failures = await llmFailures(db);
  const until = restUntil(failures);
  if (failures.last === null || until === null || until <= clock.now()) return [];
  return [
    `the model does not answer: ${failures.last.error ?? failures.last.outcome}; it is asked again after ` +
      `${until.toISOString().slice(11, 16)} UTC, \`dripstone model use\` tries it now`,
  ];
}

/** A hint for a person without a decision about models, if PATH has a program that could answer. */
export function suggestModel({
  config,
  env,
  paths,
}: Pick<JobContext, 'config' | 'env' | 'paths'>): string[] {
  if (config.llm.provider !== 'off' || isDecided(paths)) return [];
  const program = findPrograms(env['PATH']).find(({ refused }) => refused === null);
  return program
    ? [
        `${program.name} is on this machine: \`dripstone model use ${program.name}\` lets it write better lessons (off ` +
          'until then)',
      ]
    : [];
}

/** Whether the person already decided for or against a model. */
export function isDecided(paths: HomePaths): boolean {
  return optionsIn(configText(paths))?.has('llm.provider') ?? true;
}

/** The model of config.yaml: null if it is off, or if something is missing (see `problem`). */
export function modelOf({ config, env, paths }: Pick<JobContext, 'config' | 'env' | 'paths'>): {
  model: LanguageModel | null;
  problem: string | null;
} {
  try {
    return { model: openModel(config.llm, env, paths.llm), problem: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { model: null, problem: error.message };
  }
}
