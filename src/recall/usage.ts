/**
 * Sums tokens of models by time, project, agent, model or session, and their cost. List prices are
 * data with a date; nothing is ever fetched.
 */
import { readFileSync } from 'node:fs';
import type { Config } from '../config.js';
import { usage } from '../errors.js';
import { shippedFile } from '../place.js';
import { sumUsage, type Store, type UsageKey, type UsageSum } from '../store/index.js';
import { sinceIn } from '../text/days.js';

export const USAGE_KEYS: readonly UsageKey[] = [
  ...(['day', 'week', 'month'] as const),
  ...(['project', 'agent', 'model', 'session'] as const),
];
/** Keys of time are sorted by time, the others by cost. */
export const IN_TIME: readonly UsageKey[] = ['day', 'week', 'month'];
const SINCE: Readonly<Partial<Record<UsageKey, string>>> = { week: '12w', month: 'all' };

const COUNTS = ['messages', 'input', 'cache_read', 'cache_write', 'output', 'reasoning'] as const;

/** Tokens of one key, and their cost. */
export interface UsageLine extends Omit<UsageSum, 'model' | 'logged'> {
  /** US dollars; null if the price of one of its models is unknown. */
  cost: number | null;
  /** Cost of the models with a known price. */
  known_cost: number;
  unknown_models: string[];
}

/** @throws AppError exit 2 for an unknown key or an invalid day */
export function readUsage(
  by: string | null,
  typed: string | null,
  now: Date,
): [by: UsageKey | null, since: string | null] {
  const key = USAGE_KEYS.find((each) => each === by) ?? null;
  if (by !== null && key === null)
    throw usage(`--by ${by} is unknown`, `take one of ${USAGE_KEYS.join(', ')}`);
  return [key, sinceIn(typed ?? (key === null ? '7d' : (SINCE[key] ?? '7d')), now)];
}

/** As `usage --json` prints it. @param by null: days, and also projects */
export async function usageOf(
  { store, config }: { store: Store; config: Config },
  by: UsageKey | null,
  where: { since: string | null; project: string | null },
) {
  const prices = loadPrices(config.usage.prices);
  const { rows, total } = await linesOf(store, by ?? 'day', where, prices);
  const projects = by === null ? (await linesOf(store, 'project', where, prices)).rows : null;
  return { ...where, prices: { date: prices.date }, by: by ?? 'day', rows, projects, total };
}

async function linesOf(
  store: Store,
  by: UsageKey,
  where: { since: string | null; project: string | null },
  prices: Prices,
): Promise<{ rows: UsageLine[]; total: UsageLine }> {
  const sums = await store.read((db) => sumUsage(db, by, where));
  return usageLines(sums, prices, IN_TIME.includes(by) ? 'key' : 'cost');
}

/** US dollars per million tokens. Without a price of its own, a cache costs the same as input. */
interface Price {
  input: number;
  output: number;
  cache_read?: number | undefined;
  cache_write?: number | undefined;
}

export interface Prices {
  /** Date of the shipped prices. */
  date: string;
  /** Prices by `plainName`. */
  models: Map<string, Price>;
}

/** The prices of config/prices.json; those in the person's config replace them. */
export function loadPrices(own: Config['usage']['prices']): Prices {
  const shipped = JSON.parse(readFileSync(shippedFile('config/prices.json'), 'utf8')) as {
    date: string;
    models: Record<string, Price>;
  };
  const all = [...Object.entries(shipped.models), ...Object.entries(own)];
  return {
    date: shipped.date,
    models: new Map(all.map(([model, price]) => [plainName(model), price])),
  };
}

/**
 * A model's name in one spelling: without provider, day, revision and window size, and with `-` for
 * `.`: `us.anthropic.claude-opus-4-5-20251101-v1:0` is `claude-opus-4-5`. Pure.
 */
function plainName(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]+\.)?anthropic\./, '')
    .replace(/\[\w+\]$/, '')
    .replace(/(?:-v\d+)?:\w+$/, '')
    .replace(/[@-](?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, '')
    .replaceAll('.', '-');
}

/** The cost in the log, else tokens at the model's price; null if that is unknown. */
export function costOf(
  sum: Pick<UsageSum, 'logged' | 'model' | 'input' | 'cache_read' | 'cache_write' | 'output'>,
  { models }: Prices,
): number | null {
  if (sum.logged !== null) return sum.logged;
  const price = sum.model === null ? undefined : models.get(plainName(sum.model));
  if (price === undefined)
    return sum.input + sum.cache_read + sum.cache_write + sum.output === 0 ? 0 : null;
  const { input, output, cache_read: read = input, cache_write: write = input } = price;
  return (
    (sum.input * input + sum.cache_read * read + sum.cache_write * write + sum.output * output) /
    1_000_000
  );
}

/** One line from all its sums. Pure. */
function lineOf(sums: readonly UsageSum[], prices: Prices): UsageLine {
  const total = (name: (typeof COUNTS)[number]): number =>
    sums.reduce((all, sum) => all + sum[name], 0);
  const costs = sums.map((sum) => costOf(sum, prices));
  const unknown = sums.filter((_, n) => costs[n] === null).map(({ model }) => model ?? 'unknown');
  const known = costs.reduce<number>((all, cost) => all + (cost ?? 0), 0);
  const { key = null, agent = null, project = null, active_seconds = null } = sums[0] ?? {};
  return {
    ...{ key, agent, project, active_seconds },
    ...(Object.fromEntries(COUNTS.map((name) => [name, total(name)])) as Record<
      (typeof COUNTS)[number],
      number
    >),
    cost: unknown.length > 0 ? null : known,
    known_cost: known,
    unknown_models: [...new Set(unknown)].sort(),
  };
}

/**
 * Lines by key, and one line for all.
 * @param order `key`: as given; `cost`: the most expensive first, of equal ones the largest
 */
function usageLines(
  sums: readonly UsageSum[],
  prices: Prices,
  order: 'key' | 'cost',
): { rows: UsageLine[]; total: UsageLine } {
  const groups = new Map<string, UsageSum[]>();
  for (const sum of sums) {
    const key = JSON.stringify([sum.key, sum.agent]);
    groups.set(key, [...(groups.get(key) ?? []), sum]);
  }
  const rows = [...groups.values()].map((group) => lineOf(group, prices));
  const size = (line: UsageLine): number =>
    line.input + line.cache_read + line.cache_write + line.output;
  if (order === 'cost') rows.sort((a, b) => b.known_cost - a.known_cost || size(b) - size(a));
  const total = lineOf(sums, prices);
  return { rows, total: { ...total, key: null, agent: null, project: null, active_seconds: null } };
}

/** The cost of a line; with `>` if some prices are unknown, in words if all are. */
export function moneyOf({ cost, known_cost: known }: UsageLine): string {
  if (cost !== null) return `$${cost.toFixed(2)}`;
  return known > 0 ? `> $${known.toFixed(2)}` : 'unknown';
}

/** As hours and minutes. */
export function spanOf(seconds: number | null): string {
  return seconds === null
    ? ''
    : `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')} h`;
}
