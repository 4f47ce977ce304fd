/**
 * A reader over an invented folder: the real plan, tail, fold and batches; a store in memory.
 */
import { rawEntryOf } from '../../src/agents/calls.js';
import { planLogs } from '../../src/jobs/reading/ingest.js';
import { readLog, type LogReading, type Preparer } from '../../src/jobs/reading/reader-log.js';
import { planSource } from '../../src/store/rows/sources.js';
import type { Adapter, Batch, Checkpoint, RawEntry, PreparedEntry } from '../../src/types.js';
import type { World } from './tail-world.js';

interface ToyState {
  session: string | null;
}

/** A head names the session; records have a text, most an id. */
const toy: Adapter<ToyState> = {
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

interface Row {
  id: string;
  text: string;
  session: string;
}

export function createReading(world: World) {
  const rows: Row[] = [];
  const ids = new Set<string>();
  let sources: (Checkpoint & { log: number })[] = [];
  let logs = 0;

  const commit = (batch: Batch): void => {
    for (const { id, text, session } of batch.entries) {
      if (ids.has(id)) continue;
      ids.add(id);
      rows.push({ id, text, session });
    }
    const { checkpoint } = batch;
    const near = sources
      .filter((each) => each.path === checkpoint.path || each.inode === checkpoint.inode)
      .reverse();
    const log = planSource(checkpoint, near) ?? ++logs;
    sources = [...sources.filter((each) => each.log !== log), { ...checkpoint, log }];
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
        const parts: LogReading = {
          adapter: toy as Adapter,
          preparer,
          isExcluded: () => false,
          open: (path) => world.open(path, disturb),
          full: { lines: 7, bytes: 1e9, characters: 1e9 },
          pieceBytes: 500,
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
            if (left-- <= 0) return;
            commit(batch);
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
