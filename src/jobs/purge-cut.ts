/** What the database remembers of a purge until it is done: enough to ask for it again in the same words, and to prove it. */
import { metaValue, type Db } from '../store/index.js';
import type { Project } from '../types.js';
import type { PurgeRequest } from './purge.js';

/** Key in `main.meta`. */
export const CUT = 'purge';

export interface CutPurge {
  session: PurgeRequest['session'];
  project: Pick<Project, 'id' | 'slug' | 'name' | 'folders'> | null;
  before: string | null;
  passages: string[];
}

/** Of a text that was looked for nothing is kept: whoever asks again brings it along. */
export const cutOf = (
  { session, project, before }: PurgeRequest,
  whole: readonly Project[],
  passages: readonly string[],
): Partial<CutPurge> => {
  const named = whole.find(({ id }) => id === project);
  return {
    session,
    project: named ? { id: named.id, slug: named.slug, name: named.name, folders: named.folders } : null,
    before,
    passages: [...passages],
  };
};

/** Null when no purge was cut short after its rows had gone. */
export const cutPurge = async (db: Db): Promise<CutPurge | null> => {
  const value = await metaValue(db, CUT);
  return value === null
    ? null
    : { session: null, project: null, before: null, passages: [], ...(JSON.parse(value) as Partial<CutPurge>) };
};
