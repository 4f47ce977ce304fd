/** The final summary of `run` and `crystallize`. */
import { join } from 'node:path';
import { shortPath } from '../links/line.js';
import { counted, withCommas } from '../text/amounts.js';
import { isOfSystem } from './screen.js';
import type { JobName } from '../types.js';
import type { Summary } from '../jobs/publishing/summary.js';

const SHOWN_CONTEXTS = 8;

/** Whether a run read or wrote something. */
export function hasNews({ new: { entries, sessions, pages } }: Pick<Summary, 'new'>): boolean {
  return entries + sessions + pages > 0;
}

/** One line for a run that found nothing new, with notes for the person. */
export function renderRun(summary: Summary, userHome: string): string {
  if (hasNews(summary)) return renderSummary(summary, userHome);
  const head =
    `nothing new in ${counted(summary.files, 'log')} · ${counted(summary.lessons, 'lesson')} · ` +
    `${summary.seconds.toFixed(1)} s`;
  return `${[head, ...summary.notes].join('\n')}\n`;
}

/**
 * A few lines for a person: what was read, what it gave, where it is.
 * @param userHome shown as `~`
 * @param only the jobs that ran; null: all. The summary counts only these jobs as new
 */
export function renderSummary(
  summary: Summary,
  userHome: string,
  only: readonly JobName[] | null = null,
): string {
  const [hasRead, hasLearnt] = [
    only?.includes('ingest') ?? true,
    only?.includes('extract') ?? true,
  ];
  const fresh = [
    ...(hasRead ? [counted(summary.new.entries, 'entry', 'entries')] : []),
    ...(hasLearnt ? [`${counted(summary.new.sessions, 'session')} looked through`] : []),
  ];
  const agents = summary.agents
    .map(({ agent, sessions }) => `${agent} ${withCommas(sessions)}`)
    .join(', ');
  const total = summary.agents.reduce((sum, { sessions }) => sum + sessions, 0);
  const lines = [
    `${hasRead ? 'read' : 'stored:'} ${counted(summary.files, 'log')}, ` +
      `${counted(total, 'session')}${agents && ` (${agents})`} · ` +
      `${counted(summary.entries, 'entry', 'entries')} · ${counted(summary.lessons, 'lesson')} · ${summary.seconds.toFixed(1)} s`,
    ...(fresh.length > 0 ? [`new this time: ${fresh.join(', ')}`] : []),
    ...summary.contexts
      .slice(0, SHOWN_CONTEXTS)
      .map(
        ({ path, lines: n, tokens }) =>
          `${summary.new.sessions + summary.new.pages > 0 ? 'wrote' : 'see'} ${shortPath(path, userHome)} ` +
          `(${counted(n, 'line')}, ${counted(tokens, 'token')})`,
      ),
    ...(summary.contexts.length > SHOWN_CONTEXTS
      ? [`  and ${counted(summary.contexts.length - SHOWN_CONTEXTS, 'more project')}`]
      : []),
    ...summary.notes,
  ];
  return `${lines.join('\n')}\n`;
}

/** The searched folders, when no log was found. */
export function renderNothingFound(summary: Summary, userHome: string): string {
  const places = summary.places.filter(
    ({ path, exists }) => exists || isOfSystem(path, process.platform),
  );
  return [
    'no session logs were found. Looked in:',
    ...new Set(
      places.map(
        ({ agent, path, exists }) =>
          `  ${shortPath(path, userHome)} (${agent}${exists ? ', empty' : ''})`,
      ),
    ),
    'If your agent keeps its logs elsewhere, name the folder in config.yaml:',
    `  agents: {roots: {claude-code: ["${join('/path', 'to', '.claude')}"]}}`,
    '',
  ].join('\n');
}
