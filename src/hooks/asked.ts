/** What goes over the daemon's socket: one request and one answer a connection, each one line of JSON. */
import type { MomentType } from '../recall/moments/moment.js';

/** A moment at which a hook asks; `start` is the beginning of a session, where the page is the answer. */
export type HookMoment = MomentType | 'start';

export interface Asked {
  version: 1;
  ask: 'recall';
  type: HookMoment;
  /** The prompt; the command; the path of the file; of a failure the command that failed. */
  text: string;
  /** What a failed command printed. */
  output: string | null;
  /** The folder that the session works in. */
  cwd: string | null;
  /** The agent's own id of the session. */
  session: string | null;
  agent: string;
}

/** An answer with text; silence is a connection that ends without a line. */
export interface Told {
  version: 1;
  text: string;
  /** A guard that the person set to deny: what the agent is about to do is refused. */
  deny?: boolean;
}

/** Longest request, in bytes; a longer one gets no answer. */
export const MOST_ASKED = 1024 * 1024;
/** Longest answer that a hook reads, in bytes. */
export const MOST_TOLD = 256 * 1024;
/** How long a hook waits for an answer, in milliseconds. */
export const PATIENCE_MS = 150;
/** What a hook sends back once it has printed the answer: only then it counts as told. */
export const PRINTED = 'printed\n';
