/**
 * A trial of memory against itself: on a share of days (UTC) the page, hooks and recall say
 * nothing, so that the sessions of both kinds of day can be compared. Pure.
 */
import { createHmac } from 'node:crypto';
import { headLines } from './frame.js';

/**
 * Whether a day is held out. Nobody chooses the days: a keyed hash does, the same for all agents of
 * a home.
 * @param key the home's own secret
 * @param day UTC, `YYYY-MM-DD`
 * @param share of all days, 0 to 0.5
 */
export function isHeldOut(key: string, day: string, share: number): boolean {
  return (
    share > 0 &&
    createHmac('sha256', key).update(`holdout ${day}`).digest().readUInt32BE() < share * 2 ** 32
  );
}

interface HoldoutSettings {
  redactKey: string;
  config: { context: { holdout: number } };
  clock: { now(): Date };
}

/** Whether memory is silent now. */
export function isSilentToday({ redactKey, config, clock }: HoldoutSettings): boolean {
  return isHeldOut(redactKey, clock.now().toISOString().slice(0, 10), config.context.holdout);
}

/** The page of such a day: its head, which changes with no session. */
export function heldOutPage(project: { name: string } | null): string {
  return `${headLines(project?.name ?? null, '')[0]}\n`;
}
