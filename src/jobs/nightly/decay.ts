/** Ages lessons by the project clock, and records each that fades or revives with day and reason. */
import { loadProjects } from '../../store/index.js';
import type { Job } from '../job.js';
import { learnProject } from '../learning/learn.js';
import { stepOrPassOver } from '../learning/passed-over.js';

export const decayJob: Job = {
  name: 'decay',
  after: { rollup: 'done', extract: 'done' },
  due: 'nightly',
  async run(context) {
    const projects = await context.store.read((db) => loadProjects(db));
    let transitions = 0;
    let changed = 0;
    for (const project of [null, ...projects]) {
      if (context.signal.aborted) break;
      await context.yieldToIngest?.();
      const learnt = await stepOrPassOver(context, 'project', project, () => learnProject(context, project));
      if (learnt === null) continue;
      transitions += learnt.transitions;
      if (learnt.changed) changed++;
    }
    return { done: transitions, counts: { transitions, projects: changed }, changed: changed > 0 };
  },
};
