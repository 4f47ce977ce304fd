/** Lets a model put the first hits in order, when the person wants that. Whatever goes wrong, the order without it stands. */
import { estimateTokens, renderHits, takeOrder } from '../asked/index.js';
import { ModelError, openModel, planAsk, spendingSince, type LanguageModel } from '../llm/index.js';
import { llmFailures, noteCall, notedCalls, tokensSince, type LlmCall } from '../store/index.js';
import { masked } from './query-vector.js';
import type { Recall } from './recall.js';

/** Enough for the numbers of so many hits and some reasoning before them. */
function answerTokens(count: number): number {
  return 160 + 4 * count;
}

/** @returns the items, the first ones in the model's order, or null when it was not asked or gave none */
export async function orderHits<T extends { text: string }>(
  recall: Recall,
  query: string,
  hits: readonly T[],
): Promise<T[] | null> {
  const { llm } = recall.config;
  const count = Math.min(llm.order_hits, hits.length);
  const model = count < 2 || query.trim() === '' ? null : modelOf(recall);
  if (model === null) return null;
  const prompt = renderHits(
    await masked(recall, query),
    hits.slice(0, count).map(({ text }) => text),
  );
  if (!(await mayAsk(recall, estimateTokens(prompt) + answerTokens(count)))) return null;
  const order = await ask(recall, model, prompt, count);
  return order === null ? null : [...order.map((i) => hits[i]!), ...hits.slice(count)];
}

function modelOf({ config, env, paths }: Recall): LanguageModel | null {
  try {
    return openModel(config.llm, env, paths.llm);
  } catch (error) {
    // `doctor` tells what is missing in the settings.
    if (error instanceof ModelError) return null;
    throw error;
  }
}

async function mayAsk({ store, clock, config, paths }: Recall, estimate: number): Promise<boolean> {
  const now = clock.now();
  const since = spendingSince(now);
  const noted = notedCalls(paths.uses);
  const also = (from: string): number =>
    noted.reduce((sum, call) => sum + (call.time >= from ? call.tokensIn + call.tokensOut : 0), 0);
  const { daily_tokens: dailyCap, monthly_tokens: monthlyCap } = config.llm;
  const plan = await store.read(async (db) => {
    const spending = {
      day: (await tokensSince(db, since.day)) + also(since.day),
      month: (await tokensSince(db, since.month)) + also(since.month),
      dailyCap,
      monthlyCap,
    };
    return planAsk(now, estimate, spending, await failures(db, noted));
  });
  return plan.ask;
}

/** Failed searches in a row, those that are not folded in yet among them. */
async function failures(db: Parameters<typeof llmFailures>[0], noted: readonly LlmCall[]) {
  const past = await llmFailures(db, 'search');
  const lastGood = noted.findLastIndex(({ outcome }) => outcome === 'ok' || outcome === 'unusable');
  const failed = noted.slice(lastGood + 1).filter(({ outcome }) => outcome !== 'pending');
  const last = failed.at(-1);
  return { inRow: failed.length + (lastGood < 0 ? past.inRow : 0), last: last ?? (lastGood < 0 ? past.last : null) };
}

async function ask(recall: Recall, model: LanguageModel, prompt: string, count: number): Promise<number[] | null> {
  const { clock, config, paths } = recall;
  const begun = clock.mono();
  const made: LlmCall = {
    time: clock.now().toISOString(),
    provider: model.provider,
    model: model.model,
    purpose: 'search',
    agent: null,
    session: null,
    tokensIn: estimateTokens(prompt),
    tokensOut: answerTokens(count),
    ms: 0,
    outcome: 'pending',
    error: null,
  };
  const note = (change: Partial<LlmCall>): void =>
    noteCall(paths.uses, { ...made, ms: Math.round(clock.mono() - begun), ...change });
  try {
    note({});
    const { text, tokensIn, tokensOut } = await model.ask(prompt, {
      maxTokens: answerTokens(count),
      signal: AbortSignal.timeout(config.llm.order_seconds * 1000),
    });
    const order = takeOrder(text, count);
    note({
      tokensIn: tokensIn ?? made.tokensIn,
      tokensOut: tokensOut ?? estimateTokens(text),
      outcome: order === null ? 'unusable' : 'ok',
    });
    return order;
  } catch (error) {
    if (error instanceof ModelError) note({ outcome: error.failure, error: await masked(recall, error.message) });
    return null;
  }
}
