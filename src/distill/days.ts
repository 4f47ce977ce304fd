/** Whole days between calendar days `YYYY-MM-DD`; no clock is read here. */

const MS_PER_DAY = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Is this a calendar day `YYYY-MM-DD`? */
const isDay = (day: string): boolean => DAY.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));

/** Days from `day` to `today`, never below 0 (a clock that lags behind an entry); null when `day` is not a day. */
export function ageInDays(day: string, today: string): number | null {
  if (!isDay(day) || !isDay(today)) return null;
  const days = (Date.parse(`${today}T00:00:00Z`) - Date.parse(`${day}T00:00:00Z`)) / MS_PER_DAY;
  return Math.max(0, Math.round(days));
}
