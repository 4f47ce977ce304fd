/** Decides before each call, by an estimate, whether a model may be called now. Pure. */

const MINUTE_MS = 60_000;
/** The cap of a month, in daily caps. */
export const MONTHLY_DAYS = 10;
/** After this many failed calls in a row, calls pause for hours. */
const MANY = 5;
const OPEN_MS = 6 * 60 * MINUTE_MS;

interface Spending {
  /** Tokens in and out, of this UTC day and calendar month. */
  day: number;
  month: number;
  dailyCap: number;
}

interface FailedCalls {
  inRow: number;
  last: { time: string; outcome: string } | null;
}

export type AskPlan =
  | { ask: true }
  | { ask: false; reason: 'daily cap' | 'monthly cap' | 'resting'; until: Date | null };

/** @param estimate tokens of the prompt and of the longest answer */
export function planAsk(
  now: Date,
  estimate: number,
  spending: Spending,
  failures: FailedCalls,
): AskPlan {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  if (spending.day + estimate > spending.dailyCap)
    return {
      ask: false,
      reason: 'daily cap',
      until: new Date(Date.UTC(year, month, now.getUTCDate() + 1)),
    };
  if (spending.month + estimate > MONTHLY_DAYS * spending.dailyCap)
    return { ask: false, reason: 'monthly cap', until: new Date(Date.UTC(year, month + 1, 1)) };
  const until = restUntil(failures);
  return until !== null && now < until ? { ask: false, reason: 'resting', until } : { ask: true };
}

/**
 * Calls pause one minute, two, four, … after failures, and hours after a refusal or many failures.
 */
export function restUntil({ inRow, last }: FailedCalls): Date | null {
  if (last === null || inRow === 0) return null;
  const rest = last.outcome === 'refused' || inRow >= MANY ? OPEN_MS : MINUTE_MS * 2 ** (inRow - 1);
  return new Date(Date.parse(last.time) + rest);
}

/** Start of the UTC day and month of `now`: spending counts from there. */
export function spendingSince(now: Date): { day: string; month: string } {
  return {
    day: `${now.toISOString().slice(0, 10)}T00:00:00.000Z`,
    month: `${now.toISOString().slice(0, 7)}-01T00:00:00.000Z`,
  };
}
