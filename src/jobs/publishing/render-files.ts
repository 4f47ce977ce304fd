/** Every file of a project that agents and people read, from what is known about it. Pure. */
import {
  DETAIL_FILES,
  renderContext,
  renderDetail,
  renderEpisodes,
  type DetailFile,
  type RenderedContext,
} from '../../context/index.js';
import { compareWithInstructions } from '../../distill/index.js';
import type { Episode, Lesson, Offered, Project } from '../../types.js';

export interface KnownProject {
  /** Null for the person's files. */
  project: Project | null;
  lessons: Lesson[];
  globals: Lesson[];
  episodes: Episode[];
  /** The project clock, `YYYY-MM-DD`. */
  clockDay: string;
  /** What the project's own instruction files say. */
  instructions: string[];
  /** What files that a person imported say: it is not repeated. */
  imported: string[];
  /** What a model was offered for context.md; empty when none is asked. */
  offered: Offered[];
  budgetTokens: number;
  askForNotes: boolean;
}

interface RenderedFiles {
  context: { text: string; tokens: number };
  /** Path below the project's folder -> content; context.md among them. */
  files: Map<string, string>;
}

export function renderKnown({ instructions, imported, ...known }: KnownProject): RenderedContext {
  const all = [...known.lessons, ...known.globals];
  const told = compareWithInstructions(all, imported);
  const { alreadySaid, contradicted } = compareWithInstructions(all, instructions);
  const isNew = ({ id, pinned }: Lesson): boolean => pinned || !told.alreadySaid.has(id);
  return renderContext({
    ...known,
    lessons: known.lessons.filter(isNew),
    globals: known.globals.filter(isNew),
    alreadySaid,
    contradicted: new Set([...contradicted, ...told.contradicted]),
  });
}

/** Whether a file that a person imported says a lesson, so that the page does not. */
export function isImported({ imported }: KnownProject, lesson: Lesson): boolean {
  return !lesson.pinned && compareWithInstructions([lesson], imported).alreadySaid.has(lesson.id);
}

export function renderFiles(known: KnownProject): RenderedFiles {
  const { text, tokens } = renderKnown(known);
  const files = new Map([['context.md', text]]);
  for (const file of Object.keys(DETAIL_FILES) as DetailFile[])
    files.set(`detail/${file}.md`, renderDetail(file, known.lessons, known.clockDay));
  for (const month of monthsOf(known.episodes)) files.set(`episodes/${month}.md`, renderEpisodes(month, known.episodes));
  return { context: { text, tokens }, files };
}

function monthsOf(episodes: readonly Episode[]): string[] {
  return [...new Set(episodes.map((episode) => episode.day.slice(0, 7)))].filter((month) => /^\d{4}-\d\d$/.test(month));
}
