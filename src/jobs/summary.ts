/** What a run came to, in figures that a person can check. */
import { agentSessions, loadProjects, newestProjects, sourceStats, storeCounts } from '../store/index.js';
import type { JobName } from '../types.js';
import type { JobContext } from './job.js';
import { lookForLogs } from './look.js';
import { publishedContexts, type ContextLine } from './published.js';
import type { RunReport } from './run-all.js';

export interface Summary {
  /** Logs read so far. */
  files: number;
  entries: number;
  lessons: number;
  seconds: number;
  agents: { agent: string; sessions: number }[];
  new: { entries: number; sessions: number };
  /** Projects with lessons, newest first. */
  contexts: ContextLine[];
  places: { agent: string; path: string; exists: boolean }[];
  /** Sentences worth a line: bad lines, vectors that are left. */
  notes: string[];
  errors: { job: JobName; message: string }[];
}

export const summarise = async (context: JobContext, report: RunReport): Promise<Summary> => {
  const { store, paths } = context;
  const { counts, sources, agents, projects, newest } = await store.read(async (db) => ({
    counts: await storeCounts(db),
    sources: await sourceStats(db),
    agents: await agentSessions(db),
    projects: await loadProjects(db),
    newest: await newestProjects(db),
  }));
  const files = sources.reduce((sum, source) => sum + source.files, 0);
  const bad = sources.reduce((sum, source) => sum + source.badLines, 0);
  const ordered = newest.flatMap((id) => projects.filter((project) => project.id === id));
  return {
    files,
    entries: counts.entries,
    lessons: counts.lessons,
    seconds: report.seconds,
    agents,
    new: { entries: report.results.get('ingest')?.counts?.['entries'] ?? 0, sessions: report.results.get('extract')?.counts?.['sessions'] ?? 0 },
    contexts: publishedContexts(paths, ordered),
    places: files > 0 ? [] : (await lookForLogs(context)).places,
    notes: bad > 0 ? [`skipped ${bad} line${bad === 1 ? '' : 's'} that could not be read: \`dripstone doctor\` shows which`] : [],
    errors: report.errors.map(({ job, message }) => ({ job, message })),
  };
};
