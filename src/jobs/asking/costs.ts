/**
 * What asking would cost, before a person decides: the sessions that wait, and a week from then on.
 */
import { type Db, type OpenQuestion, showableSince } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { askAbout } from './ask-question.js';
import { maySend, waitingFor } from './backlog.js';

/** Of one side of a ledger: sessions, calls and tokens in and out. */
export interface Cost {
  sessions: number;
  calls: number;
  tokens: number;
}

export interface Costs {
  waiting: Cost;
  /** Nights until the sessions that wait were asked about, at the caps. */
  nights: number;
  week: Cost;
  /** Sessions of other vendors' agents that wait and are not sent. */
  withheld: number;
}

/**
 * Digests that are made to know what a session takes: more of them told the same within a tenth.
 */
const SAMPLE = 12;
/** Measured answers are shorter than the longest allowed: a few lessons with their quotes. */
const USUAL_ANSWER_TOKENS = 400;
const WEEKS = 4;
const WEEK_MS = 7 * 86_400_000;

/**
 * Counted on digests of a sample of the sessions that wait, as they would be sent; null while
 * nothing was read.
 */
export async function estimateCosts(
  context: Pick<JobContext, 'store' | 'config' | 'clock' | 'compute'>,
): Promise<Costs | null> {
  const { store, config, clock, compute } = context;
  const now = clock.now().getTime();
  const { open, withheld, recent, prompts, sampled } = await store.read(async (db) => {
    const waiting = await waitingFor(db, config.llm);
    const sample = spread(waiting.open, SAMPLE);
    return {
      open: waiting.open.length,
      withheld: waiting.withheld,
      recent: await showableSince(db, new Date(now - WEEKS * WEEK_MS).toISOString()),
      prompts: (
        await Promise.all(sample.map((question) => promptsOf(db, question, config)))
      ).flat(),
      sampled: sample.length,
    };
  });
  if (sampled === 0 && withheld === 0) return null;
  const counts = prompts.length === 0 ? [] : await compute.run('count', prompts);
  const tokens = counts.reduce((sum, count) => sum + count + USUAL_ANSWER_TOKENS, 0);
  const each = {
    calls: prompts.length / Math.max(1, sampled),
    tokens: tokens / Math.max(1, sampled),
  };
  const sent = recent.filter(({ agent }) => maySend(agent, config.llm));
  const first = Math.min(
    now,
    ...sent.flatMap(({ oldest }) => (oldest === null ? [] : [Date.parse(oldest)])),
  );
  const weeks = Math.min(WEEKS, Math.max(1, (now - first) / WEEK_MS));
  const weekly = sent.reduce((sum, { sessions }) => sum + sessions, 0) / weeks;
  return { ...planCosts(each, open, weekly, config.llm), withheld };
}

/** Pure. @param each what one session takes */
export function planCosts(
  each: Pick<Cost, 'calls' | 'tokens'>,
  waiting: number,
  weekly: number,
  caps: { daily_tokens: number; monthly_tokens: number },
): Omit<Costs, 'withheld'> {
  const costOf = (sessions: number): Cost => ({
    sessions: Math.ceil(sessions),
    calls: Math.ceil(sessions * each.calls),
    tokens: Math.ceil(sessions * each.tokens),
  });
  const all = costOf(waiting);
  return { waiting: all, nights: nightsFor(all.tokens, caps), week: costOf(weekly) };
}

/** Each month up to its cap, each night up to the day's. */
function nightsFor(tokens: number, caps: { daily_tokens: number; monthly_tokens: number }): number {
  const month = Math.min(caps.monthly_tokens, 30 * caps.daily_tokens);
  if (tokens === 0) return 0;
  if (month === 0) return Infinity;
  const months = Math.ceil(tokens / month) - 1;
  return 30 * months + Math.ceil((tokens - months * month) / caps.daily_tokens);
}

/** Evenly over the list, the first and the last among them. */
function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from(
    { length: most },
    (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]!,
  );
}

/** Prompts of a session until all of it is shown. */
async function promptsOf(
  db: Db,
  question: OpenQuestion,
  config: JobContext['config'],
): Promise<string[]> {
  const prompts: string[] = [];
  for (let after = question.after; ;) {
    const asked = await askAbout(db, { ...question, after }, config);
    if (!('prompt' in asked) || asked.upTo === undefined || asked.upTo <= after) return prompts;
    prompts.push(asked.prompt);
    after = asked.upTo;
  }
}
