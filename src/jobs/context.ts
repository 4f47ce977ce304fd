/** From lessons to the files that agents read: context.md, detail/, episodes/, notes.md, for each project and for the person. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DETAIL_FILES, renderContext, renderDetail, renderEpisodes, renderNotesHead, type DetailFile, type RenderedContext } from '../context/index.js';
import { foldAborted } from '../distill/index.js';
import { loadEpisodes, loadLessons, loadProjects, projectClock, publishFile } from '../store/index.js';
import type { Episode, Lesson, Project } from '../types.js';
import { copiesOf } from './copies.js';
import { folderOf } from './crystal-file.js';
import { isDetailStale, readDetails, takeDetailEdits } from './detail-edits.js';
import type { Job, JobContext } from './job.js';
import { readInstructions } from './instructions.js';
import { learnProject } from './learn.js';
import { writeCrystal } from './write-crystal.js';

/** What was written for one project. */
export interface PublishedContext {
  slug: string | null;
  path: string;
  lines: number;
  tokens: number;
  /** At least one file has new bytes. */
  written: boolean;
}

export const contextJob: Job = {
  name: 'context',
  async run(context) {
    const projects = await context.store.read((db) => loadProjects(db));
    let written = 0;
    for (const [index, project] of [null, ...projects].entries()) {
      if (context.signal.aborted) break;
      if ((await publishProject(context, project)).written) written++;
      context.progress({ job: 'context', done: index, total: projects.length, unit: 'projects' });
    }
    return { done: written, counts: { projects: written } };
  },
};

interface Known {
  lessons: Lesson[];
  globals: Lesson[];
  episodes: Episode[];
  clockDay: string;
}

/** Writes every file of a project (null: the person's); unchanged ones keep their bytes and times. */
export const publishProject = async (context: JobContext, project: Project | null): Promise<PublishedContext> => {
  const details = readDetails(context, project);
  if (await takeDetailEdits(context, project, details)) {
    await learnProject(context, project);
    await writeCrystal(context, project);
  }
  const known = await loadKnown(context, project);
  const folder = folderOf(context.paths, project);
  const { text, tokens } = renderKnown(context, project, known);
  const path = join(folder, 'context.md');
  const files: [string, string][] = [[path, text], ...copiesOf(context.paths, project).map((copy): [string, string] => [copy, text]), ...detailFiles(folder, known), ...episodeFiles(folder, known.episodes)];
  const notes = join(folder, 'notes.md');
  if (!existsSync(notes)) files.push([notes, renderNotesHead(project)]);
  let written = false;
  for (const [file, content] of files) {
    // Saved by a person while this was computed: it is taken in the next time, before it is written.
    if (isDetailStale(details, file)) continue;
    written = (await publishFile(file, content)).written || written;
  }
  return { slug: project?.slug ?? null, path, lines: text.split('\n').length - 1, tokens, written };
};

const renderKnown = (context: Pick<JobContext, 'config'>, project: Project | null, known: Known): RenderedContext => {
  const { budget_tokens: budgetTokens, ask_for_notes: askForNotes } = context.config.context;
  const said = readInstructions(project, [...known.lessons, ...known.globals]);
  return renderContext({ project, ...known, budgetTokens, askForNotes, ...said });
};

/** Why a lesson is in the context.md of its project, or that it is not. */
export const explainPlace = async (context: Pick<JobContext, 'config' | 'store' | 'clock'>, lesson: Lesson, project: Project | null): Promise<string[]> => {
  const rendered = renderKnown(context, project, await loadKnown(context, project));
  if (rendered.shown.includes(lesson.id)) return ['in context.md', ...(rendered.reasons.get(lesson.id) ?? []).map((reason) => `  ${reason}`)];
  const shown = lesson.status === 'live' || lesson.status === 'conflict';
  return [shown ? `not in context.md: others are worth more of its ${context.config.context.budget_tokens} tokens, or say the same` : `not in context.md: ${lesson.status}`];
};

const loadKnown = async ({ store, clock }: Pick<JobContext, 'store' | 'clock'>, project: Project | null): Promise<Known> => {
  const now = clock.now().toISOString();
  const id = project?.id ?? null;
  return store.read(async (db) => ({
    lessons: await loadLessons(db, { owner: id }),
    globals: id === null ? [] : await loadLessons(db, { owner: null }),
    // What a person did everywhere stands in each project's own episodes.
    episodes: id === null ? [] : foldAborted(await loadEpisodes(db, id)),
    clockDay: ((await projectClock(db, id, now)) ?? now).slice(0, 10),
  }));
};

const detailFiles = (folder: string, { lessons, clockDay }: Known): [string, string][] =>
  (Object.keys(DETAIL_FILES) as DetailFile[]).map((file) => [join(folder, 'detail', `${file}.md`), renderDetail(file, lessons, clockDay)]);

const episodeFiles = (folder: string, episodes: readonly Episode[]): [string, string][] => {
  const months = [...new Set(episodes.map((episode) => episode.day.slice(0, 7)))].filter((month) => /^\d{4}-\d\d$/.test(month));
  return months.map((month) => [join(folder, 'episodes', `${month}.md`), renderEpisodes(month, episodes)]);
};
