/** What a project's own instruction files already tell every agent: those lessons rank last, and what they deny is shown as unsure. */
import { join } from 'node:path';
import type { Project } from '../types.js';
import { readSmall } from '../watchers/small-file.js';

const NAMES = ['CLAUDE.md', 'AGENTS.md', '.claude/CLAUDE.md', '.github/copilot-instructions.md'];
const READ_CAP = 256 * 1024;

/** The texts of the instruction files in the project's folders. */
export const readInstructions = (project: Project | null): string[] =>
  (project?.folders ?? []).flatMap((folder) => NAMES.flatMap((name) => readSmall(join(folder, name), READ_CAP) ?? []));
