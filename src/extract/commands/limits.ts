import type { Candidate, Entry } from '../../types.js';
import type { SessionInput } from '../session.js';
import { isPassing, placeIn } from '../shell/place.js';
import { observed } from './candidate.js';
import { sessionRoots } from './runs.js';

/** A tool refuses because there is too much of something; the words and their number, which is shown. */
const TOO_MUCH = /[^.\n]{0,60}(?:exceed(?:s|ed)?|too (?:large|big|long)|larger than|over the limit)[^.\n]{0,60}/i;
const SEARCH = /grep|search|glob|find/i;

/** The tool's answer as a code span: its first clause with the limit, numbers kept. */
function limitIn(text: string): string | null {
  const hit = TOO_MUCH.exec(text.slice(0, 600).replace(/<\/?\w+>|\s*\([^()\n]*\)/g, ''))?.[0];
  const clean =
    hit
      ?.replace(/`/g, "'")
      .replace(/\s+/g, ' ')
      .replace(/^\W+|[\s,;:(]+$/g, '')
      .trim() ?? '';
  return clean.length >= 12 && clean.length <= 90 && !clean.includes('/') ? clean : null;
}

/**
 * Files and folders that an agent's own tool refused for their size: told when the same tool later took a part of it, or refused twice.
 * Shell commands have their own rules.
 */
export function toolLimits(session: SessionInput): Candidate[] {
  const roots = sessionRoots(session);
  const calls = new Map(
    session.entries.filter((e) => e.role === 'tool_call' && e.call !== null && e.command === null).map((e) => [e.call, e]),
  );
  const met = new Map<string, { entry: Entry; tool: string; limit: string; times: number; cured: boolean }>();
  for (const result of session.entries) {
    const call = result.role === 'tool_result' && !result.copied ? calls.get(result.call) : undefined;
    const path = call?.files[0];
    const file = path === undefined ? null : placeIn(roots, path.startsWith('/') ? path : `${call?.cwd ?? ''}/${path}`);
    if (call === undefined || file === null || file === '' || isPassing(file)) continue;
    const before = met.get(file);
    const limit = result.outcome === 'failed' ? limitIn(result.text) : null;
    if (limit !== null)
      met.set(file, {
        entry: call,
        tool: call.tool ?? '',
        limit,
        times: (before?.times ?? 0) + 1,
        cured: before?.cured ?? false,
      });
    else if (result.outcome === 'ok')
      for (const [name, one] of met)
        if (one.tool === call.tool && (file === name || file.startsWith(`${name}/`))) one.cured = true;
  }
  return [...met]
    .filter(([, one]) => one.cured || one.times > 1)
    .map(([file, { entry, tool, limit }]) =>
      observed(session, {
        kind: 'gotcha',
        text: `\`${file}\` is too large for one ${SEARCH.test(tool) ? 'search' : 'read'} (\`${limit}\`): ${SEARCH.test(tool) ? 'narrow the folder' : 'read a part or search in it'}.`,
        key: `limit:${file}`,
        importance: 2,
        alone: true,
        worth: 0.42,
        entry,
        quote: limit,
        tags: ['limit'],
        files: [file],
        commands: [],
      }),
    )
    .filter((c) => c.text.length <= 200);
}
