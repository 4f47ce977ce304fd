/** episodes/<month>.md: the sessions of a month, newest first. */

import type { Episode } from '../types.js';
import { nameOf, neutralise } from './neutralise.js';
import { frequentWords } from './index-line.js';

const FILES = 8;
const KEYWORDS = 12;
const SUMMARY_WORDS = 10;

function compareNewest(a: Episode, b: Episode): number {
  const [x, y] = [a, b].map((e) => `${e.day}\u0000${e.agent}\u0000${e.session}`) as [
    string,
    string,
  ];
  return x > y ? -1 : x < y ? 1 : 0;
}

function firstWords(text: string): string {
  const words = neutralise(text).split(' ');
  // The cut text is neutralised again, since a cut inside a code span leaves an open backtick.
  return words.length <= SUMMARY_WORDS
    ? words.join(' ')
    : neutralise(words.slice(0, SUMMARY_WORDS).join(' '));
}

/** None if the title begins with the summary, which is usual without a model. */
function summaryOf({ title, summary }: Episode): string[] {
  const shown = firstWords(summary);
  return shown === '' || neutralise(title).toLowerCase().startsWith(shown.toLowerCase())
    ? []
    : [`- Summary: ${shown}`];
}

function block(e: Episode): string {
  const field = (name: string, text: string | null): string[] => {
    const shown = text === null ? '' : neutralise(text);
    return shown === '' ? [] : [`- ${name}: ${shown}`];
  };
  const files = e.files.flatMap((f) => nameOf(f) ?? []);
  const more = files.length > FILES ? ` and ${files.length - FILES} more` : '';
  return [
    `## ${neutralise(e.title) || 'Untitled'}`,
    ...summaryOf(e),
    `- Date: ${e.day}`,
    `- Outcome: ${e.unfinished ? `unfinished, ${e.outcome}` : e.outcome}${e.signal === '' ? '' : ` (${neutralise(e.signal)})`}`,
    ...field('Problem', e.problem),
    ...field('Solution', e.solution),
    ...field('Lesson', e.lesson),
    ...field('Next', e.unfinished ? e.next_step : null),
    ...(files.length > 0 ? [`- Files: ${files.slice(0, FILES).join(', ')}${more}`] : []),
    `- Session: ${nameOf(e.agent) ?? 'agent'} ${nameOf(e.session) ?? ''}`.trimEnd(),
  ].join('\n');
}

/**
 * Text of one month's episodes.
 * @param month `YYYY-MM`
 */
export function renderEpisodes(month: string, episodes: readonly Episode[]): string {
  const shown = episodes.filter((e) => e.day.startsWith(month)).sort(compareNewest);
  const head = [
    `> Summary: ${shown.length} session${shown.length === 1 ? '' : 's'} in ${month}, newest first.`,
    `> Keywords: ${[
      'episodes',
      ...frequentWords(
        shown.map((e) => `${e.title} ${e.summary}`),
        KEYWORDS,
        1,
      ),
    ].join(', ')}`,
  ];
  return `${[head.join('\n'), ...shown.map(block)].join('\n\n')}\n`;
}

/** `agent session` of every episode in a month's file as we wrote it. */
export function sessionsNamed(text: string): string[] {
  return [...text.matchAll(/^- Session: (.+)$/gm)].map(([, named]) => named!.replaceAll('`', ''));
}
