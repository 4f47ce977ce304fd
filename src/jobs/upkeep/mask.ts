/**
 * Masks what comes neither from a log nor through the log file: a person's own words, another
 * machine's export, an error.
 */
import { parseCrystal } from '../../lessons/index.js';
import { messageOf } from '../../errors.js';
import type { JobContext } from '../job.js';
import { processorMs } from '../processor-time.js';
import { withCommas } from '../../text/amounts.js';

export type Redact = (texts: readonly string[]) => string[];

/** The rules of this home, with their deadline. */
export async function redactorOf({
  redactKey,
  clock,
  config,
}: Pick<JobContext, 'redactKey' | 'clock' | 'config'>): Promise<Redact> {
  // The rules take a while to load, and most edits never need them.
  const { createRedactor } = await import('../../redact/index.js');
  const redactor = createRedactor({
    key: redactKey,
    mono: () => clock.mono(),
    cpu: processorMs,
    ...config.redact,
  });
  return redactor.redact;
}

export async function maskText(
  context: Pick<JobContext, 'redactKey' | 'clock' | 'config'>,
  text: string,
): Promise<string> {
  const [masked] = (await redactorOf(context))([text]);
  return masked as string;
}

/** Every string and key of a value through the redactor, in one go. */
export function maskValue(value: unknown, redact: Redact): unknown {
  const strings = new Set<string>();
  const collect = (each: unknown): void => {
    if (typeof each === 'string') strings.add(each);
    else if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) [key, inner].forEach(collect);
  };
  collect(value);
  const list = [...strings];
  const clean = redact(list);
  const masked = new Map(list.map((text, i) => [text, clean[i]!]));
  const replace = (each: unknown): unknown => {
    if (typeof each === 'string') return masked.get(each);
    if (Array.isArray(each)) return each.map(replace);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => [masked.get(key), replace(inner)]),
    );
  };
  return replace(value);
}

const DAY_MS = 86_400_000;

/**
 * In all crystals that come in together: one of 5,000 lessons with five events each has 400,000.
 */
export const MOST_VALUES = 2_000_000;

/** About as many as JSON.parse would make of it, or more: signs within texts count too. */
export function valuesIn(json: string): number {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === 0x2c || sign === 0x5b || sign === 0x7b) values++; // , [ {
  }
  return values;
}

/**
 * The one way in for a crystal.json that others wrote, by import, sync or a teammate: masked like a
 * log, then checked by the schema. Never throws for what is in it.
 * @param now days after tomorrow do not count: other machines may be a zone ahead, not a year
 */
export function readForeignCrystal(
  text: string,
  now: Date,
  redact: Redact,
): ReturnType<typeof parseCrystal> {
  // Many empty lessons would fill the memory.
  if (valuesIn(text) > MOST_VALUES)
    return { crystal: null, problems: [`it holds more than ${withCommas(MOST_VALUES)} values`] };
  const newest = new Date(now.getTime() + DAY_MS).toISOString().slice(0, 10);
  const { crystal, problems } = parseCrystal(text, newest);
  if (crystal === null) return { crystal, problems };
  try {
    return parseCrystal(
      JSON.stringify(maskValue(JSON.parse(text.replace(/^\uFEFF/, '')), redact)),
      newest,
    );
  } catch (error) {
    return { crystal: null, problems: [messageOf(error)] };
  }
}
