/** Reading lessons as typed: list, show, why. */
import { explainNoLesson, renderNoLesson } from '../../answers/why-not.js';
import { lessonsOf, lessonWhy } from '../../answers/lessons.js';
import { createApp } from '../../app.js';
import { AppError, EXIT, type ExitCode, usage } from '../../errors.js';
import type { Io } from '../../io.js';
import { lessonWhole, renderRow } from '../../recall/lessons.js';
import { chooseProject } from '../../recall/projects.js';
import { LESSON_KINDS, type LessonKind } from '../../types.js';
import { printJson, type Arguments } from '../command.js';

/** `--kind` as a kind, or null when absent. */
export function kindOf(args: Arguments): LessonKind | null {
  const kind = args.text('kind');
  if (kind === null) return null;
  if (!(LESSON_KINDS as readonly string[]).includes(kind))
    throw usage(`there is no kind ${kind}`, `use one of ${LESSON_KINDS.join(', ')}`);
  return kind as LessonKind;
}

export async function listLessons(io: Io, args: Arguments): Promise<ExitCode> {
  const kind = kindOf(args);
  const [all, conflicts, withheld] = [
    args.flag('all'),
    args.flag('conflicts'),
    args.flag('withheld'),
  ];
  await using app = await createApp({ ...io, access: 'read' });
  const project = await chooseProject(app, args.text('project'), io.cwd);
  const lessons = await lessonsOf(app, { project, kind, all, conflicts, withheld });
  const nothing = withheld
    ? 'nothing is withheld here'
    : conflicts
      ? 'no lessons contradict each other'
      : 'no lessons here';
  if (args.flag('json')) printJson(io, { lessons });
  else io.out(lessons.length === 0 ? `${nothing}\n` : lessons.map(renderRow).join(''));
  return EXIT.done;
}

export async function showLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const shown = await lessonWhole(app, words.join(' '));
  if (args.flag('json')) printJson(io, shown.json);
  else io.out(shown.text);
  return EXIT.done;
}

export async function whyLesson(io: Io, args: Arguments, words: string[]): Promise<ExitCode> {
  await using app = await createApp({ ...io, access: 'read' });
  const meant = words.join(' ');
  try {
    const why = await lessonWhy(app, meant);
    if (args.flag('json')) printJson(io, why);
    else io.out(`${why.text}  ^${why.id}\n${why.lines.join('\n')}\n`);
  } catch (error) {
    // One word is an id that was mistyped.
    if (!(error instanceof AppError) || error.code !== 'LESSON_UNKNOWN' || !/\S\s+\S/.test(meant))
      throw error;
    const none = await explainNoLesson(app, meant);
    if (args.flag('json')) printJson(io, { ...none });
    else io.out(renderNoLesson(none));
  }
  return EXIT.done;
}
