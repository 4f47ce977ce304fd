/** Days as a person types them. */
import { usage } from '../errors.js';

/** Whether a text is a day of the calendar as `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * A day as a person types it: `2026-11-20`, `today`, `yesterday`, or days or weeks ago as `7d` or
 * `2w`. Days are in UTC. Null for anything else. Pure.
 */
export function dayFrom(text: string, now: Date): string | null {
  const word = text.trim().toLowerCase();
  if (isDay(word)) return word;
  const [, count, unit] = /^(\d{1,4})([dw])$/.exec(word) ?? [];
  const back =
    count === undefined
      ? ['today', 'yesterday'].indexOf(word)
      : Number(count) * (unit === 'w' ? 7 : 1);
  return back < 0 ? null : new Date(now.getTime() - back * 86_400_000).toISOString().slice(0, 10);
}

/**
 * First day of a `--since`, as `YYYY-MM-DD`; null for `all`.
 * @throws AppError (usage) for a text that is no day
 */
export function sinceIn(typed: string, now: Date): string | null {
  const day = typed === 'all' ? null : dayFrom(typed, now);
  if (day === null && typed !== 'all')
    throw usage(`--since ${typed} is not a day`, 'for example 2026-11-20, 30d, 2w or all');
  return day;
}
