/** A valid context.md when nothing is known yet. */

import { ASK, headLine } from './frame.js';

/** @param project null for the global file */
export const emptyContext = (project: { name: string } | null, askForNotes = true): string =>
  `${headLine(project?.name ?? null, '')}\nNothing is known yet: context.md fills as sessions are read.\n${askForNotes ? `\n${ASK}\n` : ''}`;
