/** What a project's own instruction files already tell every agent: those lessons rank last. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Lesson, Project } from '../types.js';

const NAMES = ['CLAUDE.md', 'AGENTS.md', '.claude/CLAUDE.md', '.github/copilot-instructions.md'];
const READ_CAP = 256 * 1024;

/** Words that carry a statement: code spans whole, else words of four letters and more. */
const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}_./@-]{3,}/gu)?.map((word) => word.replace(/^[./@-]+|[./-]+$/g, '')).filter((word) => word.length > 2) ?? []);

/**
 * Ids of lessons of which a line of the instruction files says nearly every word.
 * Four fifths of the words in one paragraph count as a restatement.
 */
export const readInstructions = (project: Project | null, lessons: readonly Lesson[]): { alreadySaid: Set<string> } => {
  const paragraphs = project === null ? [] : textsOf(project).flatMap((text) => text.split(/\n\s*\n|\n(?=\s*[-*\d])/)).map(wordsOf);
  const alreadySaid = new Set<string>();
  if (paragraphs.length === 0) return { alreadySaid };
  for (const lesson of lessons) {
    const words = [...wordsOf(lesson.text)];
    if (words.length >= 2 && paragraphs.some((said) => words.filter((word) => said.has(word)).length >= words.length * 0.8)) alreadySaid.add(lesson.id);
  }
  return { alreadySaid };
};

const textsOf = (project: Project): string[] =>
  project.folders.flatMap((folder) =>
    NAMES.flatMap((name) => {
      try {
        const path = join(folder, name);
        const stat = statSync(path);
        return stat.isFile() && stat.size <= READ_CAP ? [readFileSync(path, 'utf8')] : [];
      } catch {
        return []; // most folders have none of these files, and many folders are gone
      }
    }),
  );
