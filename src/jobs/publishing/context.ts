/** From lessons to the files that agents read: context.md, detail/, episodes/, notes.md, for each project and for the person. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type HomePaths, projectFolder } from '../../config.js';
import {
  countTokens,
  heldOutPage,
  isForThePage,
  isSilentToday,
  namedIn,
  renderNotesHead,
  sessionsNamed,
  whyNoLine,
} from '../../context/index.js';
import { foldAborted } from '../../lessons/index.js';
import { COPY } from '../../links/line.js';
import { readLinks } from '../../links/registry.js';
import {
  activeDays,
  brokenRules,
  editedFiles,
  knownSessions,
  loadEpisodes,
  loadLessons,
  loadOffered,
  loadProjects,
  projectClock,
  shownOfFiles,
  publishFile,
} from '../../store/index.js';
import { TOLD_AT_MOMENTS, type Lesson, type Project, isShown } from '../../types.js';
import { kinOf } from '../../projects/plan-projects.js';
import { manifestScripts } from '../../projects/manifests.js';
import { readSmall } from '../../projects/small-file.js';
import { findGone, type Looked } from '../../projects/tree.js';
import { isUntaken, takenVersions } from '../learning/hand-edits.js';
import type { Job, JobContext } from '../job.js';
import { stepOfAll } from '../learning/passed-over.js';
import { type KnownProject, compareWithFiles, renderKnown } from './render-files.js';
import { readDocuments, readInstructions, readRules, readSaid } from './said-elsewhere.js';
import { noteTrial } from './trial.js';
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
  async run(context, { from }) {
    await noteTrial(context);
    const projects = await context.store.read((db) => loadProjects(db));
    const publish = (project: Project | null, index: number): Promise<PublishedContext> => {
      context.progress({ job: 'context', done: index, total: projects.length, unit: 'projects' });
      return publishProject(context, project);
    };
    const { results, next } = await stepOfAll(context, 'page', [null, ...projects], publish, from);
    const written = results.filter((each) => each?.written === true).length;
    return {
      done: written,
      failed: results.filter((each) => each === null).length,
      counts: { projects: written },
      ...(next === undefined ? {} : { more: true, next }),
    };
  },
};

/** Writes every file of a project (null: the person's) as its lessons stand; unchanged ones keep their bytes and times. */
export async function publishProject(context: JobContext, project: Project | null): Promise<PublishedContext> {
  const folder = projectFolder(context.paths, project);
  let written = await foldNewEdits(context, project);
  const { context: rendered, files } = await context.compute.run('render', await loadKnown(context, project));
  const text = isSilentToday(context) ? heldOutPage(project) : rendered.text;
  files.set('context.md', text);
  const { heir, parts } = kinOf(project, await context.store.read((db) => loadProjects(db)));
  // Agents that read the page of a part get what the whole knows: the whole writes that page.
  if (heir !== null) files.delete('context.md');
  if (!existsSync(join(folder, 'notes.md'))) files.set('notes.md', renderNotesHead(project));
  const taken = await context.store.read((db) => takenVersions(db, project));
  for (const [file, content] of files) {
    // A person saved it after its project was learnt: the next learning takes that in.
    if (isUntaken(folder, file, taken)) continue;
    written = (await publishFile(join(folder, file), content)).written || written;
  }
  const copies = heir === null ? copiesOf(context.paths, [project, ...parts]) : [];
  for (const copy of [...parts.map((part) => join(projectFolder(context.paths, part), 'context.md')), ...copies])
    written = (await publishFile(copy, text)).written || written;
  written = (await dropOldMonths(context, join(folder, 'episodes'), files)) || written;
  return {
    slug: project?.slug ?? null,
    path: join(folder, 'context.md'),
    lines: text.split('\n').length - 1,
    tokens: countTokens(text),
    written,
  };
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
export async function contextWithIds(context: PageContext, project: Project | null): Promise<string> {
  return renderKnown(await loadKnown(context, project)).withIds;
}

type PageContext = Pick<JobContext, 'config' | 'store' | 'clock' | 'paths' | 'env'>;

/** Why a lesson is in the context.md of its project, or that it is not. */
export async function explainPlace(context: PageContext, lesson: Lesson, project: Project | null): Promise<string[]> {
  const known = await loadKnown(context, project);
  const rendered = renderKnown(known);
  if (rendered.shown.includes(lesson.id))
    return ['in context.md', ...(rendered.reasons.get(lesson.id) ?? []).map((reason) => `  ${reason}`)];
  return [`not in context.md: ${whyOut(known, lesson)}`];
}

/** Why a lesson that is not on the page is not. Pure. */
function whyOut(known: KnownProject, lesson: Lesson): string {
  if (lesson.fact !== null && TOLD_AT_MOMENTS.includes(lesson.fact)) return 'it is shown at the moment when it helps';
  const why = compareWithFiles(known, [lesson]).out.get(lesson.id);
  if (why !== undefined) return why;
  const noLine = isShown(lesson) ? whyNoLine(lesson, lesson.status === 'conflict') : null;
  if (noLine !== null) return noLine;
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
export async function pageLines(context: PageContext, project: Project | null, most: number): Promise<PageLines> {
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
    .sort((a, b) => b.worth * b.confidence - a.worth * a.confidence || (a.id < b.id ? -1 : 1));
  return {
    tokens,
    budget: known.budgetTokens,
    lines: lines.map((line, at) => ({ text: line, tokens: countTokens(`${line}\n`), lessons: idsOf(line, at) })),
    missed: missed
      .slice(0, most)
      .map((lesson) => ({ id: lesson.id, text: lesson.text, worth: lesson.worth, reason: whyOut(known, lesson) })),
  };
}

/** Sessions of so many active days may have left something unfinished. */
const LAST_DAYS = 3;

async function loadKnown({ config, store, clock, paths, env }: PageContext, project: Project | null): Promise<KnownProject> {
  const now = clock.now().toISOString();
  const id = project?.id ?? null;
  const { edited, ...known } = await store.read(async (db) => {
    const lessons = await loadLessons(db, { owner: id });
    return {
      lessons,
      globals: id === null ? [] : await loadLessons(db, { owner: null }),
      // What a person did everywhere stands in each project's own episodes.
      episodes: id === null ? [] : foldAborted(await loadEpisodes(db, id)),
      clockDay: ((await projectClock(db, id, now)) ?? now).slice(0, 10),
      lastDays: id === null ? [] : (await activeDays(db, id, now)).slice(-LAST_DAYS),
      offered: id !== null && config.llm.choose_context ? await loadOffered(db, id) : [],
      edited: id === null ? new Set<string>() : await editedFiles(db, id),
      broken: await brokenRules(db, id),
      shownOfFiles: id !== null && lessons.some(({ fact }) => fact === 'works') ? await shownOfFiles(db, id) : [],
    };
  });
  return {
    project,
    ...known,
    gone: await findGone(project?.folders ?? [], known.lessons.filter(isForThePage).flatMap(namesOf), edited, env['PATH']),
    instructions: readInstructions(project),
    documents: readDocuments(project),
    scripts: manifestScripts(project?.folders ?? []),
    imported: project === null ? [] : readSaid(projectFolder(paths, project)).flatMap((path) => readRules(path) ?? []),
    budgetTokens: config.context.budget_tokens,
    askForNotes: config.context.ask_for_notes,
  };
}

/** What a command proves by having passed was there; what somebody says may never have been. */
function namesOf({ id, text, fact, pinned, firstSeen }: Lesson): Looked[] {
  const names = pinned ? [] : namedIn(text);
  return names.length === 0 ? [] : [{ id, names, since: firstSeen, proven: fact === 'works' || fact === 'slow' }];
}

// Copies of context.md that `link --copy` keeps inside repositories, for agents that may not read outside them.

/** Paths of projects' copies; a repository, or a folder of ours in it, that is gone gets none again. */
function copiesOf(paths: Pick<HomePaths, 'links'>, projects: readonly (Pick<Project, 'slug'> | null)[]): string[] {
  return readLinks(paths.links).flatMap(({ repo, slug, copy }) => {
    if (!copy || repo === null || !projects.some((project) => project !== null && project.slug === slug)) return [];
    const path = join(repo, COPY);
    // A folder that became a link meanwhile would lead the copy out of the repository.
    return lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? [path] : [];
  });
}
