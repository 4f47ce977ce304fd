/**
 * The line that points an agent to a context.md. The line stays the same when the notes change.
 * Pure.
 */
import type { LinkPlace } from './agents.js';

/** Ends every line that we write into a file of another program; agents treat it as a comment. */
export const MARK = '<!-- dripstone -->';

/** Place of the copy that an earlier version made, relative to the repository. */
export const COPY = '.dripstone/context.md';

/** Whether we wrote this line; without the line's end. */
export function isOurs(line: string): boolean {
  return line.endsWith(MARK) && /^(?:@|Before you start, read )/.test(line);
}

interface LineFor {
  place: Pick<LinkPlace, 'imports'>;
  /** Absolute path of the context.md. */
  context: string;
  userHome: string;
}

/** The line for one agent: an import if the agent follows imports, else a sentence. */
export function renderLine({ place, context, userHome }: LineFor): string {
  const path = shortPath(context, userHome);
  return place.imports
    ? `@${path.replaceAll(' ', '\\ ')} ${MARK}`
    : renderSentence({ context, userHome });
}

/** The line for a file that agents with and without imports share. */
export function renderSentence({ context, userHome }: Omit<LineFor, 'place'>): string {
  const path = shortPath(context, userHome);
  return `Before you start, read ${path} if it exists (notes from earlier sessions here). ${MARK}`;
}

/**
 * Uses forward slashes, and `~` for the person's home, so that the line is also right on other
 * machines.
 */
export function shortPath(path: string, userHome: string): string {
  const [plain, home] = [
    path.replaceAll('\\', '/'),
    userHome.replaceAll('\\', '/').replace(/\/+$/, ''),
  ];
  return home !== '' && plain.startsWith(`${home}/`) ? `~${plain.slice(home.length)}` : plain;
}
