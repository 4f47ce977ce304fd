/** The allowed words of fields. */

export const LESSON_KINDS = [
  'command',
  'preference',
  'correction',
  'decision',
  'gotcha',
  'fact',
] as const;
export type LessonKind = (typeof LESSON_KINDS)[number];
/** Kinds of lessons about what a person wants. */
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

/** Value of an event's `agent` and `session` if a person typed the event. */
export const PERSON = 'person';
/** Session of an event from an agent's own edit: repeated edits count as one event. */
export const AGENTS_HAND = 'edit';

/** Whether a person or agent typed an event as an edit: it is not from a log. Pure. */
export function isOfHand({ agent, session }: { agent: string; session: string }): boolean {
  return agent === PERSON || session === AGENTS_HAND;
}

/**
 * The longest text of any lesson. A longer text is refused, not cut: half a statement may say the
 * opposite.
 */
export const MOST_LESSON_CHARS = 2000;

/** One file of src/facts each, in the order in which they are shown. */
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

/** Computed after the lessons are saved, because they need the rules among them. */
export const ASKED_LAST: readonly FactName[] = ['broken'];

/**
 * Facts shown only at the moment when they help, never on the page: they are about one place, not
 * the whole project.
 */
export const SHOWN_AT_MOMENTS: readonly FactName[] = ['edited'];

export const HIT_TYPES = ['entry', 'lesson', 'episode', 'note'] as const;
export type HitType = (typeof HIT_TYPES)[number];
export const SEARCH_MODES = ['hybrid', 'keyword', 'semantic', 'exact'] as const;
export type Mode = (typeof SEARCH_MODES)[number];

/** In the order in which they run. */
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
