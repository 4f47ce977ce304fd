/** Lessons of a project as a section that a team can paste into AGENTS.md. */
import type { Lesson } from '../types.js';
import { DETAIL_FILES, type DetailFile } from './index-line.js';
import { lineOf } from './lines.js';
import { nameOf } from './neutralise.js';
import { isForThePage } from './rank.js';

/** In the order in which a newcomer needs them. */
const HEADINGS: Readonly<Record<DetailFile, string>> = {
  commands: 'Commands',
  preferences: 'Conventions',
  decisions: 'Decisions',
  gotchas: 'Pitfalls',
  facts: 'Facts',
};

/**
 * Markdown of a project's lessons, best first under each heading; empty without lessons. Leaves out
 * global lessons and those too long for a line.
 * @param day the project's newest day, `YYYY-MM-DD`
 */
export function renderAgentsSection(name: string, day: string, lessons: readonly Lesson[]): string {
  const worthy = lessons
    .filter(isForThePage)
    .sort(
      (a, b) => Number(b.pinned) - Number(a.pinned) || b.worth - a.worth || (a.id < b.id ? -1 : 1),
    );
  const blocks = (Object.keys(HEADINGS) as DetailFile[]).flatMap((file) => {
    const kinds: readonly string[] = DETAIL_FILES[file];
    const lines = worthy
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap((lesson) => lineOf(lesson)?.text ?? []);
    return lines.length === 0 ? [] : [`### ${HEADINGS[file]}\n\n${lines.join('\n')}`];
  });
  if (blocks.length === 0) return '';
  return `${[`## Working on ${nameOf(name) ?? 'this project'} (from sessions with agents, ${day})`, ...blocks].join('\n\n')}\n`;
}
