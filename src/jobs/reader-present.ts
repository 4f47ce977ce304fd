/** The session that a log tells at the moment: its folder, and whether anything of it may be kept. */
import type { SessionFacts } from '../types.js';

export interface Present {
  session(): string | null;
  /** Its folder, once it is known. */
  folder(): string | null;
  /** Takes what is said of a session. Returns whether that may be kept. */
  enter(facts: SessionFacts): boolean;
  /** The session turned out to be a call of our own to a model. */
  disown(session: string): void;
  /** Whether nothing of the present session may be kept. */
  isLeftOut(): boolean;
  /** Whether what a session said in a folder may not be kept. */
  leavesOut(session: string, cwd: string | null): boolean;
  /** The disowned session, as the checkpoint keeps it. */
  own(): { own?: string };
}

interface Known {
  session: string | null;
  cwd: string | null;
  own: string | null;
}

/** @param isExcluded whether a folder is never read */
export const createPresent = ({ session, cwd, own }: Known, isExcluded: (folder: string) => boolean): Present => {
  let shut = cwd !== null && isExcluded(cwd);
  return {
    session: () => session,
    folder: () => cwd,
    enter(facts) {
      const folder = facts.cwd ?? facts.originalCwd ?? null;
      if (facts.session !== session) [session, cwd, shut] = [facts.session, folder, folder !== null && isExcluded(folder)];
      else if (cwd === null && folder !== null) [cwd, shut] = [folder, isExcluded(folder)];
      if (facts.originalCwd && isExcluded(facts.originalCwd)) shut = true;
      return !shut && facts.session !== own;
    },
    disown: (name) => void (own = name),
    isLeftOut: () => shut || (own !== null && own === session),
    leavesOut: (name, folder) => shut || name === own || (folder !== null && isExcluded(folder)),
    own: () => (own === null ? {} : { own }),
  };
};
