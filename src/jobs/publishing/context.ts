/** From lessons to the files that agents read: context.md, detail/, episodes/, notes.md, for each project and for the person. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../../config.js';
import { countTokens, isAboveTheLine, leastWorth, renderNotesHead, sessionsNamed } from '../../context/index.js';
import { foldAborted } from '../../distill/index.js';
import { COPY } from '../../links/line.js';
import { readLinks } from '../../links/registry.js';
import {
  knownSessions,
  loadEpisodes,
  loadLessons,
  loadOffered,
  loadProjects,
  projectClock,
  publishFile,
} from '../../store/index.js';
import { type Lesson, type Project, isShown, shownWorth } from '../../types.js';
import { readSmall } from '../../projects/small-file.js';
import { folderOf } from './crystal-file.js';
import { isUntaken, takenVersions } from '../learning/hand-edits.js';
import type { Job, JobContext } from '../job.js';
import { stepOfAll } from '../learning/passed-over.js';
import { type KnownProject, isImported, renderKnown } from './render-files.js';
import { readInstructions, readRules, readSaid } from './said-elsewhere.js';
import { foldNewEdits } from './write-crystal.js';

/** What was written for one project. */
interface PublishedContext {
  slug: string | null;
  path: string;
  lines: number;
  tokens: number;
  /** At least one file has new bytes. */
  written: boolean;
}

export const contextJob: Job = {
  name: 'context',
  after: { extract: 'changed', decay: 'changed', ask: 'changed' },
  due: 'always',
  async run(context) {
    const projects = await context.store.read((db) => loadProjects(db));
    const published = await stepOfAll(context, 'page', [null, ...projects], (project, index) => {
      context.progress({ job: 'context', done: index, total: projects.length, unit: 'projects' });
      return publishProject(context, project);
    });
    const written = published.filter((each) => each?.written === true).length;
    return { done: written, failed: published.filter((each) => each === null).length, counts: { projects: written } };
  },
};

/** Writes every file of a project (null: the person's) as its lessons stand; unchanged ones keep their bytes and times. */
export async function publishProject(context: JobContext, project: Project | null): Promise<PublishedContext> {
  const folder = folderOf(context.paths, project);
  let written = await foldNewEdits(context, project);
  const {
    context: { text, tokens },
    files,
  } = await context.compute.run('render', await loadKnown(context, project));
  if (!existsSync(join(folder, 'notes.md'))) files.set('notes.md', renderNotesHead(project));
  const taken = await context.store.read((db) => takenVersions(db, project));
  for (const [file, content] of files) {
    // A person saved it after its project was learnt: the next learning takes that in.
    if (isUntaken(folder, file, taken)) continue;
    written = (await publishFile(join(folder, file), content)).written || written;
  }
  for (const copy of copiesOf(context.paths, project)) written = (await publishFile(copy, text)).written || written;
  written = (await dropOldMonths(context, join(folder, 'episodes'), files)) || written;
  return { slug: project?.slug ?? null, path: join(folder, 'context.md'), lines: text.split('\n').length - 1, tokens, written };
}

const MONTH_CAP = 8 * 1024 * 1024;

/**
 * Removes episodes/<month>.md that nothing writes any more, since its sessions went on into another month or belong to another
 * project now. Only a month goes of which the store knows every session: after the loss of database and logs the file is all
 * that is left.
 */
async function dropOldMonths(
  { store }: Pick<JobContext, 'store'>,
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const old = readdirSync(folder).filter((name) => /^\d{4}-\d\d\.md$/.test(name) && !files.has(`episodes/${name}`));
  if (old.length === 0) return false;
  const known = await store.read(knownSessions);
  let dropped = false;
  for (const name of old) {
    const named = sessionsNamed(readSmall(join(folder, name), MONTH_CAP) ?? '');
    if (named.length === 0 || !named.every((session) => known.has(session))) continue;
    await unlink(join(folder, name));
    dropped = true;
  }
  return dropped;
}

/** The context.md of a project as its lessons stand now, with the short id behind each line; over its budget by the ids. */
export async function contextWithIds(
  context: Pick<JobContext, 'config' | 'store' | 'clock' | 'paths'>,
  project: Project | null,
): Promise<string> {
  return renderKnown(await loadKnown(context, project)).withIds;
}

type From = Pick<JobContext, 'config' | 'store' | 'clock' | 'paths'>;

/** Why a lesson is in the context.md of its project, or that it is not. */
export async function explainPlace(context: From, lesson: Lesson, project: Project | null): Promise<string[]> {
  const known = await loadKnown(context, project);
  const rendered = renderKnown(known);
  if (rendered.shown.includes(lesson.id))
    return ['in context.md', ...(rendered.reasons.get(lesson.id) ?? []).map((reason) => `  ${reason}`)];
  return [`not in context.md: ${whyOut(known, lesson)}`];
}

/** Why a lesson that is not on the page is not. Pure. */
function whyOut(known: KnownProject, lesson: Lesson): string {
  if (isShown(lesson) && !isAboveTheLine(lesson))
    return `its worth ${shownWorth(lesson).toFixed(2)} is under the line of ${leastWorth(lesson)}; detail/ and search have it`;
  if (isImported(known, lesson)) return 'a file that `lessons import` named says it';
  const { before, line } = known.offered.find((offer) => offer.lesson === lesson.id) ?? {};
  if (isShown(lesson) && line === null && before === lesson.text)
    return 'the model passed it over, and what it took fills the page';
  return isShown(lesson) ? `others are worth more of its ${known.budgetTokens} tokens, or say the same` : lesson.status;
}

/** A page as it is rendered now, line by line, and the lessons that come next. */
export interface PageLines {
  tokens: number;
  budget: number;
  lines: { text: string; tokens: number; lessons: string[] }[];
  missed: { id: string; text: string; worth: number; reason: string }[];
}

/** @param most lessons that are named as missed, the worthiest first */
export async function pageLines(context: From, project: Project | null, most: number): Promise<PageLines> {
  const known = await loadKnown(context, project);
  const { text, tokens, withIds, shown } = renderKnown(known);
  const marked = withIds.split('\n');
  const idsOf = (line: string, at: number): string[] =>
    (/^(?: \^\w+)+$/.exec(marked[at]!.slice(line.length))?.[0].match(/\w+/g) ?? []).flatMap(
      (short) => shown.find((id) => id.startsWith(short)) ?? [],
    );
  const lines = text.split('\n').slice(0, -1);
  const onPage = new Set(shown);
  const missed = [...known.lessons, ...known.globals]
    .filter((lesson) => isShown(lesson) && !onPage.has(lesson.id))
    .sort((a, b) => shownWorth(b) * b.confidence - shownWorth(a) * a.confidence || (a.id < b.id ? -1 : 1));
  return {
    tokens,
    budget: known.budgetTokens,
    lines: lines.map((line, at) => ({ text: line, tokens: countTokens(`${line}\n`), lessons: idsOf(line, at) })),
    missed: missed
      .slice(0, most)
      .map((lesson) => ({ id: lesson.id, text: lesson.text, worth: shownWorth(lesson), reason: whyOut(known, lesson) })),
  };
}

async function loadKnown(
  { config, store, clock, paths }: Pick<JobContext, 'config' | 'store' | 'clock' | 'paths'>,
  project: Project | null,
): Promise<KnownProject> {
  const now = clock.now().toISOString();
  const id = project?.id ?? null;
  return store.read(async (db) => ({
    project,
    lessons: await loadLessons(db, { owner: id }),
    globals: id === null ? [] : await loadLessons(db, { owner: null }),
    // What a person did everywhere stands in each project's own episodes.
    episodes: id === null ? [] : foldAborted(await loadEpisodes(db, id)),
    clockDay: ((await projectClock(db, id, now)) ?? now).slice(0, 10),
    instructions: readInstructions(project),
    imported: project === null ? [] : readSaid(folderOf(paths, project)).flatMap((path) => readRules(path) ?? []),
    offered: id !== null && config.llm.provider !== 'off' && config.llm.choose_context ? await loadOffered(db, id) : [],
    budgetTokens: config.context.budget_tokens,
    askForNotes: config.context.ask_for_notes,
  }));
}

// Copies of context.md that `link --copy` keeps inside repositories, for agents that may not read outside them.

/** Paths of a project's copies; a repository, or a folder of ours in it, that is gone gets none again. */
function copiesOf(paths: Pick<HomePaths, 'links'>, project: Pick<Project, 'slug'> | null): string[] {
  return readLinks(paths.links).flatMap(({ repo, slug, copy }) => {
    if (!copy || repo === null || project === null || slug !== project.slug) return [];
    const path = join(repo, COPY);
    // A folder that became a link meanwhile would lead the copy out of the repository.
    return lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? [path] : [];
  });
}
