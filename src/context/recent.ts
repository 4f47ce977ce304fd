/** Recent work: what was left unfinished first, then the newest. */

import type { Episode } from '../types.js';
import { MAX_LINE } from './lines.js';
import { neutralise } from './neutralise.js';
import { isSamePoint, pointOf, type Point } from './points.js';
import { countLine } from './tokens.js';

/** Days, by the project clock, for which work is recent; older work is history (episodes/ has it). */
const RECENT_DAYS = 7;
const MAX_LINES = 3;
/** Lines of finished work: one tells where things stand, more only take room from lessons. */
const MAX_DONE = 1;
const MS_PER_DAY = 86_400_000;

const daysApart = (a: string, b: string): number =>
  Math.abs(Date.parse(`${b}T00:00:00Z`) - Date.parse(`${a}T00:00:00Z`)) / MS_PER_DAY;

const compareNewest = (a: Episode, b: Episode): number =>
  (a.day < b.day ? 1 : a.day > b.day ? -1 : 0) || (a.session < b.session ? -1 : a.session > b.session ? 1 : 0);

const STATE: Readonly<Record<Episode['outcome'], string>> = {
  success: 'done',
  partial: 'partly done',
  abandoned: 'abandoned',
  unknown: 'left open',
};

const withoutPoint = (text: string): string => text.replace(/[.;:,\s]+$/, '');

/** Task, state and next step as one line; what does not fit whole is left out from the end, null when the task alone does not. */
function lineOfEpisode(e: Episode): string | null {
  const task = withoutPoint(neutralise(e.title));
  const signal = withoutPoint(neutralise(e.signal));
  const next = e.nextStep === null ? '' : withoutPoint(neutralise(e.nextStep));
  const state = `${e.unfinished ? 'unfinished' : STATE[e.outcome]}${signal === '' ? '' : ` (${signal})`}`;
  // A question that was answered, a stop, an outcome that nobody knows: nothing for the next agent.
  if (task === '' || (!e.unfinished && (e.outcome === 'unknown' || e.outcome === 'abandoned' || e.signal === 'answered')))
    return null;
  const forms = [
    next === '' || !e.unfinished ? '' : `- ${e.day}: ${task}: ${state}; next: ${next}`,
    `- ${e.day}: ${task}: ${state}`,
    `- ${e.day}: ${task}`,
  ];
  return forms.find((f) => f !== '' && f.length <= MAX_LINE) ?? null;
}

/** Lines of recent work within a token budget (newlines counted), most urgent first. */
export function recentLines(episodes: readonly Episode[], clockDay: string, budget: number): string[] {
  const recent = episodes.filter((e) => daysApart(e.day, clockDay) <= RECENT_DAYS).sort(compareNewest);
  const points: Point[] = [];
  const lines: { text: string; unfinished: boolean }[] = [];
  // Newest first, so that a task taken up again shows its latest state only.
  for (const episode of recent) {
    const point = pointOf(episode.title);
    if (points.some((p) => isSamePoint(p, point))) continue;
    points.push(point);
    const text = lineOfEpisode(episode);
    if (text !== null) lines.push({ text, unfinished: episode.unfinished });
  }
  let left = budget;
  const chosen: string[] = [];
  for (const { text } of [...lines.filter((l) => l.unfinished), ...lines.filter((l) => !l.unfinished).slice(0, MAX_DONE)]) {
    const tokens = countLine(text);
    if (tokens > left || chosen.length === MAX_LINES) continue;
    left -= tokens;
    chosen.push(text);
  }
  return chosen;
}
