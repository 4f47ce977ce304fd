/** Converts local times without a zone. Pure. */

const FIELDS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
} as const;
const DAY_MS = 86_400_000;

/**
 * Makes a function that converts a local time to UTC; a time with a zone stays. If the clock was
 * set back, the earlier of both moments counts; in a skipped hour the clock counts as not yet
 * changed.
 * @param zone IANA name
 */
export function createZone(zone: string): (told: string) => string {
  let format: Intl.DateTimeFormat | null = null;
  /** How far the zone's clock is ahead of UTC at a moment, in ms. */
  const ahead = (moment: number): number => {
    // Making a formatter takes longer than reading a short log, and few logs need one.
    format ??= new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone: zone, hourCycle: 'h23' });
    const part = Object.fromEntries(
      format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
    );
    const shown = Date.UTC(
      part.year!,
      part.month! - 1,
      part.day!,
      part.hour!,
      part.minute!,
      part.second!,
    );
    return shown - Math.floor(moment / 1000) * 1000;
  };
  return (told) => {
    if (told.endsWith('Z')) return told;
    const clock = Date.parse(`${told}Z`);
    const [before, after] = [ahead(clock - DAY_MS), ahead(clock + DAY_MS)];
    const moments = [before, after]
      .filter((offset) => ahead(clock - offset) === offset)
      .map((offset) => clock - offset);
    return new Date(moments.length === 0 ? clock - before : Math.min(...moments)).toISOString();
  };
}
