/** What a project's own instruction files already tell every agent: those lessons rank last, and what they deny is shown as unsure. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from '../types.js';

const NAMES = ['CLAUDE.md', 'AGENTS.md', '.claude/CLAUDE.md', '.github/copilot-instructions.md'];
const READ_CAP = 256 * 1024;

/** The texts of the instruction files in the project's folders. */
export const readInstructions = (project: Project | null): string[] =>
  (project?.folders ?? []).flatMap((folder) =>
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
