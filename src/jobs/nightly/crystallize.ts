/**
 * Folds live lessons into crystal.json, then lets old tiers move to the archive, old text leave the database, and the file
 * shrink.
 */
import { loadProjects, trimRuns } from '../../store/index.js';
import { archiveTiers } from './archive-tiers.js';
import type { Job, JobContext } from '../job.js';
import { stepOfAll } from '../learning/passed-over.js';
import { retain } from './retention.js';
import { writeCrystal } from '../publishing/write-crystal.js';

const DAY_MS = 86_400_000;
/** Rows of job_runs that are kept whatever their age, and for how long all are kept. */
const RUNS_KEPT = 400;
const RUNS_KEPT_DAYS = 14;

export const crystallizeJob: Job = {
  name: 'crystallize',
  after: { decay: 'done' },
  due: 'nightly',
  async run(context) {
    const projects = await context.store.read((db) => loadProjects(db));
    const written = await stepOfAll(context, 'crystal', [null, ...projects], (project, index) => {
      context.progress({ job: 'crystallize', done: index, total: projects.length, unit: 'projects' });
      return writeCrystal(context, project);
    });
    const crystals = written.filter((each) => each === true).length;
    if (context.signal.aborted) return { done: crystals, counts: { crystals, archived: 0, texts: 0, refilled: 0, compacted: 0 } };
    const archived = await archiveTiers(context);
    await forgetOldRuns(context);
    const kept = await retain(context);
    return { done: crystals + archived, counts: { crystals, archived, ...kept } };
  },
};

function forgetOldRuns({ store, clock }: JobContext): Promise<number> {
  return store.write((db) => trimRuns(db, RUNS_KEPT, new Date(clock.now().getTime() - RUNS_KEPT_DAYS * DAY_MS).toISOString()));
}
