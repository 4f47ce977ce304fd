/** The one line that leads an agent to a context.md. It never changes while the notes do. Pure. */
import type { LinkPlace } from './agents.js';

/** Ends every line that we write into a file of somebody else: agents read it as a comment. */
export const MARK = '<!-- dripstone -->';

/** Where an earlier version kept a copy, relative to the repository. */
export const COPY = '.dripstone/context.md';

/** Whether a line, without its end, was written by us. */
export function isOurs(line: string): boolean {
  return line.endsWith(MARK) && /^(?:@|Before you start, read )/.test(line);
}

interface LineFor {
  place: Pick<LinkPlace, 'imports'>;
  /** Absolute path of the context.md. */
  context: string;
  userHome: string;
}

/** The line for one agent: an import where the agent follows one, else a sentence. */
export function renderLine({ place, context, userHome }: LineFor): string {
  const path = shortPath(context, userHome);
  return place.imports
    ? `@${path.replaceAll(' ', '\\ ')} ${MARK}`
    : renderSentence({ context, userHome });
}

/** For a file that agents with and without imports share. */
export function renderSentence({ context, userHome }: Omit<LineFor, 'place'>): string {
  const path = shortPath(context, userHome);
  return `Before you start, read ${path} if it exists (notes from earlier sessions here). ${MARK}`;
}

/** Forward slashes, and `~` for the person's home: the line is then right on other machines. */
export function shortPath(path: string, userHome: string): string {
  const [plain, home] = [
    path.replaceAll('\\', '/'),
    userHome.replaceAll('\\', '/').replace(/\/+$/, ''),
  ];
  return home !== '' && plain.startsWith(`${home}/`) ? `~${plain.slice(home.length)}` : plain;
}
