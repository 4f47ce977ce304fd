/** The one line that leads an agent to a context.md. It never changes while the notes do. Pure. */
import type { LinkPlace } from './agents.js';

/**
 * Ends every line that we write into a file of somebody else; all three kinds of agent take it for
 * a comment.
 */
export const MARK = '<!-- dripstone -->';

/** Where the copy for sandboxed agents lies, relative to the repository. */
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
  /**
   * What the line names instead, a file of the repository with its path there: a copy that we keep,
   * or a team's page.
   */
  inside: string | null;
}

/** The line for one agent: an import where the agent follows one, else a sentence. */
export function renderLine({ place, context, userHome, inside }: LineFor): string {
  const path = inside ?? shortPath(context, userHome);
  const canImport =
    place.imports === 'anywhere' || (place.imports === 'repository' && inside !== null);
  return `${canImport ? `@${inside === null ? '' : './'}${path.replaceAll(' ', '\\ ')}` : sentence(path)} ${MARK}`;
}

/** For a file that agents with and without imports share. */
export function renderSentence({ context, userHome, inside }: Omit<LineFor, 'place'>): string {
  return `${sentence(inside ?? shortPath(context, userHome))} ${MARK}`;
}

function sentence(path: string): string {
  return `Before you start, read ${path} if it exists (notes from earlier sessions here).`;
}

/**
 * Forward slashes, and `~` for the person's home, so that the line holds on every machine with the
 * same layout.
 */
export function shortPath(path: string, userHome: string): string {
  const [plain, home] = [
    path.replaceAll('\\', '/'),
    userHome.replaceAll('\\', '/').replace(/\/+$/, ''),
  ];
  return home !== '' && plain.startsWith(`${home}/`) ? `~${plain.slice(home.length)}` : plain;
}
