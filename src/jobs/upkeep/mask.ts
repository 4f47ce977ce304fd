/**
 * Masks texts that come neither from a log nor through the log file: a person's own words, another
 * machine's export, an error.
 */
import { parseCrystal } from '../../lessons/index.js';
import { messageOf } from '../../errors.js';
import type { JobContext } from '../job.js';
import { processorMs } from '../processor-time.js';
import { withCommas } from '../../text/amounts.js';

export type Redact = (texts: readonly string[]) => string[];

/** The masking rules of this home, with their deadline. */
export async function redactorOf({
  redactKey,
  clock,
  config,
}: Pick<JobContext, 'redactKey' | 'clock' | 'config'>): Promise<Redact> {
  // Loaded on demand, because it takes a while and most edits do not need it.
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

/** Masks every string and key of a value in one call. */
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

/** Limit for all crystals of an import together; a crystal of thousands of lessons is far below. */
export const MOST_VALUES = 2_000_000;

/** About as many values as JSON.parse would make, or more, since signs in texts count too. */
export function valuesIn(json: string): number {
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at);
    if (sign === 0x2c || sign === 0x5b || sign === 0x7b) values++; // , [ {
  }
  return values;
}

/**
 * The only reader for a crystal.json of others, from import, sync or a teammate: masks it like a
 * log, then checks the schema. Never throws because of its content.
 * @param now days after tomorrow do not count: other machines may be a zone ahead, not a year
 */
export function readForeignCrystal(
  text: string,
  now: Date,
  redact: Redact,
): ReturnType<typeof parseCrystal> {
  // Many empty lessons would fill the memory.
  if (valuesIn(text) > MOST_VALUES)
    return { crystal: null, problems: [`it has more than ${withCommas(MOST_VALUES)} values`] };
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
