/**
 * Writes lessons to the files for agents: context.md, detail/, episodes/, notes.md, for each
 * project and for the person.
 */
import { setImmediate } from 'node:timers/promises';
import { existsSync, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../config.js';
import {
  NEWEST_SESSIONS,
  type Session,
  isForThePage,
  namedIn,
  renderNotesHead,
  sessionsNamed,
  whyNoLine,
} from '../../context/index.js';
import { explain, type ProjectClock } from '../../lessons/index.js';
import { whyLesson } from '../../lessons/taint/taint.js';
import { splitSentences } from '../../parse/index.js';
import { countTokens } from '../../text/tokens.js';
import {
  branchesOf,
  brokenRules,
  daysOf,
  editedFiles,
  forkGroups,
  grouped,
  knownSessions,
  lastAnswers,
  loadEpisodes,
  loadLessons,
  loadProjects,
  projectClocks,
  shownOfFiles,
  typedText,
  publishFile,
} from '../../store/index.js';
import {
  SHOWN_AT_MOMENTS,
  type Episode,
  type Lesson,
  type Project,
  isShown,
  sessionKey,
} from '../../types.js';
import { partsOf, wholeOf } from '../../projects/parts.js';
import { readSmall } from '../../projects/small-file.js';
import { findGone, type Looked } from '../../projects/tree.js';
import type { Job, JobContext } from '../job.js';
import { stepOfAll, type ProjectGroup } from '../learning/passed-over.js';
import {
  type KnownProject,
  type RenderedFiles,
  compareWithFiles,
  renderKnown,
} from './render-files.js';
import { readOwnFiles } from './own-files.js';
import { copiesOf, openPages } from './page-state.js';
import { clockNow, readCrystal } from './crystal-file.js';
import { foldNewEdits } from './write-crystal.js';
import { plainText } from '../../text/fingerprint.js';

/** The result of writing one project's files. */
interface Published {
  /** At least one file has new bytes. */
  written: boolean;
  /** Names of the page in the tree; see `Pages.note`. */
  named: readonly Looked[] | null;
}

export const contextJob: Job = {
  name: 'context',
  after: { extract: 'changed', decay: 'changed', ask: 'changed' },
  due: 'always',
  async run(context, { from }) {
    const projects = await context.store.read((db) => loadProjects(db));
    const pages = await openPages(context, projects);
    const all = [null, ...projects];
    const stale = all.filter((project) => !pages.isCurrent(project));
    let done = 0;
    const publish = async (group: ProjectGroup): Promise<Published[]> => {
      context.progress({ job: 'context', done, total: stale.length, unit: 'projects' });
      done += group.length;
      const published = await publishProjects(context, group);
      await pages.note(
        group,
        published.map(({ named }) => named),
      );
      return published;
    };
    const { results, next } = await stepOfAll(
      context,
      'page',
      stale,
      publish,
      from,
      all.length - stale.length,
    );
    const written = results.filter((each) => each?.written === true).length;
    return {
      done: written,
      failed: results.filter((each) => each === null).length,
      counts: { projects: written },
      ...(next === undefined ? {} : { more: true, next }),
    };
  },
};

/** Writes every file of projects (null: the person's); unchanged files keep bytes and times. */
export async function publishProjects(
  context: JobContext,
  group: ProjectGroup,
): Promise<Published[]> {
  const folded = await foldNewEdits(context, group);
  const known = await loadKnown(context, group);
  const rendered = await context.compute.run('render', known);
  const all = await context.store.read((db) => loadProjects(db));
  const published: Published[] = [];
  for (const [at, project] of group.entries()) {
    const written = await writeFiles(context, project, rendered[at]!, all);
    const isSure = known[at]!.gone.size === 0;
    published.push({
      written: written || folded[at]!,
      named: isSure ? namedOf(known[at]!.lessons) : null,
    });
  }
  return published;
}

/** @returns whether a file has new bytes */
async function writeFiles(
  context: JobContext,
  project: Project | null,
  { context: rendered, files }: RenderedFiles,
  all: readonly Project[],
): Promise<boolean> {
  const folder = projectFolder(context.paths, project);
  let written = false;
  files.set('context.md', rendered.text);
  const parts = partsOf(project, all);
  // The whole project writes the pages of its parts, so that agents in a part get all lessons.
  const isPart = project !== null && wholeOf(project, all).id !== project.id;
  if (isPart) files.delete('context.md');
  if (!existsSync(join(folder, 'notes.md'))) files.set('notes.md', renderNotesHead(project));
  for (const [file, content] of files)
    written = (await publishFile(join(folder, file), content)).written || written;
  const copies = isPart ? [] : copiesOf(context.paths, [project, ...parts]);
  for (const copy of [
    ...parts.map((part) => join(projectFolder(context.paths, part), 'context.md')),
    ...copies,
  ])
    written = (await publishFile(copy, rendered.text)).written || written;
  return (await dropOldMonths(context, join(folder, 'episodes'), files)) || written;
}

const MONTH_CAP = 8 * 1024 * 1024;

/**
 * Removes an episodes/<month>.md whose sessions moved to another month or project, but only if the
 * store has all its sessions: otherwise the file may have the only copy.
 */
async function dropOldMonths(
  { store }: Pick<JobContext, 'store'>,
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const old = readdirSync(folder).filter(
    (name) => /^\d{4}-\d\d\.md$/.test(name) && !files.has(`episodes/${name}`),
  );
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

/** The present context.md with a short id after each line, so it may exceed its budget. */
export async function contextWithIds(
  context: PageContext,
  project: Project | null,
): Promise<string> {
  return renderKnown(await loadOne(context, project)).withIds;
}

type PageContext = Pick<JobContext, 'config' | 'store' | 'clock' | 'paths' | 'env'>;

/** The calculation behind a lesson, on its project's clock, and why it is on the page or not. */
export async function explainLesson(
  context: PageContext,
  lesson: Lesson,
): Promise<{ clock: ProjectClock; lines: string[] }> {
  const project =
    (await context.store.read((db) => loadProjects(db))).find(({ id }) => id === lesson.project) ??
    null;
  const { crystal } = readCrystal(context.paths, project);
  const clock = await context.store.read((db) =>
    clockNow(db, lesson.project, crystal, context.clock.now().toISOString()),
  );
  const known = await loadOne(context, project);
  const { shown, reasons } = renderKnown(known);
  const place = shown.includes(lesson.id)
    ? ['in context.md', ...(reasons.get(lesson.id) ?? []).map((reason) => `  ${reason}`)]
    : [`not in context.md: ${whyOut(known, lesson)}`];
  return { clock, lines: [...explain(lesson, clock), ...place] };
}

/** Why a lesson is not on the page. Pure. */
function whyOut(known: KnownProject, lesson: Lesson): string {
  if (lesson.fact !== null && SHOWN_AT_MOMENTS.includes(lesson.fact))
    return 'it is shown at the moment when it helps';
  const why = compareWithFiles(known, [lesson]).get(lesson.id);
  if (why !== undefined) return why;
  const noLine = isShown(lesson) ? whyNoLine(lesson) : null;
  if (noLine !== null) return noLine;
  return isShown(lesson)
    ? `others are worth more of its ${known.budgetTokens} tokens, or say the same`
    : lesson.status;
}

/** A page as it would be rendered now, by line, and the lessons that come next. */
interface PageLines {
  tokens: number;
  budget: number;
  lines: { text: string; tokens: number; lessons: string[] }[];
  missed: { id: string; text: string; worth: number; reason: string }[];
}

/** @param most limit of missing lessons, the most valuable first */
export async function pageLines(
  context: PageContext,
  project: Project | null,
  most: number,
): Promise<PageLines> {
  const known = await loadOne(context, project);
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
    lines: lines.map((line, at) => ({
      text: line,
      tokens: countTokens(`${line}\n`),
      lessons: idsOf(line, at),
    })),
    missed: missed
      .slice(0, most)
      .map((lesson) => ({
        id: lesson.id,
        text: lesson.text,
        worth: lesson.worth,
        reason: whyOut(known, lesson),
      })),
  };
}

/** Sessions of the last active days may be unfinished. */
const LAST_DAYS = 3;

async function loadOne(context: PageContext, project: Project | null): Promise<KnownProject> {
  return (await loadKnown(context, [project]))[0]!;
}

/** @param group projects, or null alone for the person's page */
async function loadKnown(
  { config, store, clock, env }: PageContext,
  group: ProjectGroup,
): Promise<KnownProject[]> {
  const now = clock.now().toISOString();
  const ids = group.flatMap((project) => project?.id ?? []);
  const owners = ids.length === 0 ? null : ids;
  const { edited, ...stored } = await store.read(
    async (db) => {
      const lessons = grouped(
        await loadLessons(db, { owners: owners ?? [''] }),
        ({ project }) => project ?? '',
      );
      const working = ids.filter(
        (id) => lessons.get(id)?.some(({ fact }) => fact === 'works') === true,
      );
      return {
        lessons,
        globals: owners === null ? [] : await loadLessons(db, { owner: null }),
        episodes: await loadEpisodes(db, ids),
        forks: await forkGroups(db, ids),
        answers: await lastAnswers(db, ids, NEWEST_SESSIONS),
        typed: await typedText(db),
        clock: await projectClocks(db, owners, now),
        days: await daysOf(db, ids, now),
        edited: await editedFiles(db, ids),
        branches: await branchesOf(db, ids),
        broken: await brokenRules(db, owners),
        shownOfFiles: await shownOfFiles(db, working),
      };
    },
    { isLong: true },
  );
  const known: KnownProject[] = [];
  for (const project of group) {
    const [id, folders] = [project?.id ?? null, project?.folders ?? []];
    const lessons = stored.lessons.get(id ?? '') ?? [];
    known.push({
      ...{ project, lessons, globals: stored.globals, broken: stored.broken(id) },
      // The person's page has no episodes, since each project has its own.
      sessions: await sessionsOf(stored.episodes(id), stored.forks(id), stored.answers(id), {
        typed: stored.typed,
        forgotten: forgottenOf([...lessons, ...stored.globals]),
      }),
      clockDay: (stored.clock(id) ?? now).slice(0, 10),
      lastDays: stored.days(id).slice(-LAST_DAYS),
      shownOfFiles: stored.shownOfFiles(id),
      gone: await findGone(folders, namedOf(lessons), edited(id), env['PATH']),
      ownFiles: readOwnFiles(project),
      branches: stored.branches(id),
      budgetTokens: config.context.budget_tokens,
      askForNotes: config.context.ask_for_notes,
    });
  }
  return known;
}

/** A shorter text may be part of many others. */
const LEAST_CHARS = 20;

/** Forgotten texts, which no line of the page may contain. */
function forgottenOf(lessons: readonly Lesson[]): string[] {
  return lessons
    .filter(({ status }) => status === 'forgotten')
    .map(({ text }) => plainOf(text))
    .filter((text) => text !== '');
}

function plainOf(text: string): string {
  return plainText(text).replace(/^remember /, '');
}

/** Episodes with the texts for the page, newest first. */
async function sessionsOf(
  episodes: readonly Episode[],
  forks: ReadonlyMap<string, string>,
  answers: readonly { agent: string; session: string; text: string }[],
  { typed, forgotten }: { typed: string; forgotten: readonly string[] },
): Promise<Session[]> {
  const answersOf = grouped(answers, ({ agent, session }) => sessionKey(agent, session));
  const ground = { typed, packages: new Set<string>() };
  const isForgotten = (text: string): boolean => {
    const plain = plainOf(text);
    return forgotten.some(
      (each) => plain.includes(each) || (plain.length >= LEAST_CHARS && each.includes(plain)),
    );
  };
  const isClean = (text: string): boolean =>
    whyLesson({ text, said_by: 'agent' }, ground) === null && !isForgotten(text);
  const seen = new Set<string>();
  const sessions: Session[] = [];
  for (const [at, episode] of episodes.entries()) {
    // Checking a text is slow, because it is compared with all prompts.
    await setImmediate();
    const key = sessionKey(episode.agent, episode.session);
    const group = forks.get(key) ?? key;
    const shown = [episode.title, episode.commits.at(-1) ?? '', episode.next_step ?? ''];
    const isOn =
      !seen.has(group) &&
      (at >= 2 * NEWEST_SESSIONS || (isClean(shown.join('. ')) && !shown.some(isForgotten)));
    seen.add(group);
    const sentences = (answersOf.get(key) ?? []).map(({ text }) =>
      splitSentences(text).filter(isClean),
    );
    sessions.push({ ...episode, answers: isOn ? sentences : null });
  }
  return sessions;
}

function namedOf(lessons: readonly Lesson[]): Looked[] {
  return lessons.filter(isForThePage).flatMap(namesOf);
}

/** The names in a lesson. A passed command proves that its names exist; other texts do not. */
function namesOf({ id, text, fact, pinned, first_seen }: Lesson): Looked[] {
  const names = pinned ? [] : namedIn(text);
  return names.length === 0
    ? []
    : [{ id, names, since: first_seen, proven: fact === 'works' || fact === 'slow' }];
}
