/** Finds and prints lessons for commands, the HTTP API and MCP tools. */
import { neutralise } from '../context/index.js';
import { AppError, EXIT, usage } from '../errors.js';
import { blankLesson, lessonId } from '../lessons/index.js';
import {
  droppedNotes,
  lessonByPrefix,
  loadLessons,
  loadProjects,
  type Db,
  type StoredDropped,
} from '../store/index.js';
import { counted } from '../text/amounts.js';
import { keyOfText } from '../text/fingerprint.js';
import { wordsIn } from '../text/words.js';
import {
  isOfHand,
  isShown,
  lessonFields,
  picked,
  type Lesson,
  type LessonKind,
  type Project,
} from '../types.js';
import type { LessonJson } from '../types/answers.js';
import { chooseProject } from './projects.js';
import { type Reader, noteUses } from './recall.js';

const ANSWERED = lessonFields('answers');

/** The named project, or the one of this folder; otherwise throws an error with the next step. */
export async function ownProject(app: Reader, spec: string | null, cwd: string): Promise<Project> {
  const project = await chooseProject(app, spec, cwd);
  if (project) return project;
  const known = await app.store.read((db) => loadProjects(db));
  throw usage(
    'no project is known for this folder',
    known.length === 0
      ? 'run `dripstone run` first, or add --global'
      : 'name one with --project, or add --global',
  );
}

/** Lessons of a project (id) with the global ones; null: of all projects. */
export async function lessonsSeenIn(db: Db, project: string | null): Promise<Lesson[]> {
  if (project === null) return loadLessons(db);
  return [
    ...(await loadLessons(db, { owner: project })),
    ...(await loadLessons(db, { owner: null })),
  ];
}

/** Which lessons are listed. */
interface LessonsWanted {
  /** null: every project. */
  project: Project | null;
  kind: LessonKind | null;
  /** Includes faded, superseded and forgotten lessons. */
  all: boolean;
  /** Only withheld lessons, and notes that are not lessons. */
  withheld: boolean;
}

/** Lessons as `lessons list --json` prints them, the most valuable first. */
export async function lessonsOf(
  app: Reader,
  { project, kind, all, withheld }: LessonsWanted,
): Promise<LessonJson[]> {
  const slugs = await slugsOf(app);
  const rows: LessonJson[] = [];
  if (withheld) {
    const owners =
      project === null
        ? [null, ...(await app.store.read((db) => loadProjects(db)))]
        : [project, null];
    for (const owner of owners)
      for (const { lesson, reason } of await app.withheld(owner))
        rows.push({ ...lessonJson(lesson, slugs), status: 'withheld', reason });
    for (const note of await app.store.read((db) => droppedNotes(db, project?.id ?? null)))
      rows.push(droppedJson(note, slugs));
  } else {
    const known = await app.store.read((db) => lessonsSeenIn(db, project?.id ?? null));
    const listed = all ? known : known.filter(isShown);
    rows.push(...listed.map((lesson) => lessonJson(lesson, slugs)));
  }
  return rows.filter((lesson) => kind === null || lesson.kind === kind).sort(byWeight);
}

/** A note that is not a lesson, with the id that it would have. */
function droppedJson(
  { text, reason, project, day, said_by }: StoredDropped,
  slugs: ReadonlyMap<string, string>,
): LessonJson {
  const kind = said_by === 'user' ? 'preference' : 'fact';
  const key = keyOfText(text);
  const id = lessonId(project, kind, key);
  const lesson = blankLesson({ id, kind, scope: 'project', project, text, key, said_by });
  const seen = { first_seen: day ?? '', last_seen: day ?? '' };
  return { ...lessonJson({ ...lesson, ...seen }, slugs), status: 'withheld', reason };
}

type Weighed = Pick<LessonJson, 'id' | 'importance' | 'confidence'>;

/** The most valuable first. */
export function byWeight(a: Weighed, b: Weighed): number {
  return b.importance * b.confidence - a.importance * a.confidence || (a.id < b.id ? -1 : 1);
}

/** A lesson with its evidence, as `lessons show` prints it. */
export async function lessonWhole(app: Reader, meant: string) {
  const lesson = await oneLesson(app, meant);
  const slugs = await slugsOf(app);
  const json = lessonJson(lesson, slugs);
  noteUses(app, 'show', [{ type: 'lesson', id: lesson.id, project: json.project }]);
  return {
    text: renderLesson(lesson, slugs),
    json: { lesson: { ...json, evidence: lesson.evidence } },
  };
}

/**
 * The lesson that is meant: by a unique beginning of its id, else by words of its text in
 * context.md. Shown lessons come before faded or replaced ones.
 * @throws AppError exit 2 when none or several fit, naming the candidates with their ids
 */
export async function oneLesson(app: Reader, meant: string): Promise<Lesson> {
  const named = isId(meant)
    ? await app.store.read((db) => lessonByPrefix(db, meant.toLowerCase()))
    : [];
  return named.length > 0
    ? theOne(named, meant)
    : theOne(lessonsByWords(await app.store.read((db) => loadLessons(db)), meant), meant);
}

function isId(meant: string): boolean {
  return /^[a-z0-9]+$/i.test(meant);
}

function theOne(found: readonly Lesson[], meant: string): Lesson {
  if (found.length === 1) return found[0]!;
  const [message, hint] =
    found.length === 0
      ? [
          `no lesson has the id or the words ${meant}`,
          '`dripstone lessons list --all --project all` shows all of them',
        ]
      : [`${meant} may mean${candidatesOf(found)}`, 'type more of the id or of the words'];
  throw new AppError(found.length === 0 ? 'LESSON_UNKNOWN' : 'LESSON_AMBIGUOUS', message, {
    hint,
    exitCode: EXIT.usage,
  });
}

const MOST_CANDIDATES = 8;

function candidatesOf(found: readonly Lesson[]): string {
  const lines = found
    .slice(0, MOST_CANDIDATES)
    .map(({ id, text }) => `\n  ${id}  ${neutralise(text)}`);
  return (
    lines.join('') +
    (found.length > MOST_CANDIDATES ? `\n  and ${found.length - MOST_CANDIDATES} more` : '')
  );
}

/**
 * Lessons with these words in this order, else with all of them. If shown lessons are among them,
 * only those. Pure.
 */
function lessonsByWords(lessons: readonly Lesson[], meant: string): Lesson[] {
  const wanted = wordsIn(meant);
  if (wanted.length === 0) return [];
  const texts = lessons.map((lesson) => ({ lesson, words: wordsIn(neutralise(lesson.text)) }));
  const equal = texts.filter(({ words }) => words.join(' ') === wanted.join(' '));
  const inOrder = texts.filter(({ words }) =>
    ` ${words.join(' ')} `.includes(` ${wanted.join(' ')} `),
  );
  const all = texts.filter(({ words }) => wanted.every((word) => words.includes(word)));
  const best = [equal, inOrder, all].find((each) => each.length > 0) ?? [];
  const shown = best.filter(({ lesson }) => isShown(lesson));
  return (shown.length > 0 ? shown : best).map(({ lesson }) => lesson);
}

/** Project id to slug. */
export async function slugsOf(app: Reader): Promise<Map<string, string>> {
  return new Map(
    (await app.store.read((db) => loadProjects(db))).map((project: Project) => [
      project.id,
      project.slug,
    ]),
  );
}

/** The fields that programs may rely on. */
export function lessonJson(lesson: Lesson, slugs: ReadonlyMap<string, string>): LessonJson {
  return {
    ...picked(lesson, ANSWERED),
    project: lesson.project === null ? null : (slugs.get(lesson.project) ?? null),
    first_seen: lesson.first_seen || null,
    last_seen: lesson.last_seen || null,
    reason: null,
  };
}

/** One line; a withheld lesson has a second line with the reason. */
export function renderRow({
  id,
  kind,
  confidence,
  text,
  status,
  pinned,
  reason,
  ...lesson
}: LessonJson): string {
  const marks = [status === 'live' || reason !== null ? '' : status, pinned ? 'pinned' : '']
    .filter(Boolean)
    .join(', ');
  const place = lesson.project ?? 'global';
  const why = reason === null ? '' : `    withheld: ${neutralise(reason)}\n`;
  return `${id.slice(0, 8)}  ${kind.padEnd(10)} ${confidence.toFixed(2)}  ${text}  (${place}${marks && `, ${marks}`})\n${why}`;
}

/** A lesson with all its evidence. */
export function renderLesson(lesson: Lesson, slugs: ReadonlyMap<string, string>): string {
  const row = renderRow(lessonJson(lesson, slugs)).trimEnd();
  return `${[row, ...datesOf(lesson), 'evidence:', ...lesson.evidence.map(renderEvidence)].join('\n')}\n`;
}

const SPEAKERS = {
  user: 'said by the user',
  observed: 'observed',
  agent: 'said by the agent',
} as const;

function datesOf(lesson: Lesson): string[] {
  return [
    `id ${lesson.id} · importance ${lesson.importance} · ${SPEAKERS[lesson.said_by]} · ${counted(lesson.sessions, 'session')} · ` +
      `${lesson.first_seen} to ${lesson.last_seen} · ${counted(lesson.uses, 'use')}`,
    ...(lesson.superseded_by ? [`superseded by ${lesson.superseded_by}`] : []),
  ];
}

function renderEvidence(event: Lesson['evidence'][number]): string {
  // An edit by hand comes from no session, so only its author is shown.
  const session = isOfHand(event) ? '' : ` ${event.session}`;
  const entry = event.entry ? ` entry ${event.entry.slice(0, 12)}` : '';
  return `  ${event.supports ? '+' : '-'} ${event.day} ${event.agent}${session}${entry} (trust ${event.trust}): ${event.quote}`;
}
