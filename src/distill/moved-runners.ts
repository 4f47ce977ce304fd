/** A project that moved from one runner to another (npm to pnpm, poetry to uv, make to just): the commands of the old one are out of date. */

import type { Lesson } from '../types.js';
import type { Forming } from './forming.js';
import { compareText } from './order.js';
import { countSessions } from './sessions.js';
import { linkSuperseded } from './supersede.js';
import { codeSpans } from './wording.js';

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

const byRunner = (uses: readonly Used[]): Map<string, Used[]> => {
  const runners = new Map<string, Used[]>();
  for (const use of uses) runners.set(use.runner, [...(runners.get(use.runner) ?? []), use]);
  return runners;
};

const lastDay = (uses: readonly Used[]): string =>
  uses
    .map((u) => u.lesson.lastSeen)
    .sort(compareText)
    .at(-1)!;
const firstDay = (uses: readonly Used[]): string => uses.map((u) => u.lesson.firstSeen).sort(compareText)[0]!;
const sessionsOf = (uses: readonly Used[]): number => countSessions(uses.flatMap((u) => u.lesson.evidence));

/** Supersedes what worked with a runner that was never used again since another one took its place. Changes the lessons' links. */
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
