/** Judges past failures: which came back, whether a cure was known, and their cost. */
import {
  allFactEvents,
  followedSince,
  grouped,
  loadRepeats,
  receiptsSince,
  type AnswerRow,
  type CallRow,
  type Db,
  type Followed,
  type RepeatRow,
  type Repeats,
  type ToldItem,
} from '../store/index.js';
import { factsOf } from '../facts/index.js';
import { sessionKey, type FactEvent } from '../types.js';
import { followedThen } from './moments/followed.js';
import type { Recall } from './recall.js';
import { costOf, loadPrices } from './usage.js';
import { compareText } from '../text/order.js';

/** A failure, with the fields that a moment needs. */
type Failure = Pick<RepeatRow, 'project' | 'entry' | 'form' | 'cures'>;

/** The data from before each moment, to judge repeats. */
export interface Witnesses {
  /** Whether `recall` at that instant (ISO 8601 UTC) gives a cure for the failure. */
  shownAtMoment(asOf: string, failure: Failure): boolean;
  /** US dollars of an answer; null when its price is unknown. */
  dollars(answer: AnswerRow): number | null;
}

/** The cost from the failure until its cure; a failure without a cure costs its own call. */
export interface Cost {
  calls: number;
  seconds: number;
  /** New tokens: input, written to a cache, output; without those read from a cache. */
  tokens: number;
  /** Dollars of the answers with a known price. */
  dollars: number;
}

/** A failure that happened again. */
export interface Repeat extends Omit<RepeatRow, 'at' | 'until'> {
  /** A cure was known: an earlier session solved the error, or a fact had the cure. */
  known: boolean;
  /** `recall` at the failure would have shown the cure. */
  shown: boolean;
  cost: Cost | null;
}

/** A longer pause counts as this many seconds. */
const LONGEST_GAP = 300;

/** Oldest first; a failure counts once per session, and each call once. */
export function judge({ rows, calls, answers }: Repeats, witnesses: Witnesses): Repeat[] {
  const [callsOf, answersOf] = [grouped(calls, sessionOf), grouped(answers, sessionOf)];
  const seen = new Set<string>();
  const counted = new Map<string, number>();
  return [...rows].sort(compareRows).flatMap((row): Repeat[] => {
    const key = sessionOf(row);
    const same = `${key}\0${row.kind}\0${row.program}\0${row.error ?? row.form}`;
    if (seen.has(same)) return [];
    seen.add(same);
    const { at, until, ...rest } = row;
    const known = row.was_cured || row.cures.length > 0;
    const shown = witnesses.shownAtMoment(row.time, row);
    if (at === null) return [{ ...rest, known, shown, cost: null }];
    const [from, to] = [Math.max(at, counted.get(key) ?? at), until ?? at + 1];
    counted.set(key, Math.max(to, counted.get(key) ?? to));
    return [
      {
        ...rest,
        known,
        shown,
        cost: repeatCost(callsOf.get(key) ?? [], answersOf.get(key) ?? [], from, to, witnesses),
      },
    ];
  });
}

function sessionOf({ agent, session }: RepeatRow | CallRow | AnswerRow): string {
  return sessionKey(agent, session);
}

function compareRows(a: RepeatRow, b: RepeatRow): number {
  return (
    compareText(a.time, b.time) || compareText(a.entry, b.entry) || compareText(a.form, b.form)
  );
}

/** @param from first call that counts; `to` does not count */
function repeatCost(
  calls: readonly CallRow[],
  answers: readonly AnswerRow[],
  from: number,
  to: number,
  { dollars }: Pick<Witnesses, 'dollars'>,
): Cost {
  const within = calls.filter(({ at }) => at >= from && at < to);
  const [first, last] = [within[0], within.at(-1)];
  if (first === undefined || last === undefined)
    return { calls: 0, seconds: 0, tokens: 0, dollars: 0 };
  const next = calls.find(({ at }) => at >= to);
  const end = next === undefined || to === from + 1 ? (last.ended ?? last.time) : next.time;
  const times = [...within.map(({ time }) => time), end].map((time) => Date.parse(time) / 1000);
  const seconds = times
    .slice(1)
    .reduce((sum, time, n) => sum + Math.max(0, Math.min(time - times[n]!, LONGEST_GAP)), 0);
  const meant = answers.filter(({ time }) => time > first.time && time <= end);
  const tokens = meant.reduce(
    (sum, { input, cache_write, output }) => sum + input + cache_write + output,
    0,
  );
  return {
    calls: within.length,
    seconds,
    tokens,
    dollars: meant.reduce((sum, each) => sum + (dollars(each) ?? 0), 0),
  };
}

/** Sums of repeats for one screen; time and money are rounded down. */
export interface Totals {
  /** Number of errors, commands and programs that came back. */
  failures: number;
  known: number;
  shown: number;
  calls: number;
  minutes: number;
  tokens: number;
  dollars: number;
}

/** Pure. */
export function totalsOf(repeats: readonly Repeat[]): Totals {
  const sum = (name: keyof Cost): number =>
    repeats.reduce((all, { cost }) => all + (cost?.[name] ?? 0), 0);
  return {
    failures: repeats.length,
    known: repeats.filter(({ known }) => known).length,
    shown: repeats.filter(({ shown }) => shown).length,
    calls: sum('calls'),
    minutes: Math.floor(sum('seconds') / 60),
    tokens: sum('tokens'),
    dollars: Math.floor(sum('dollars') * 100) / 100,
  };
}

// Finds what `recall` would have answered at past failures.

/**
 * A fact gives its cure as soon as the earlier events are enough for its template. Pure.
 * @param events of all projects, with their project's id, as they were stored
 * @param followed failures at which `recall` shows what an earlier session did next, by {@link
 * failureKey}
 */
export function momentsOf(
  events: readonly (FactEvent & { project: string })[],
  followed: ReadonlySet<string> = new Set(),
): Witnesses['shownAtMoment'] {
  const byKey = grouped(events, ({ project, fact, key }) => `${project}\0fact:${fact}:${key}`);
  return (asOf, failure) =>
    followed.has(failureKey(failure)) ||
    failure.cures.some((key) => {
      const known = (byKey.get(`${failure.project}\0${key}`) ?? []).filter(
        ({ known_at }) => known_at <= asOf,
      );
      return factsOf(known).length > 0;
    });
}

/** Failures with an error that an earlier session solved, if `recall` shows how. */
export async function followedOf(db: Db, rows: readonly RepeatRow[]): Promise<Set<string>> {
  const asked = rows.flatMap(({ command, error, was_cured, ...row }) =>
    was_cured && command !== null && error !== null ? [{ ...row, command, error }] : [],
  );
  return new Set((await followedThen(db, asked)).map(failureKey));
}

function failureKey({ project, entry, form }: Omit<Failure, 'cures'>): string {
  return [project, entry, form].join('\0');
}

/** The failures that came back in a project (id; null: all) since a day (null: always). */
export function historyOf(
  { store, clock }: Pick<Recall, 'store' | 'clock'>,
  project: string | null,
  since: string | null,
): Promise<Repeats> {
  const now = clock.now().toISOString();
  return store.read((db) => loadRepeats(db, { project, since, now }));
}

/** Judges the failures that came back. Reads only. */
export async function judgeHistory(
  { store, config }: Pick<Recall, 'store' | 'config'>,
  found: Repeats,
): Promise<Repeat[]> {
  const prices = loadPrices(config.usage.prices);
  const projects = new Set(found.rows.map(({ project }) => project));
  const only = projects.size === 1 ? [...projects][0]! : null;
  const events = await store.read((db) => allFactEvents(db, only));
  const followed = await store.read((db) => followedOf(db, found.rows));
  return judge(found, {
    shownAtMoment: momentsOf(events, followed),
    dollars: (answer) => costOf({ ...answer, logged: answer.cost }, prices),
  });
}

/** A moment at which a hook showed something. */
export interface ReceiptAtMoment {
  id: string;
  time: string;
  moment: string;
  agent: string;
  session: string;
  project: string | null;
  tokens: number;
  items: { type: string; id: string; text: string | null }[];
  /** Null if the moment was not a failure. */
  followed: Omit<Followed, 'receipt'> | null;
}

/**
 * What hooks showed since a day and what happened next, the newest first.
 * @param since day; null: all
 * @param project id; null: all
 */
export async function loadReceipts(
  db: Db,
  since: string | null,
  project: string | null,
): Promise<ReceiptAtMoment[]> {
  const from = since ?? '1970-01-01';
  return receiptsOf(await receiptsSince(db, from, project), await followedSince(db, from));
}

/** Groups items by moment, the newest moment first. Pure. */
function receiptsOf(items: readonly ToldItem[], followed: readonly Followed[]): ReceiptAtMoment[] {
  const after = new Map(followed.map(({ receipt, ...rest }) => [receipt, rest]));
  const receipts = new Map<string, ReceiptAtMoment>();
  for (const { receipt, time, moment, agent, session, slug, type, id, text, tokens } of items) {
    const one = receipts.get(receipt) ?? {
      ...{ id: receipt, time, moment, agent, session, project: slug, tokens: 0, items: [] },
      followed: after.get(receipt) ?? null,
    };
    one.tokens += tokens;
    one.items.push({ type, id, text });
    receipts.set(receipt, one);
  }
  return [...receipts.values()];
}
