/** The words that fields may have. */

export const LESSON_KINDS = [
  'command',
  'preference',
  'correction',
  'decision',
  'gotcha',
  'fact',
] as const;
export type LessonKind = (typeof LESSON_KINDS)[number];
/** Kinds that say what a person wants. */
export const WILL_KINDS: readonly LessonKind[] = ['preference', 'correction', 'decision'];
export const SCOPES = ['project', 'global'] as const;
export type Scope = (typeof SCOPES)[number];
export const SAID_BY = ['user', 'observed', 'agent'] as const;
export type SaidBy = (typeof SAID_BY)[number];
export const LESSON_STATUSES = ['live', 'faded', 'superseded', 'forgotten'] as const;
export type Status = (typeof LESSON_STATUSES)[number];
export const EDIT_ACTIONS = [
  'add',
  'edit',
  'pin',
  'unpin',
  'forget',
  'apart',
  'never',
  'undo',
] as const;

/** Name that is in an event's `agent` and `session` when a person's hand made it. */
export const PERSON = 'person';
/**
 * Session of an event that an agent's own edit made: however often it says a thing, it is one
 * event.
 */
export const AGENTS_HAND = 'edit';

/** Whether somebody typed an event as an edit: no session of a log made it. Pure. */
export function isOfHand({ agent, session }: { agent: string; session: string }): boolean {
  return agent === PERSON || session === AGENTS_HAND;
}

/**
 * The longest text of a lesson, wherever it comes from. What is longer is refused, not cut: half a
 * statement may say the opposite.
 */
export const MOST_LESSON_CHARS = 2000;

/** One file of src/facts each; the order is that in which they are shown. */
export const FACT_NAMES = [
  'works',
  'changed',
  'before',
  'absent',
  'slow',
  'edited',
  'broken',
] as const;
export type FactName = (typeof FACT_NAMES)[number];

/** Asked when the lessons are saved: its rules are among them. */
export const ASKED_LAST: readonly FactName[] = ['broken'];

/**
 * Facts that are shown at the moment they help, never on the page: they are true of one place, not
 * of the project.
 */
export const TOLD_AT_MOMENTS: readonly FactName[] = ['edited'];

export const HIT_TYPES = ['entry', 'lesson', 'episode', 'note'] as const;
export type HitType = (typeof HIT_TYPES)[number];
export const SEARCH_MODES = ['hybrid', 'keyword', 'semantic', 'exact'] as const;
export type Mode = (typeof SEARCH_MODES)[number];

/** In the order of work. */
export const JOB_NAMES = [
  'ingest',
  'extract',
  'context',
  'rollup',
  'decay',
  'crystallize',
  'embed',
  'ask',
] as const;
export type JobName = (typeof JOB_NAMES)[number];

/** Moments at which hooks may show something (`hooks.moments`). */
export const HOOK_MOMENTS = [
  'start',
  'compaction',
  'failure',
  'prompt',
  'command',
  'edit',
  'end',
] as const;

export type HookMoment = (typeof HOOK_MOMENTS)[number];
