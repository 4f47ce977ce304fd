/**
 * A reader over an invented folder: the real plan, tail, fold and batches; a store in memory. Every
 * part can be weakened.
 */
import { rawEntryOf } from '../../src/agents/calls.js';
import { planLogs } from '../../src/jobs/reading/ingest.js';
import { readLog, type LogReading, type Preparer } from '../../src/jobs/reading/reader-log.js';
import { planSource } from '../../src/store/rows/sources.js';
import type { Adapter, Batch, Checkpoint, RawEntry, PreparedEntry } from '../../src/types.js';
import type { LogBytes, planRead } from '../../src/watchers/index.js';
import type { World } from './tail-world.js';

interface ToyState {
  session: string | null;
}

/** A head names the session; records have a text, most an id. */
export const toy: Adapter<ToyState> = {
  agent: 'toy',
  title: 'Toy',
  places: [],
  start: () => ({ session: null }),
  step(state, { value }) {
    const record = value as { session?: string; text?: string; id?: string };
    if (record.session !== undefined)
      return {
        state: { session: record.session },
        rawEntries: [],
        session: { session: record.session, cwd: '/work' },
      };
    return {
      state,
      rawEntries:
        record.text === undefined
          ? []
          : [raw(record.id ?? null, `${state.session ?? ''}\t${record.text}`)],
    };
  },
};

function raw(native: string | null, text: string): RawEntry {
  return rawEntryOf({ native, text, role: 'user', origin: 'user' });
}

/** Ids from content: native, else the text and how many equal ones came before it in the file. */
const preparer: Preparer = {
  prepareFacts: (facts) => facts,
  prepareState: (state) => state,
  prepare(rawEntries, { agent, path }, before) {
    const equals = { ...(before as Record<string, number> | null) };
    const entries = rawEntries.map(({ raw: { native, text: said }, line }) => {
      const [session, text] = said.split('\t') as [string, string];
      if (native === null) equals[text] = (equals[text] ?? 0) + 1;
      // Only what the store in memory looks at: building whole rows took two thirds of the time.
      return {
        id: native ?? `${text}#${equals[text]}`,
        agent,
        session,
        path,
        text,
        hash: text,
        line,
      } as PreparedEntry;
    });
    return { entries, equals };
  },
};

/** Removed guards. */
export interface Weakness {
  plan?: typeof planRead;
  /** Entries are added whatever their id. */
  withoutIds?: boolean;
  /** Checkpoint and entries are committed apart, in this order. */
  apart?: 'checkpoint first' | 'entries first';
  /** Nobody looks whether the file was rewritten while it was read. */
  withoutSecondLook?: boolean;
  /** A log whose reading was cut short looks like one that was read to its end. */
  unfinishedLooksDone?: boolean;
  /** Ids hold the path. */
  pathInId?: boolean;
}

export interface Row {
  id: string;
  text: string;
  session: string;
}

export function createReading(world: World, weak: Weakness = {}) {
  const rows: Row[] = [];
  const ids = new Set<string>();
  let sources: (Checkpoint & { log: number })[] = [];
  let logs = 0;

  const addEntries = (batch: Batch) => {
    for (const { id, text, session, path } of batch.entries) {
      const key = weak.pathInId ? `${path}:${id}` : id;
      if (ids.has(key) && !weak.withoutIds) continue;
      ids.add(key);
      rows.push({ id: key, text, session });
    }
  };
  const saveCheckpoint = (batch: Batch) => {
    const now = world.list().find((each) => each.path === batch.checkpoint.path);
    const checkpoint =
      weak.unfinishedLooksDone && now
        ? { ...batch.checkpoint, mtimeMs: now.mtimeMs }
        : batch.checkpoint;
    const near = sources
      .filter((each) => each.path === checkpoint.path || each.inode === checkpoint.inode)
      .reverse();
    const log = planSource(checkpoint, near) ?? ++logs;
    sources = [...sources.filter((each) => each.log !== log), { ...checkpoint, log }];
  };
  /** The process dies between two transactions when `dies`. */
  const commit = (batch: Batch, dies: boolean): boolean => {
    const [first, second] =
      weak.apart === 'checkpoint first'
        ? [saveCheckpoint, addEntries]
        : [addEntries, saveCheckpoint];
    if (weak.apart === undefined && dies) return false;
    first(batch);
    if (dies) return false;
    second(batch);
    return true;
  };

  const open = (path: string, disturb?: () => void): LogBytes => {
    const log = world.open(path, disturb);
    return weak.withoutSecondLook ? { ...log, now: () => log } : log;
  };

  return {
    rows,
    /**
     * Looks at everything once.
     * @param disturb called at every read; may change the world
     * @param lives batches that are committed before the process dies, or null
     */
    async scan({
      disturb,
      lives = null,
    }: { disturb?: () => void; lives?: number | null } = {}): Promise<void> {
      let left = lives ?? Infinity;
      for (const { log, saved } of planLogs(world.list(), sources, world.now())) {
        const openAs = (path: string) => open(path, disturb);
        const parts: LogReading = {
          adapter: toy as Adapter,
          preparer,
          isExcluded: () => false,
          open: openAs,
          full: { lines: 7, bytes: 1e9, characters: 1e9 },
          pieceBytes: 500,
          ...(weak.plan ? { plan: weak.plan } : {}),
        };
        try {
          for await (const batch of readLog(
            {
              agent: 'toy',
              path: log.path,
              relative: log.relative,
              saved,
              now: new Date(world.now()).toISOString(),
            },
            parts,
          )) {
            if (!commit(batch, left-- <= 0)) return;
          }
        } catch (error) {
          if (!(error as Error).message.startsWith('gone')) throw error;
        }
      }
    },
  };
}

/**
 * What is wrong after an undisturbed scan: texts that are missing, doubled, made up, or under a
 * wrong session.
 */
export function faultsOf(
  world: World,
  rows: readonly Row[],
  most: ReadonlyMap<string, number>,
): { lost: string[]; doubled: string[]; extra: string[]; misplaced: string[] } {
  const counts = new Map<string, number>();
  for (const { text } of rows) counts.set(text, (counts.get(text) ?? 0) + 1);
  const isRepeat = (text: string) => text.startsWith('again');
  return {
    lost: [...world.whole()].flatMap(([text, count]) =>
      (counts.get(text) ?? 0) < count ? [text] : [],
    ),
    doubled: [...counts].flatMap(([text, count]) =>
      count > (isRepeat(text) ? (most.get(text) ?? 0) : 1) ? [text] : [],
    ),
    extra: [...counts.keys()].filter((text) => !world.written.has(text)),
    misplaced: rows
      .filter(
        (row) =>
          !isRepeat(row.text) &&
          !world.forked.has(row.text) &&
          world.written.get(row.text)?.session !== row.session,
      )
      .map((row) => row.text),
  };
}
