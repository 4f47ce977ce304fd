/** "Use X, not Y": commands of Y that were learnt until then are out of date. */

import { WILL_KINDS, type Lesson } from '../types.js';
import type { Forming } from './forming.js';
import { compareText } from './order.js';
import { linkSuperseded } from './supersede.js';
import { codeSpans } from './wording.js';

/** Independent later sessions in which the old tool still works, from which the word is in doubt and nothing is withdrawn. */
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

const programOf = (command: string): string =>
  command
    .replace(/^(?:[A-Z_][A-Z0-9_]*=\S+\s+)+/, '')
    .split(/\s+/)[0]!
    .toLowerCase();

/** Is this what was seen to work with the tool: a command of it, or a habit of running one? */
function isOfTool(lesson: Lesson, tool: string): boolean {
  if (lesson.saidBy !== 'observed' || (lesson.kind !== 'command' && !lesson.tags.includes('habit'))) return false;
  const commands = codeSpans(lesson.text.replace(/ \(runs [^)]*\)/g, ''));
  return commands.length > 0 && commands.every((c) => programOf(c) === tool);
}

const sessionsAfter = (lesson: Lesson, day: string): number =>
  new Set(lesson.evidence.filter((e) => e.supports && e.day > day).map((e) => e.session)).size;

/** Supersedes what was learnt with a tool by the user's word against it. Changes the lessons' links. */
export function withdrawReplacedTools(forming: readonly Forming[]): void {
  const stands = (f: Forming): boolean => f.admitted && !f.forgotten && f.lesson.supersededBy === null;
  const words = forming.filter(stands).flatMap((f) => {
    const tool = replacedTool(f.lesson);
    return tool === null ? [] : [{ lesson: f.lesson, tool }];
  });
  // The newest word speaks.
  for (const { lesson, tool } of words.sort(
    (a, b) => compareText(b.lesson.lastSeen, a.lesson.lastSeen) || compareText(a.lesson.id, b.lesson.id),
  ))
    for (const f of forming) {
      if (!stands(f) || f.byHand || f.lesson.pinned || !isOfTool(f.lesson, tool)) continue;
      if (sessionsAfter(f.lesson, lesson.lastSeen) < SESSIONS_FOR_DOUBT) linkSuperseded(lesson, f.lesson);
    }
}
