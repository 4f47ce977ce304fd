/**
 * Ages lessons by the project clock. A project that was learnt since the night began is as it would
 * be, so its fact queries are not asked again.
 */
import { loadProjects } from '../../store/index.js';
import type { Job } from '../job.js';
import { takeAllHandEdits } from '../learning/hand-edits.js';
import { learnProjects, learntBetween } from '../learning/learn.js';
import { stepOfAll } from '../learning/passed-over.js';
import { planDue } from '../schedule.js';

export const decayJob: Job = {
  name: 'decay',
  due: 'nightly',
  async run(context, { from, whole = false }) {
    const { clock, config, store } = context;
    const now = clock.now();
    const { begun } = planDue(now, config.schedule.nightly_at, new Set());
    await takeAllHandEdits(context);
    const projects = await store.read(async (db) => {
      const learnt = whole
        ? new Set()
        : await learntBetween(db, begun.toISOString(), now.toISOString());
      return [null, ...(await loadProjects(db))].filter(
        (project) => !learnt.has(project?.id ?? ''),
      );
    });
    const { results, next } = await stepOfAll(
      context,
      'project',
      projects,
      (group) => learnProjects(context, group),
      from,
    );
    const changed = results.filter((learnt) => learnt?.changed === true).length;
    return {
      done: changed,
      counts: { projects: changed },
      changed: changed > 0,
      ...(next === undefined ? {} : { more: true, next: { ...next, whole } }),
    };
  },
};
