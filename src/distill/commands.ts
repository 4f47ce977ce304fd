/** One line per class of command: how to test, lint, build … here, instead of a line for every spelling. */

import type { Lesson } from '../types.js';
import { blankLesson, datesOf, topTrust, type Forming } from './forming.js';
import { lessonId } from './identity.js';
import { compareText, sortedSet, uniteEvidence } from './order.js';
import { codeSpans } from './wording.js';

/** More commands than this make a line that nobody reads. */
const MAX_COMMANDS = 3;
/** Longest merged text: a line of context.md has 200 characters with its mark and id. */
const MAX_TEXT = 190;

/** A command that takes one file or one test (`FILE`, `NAME`, `PATTERN` stand for it). */
const ONE_FORM = /(?:^|[\s=:/"'])(?:FILE|PATH|NAME|TEST|PATTERN|PACKAGE|PKG)\b/;

const title = (commandClass: string): string => commandClass.charAt(0).toUpperCase() + commandClass.slice(1).replaceAll('-', ' ');

const commandOf = (lesson: Lesson): string | null => codeSpans(lesson.text)[0] ?? null;

/** Most used first, then most trusted, newest, shortest. */
const compareUse = (a: Lesson, b: Lesson): number =>
  b.sessions - a.sessions ||
  topTrust(b.evidence) - topTrust(a.evidence) ||
  compareText(b.lastSeen, a.lastSeen) ||
  a.text.length - b.text.length ||
  compareText(a.id, b.id);

/** The commands of a class that say something new: a longer spelling of a chosen one is left out. */
function planCommands(lessons: readonly Lesson[]): { whole: string[]; one: string | null } {
  const whole: string[] = [];
  let one: string | null = null;
  for (const lesson of [...lessons].sort(compareUse)) {
    const command = commandOf(lesson)!;
    if (ONE_FORM.test(command)) one ??= command;
    else if (whole.length < MAX_COMMANDS && !whole.some((w) => command === w || command.startsWith(`${w} `) || w.startsWith(`${command} `))) whole.push(command);
  }
  return { whole, one };
}

function renderClass(commandClass: string, whole: readonly string[], one: string | null): string {
  const parts = whole.map((c) => `\`${c}\``).join(', ');
  if (one === null) return `${title(commandClass)}: ${parts}`;
  return whole.length === 0 ? `${title(commandClass)} one file: \`${one}\`` : `${title(commandClass)}: ${parts} (one file: \`${one}\`)`;
}

/** Text of a class's line: as many commands as fit, at least the most used one. */
function classText(commandClass: string, lessons: readonly Lesson[]): string {
  const { whole, one } = planCommands(lessons);
  for (let count = whole.length; count > 0; count--) {
    for (const single of one === null ? [null] : [one, null]) {
      const text = renderClass(commandClass, whole.slice(0, count), single);
      if (text.length <= MAX_TEXT) return text;
    }
  }
  return renderClass(commandClass, whole.slice(0, 1), whole.length === 0 ? one : null);
}

const classKey = (commandClass: string): string => `merged:${commandClass}`;

/** Is this the merged line of a class, as the crystal remembers it? */
const isMerged = (lesson: Lesson): boolean => lesson.kind === 'command' && lesson.key.startsWith('merged:');

function topSaidBy(lessons: readonly Lesson[]): Lesson['saidBy'] {
  const said = new Set(lessons.map((l) => l.saidBy));
  return said.has('user') ? 'user' : said.has('observed') ? 'observed' : 'agent';
}

function joinClass(project: string | null, commandClass: string, lessons: readonly Lesson[]): Forming {
  const evidence = uniteEvidence(lessons.flatMap((l) => l.evidence));
  const key = classKey(commandClass);
  const lesson = blankLesson({
    id: lessonId(project, 'command', key),
    kind: 'command',
    scope: project === null ? 'global' : 'project',
    project,
    key,
    text: classText(commandClass, lessons),
    importance: Math.max(...lessons.map((l) => l.importance)) as Lesson['importance'],
    saidBy: topSaidBy(lessons),
    tags: sortedSet(lessons.flatMap((l) => l.tags)),
    files: sortedSet(lessons.flatMap((l) => l.files)),
    worth: Math.max(...lessons.map((l) => l.worth)),
    evidence,
    uses: lessons.reduce((sum, l) => sum + l.uses, 0),
    extractor: Math.max(...lessons.map((l) => l.extractor)),
    supersedes: sortedSet(lessons.map((l) => l.id)),
    ...datesOf(evidence),
  });
  return { lesson, admitted: true, byHand: false, forgotten: false, commandClass };
}

const isFree = (f: Forming): boolean =>
  f.admitted && !f.byHand && !f.forgotten && !f.lesson.pinned && f.lesson.supersededBy === null && !isMerged(f.lesson) && f.commandClass !== null && commandOf(f.lesson) !== null;

/** Forgetting a class's line forgets what stood in it; commands first seen later stand for themselves. */
function forgetMembers(members: readonly Forming[], forgottenAt: string): void {
  for (const m of members) m.forgotten ||= m.lesson.firstSeen <= forgottenAt.slice(0, 10);
}

/**
 * Adds one lesson per class that has several commands; its members stay, linked to it and not shown. Changes the members.
 * What a person wrote, pinned or forgot stands for itself.
 * @param forgottenAt time when a lesson id was forgotten, or null
 */
export function mergeCommandClasses(project: string | null, forming: readonly Forming[], forgottenAt: (id: string) => string | null): Forming[] {
  const classes = new Map<string, Forming[]>();
  for (const f of forming) if (isFree(f)) classes.set(f.commandClass!, [...(classes.get(f.commandClass!) ?? []), f]);
  const merged: Forming[] = [];
  for (const name of [...classes.keys()].sort(compareText)) {
    const members = classes.get(name)!;
    if (members.length < 2) continue;
    const line = joinClass(project, name, members.map((m) => m.lesson));
    const forgotten = forgottenAt(line.lesson.id);
    if (forgotten !== null) forgetMembers(members, forgotten);
    else for (const m of members) m.lesson.supersededBy = line.lesson.id;
    merged.push(line);
  }
  // A remembered line whose members are known again is made anew from them.
  return [...forming.filter((f) => !isMerged(f.lesson) || !classes.has(f.commandClass ?? '')), ...merged];
}
