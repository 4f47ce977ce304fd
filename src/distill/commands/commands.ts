/** One line per class of command: how to test, lint, build … here, instead of a line for every spelling. */

import { LEFT_OVER_TAG, type Lesson } from '../../types.js';
import { confidenceAt, FADED_BELOW } from '../confidence.js';
import type { ProjectClock } from '../days.js';
import { blankLesson, datesOf, type Forming } from '../forming.js';
import { lessonId } from '../identity.js';
import { withdrawMovedRunners, withdrawReplacedTools } from './replaced-tools.js';
import { compareText, sortedSet, uniteEvidence } from '../order.js';
import { codeSpans } from '../wording.js';

/** Most commands in one line. */
const MAX_COMMANDS = 3;
/** Longest merged text: a line of context.md has 200 characters with its mark and id. */
const MAX_TEXT = 190;

const NARROW = 'narrow';
/** A command that takes one file or one test (`FILE`, `NAME`, … stand for it). */
const ONE_FORM = /(?:^|[\s=:/"'])(?:FILE|PATH|NAME|TEST|PATTERN|PACKAGE|PKG)\b/;
/** `Test: …`, as a member's text begins. */
const LABEL = /^([A-Z][\w ]{1,20}): `/;
/** What a command echoes that it runs: ` (runs \`…\`)` behind its span. */
const RUNS = /^[^`]*`[^`]+` \((runs (?:`[^`]+`(?:, )?)+)\)/;
/** Settings in front of a command: `TZ=UTC pytest` is `pytest` under a condition. */
const SETTINGS = /^(?:[A-Z_][A-Z0-9_]*=\S+\s+)+/;

function titleOf(commandClass: string, lessons: readonly Lesson[]): string {
  return LABEL.exec(lessons[0]!.text)?.[1] ?? commandClass.charAt(0).toUpperCase() + commandClass.slice(1).replaceAll('-', ' ');
}

function commandOf(lesson: Lesson): string | null {
  return codeSpans(lesson.text)[0] ?? null;
}
function isNarrow(lesson: Lesson): boolean {
  return lesson.tags.includes(NARROW) || ONE_FORM.test(commandOf(lesson)!);
}

/** Is one spelling the other with more behind it? */
function extendsOther(a: string, b: string): boolean {
  const [one, other] = [a.replace(SETTINGS, ''), b.replace(SETTINGS, '')];
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}

/** Options that make a check repair what it finds. */
const REPAIRING = / (--fix|--write|--autofix|--fix-only|--apply)$/;

function isRepairing(lesson: Lesson): boolean {
  return REPAIRING.test(commandOf(lesson)!);
}

function hasSettings(lesson: Lesson): boolean {
  return SETTINGS.test(commandOf(lesson)!);
}

/** Which commands a class's line names, and which members they speak for. */
interface Plan {
  whole: Lesson[];
  one: Lesson | null;
  /** Option with which a named command repairs, per lesson id. */
  repairs: Map<string, string>;
  covered: Forming[];
}

function planLine(members: readonly Forming[], strength: (lesson: Lesson) => number): Plan {
  const ordered = [...members].sort(
    (a, b) =>
      Number(hasSettings(a.lesson)) - Number(hasSettings(b.lesson)) ||
      Number(isRepairing(a.lesson)) - Number(isRepairing(b.lesson)) ||
      strength(b.lesson) - strength(a.lesson) ||
      a.lesson.text.length - b.lesson.text.length ||
      compareText(a.lesson.id, b.lesson.id),
  );
  const plan: Plan = { whole: [], one: null, repairs: new Map(), covered: [] };
  for (const member of ordered) {
    const command = commandOf(member.lesson)!;
    const known = [...plan.whole, ...(plan.one ? [plan.one] : [])].some((l) => extendsOther(command, commandOf(l)!));
    if (isNarrow(member.lesson)) {
      // One such form is enough as an example.
      plan.one ??= member.lesson;
      plan.covered.push(member);
      continue;
    }
    const checks = plan.whole.find((l) => command.replace(REPAIRING, '') === commandOf(l)!);
    if (checks !== undefined && isRepairing(member.lesson)) plan.repairs.set(checks.id, REPAIRING.exec(command)![1]!);
    if (!known && plan.whole.length < MAX_COMMANDS) plan.whole.push(member.lesson);
    else if (!known) continue;
    plan.covered.push(member);
  }
  return plan;
}

function spanWithEcho(lesson: Lesson, repairs: ReadonlyMap<string, string>): string {
  const option = repairs.get(lesson.id);
  const notes = [RUNS.exec(lesson.text)?.[1], option === undefined ? undefined : `\`${option}\` repairs`].filter(
    (n) => n !== undefined,
  );
  return `\`${commandOf(lesson)!}\`${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function renderLine(title: string, whole: readonly string[], one: Lesson | null): string {
  const narrow = one === null ? '' : `\`${commandOf(one)!}\``;
  if (whole.length === 0) return `${title}, one at a time: ${narrow}`;
  return `${title}: ${whole.join(', ')}${narrow === '' ? '' : `; one at a time: ${narrow}`}`;
}

/** As much of the plan as fits into a line: echoes go first, then the last commands; the most used one always stands. */
function textOf(title: string, plan: Plan): string {
  for (let count = plan.whole.length; count >= 0; count--)
    for (const span of [(l: Lesson) => spanWithEcho(l, plan.repairs), (l: Lesson) => `\`${commandOf(l)!}\``])
      for (const one of [plan.one, null]) {
        if (count === 0 && one === null) continue;
        const text = renderLine(title, plan.whole.slice(0, count).map(span), one);
        if (text.length <= MAX_TEXT) return text;
      }
  return plan.covered[0]!.lesson.text;
}

function mergedKey(commandClass: string): string {
  return `merged:${commandClass}`;
}

/** Is this the merged line of a class, as the crystal remembers it? */
function isMerged(lesson: Lesson): boolean {
  return lesson.kind === 'command' && lesson.key.startsWith('merged:');
}

/**
 * Lessons without the remembered lines of classes whose members are known: such a line is made anew from them. Compared with
 * them it took in the member that has its words, and with one member left no line was made: the command that works here was
 * lost with logs and database, and at every import.
 */
export function withoutOldLines(forming: readonly Forming[]): Forming[] {
  const known = new Set(forming.filter((f) => !isMerged(f.lesson)).map((f) => f.commandClass));
  return forming.filter((f) => !isMerged(f.lesson) || f.byHand || f.lesson.pinned || f.forgotten || !known.has(f.commandClass));
}

function topSaidBy(lessons: readonly Lesson[]): Lesson['saidBy'] {
  const said = new Set(lessons.map((l) => l.saidBy));
  return said.has('user') ? 'user' : said.has('observed') ? 'observed' : 'agent';
}

function joinClass(project: string | null, commandClass: string, plan: Plan): Forming {
  const lessons = plan.covered.map((m) => m.lesson);
  const named = [...plan.whole, ...(plan.one ? [plan.one] : [])];
  const evidence = uniteEvidence(lessons.flatMap((l) => l.evidence));
  const key = mergedKey(commandClass);
  const lesson = blankLesson({
    id: lessonId(project, 'command', key),
    kind: 'command',
    scope: project === null ? 'global' : 'project',
    project,
    key,
    text: textOf(titleOf(commandClass, named), plan),
    importance: Math.max(...lessons.map((l) => l.importance)) as Lesson['importance'],
    saidBy: topSaidBy(lessons),
    tags: sortedSet(lessons.flatMap((l) => l.tags)),
    files: sortedSet(lessons.flatMap((l) => l.files)),
    // Several commands in one line say more than the best of them.
    worth: Math.round((1 - named.reduce((left, l) => left * (1 - l.worth), 1)) * 1000) / 1000,
    evidence,
    uses: lessons.reduce((sum, l) => sum + l.uses, 0),
    extractor: Math.max(...lessons.map((l) => l.extractor)),
    supersedes: sortedSet(lessons.map((l) => l.id)),
    ...datesOf(evidence),
  });
  return { lesson, admitted: true, byHand: false, forgotten: false, commandClass };
}

function isFree(f: Forming): boolean {
  return (
    f.admitted &&
    !f.byHand &&
    !f.forgotten &&
    !f.lesson.pinned &&
    f.lesson.supersededBy === null &&
    !isMerged(f.lesson) &&
    f.commandClass !== null &&
    commandOf(f.lesson) !== null
  );
}

/** Forgetting a class's line forgets what stood in it; commands first seen later stand for themselves. */
function forgetMembers(members: readonly Forming[], forgottenAt: string): void {
  for (const m of members) if (m.lesson.firstSeen <= forgottenAt.slice(0, 10)) m.forgotten = 'person';
}

/**
 * Adds one lesson per class that has several commands; the members that it speaks for stay, linked to it and not shown. Changes
 * the members. What a person wrote, pinned or forgot, and what is faded, stands for itself.
 * @param forgottenAt time when a lesson id was forgotten, or null
 */
export function mergeCommandClasses(
  project: string | null,
  forming: readonly Forming[],
  clock: ProjectClock,
  forgottenAt: (id: string) => string | null,
): Forming[] {
  // Whether it fits is decided anew each time; a remembered lesson may carry the former decision.
  for (const { lesson } of forming)
    if (lesson.tags.includes(LEFT_OVER_TAG)) lesson.tags = lesson.tags.filter((tag) => tag !== LEFT_OVER_TAG);
  withdrawReplacedTools(forming);
  withdrawMovedRunners(forming);
  const confidence = new Map(forming.filter(isFree).map((f) => [f.lesson, confidenceAt(f.lesson, clock)] as const));
  const classes = new Map<string, Forming[]>();
  for (const f of forming) {
    if ((confidence.get(f.lesson) ?? 0) < FADED_BELOW) continue;
    classes.set(f.commandClass!, [...(classes.get(f.commandClass!) ?? []), f]);
  }
  const merged: Forming[] = [];
  for (const name of [...classes.keys()].sort(compareText)) {
    const plan = planLine(classes.get(name)!, (l) => (confidence.get(l) ?? 0) * (0.1 + l.worth));
    if (plan.covered.length < 2) continue;
    const line = joinClass(project, name, plan);
    const forgotten = forgottenAt(line.lesson.id);
    if (forgotten !== null) forgetMembers(plan.covered, forgotten);
    else {
      for (const m of plan.covered) m.lesson.supersededBy = line.lesson.id;
      // What found no room in the class's line follows far behind it.
      for (const m of classes.get(name)!)
        if (!plan.covered.includes(m)) m.lesson.tags = sortedSet([...m.lesson.tags, LEFT_OVER_TAG]);
    }
    merged.push(line);
  }
  // A remembered line whose members are known again is made anew from them.
  return [...forming.filter((f) => !isMerged(f.lesson) || !classes.has(f.commandClass ?? '')), ...merged];
}
