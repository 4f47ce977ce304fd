/**
 * `dripstone usage --statusline`: one line for Claude Code's status line, which starts it after
 * each message with a JSON object on standard input (code.claude.com/docs/en/statusline). So it
 * opens the store by itself, reads the config only for prices, and never fails: what it cannot know
 * is left out.
 */
import { readFileSync } from 'node:fs';
import { homeOf, loadConfig, pathsOf, type Config } from '../../config.js';
import { hourSums, openStore, trueFile, type HourSum } from '../../store/index.js';
import type { Io } from '../command.js';
import { readInput } from '../typed.js';
import { BLOCK_AGENT, blocksOf, leftOf } from './blocks.js';
import { loadPrices, moneyOf, spanOf, usageLines } from './prices.js';

/** What Claude Code tells; every part may be missing. */
interface StatusInput {
  model: string | null;
  /** US dollars of this session. */
  session: number | null;
  /** Of the plan's five hours, in percent; and when they are over, in seconds since 1970. */
  used: number | null;
  resetsAt: number | null;
}

/** @returns null for anything but an object of JSON. Pure */
function readStatusInput(text: string): StatusInput | null {
  const told = parsed(text);
  if (typeof told !== 'object' || told === null || Array.isArray(told)) return null;
  const at = (...path: string[]): unknown =>
    path.reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], told);
  const number = (value: unknown): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  const model = at('model', 'display_name');
  return {
    model: typeof model === 'string' ? model.replace(/\s+/g, ' ').trim() : null,
    session: number(at('cost', 'total_cost_usd')),
    used: number(at('rate_limits', 'five_hour', 'used_percentage')),
    resetsAt: number(at('rate_limits', 'five_hour', 'resets_at')),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Answers of so long ago decide where the present block begins, unless nobody paused for five hours
 * since.
 */
const LOOKED_BACK_MS = 3 * 86_400_000;
/** The daemon holds the file for a moment: the next message asks again. */
const WAIT_MS = 100;

export async function printStatusline(io: Io): Promise<void> {
  // At a terminal nobody types JSON.
  const told = readStatusInput(io.key === undefined ? await readInput(io) : '{}');
  if (told === null) return;
  const line = lineOf(told, await readHours(io), loadPrices(ownPrices(io)), io.clock.now());
  if (line !== '') io.out(`${line}\n`);
}

/** Null when the store is not there, held or of another version. */
async function readHours({ env, clock }: Io): Promise<HourSum[] | null> {
  const named = pathsOf(homeOf(env)).store;
  const refuse = (): never => {
    throw new Error('no migration for one line');
  };
  try {
    const how = {
      path: trueFile(named),
      named,
      clock,
      lockWaitMs: WAIT_MS,
      idleMs: 0,
      readOnly: true,
    };
    const store = openStore({ ...how, beforeMigration: refuse });
    try {
      const since = new Date(clock.now().getTime() - LOOKED_BACK_MS).toISOString();
      return await store.read((db) => hourSums(db, { since, project: null }));
    } finally {
      await store.close();
    }
  } catch {
    return null;
  }
}

/** Reading a config takes longer than everything else: only one that names prices is read. */
function ownPrices({ env }: Io): Config['usage']['prices'] {
  const { config } = pathsOf(homeOf(env));
  try {
    return /\bprices\b/.test(readFileSync(config, 'utf8')) ? loadConfig(config).usage.prices : {};
  } catch {
    return {};
  }
}

/** @param hours of all agents; null: not known. Pure */
function lineOf(
  told: StatusInput,
  hours: readonly HourSum[] | null,
  prices: ReturnType<typeof loadPrices>,
  now: Date,
): string {
  const moneyFor = (sums: readonly HourSum[]): string =>
    moneyOf(usageLines(sums, prices, 'key').total);
  const today = now.toISOString().slice(0, 10);
  const blocks = blocksOf(hours ?? []);
  const start = [...blocks.values()].at(-1) ?? null;
  const left = start === null ? null : leftOf(start, now);
  const inBlock = (hours ?? []).filter(
    ({ key, agent }) => agent === BLOCK_AGENT && blocks.get(key) === start,
  );
  const resets = told.resetsAt === null ? null : told.resetsAt * 1000 - now.getTime();
  const ends = resets !== null && resets > 0 ? resets : left;
  const block = [
    ...(left === null ? [] : [`${moneyFor(inBlock)} block`]),
    ...(told.used === null ? [] : [`${Math.round(told.used)} % used`]),
    ...(ends === null ? [] : [`${spanOf(ends / 1000)} left`]),
  ];
  return [
    ...(told.model === null || told.model === '' ? [] : [told.model]),
    ...(told.session === null ? [] : [`$${told.session.toFixed(2)} session`]),
    ...(hours === null
      ? []
      : [`${moneyFor(hours.filter(({ key }) => key.startsWith(today)))} today`]),
    ...(block.length === 0 ? [] : [block.join(', ')]),
  ].join(' · ');
}
