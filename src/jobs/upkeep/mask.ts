/** Masks what comes neither from a log nor through the log file: a person's own words, another machine's export, an error. */
import { redactRules } from '../../config.js';
import type { JobContext } from '../job.js';
import { processorMs } from '../processor-time.js';

export type Redact = (texts: string[]) => Promise<string[]>;

/** The rules of this home, with their deadline. */
export async function redactorOf({
  redactKey,
  clock,
  config,
}: Pick<JobContext, 'redactKey' | 'clock' | 'config'>): Promise<Redact> {
  // The rules take a while to load, and most edits never need them.
  const { createRedactor } = await import('../../redact/index.js');
  const redactor = createRedactor({ key: redactKey, mono: () => clock.mono(), cpu: processorMs, ...redactRules(config) });
  return (texts) => redactor.redact(texts);
}

export async function maskText(context: Pick<JobContext, 'redactKey' | 'clock' | 'config'>, text: string): Promise<string> {
  const [masked] = await (await redactorOf(context))([text]);
  return masked as string;
}

/** Every string and key of a value through the redactor, in one go. */
export async function maskValue(value: unknown, redact: Redact): Promise<unknown> {
  const strings = new Set<string>();
  const collect = (each: unknown): void => {
    if (typeof each === 'string') strings.add(each);
    else if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) [key, inner].forEach(collect);
  };
  collect(value);
  const list = [...strings];
  const clean = await redact(list);
  const masked = new Map(list.map((text, i) => [text, clean[i]!]));
  const replace = (each: unknown): unknown => {
    if (typeof each === 'string') return masked.get(each);
    if (Array.isArray(each)) return each.map(replace);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [masked.get(key), replace(inner)]));
  };
  return replace(value);
}
