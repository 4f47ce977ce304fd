/**
 * `dripstone snapshots`: what memory said on a day, what changed since, and one lesson taken back.
 */
import { createApp, type App } from '../../app.js';
import { EXIT, type ExitCode } from '../../errors.js';
import { lessonsOn, loadPastMaterial, type PastMaterial } from '../../jobs/publishing/page-then.js';
import { chooseProject } from '../../recall/projects.js';
import { loadProjects } from '../../store/index.js';
import { counted } from '../../text/amounts.js';
import { isShown, type Lesson, type Project } from '../../types.js';
import type { LessonJson } from '../../web/answers.js';
import { dayFrom, printJson, usage, type Arguments, type Command, type Io } from '../command.js';
import { EDITING, PROJECT } from '../typed.js';
import { editJson, restoreLesson } from './edit.js';
import { byWeight, lessonJson, lessonMeant, renderRow, slugsOf } from './read.js';

export const snapshotsCommand: Command = {
  name: 'snapshots',
  summary: 'show the lessons of a day, what changed since, or restore one',
  usage: '[DAY] | diff DAY [DAY] | restore LESSON DAY [options]',
  options: {
    project: PROJECT,
    json: { type: 'boolean', help: 'print {"version":1,"day","project","lessons":[…]}' },
  },
  exits: EDITING,
  examples: [
    'dripstone snapshots 2026-11-01',
    'dripstone snapshots diff 2w',
    'dripstone snapshots restore "use pnpm" yesterday',
  ],
  async run(io, args) {
    const [verb, ...words] = args.words;
    if (verb === 'diff') return printChanges(io, args, words);
    if (verb === 'restore') return restore(io, args, words);
    if (words.length > 0)
      throw usage('snapshots takes a day, `diff` or `restore`', 'see `dripstone snapshots --help`');
    const day = dayOf(verb ?? 'today', io);
    await using app = await createApp({ ...io, access: 'read' });
    const past = await pastOf(app, args, io.cwd);
    const lessons = shownOn(past, day);
    if (args.flag('json')) printJson(io, { day, project: past.slug, lessons });
    else
      io.out(
        lessons.length === 0 ? `no lesson was known on ${day}\n` : lessons.map(renderRow).join(''),
      );
    return EXIT.done;
  },
};

function dayOf(text: string, io: Io): string {
  const day = dayFrom(text, io.clock.now());
  if (day === null) throw usage(`${text} is no day`, 'for example 2026-11-20, yesterday, 7d or 2w');
  return day;
}

/** The past of the chosen projects and of what is true everywhere. */
interface Past {
  materials: PastMaterial[];
  /** Null: of all. */
  slug: string | null;
  slugs: Map<string, string>;
}

async function pastOf(app: App, args: Arguments, cwd: string): Promise<Past> {
  const project = await chooseProject(app, args.text('project'), cwd);
  const now = app.clock.now().toISOString();
  const materials = await app.store.read(async (db) => {
    const owners: (Project | null)[] = [
      ...(project === null ? await loadProjects(db) : [project]),
      null,
    ];
    const loaded: PastMaterial[] = [];
    for (const owner of owners) loaded.push(await loadPastMaterial(db, owner, now));
    return loaded;
  });
  return { materials, slug: project?.slug ?? null, slugs: await slugsOf(app) };
}

/** Lessons in any status as they were at the end of a day. */
function lessonsAt({ materials }: Past, day: string): Lesson[] {
  const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  return materials.flatMap((material) => lessonsOn(material, next));
}

function shownOn(past: Past, day: string): LessonJson[] {
  return lessonsAt(past, day)
    .filter(isShown)
    .sort(byWeight)
    .map((lesson) => lessonJson(lesson, past.slugs));
}

/** What differs between two days. */
export interface Changes {
  added: LessonJson[];
  removed: LessonJson[];
  /** The same lesson in other words, or disputed since or no longer. */
  changed: { before: LessonJson; after: LessonJson }[];
}

/** Pure. */
function changesBetween(before: readonly LessonJson[], after: readonly LessonJson[]): Changes {
  const [was, is] = [before, after].map(
    (lessons) => new Map(lessons.map((lesson) => [lesson.id, lesson])),
  ) as [Map<string, LessonJson>, Map<string, LessonJson>];
  return {
    added: after.filter(({ id }) => !was.has(id)),
    removed: before.filter(({ id }) => !is.has(id)),
    changed: before.flatMap((lesson) => {
      const now = is.get(lesson.id);
      return now !== undefined && (now.text !== lesson.text || now.status !== lesson.status)
        ? [{ before: lesson, after: now }]
        : [];
    }),
  };
}

async function printChanges(
  io: Io,
  args: Arguments,
  [first, last = 'today', ...more]: string[],
): Promise<ExitCode> {
  if (first === undefined || more.length > 0)
    throw usage('diff takes one or two days', 'type `dripstone snapshots diff 2w`');
  const [from, to] = [dayOf(first, io), dayOf(last, io)];
  await using app = await createApp({ ...io, access: 'read' });
  const past = await pastOf(app, args, io.cwd);
  const changes = changesBetween(shownOn(past, from), shownOn(past, to));
  if (args.flag('json')) printJson(io, { from, to, project: past.slug, ...changes });
  else io.out(renderChanges(changes, from, to));
  return EXIT.done;
}

function renderChanges({ added, removed, changed }: Changes, from: string, to: string): string {
  const count = added.length + removed.length + changed.length;
  return [
    `${count === 0 ? 'nothing changed' : counted(count, 'change')} between ${from} and ${to}\n`,
    ...added.map((lesson) => `+ ${renderRow(lesson)}`),
    ...removed.map((lesson) => `- ${renderRow(lesson)}`),
    ...changed.flatMap(({ before, after }) => [`~ ${renderRow(before)}`, `  ${renderRow(after)}`]),
  ].join('');
}

async function restore(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  if (words.length < 2)
    throw usage('restore takes a lesson and a day', 'type `dripstone snapshots restore ID DAY`');
  const day = dayOf(words.at(-1)!, io);
  await using app = await createApp({ ...io, access: 'read' });
  const known = lessonsAt(await pastOf(app, args, io.cwd), day).filter(isShown);
  const edited = await restoreLesson(app, io, lessonMeant(known, words.slice(0, -1).join(' ')));
  if (args.flag('json')) printJson(io, editJson(edited));
  else
    io.out(
      `taken back: ${edited.lesson?.text ?? edited.plan.text ?? edited.plan.lesson}  ^${edited.plan.lesson}\n`,
    );
  return EXIT.done;
}
