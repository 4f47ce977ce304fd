/** Calendar days `YYYY-MM-DD`, and ages in days. Pure. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The day of the newest entry, and the days with an entry: an age is a number of such days. */
export interface ProjectClock {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Sorted; days after `day` do not count. */
  activeDays: readonly string[];
}

/** Is this a calendar day `YYYY-MM-DD`? */
function isDay(day: string): boolean {
  return DAY.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
}

/** The valid days, once each, sorted. */
export function uniteDays(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())].filter(isDay).sort();
}

/**
 * The clock of a project. The days of the crystal count with those of the database, so that two
 * machines that exchanged crystals compute the same ages. Days after `now` do not count.
 * @param own the newest day and the days with an entry, as the database has them
 */
export function projectClockOf(
  own: { day: string | null; activeDays: readonly string[] },
  crystal: { as_of: string; active_days: readonly string[] } | null,
  now: string,
): ProjectClock {
  const today = now.slice(0, 10);
  const activeDays = uniteDays(own.activeDays, crystal?.active_days ?? []);
  const newest = activeDays.filter((day) => day <= today).at(-1) ?? '';
  const ownDay = own.day?.slice(0, 10) ?? '';
  const day = ownDay > newest ? ownDay : newest;
  return { day: day || crystal?.as_of.slice(0, 10) || today, activeDays };
}

/** How many of the sorted days are not after `day`. */
function countUpTo(days: readonly string[], day: string): number {
  let [low, high] = [0, days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (days[middle]! <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The active days after `day`, up to the clock's day, since a project without sessions does not
 * age.
 * @returns null when `day` is not a day; 0 for a day after the clock's day
 */
export function activeAge(day: string, clock: ProjectClock): number | null {
  return isDay(day)
    ? Math.max(0, countUpTo(clock.activeDays, clock.day) - countUpTo(clock.activeDays, day))
    : null;
}

/**
 * Whether a day is after the clock's day. False if all days are, since this machine's clock is then
 * wrong.
 */
export function isAhead(day: string, clock: ProjectClock): boolean {
  return day > clock.day && countUpTo(clock.activeDays, clock.day) > 0;
}
