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

export function renderKnown({ instructions, ...known }: KnownProject): RenderedContext {
  return renderContext({ ...known, ...compareWithInstructions([...known.lessons, ...known.globals], instructions) });
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
