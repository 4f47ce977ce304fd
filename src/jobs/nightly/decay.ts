/** Ages lessons by the project clock, and records each that fades or revives with day and reason. */
import { loadProjects } from '../../store/index.js';
import type { Job } from '../job.js';
import { learnProject } from '../learning/learn.js';
import { stepOfAll } from '../learning/passed-over.js';

export const decayJob: Job = {
  name: 'decay',
  after: { rollup: 'done', extract: 'done' },
  due: 'nightly',
  async run(context, { from }) {
    const projects = [null, ...(await context.store.read((db) => loadProjects(db)))];
    const { results, next } = await stepOfAll(context, 'project', projects, (project) => learnProject(context, project), from);
    const transitions = results.reduce((sum, learnt) => sum + (learnt?.transitions ?? 0), 0);
    const changed = results.filter((learnt) => learnt?.changed === true).length;
    return {
      done: transitions,
      counts: { transitions, projects: changed },
      changed: changed > 0,
      ...(next === undefined ? {} : { more: true, next }),
    };
  },
};
