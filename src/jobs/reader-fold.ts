/** Folds the lines of one log through its adapter and gathers what a batch will hold. No I/O. */
import { isOwnCall } from '../extract/asked/mark.js';
import type { Adapter, BadLine, Checkpoint, Draft, LogName, SessionFacts } from '../types.js';
import type { ParsedLine } from '../watchers/records.js';

/** A draft with its place in the log. */
export interface PlacedDraft {
  draft: Draft;
  session: string;
  line: number;
  /** Index among the drafts of its line. */
  block: number;
}

/** What was gathered since the last `cut`. */
export interface Gathered {
  drafts: PlacedDraft[];
  sessions: SessionFacts[];
  bad: BadLine[];
}

export interface Fold {
  /** Takes one line. */
  take(parsed: ParsedLine, at: { line: number; offset: number; bytes: number }): void;
  /** Names something of the log as bad without a line of its own. */
  blame(bad: { line: number; offset: number; reason: string }): void;
  /** Whether enough was gathered for a batch. */
  isFull(): boolean;
  /** No draft was gathered. */
  isEmpty(): boolean;
  /** Gives what was gathered and starts anew. */
  cut(): Gathered;
  /** What the checkpoint keeps of the fold. */
  save(): Pick<Checkpoint, 'badLines' | 'unknownTypes' | 'session'> & { state: FoldState };
  /** The preparer's part of the saved state, when the fold began. */
  equals: unknown;
  /** Lines whose folder is never read. */
  excluded: number;
  /** Whether the folder of the present session is known. */
  knowsFolder(): boolean;
}

/** What a checkpoint's `state` holds, as JSON. */
export interface FoldState {
  adapter: unknown;
  /** Folder of the present session. */
  cwd: string | null;
  /** The preparer's. */
  equals: unknown;
  /** The session that turned out to be a call of our own to a model. */
  own?: string;
}

/** A batch is full at so many lines, bytes of log or characters of text: a commit costs 20 ms, a message its copying. */
export const FULL = { lines: 2000, bytes: 4 * 1024 * 1024, characters: 1024 * 1024 };
/** Bad lines told one by one in a batch; the count goes on. */
const TOLD = 100;
/** Unknown record types counted apart; the rest is `other`. */
const TYPES = 50;

/**
 * @param saved the checkpoint to go on from, or null to start
 * @param isExcluded whether a folder is never read
 */
export const createFold = (
  adapter: Adapter, name: LogName, path: string, saved: Checkpoint | null, isExcluded: (folder: string) => boolean, limits = FULL,
): Fold => {
  const before = restore(saved);
  let state = before === null ? adapter.start(name) : before.adapter;
  let session = saved?.session ?? null;
  let cwd = before?.cwd ?? null;
  let shut = cwd !== null && isExcluded(cwd);
  let own = before?.own ?? null;
  let badLines = saved?.badLines ?? 0;
  const unknown = new Map(Object.entries(saved?.unknownTypes ?? {}));
  let gathered: Gathered = { drafts: [], sessions: [], bad: [] };
  let full = { lines: 0, bytes: 0, characters: 0 };

  const blame: Fold['blame'] = ({ line, offset, reason }) => {
    badLines += 1;
    if (gathered.bad.length < TOLD) gathered.bad.push({ path, line, offset, reason });
  };

  const enter = (facts: SessionFacts): void => {
    const folder = facts.cwd ?? facts.originalCwd ?? null;
    if (facts.session !== session) [session, cwd, shut] = [facts.session, folder, folder !== null && isExcluded(folder)];
    else if (cwd === null && folder !== null) [cwd, shut] = [folder, isExcluded(folder)];
    if (facts.originalCwd && isExcluded(facts.originalCwd)) shut = true;
    if (!shut && facts.session !== own) gathered.sessions.push(facts);
  };

  /** What was gathered of it before its prompt came is dropped too. */
  const disown = (name: string): void => {
    own = name;
    gathered.drafts = gathered.drafts.filter((one) => one.session !== name);
    gathered.sessions = gathered.sessions.filter((one) => one.session !== name);
  };

  const fold: Fold = {
    equals: before?.equals ?? null,
    excluded: 0,
    blame,
    take(parsed, at) {
      full.lines += 1;
      full.bytes += at.bytes;
      if (parsed.bad !== null) blame({ ...at, reason: parsed.bad });
      let block = 0;
      for (const value of parsed.values) {
        let step;
        try {
          step = adapter.step(state, { value, line: at.line });
        } catch (error) {
          // The message may quote the record, which nobody has redacted.
          blame({ ...at, reason: `the adapter cannot read it (${(error as Error).name})` });
          continue;
        }
        state = step.state;
        if (step.unknown !== undefined) count(unknown, step.unknown);
        if (step.session) enter(step.session);
        for (const draft of step.drafts) {
          const index = block++;
          const of = session ?? nameOf(name);
          if (draft.role === 'user' && isOwnCall(draft.text)) disown(of);
          if (shut || of === own || (draft.cwd !== null && isExcluded(draft.cwd))) {
            fold.excluded += 1;
            continue;
          }
          full.characters += draft.text.length;
          gathered.drafts.push({ draft, session: of, line: at.line, block: index });
        }
        if (shut || (own !== null && own === session)) fold.excluded += 1;
      }
    },
    isFull: () => full.lines >= limits.lines || full.bytes >= limits.bytes || full.characters >= limits.characters,
    isEmpty: () => gathered.drafts.length === 0,
    cut() {
      const cut = gathered;
      gathered = { drafts: [], sessions: [], bad: [] };
      full = { lines: 0, bytes: 0, characters: 0 };
      return cut;
    },
    save: () => ({
      state: { adapter: state, cwd, equals: null, ...(own === null ? {} : { own }) },
      badLines,
      unknownTypes: Object.fromEntries([...unknown].sort(([a], [b]) => (a < b ? -1 : 1))),
      session,
    }),
    knowsFolder: () => cwd !== null,
  };
  return fold;
};

const restore = (saved: Checkpoint | null): FoldState | null => (saved === null || saved.state === '' ? null : (JSON.parse(saved.state) as FoldState));

/** Type names are foreign text: only plain ones are kept. */
const count = (types: Map<string, number>, name: string): void => {
  const plain = /^[\w./:-]{1,60}$/.test(name) ? name : 'other';
  const key = types.has(plain) || types.size < TYPES ? plain : 'other';
  types.set(key, (types.get(key) ?? 0) + 1);
};

/** A log that never names its session is one by its file name. */
const nameOf = (name: LogName): string => name.relative.split('/').at(-1)!.replace(/\.jsonl?(?:\.zst)?$/, '');
