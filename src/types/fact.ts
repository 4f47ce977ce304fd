/** What rows prove, as typed fields. */

/** One file of src/facts each; the order is that in which they are shown. */
export const FACT_NAMES = [
  'restated',
  'works',
  'changed',
  'before',
  'absent',
  'habit',
  'slow',
  'flaky',
  'edited',
  'together',
  'broken',
] as const;
/** `own`: what the person's queries give, `~/.dripstone/facts/*.sql`. */
export type FactName = (typeof FACT_NAMES)[number] | 'own';

/** Asked when the lessons are saved: its rules are among them. */
export const ASKED_LAST: readonly FactName[] = ['broken'];

/** Facts that are told at the moment they help, never on the page: they are true of one place, not of the project. */
export const TOLD_AT_MOMENTS: readonly FactName[] = ['edited', 'together'];

/** One row of a fact query: evidence for or against a fact. */
export interface FactEvent {
  fact: FactName;
  /** Events of one fact and key are one fact. */
  key: string;
  fields: FactFields;
  agent: string;
  session: string;
  entry: string;
  day: string;
  /** ISO 8601 UTC: when the last row that it needs happened. */
  knownAt: string;
  supports: boolean;
  quote: string;
}

/** Fields of an event, as its query names them; one that contradicts may have none. */
export type FactFields = Readonly<Record<string, string | number | boolean | readonly string[] | null>>;
