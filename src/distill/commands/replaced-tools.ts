/** "Use X, not Y": commands of Y that were learnt until then are out of date. */
import { type Lesson, WILL_KINDS } from '../../types.js';
import type { Forming } from '../forming.js';
import { compareText } from '../order.js';
import { countSessions } from '../sessions.js';
import { linkSuperseded } from '../supersede.js';
import { codeSpans } from '../wording.js';

/** When the old tool still works in so many independent later sessions, nothing is withdrawn. */
const SESSIONS_FOR_DOUBT = 2;

const TOOL = '`?([a-z][a-z0-9_.-]*[a-z0-9])`?';
const SAID: readonly RegExp[] = [
  new RegExp(`\\buse ${TOOL}(?: \\w+)?,? (?:and )?(?:not|instead of|rather than|over|never) ${TOOL}(?![\\w-])`, 'iu'),
  new RegExp(`\\b(?:switch(?:ed)?|mov(?:e|ed)|migrat(?:e|ed)) (?:from|away from) ()${TOOL} to\\b`, 'iu'),
  new RegExp(`\\breplaced? ()${TOOL} (?:with|by)\\b`, 'iu'),
  new RegExp(
    `\\b(?:don['’]t|do not|never|stop|no longer|avoid) us(?:e|ing) ()${TOOL}(?:$|[.,;:]| (?:in|here|for|any|at|on|with|to)\\b)`,
    'iu',
  ),
];

/** The tool that a lesson in the user's words rules out, or null. */
function replacedTool(lesson: Lesson): string | null {
  if (lesson.saidBy !== 'user' || !WILL_KINDS.includes(lesson.kind)) return null;
  for (const pattern of SAID) {
    const hit = pattern.exec(lesson.text);
    if (hit?.[2] !== undefined && hit[1]?.toLowerCase() !== hit[2].toLowerCase()) return hit[2].toLowerCase();
  }
  return null;
}

function programOf(command: string): string {
  return command
    .replace(/^(?:[A-Z_][A-Z0-9_]*=\S+\s+)+/, '')
    .split(/\s+/)[0]!
    .toLowerCase();
}

/** Is this what was seen to work with the tool: a command of it, or a habit of running one? */
function isOfTool(lesson: Lesson, tool: string): boolean {
  if (lesson.saidBy !== 'observed' || (lesson.kind !== 'command' && !lesson.tags.includes('habit'))) return false;
  const commands = codeSpans(lesson.text.replace(/ \(runs [^)]*\)/g, ''));
  return commands.length > 0 && commands.every((c) => programOf(c) === tool);
}

function sessionsAfter(lesson: Lesson, day: string): number {
  return new Set(lesson.evidence.filter((e) => e.supports && e.day > day).map((e) => e.session)).size;
}

/** Supersedes what was learnt with a tool by the user's word against it. Changes the lessons' links. */
export function withdrawReplacedTools(forming: readonly Forming[]): void {
  const stands = (f: Forming): boolean => f.admitted && !f.forgotten && f.lesson.supersededBy === null;
  const words = forming.filter(stands).flatMap((f) => {
    const tool = replacedTool(f.lesson);
    return tool === null ? [] : [{ lesson: f.lesson, tool }];
  });
  // The user's newest statement decides.
  for (const { lesson, tool } of words.sort(
    (a, b) => compareText(b.lesson.lastSeen, a.lesson.lastSeen) || compareText(a.lesson.id, b.lesson.id),
  ))
    for (const f of forming) {
      if (!stands(f) || f.byHand || f.lesson.pinned || !isOfTool(f.lesson, tool)) continue;
      if (sessionsAfter(f.lesson, lesson.lastSeen) < SESSIONS_FOR_DOUBT) linkSuperseded(lesson, f.lesson);
    }
}

// A project that moved from one runner to another (npm to pnpm, poetry to uv, make to just): the commands of the old one are out
// of date.

/** Sessions that the new runner needs before the move is believed. */
const SESSIONS_FOR_MOVE = 2;

/** Runners of which a folder uses one; `each`: the move is told target by target. */
const FAMILIES: readonly { name: string; runner: RegExp; each: boolean }[] = [
  { name: 'package manager', runner: /^(npm|pnpm|yarn|bun)(?: run)? /, each: false },
  { name: 'python environment', runner: /^(poetry|pipenv|pdm|uv|hatch|rye)(?: run)? /, each: false },
  { name: 'task runner', runner: /^(make|just|task|mise run|invoke|rake) /, each: true },
];

interface Used {
  forming: Forming;
  lesson: Lesson;
  runner: string;
  /** Family, folder and, where the move is told target by target, the target. */
  place: string;
  target: string;
}

function useOf(forming: Forming): Used | null {
  const { lesson } = forming;
  if (
    lesson.kind !== 'command' ||
    lesson.saidBy !== 'observed' ||
    !forming.admitted ||
    forming.byHand ||
    forming.forgotten ||
    lesson.pinned ||
    lesson.supersededBy !== null
  )
    return null;
  const span = codeSpans(lesson.text)[0] ?? '';
  const folder = /^cd (\S+) && /.exec(span)?.[1] ?? '';
  const command = span.replace(/^cd \S+ && /, '').replace(/^(?:[A-Z_][A-Z0-9_]*=\S+\s+)+/, '');
  for (const { name, runner, each } of FAMILIES) {
    const hit = runner.exec(command);
    if (hit === null) continue;
    const target = command.slice(hit[0].length);
    return { forming, lesson, runner: hit[1]!, place: [name, folder, each ? target : ''].join('\u0000'), target };
  }
  return null;
}

function byRunner(uses: readonly Used[]): Map<string, Used[]> {
  const runners = new Map<string, Used[]>();
  for (const use of uses) runners.set(use.runner, [...(runners.get(use.runner) ?? []), use]);
  return runners;
}

function lastDay(uses: readonly Used[]): string {
  return uses
    .map((u) => u.lesson.lastSeen)
    .sort(compareText)
    .at(-1)!;
}
function firstDay(uses: readonly Used[]): string {
  return uses.map((u) => u.lesson.firstSeen).sort(compareText)[0]!;
}
function sessionsOf(uses: readonly Used[]): number {
  return countSessions(uses.flatMap((u) => u.lesson.evidence));
}

/**
 * Supersedes what worked with a runner that was never used again since another one took its place. Changes the lessons' links.
 */
export function withdrawMovedRunners(forming: readonly Forming[]): void {
  const places = new Map<string, Used[]>();
  for (const use of forming.map(useOf)) if (use !== null) places.set(use.place, [...(places.get(use.place) ?? []), use]);
  for (const place of [...places.keys()].sort(compareText)) {
    const runners = byRunner(places.get(place)!);
    const newest = [...runners.values()].sort(
      (a, b) => compareText(firstDay(b), firstDay(a)) || compareText(a[0]!.runner, b[0]!.runner),
    )[0]!;
    if (sessionsOf(newest) < SESSIONS_FOR_MOVE) continue;
    const ordered = [...newest].sort((a, b) => b.lesson.sessions - a.lesson.sessions || compareText(a.lesson.id, b.lesson.id));
    for (const old of runners.values()) {
      if (old === newest || lastDay(old) >= firstDay(newest)) continue;
      for (const use of old) linkSuperseded((ordered.find((n) => n.target === use.target) ?? ordered[0]!).lesson, use.lesson);
    }
  }
}
