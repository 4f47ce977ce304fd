/** The counts that `run` and `crystallize` report. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type BootReport,
  agentSessions,
  offeredGuards,
  loadProjects,
  newestProjects,
  sourceStats,
  storeCounts,
  offeredWishes,
  storedWishes,
} from '../../store/index.js';
import { projectFolder } from '../../config.js';
import type { JobName, Project } from '../../types.js';
import { counted, withCommas } from '../../text/amounts.js';
import { countTokens } from '../../text/tokens.js';
import type { Recovered } from '../upkeep/recover.js';
import type { JobContext } from '../job.js';
import { describeFailure, suggestModel } from '../asking/llm-facts.js';
import { lookForLogs } from '../reading/look.js';
import type { RunReport } from '../loop.js';

export interface Summary {
  /** Logs read so far. */
  files: number;
  entries: number;
  lessons: number;
  seconds: number;
  agents: { agent: string; sessions: number }[];
  /** `pages`: projects whose files changed, also after an interrupted run. */
  new: { entries: number; sessions: number; pages: number };
  /** Projects with lessons, newest first. */
  contexts: ContextLine[];
  places: { agent: string; path: string; exists: boolean }[];
  /** Sentences about problems: bad lines, missing vectors. */
  notes: string[];
  errors: { job: JobName; message: string }[];
}

function leftOf(report: RunReport): string[] {
  const left = report.results.get('embed')?.counts?.['left'] ?? 0;
  return left > 0
    ? [
        `${withCommas(left)} texts have no vector yet: \`dripstone run --only embed\` finishes, or the daemon does`,
      ]
    : [];
}

function askedOf(report: RunReport): string[] {
  const asked = report.results.get('ask');
  return asked && asked.done > 0
    ? [
        `the model was asked ${counted(asked.done, 'time')}: ${asked.counts?.['kept'] ?? 0} claims kept; \`dripstone ` +
          `status\` shows what it cost`,
      ]
    : [];
}

export async function summarise(
  context: JobContext & { boot?: BootReport | null },
  report: RunReport,
): Promise<Summary> {
  const { store, paths, clock, config } = context;
  const entriesRead = report.results.get('ingest')?.counts?.['entries'] ?? 0;
  const isNew = entriesRead > 0;
  const { counts, sources, agents, projects, newest, failure, stored, guards } = await store.read(
    async (db) => ({
      counts: await storeCounts(db),
      sources: await sourceStats(db),
      agents: await agentSessions(db),
      projects: await loadProjects(db),
      newest: await newestProjects(db),
      failure: await describeFailure(db, context),
      stored: isNew ? await storedWishes(db) : [],
      guards: (await offeredGuards(db, paths.reviewed, config.hooks.guard)).length,
    }),
    { isLong: true },
  );
  const found = await lookForLogs(context);
  const silent = new Set(found.logs.filter(({ size }) => size > 0).map(({ agent }) => agent));
  sources.forEach(({ agent, entries }) => entries > 0 && silent.delete(agent));
  const wishes = offeredWishes(paths.reviewed, stored, clock.now()).length;
  const files = sources.reduce((sum, source) => sum + source.files, 0);
  const bad = sources.reduce((sum, source) => sum + source.bad_lines, 0);
  const byId = new Map(projects.map((project) => [project.id, project]));
  const ordered = newest.flatMap((id) => byId.get(id) ?? []);
  return {
    files,
    entries: counts.entries,
    lessons: counts.lessons,
    seconds: report.seconds,
    agents,
    new: {
      entries: entriesRead,
      sessions: report.results.get('extract')?.counts?.['sessions'] ?? 0,
      pages: report.results.get('context')?.counts?.['projects'] ?? 0,
    },
    contexts: publishedContexts(context, ordered),
    places: files > 0 ? [] : found.places,
    notes: [
      ...describeHealing(
        { boot: context.boot ?? null, recovered: report.recovered ?? null },
        entriesRead,
      ),
      ...leftOf(report),
      ...(isNew && wishes > 0
        ? [`${counted(wishes, 'sentence')} of yours may become a rule: \`dripstone review\``]
        : []),
      ...(isNew && guards > 0
        ? [`${counted(guards, 'rule')} of yours broken twice may be guarded: \`dripstone review\``]
        : []),
      ...(isNew ? suggestModel(context) : []),
      ...askedOf(report),
      ...failure,
      ...(bad > 0 && isNew
        ? [`skipped ${counted(bad, 'bad line')}: \`dripstone status\` shows which`]
        : []),
      ...[...silent].map((agent) => `nothing was read from the logs of ${agent}`),
    ],
    errors: report.errors.map(({ job, message }) => ({ job, message })),
  };
}

/** One sentence about the repair of a damaged database. */
function describeHealing(
  { boot, recovered }: { boot: BootReport | null; recovered: Recovered | null },
  read: number,
): string[] {
  if (boot === null || boot.moved.length === 0) return [];
  const what =
    boot.action === 'wal-quarantined'
      ? 'the last commits could not be read'
      : 'the database could not be used';
  const back = [
    ...(recovered !== null && recovered.tiers > 0
      ? [
          `${counted(recovered.entries, 'entry', 'entries')} came back from ${counted(recovered.tiers, 'tier')}`,
        ]
      : []),
    `${counted(read, 'entry', 'entries')} were read from logs`,
    ...(recovered !== null && recovered.edits > 0
      ? [`${counted(recovered.edits, 'edit')} from crystals are kept`]
      : []),
  ];
  const kept = boot.moved.map(({ to }) => basename(to)).join(' and ');
  return [`${what} (${boot.reason ?? 'unknown'}): kept as ${kept}; ${back.join(', ')}`];
}

// The context.md files as they lie on disk.

interface ContextLine {
  slug: string;
  path: string;
  lines: number;
  tokens: number;
}

/** Every project's context.md that exists, in the given order. */
function publishedContexts({ paths }: JobContext, projects: readonly Project[]): ContextLine[] {
  return projects.flatMap((project) => {
    const path = join(projectFolder(paths, project), 'context.md');
    if (!existsSync(path)) return [];
    const text = readFileSync(path, 'utf8');
    const lines = text.split('\n').length - 1;
    return [{ slug: project.slug, path, lines, tokens: countTokens(text) }];
  });
}
