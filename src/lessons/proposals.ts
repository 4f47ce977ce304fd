/** What a model proposed, applied after all rules: it never overrides a rule or a person's edit. */
import type { Proposal } from '../types.js';
import { isHeld, joinGroup } from './near.js';
import type { Forming } from './forming.js';
import { linkConflict, type IsApart } from './supersede.js';

/**
 * The text that a model may have been shown: what was learnt, also under a person's own wording.
 */
function learntText({ lesson }: Forming): string {
  return lesson.learnt?.text ?? lesson.text;
}

/**
 * Joins lessons that say the same into the proposed line and puts contradictions in doubt. Changes
 * the lessons. A proposal about texts that have changed since, or that a rule has settled, is
 * skipped.
 */
export function applyProposals(
  forming: readonly Forming[],
  proposals: readonly Proposal[],
  isApart: IsApart,
): void {
  const byId = new Map(forming.map((f) => [f.lesson.id, f]));
  for (const { what, lessons, before, text } of proposals) {
    const members = lessons.flatMap((id) => byId.get(id) ?? []);
    const holds =
      members.length === lessons.length &&
      members.length > 1 &&
      members.every(
        (f, i) => f.admitted && f.lesson.supersededBy === null && learntText(f) === before[i],
      );
    if (!holds) continue;
    if (what === 'same') join(members, text);
    else if (!isApart(members[0]!.lesson, members[1]!.lesson)) doubt(members[0]!, members[1]!);
  }
}

function join(members: readonly Forming[], line: string): void {
  const winner = joinGroup(members);
  if (winner && !isHeld(winner)) winner.lesson.text = line;
}

/**
 * Both sides are shown as unsure, the person's first: what they said stands until they settle it.
 */
function doubt(a: Forming, b: Forming): void {
  if (!a.forgotten && !b.forgotten) linkConflict(a.lesson, b.lesson);
}
