/** What `run` and `crystallize` say at their end. */
import { join } from 'node:path';
import { counted } from '../text/amounts.js';
import type { Summary } from '../jobs/publishing/summary.js';

function number(n: number): string {
  return n.toLocaleString('en-US');
}
const SHOWN_CONTEXTS = 8;

/** A few lines for a person: what was read, what came of it, where it lies, what to type next. */
export function renderSummary(summary: Summary): string {
  const agents = summary.agents.map(({ agent, sessions }) => `${agent} ${number(sessions)}`).join(', ');
  const total = summary.agents.reduce((sum, { sessions }) => sum + sessions, 0);
  const lines = [
    `read ${counted(summary.files, 'log')}, ${counted(total, 'session')}${agents && ` (${agents})`} · ` +
      `${counted(summary.entries, 'entry', 'entries')} · ${counted(summary.lessons, 'lesson')} · ${summary.seconds.toFixed(1)} s`,
    `new this time: ${counted(summary.new.entries, 'entry', 'entries')}, ${counted(summary.new.sessions, 'session')} looked ` +
      'through',
    ...summary.contexts
      .slice(0, SHOWN_CONTEXTS)
      .map(
        ({ path, lines: n, tokens }) =>
          `${summary.new.sessions > 0 ? 'wrote' : 'see'} ${path} (${counted(n, 'line')}, ${counted(tokens, 'token')})`,
      ),
    ...(summary.contexts.length > SHOWN_CONTEXTS
      ? [`  and ${counted(summary.contexts.length - SHOWN_CONTEXTS, 'more project')}`]
      : []),
    ...summary.notes,
    '',
    ...nextSteps(summary),
  ];
  return `${lines.join('\n')}\n`;
}

function nextSteps(summary: Summary): string[] {
  const first = summary.contexts[0];
  return [
    'next:',
    `  dripstone context${first ? ` --project ${first.slug}` : ''}`,
    '  dripstone search "what you are looking for"',
  ];
}

/** Where was looked, when there was nothing. */
export function renderNothingFound(summary: Summary): string {
  return [
    'no session logs were found. Looked in:',
    ...new Set(summary.places.map(({ agent, path, exists }) => `  ${path} (${agent}${exists ? ', empty' : ''})`)),
    'If your agent keeps its logs elsewhere, name the folder in config.yaml:',
    `  agents: {roots: {claude-code: ["${join('/path', 'to', '.claude')}"]}}`,
    '',
  ].join('\n');
}
