/** A lesson that an agent cites by its short id was useful: the log tells it, no reader has to. */
import { addUses, findCitations, metaValue, newestEntry, setMeta } from '../store/index.js';
import type { JobContext } from './job.js';

const UPTO = 'citations_upto';

/** Entries of one look: a store that was never looked at would hold the file for as long as it is large. */
const LOOK = 10_000;

/** Looks at the entries that came since the last time; the mark and the uses commit together. Returns how many uses are new. */
export const noteCitations = async ({ store, signal }: JobContext): Promise<number> => {
  let found = 0;
  for (let more = true; more && !signal.aborted; ) {
    more = await store.write(async (db) => {
      const after = Number((await metaValue(db, UPTO)) ?? 0);
      const newest = await newestEntry(db);
      if (newest <= after) return false;
      const upTo = Math.min(newest, after + LOOK);
      const uses = await findCitations(db, after, upTo);
      if (uses.length > 0) await addUses(db, uses);
      await setMeta(db, UPTO, String(upTo));
      found += uses.length;
      return upTo < newest;
    });
  }
  return found;
};
