/** What a project's own instruction files already tell every agent: those lessons rank last, and what they deny is shown as unsure. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compareWithInstructions, type Compared } from '../distill/index.js';
import type { Lesson, Project } from '../types.js';

const NAMES = ['CLAUDE.md', 'AGENTS.md', '.claude/CLAUDE.md', '.github/copilot-instructions.md'];
const READ_CAP = 256 * 1024;

/** Which lessons the project's instruction files already say, and which they deny. */
export const readInstructions = (project: Project | null, lessons: readonly Lesson[]): Compared =>
  compareWithInstructions(lessons, project === null ? [] : textsOf(project));

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
