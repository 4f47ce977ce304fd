/** What a run came to, in figures that a person can check. */
import { agentSessions, loadProjects, newestProjects, sourceStats, storeCounts, type BootReport } from '../store/index.js';
import type { JobName } from '../types.js';
import { counted } from './amounts.js';
import { describeHealing } from './heal.js';
import { suggestModel } from './llm-facts.js';
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

const leftOf = (report: RunReport): string[] => {
  const left = report.results.get('embed')?.counts?.['left'] ?? 0;
  return left > 0
    ? [`${left.toLocaleString('en-US')} texts have no vector yet: \`dripstone run --only embed\` finishes, or the daemon does`]
    : [];
};

const askedOf = (report: RunReport): string[] => {
  const asked = report.results.get('ask');
  return asked && asked.done > 0
    ? [
        `the model was asked ${counted(asked.done, 'time')}: ${asked.counts?.['kept'] ?? 0} claims kept; \`dripstone status\` shows what it cost`,
      ]
    : [];
};

export const summarise = async (context: JobContext & { boot?: BootReport | null }, report: RunReport): Promise<Summary> => {
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
  const entriesRead = report.results.get('ingest')?.counts?.['entries'] ?? 0;
  return {
    files,
    entries: counts.entries,
    lessons: counts.lessons,
    seconds: report.seconds,
    agents,
    new: { entries: entriesRead, sessions: report.results.get('extract')?.counts?.['sessions'] ?? 0 },
    contexts: await publishedContexts(paths, ordered),
    places: files > 0 ? [] : (await lookForLogs(context)).places,
    notes: [
      ...describeHealing({ boot: report.rescued ?? context.boot ?? null, recovered: report.recovered ?? null }, entriesRead),
      ...leftOf(report),
      ...suggestModel(context),
      ...askedOf(report),
      ...(bad > 0 ? [`skipped ${counted(bad, 'line')} that could not be read: \`dripstone doctor\` shows which`] : []),
    ],
    errors: report.errors.map(({ job, message }) => ({ job, message })),
  };
};
