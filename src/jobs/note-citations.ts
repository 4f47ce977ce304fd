/** A lesson that an agent cites by its short id was useful: the log tells it, no reader has to. */
import { addUses, findCitations, metaValue, newestEntry, setMeta } from '../store/index.js';
import type { JobContext } from './job.js';

const UPTO = 'citations_upto';

/** Looks at the entries that came since the last time; the mark and the uses commit together. Returns how many uses are new. */
export const noteCitations = ({ store }: JobContext): Promise<number> =>
  store.write(async (db) => {
    const after = Number((await metaValue(db, UPTO)) ?? 0);
    const newest = await newestEntry(db);
    if (newest <= after) return 0;
    const uses = await findCitations(db, after);
    if (uses.length > 0) await addUses(db, uses);
    await setMeta(db, UPTO, String(newest));
    return uses.length;
  });
