/** Of two lessons that cannot both hold: which one does, and whether a lesson is shown. */
import { INSTEAD_TAG, type Lesson, type Status, isShown } from '../types.js';
import { FADED_BELOW, confidenceAt } from './confidence.js';
import type { ProjectClock } from './days.js';
import { type Forming, topTrust } from './forming.js';
import { compareText, sortedSet } from './order.js';

/**
 * Independent sessions that a less trusted but newer observation needs before it puts a more
 * trusted one in doubt.
 */
const SESSIONS_FOR_DOUBT = 2;

type Verdict = 'first' | 'second' | 'unclear';

function isUsersCorrection(l: Lesson): boolean {
  return l.saidBy === 'user' && (l.kind === 'correction' || l.importance === 5);
}

/**
 * Which of two lessons on one point holds: the user's correction, then higher trust, then the newer
 * one.
 */
export function whichHolds(a: Lesson, b: Lesson): Verdict {
  const [trustA, trustB] = [topTrust(a.evidence), topTrust(b.evidence)];
  const [correctionA, correctionB] = [isUsersCorrection(a), isUsersCorrection(b)];
  const newer = compareText(a.lastSeen, b.lastSeen);
  if (correctionA !== correctionB) return correctionA ? 'first' : 'second';
  if (trustA !== trustB) {
    const [lower, lowerIsNewer] = trustA > trustB ? [b, newer < 0] : [a, newer > 0];
    // The world may have changed since the more trusted word: several later sessions saying
    // otherwise make it doubtful.
    if (lowerIsNewer && lower.sessions >= SESSIONS_FOR_DOUBT) return 'unclear';
    return trustA > trustB ? 'first' : 'second';
  }
  if (newer === 0) return 'unclear';
  return newer > 0 ? 'first' : 'second';
}

/** Links loser and winner. */
export function linkSuperseded(winner: Lesson, loser: Lesson): void {
  winner.supersedes = sortedSet([...winner.supersedes, loser.id]);
  loser.supersededBy = winner.id;
}

/** Links two lessons that deny each other while nobody knows which holds. */
export function linkConflict(a: Lesson, b: Lesson): void {
  a.conflictsWith = sortedSet([...a.conflictsWith, b.id]);
  b.conflictsWith = sortedSet([...b.conflictsWith, a.id]);
}

/** Tells of two lessons whether the person said that both hold. */
export type IsApart = (a: Lesson, b: Lesson) => boolean;

/**
 * What a model found to contradict a lesson: of the two the one that was told later holds, in
 * whatever order the sessions were asked about. An agent's word never takes the place of the
 * person's, and what is pinned stays. Changes the lessons' links.
 */
export function supersedeByClaim(forming: readonly Forming[], isApart: IsApart): void {
  const open = forming.filter((f) => f.admitted && !f.forgotten && !f.byHand);
  const byId = new Map(open.map(({ lesson }) => [lesson.id, lesson]));
  for (const { lesson } of [...open].sort((a, b) => compareText(a.lesson.id, b.lesson.id)))
    for (const tag of lesson.tags.filter((one) => one.startsWith(INSTEAD_TAG))) {
      const other = byId.get(tag.slice(INSTEAD_TAG.length));
      if (!other || other === lesson || lesson.supersededBy !== null || other.supersededBy !== null)
        continue;
      if (isApart(lesson, other)) continue;
      const [winner, loser] =
        newestDay(lesson) >= newestDay(other) ? [lesson, other] : [other, lesson];
      if (!loser.pinned && (loser.saidBy !== 'user' || winner.saidBy === 'user'))
        linkSuperseded(winner, loser);
    }
}

function newestDay({ evidence }: Lesson): string {
  return evidence.reduce(
    (newest, { supports, day }) => (supports && day > newest ? day : newest),
    '',
  );
}

// Whether a lesson is shown, on a project's clock.

/**
 * Status of one lesson from its links and confidence; pinned lessons never fade. `forgotten` is
 * decided by edits alone.
 */
function statusOf(lesson: Lesson, forgotten: boolean): Status {
  if (forgotten) return 'forgotten';
  if (lesson.supersededBy !== null) return 'superseded';
  if (lesson.confidence < FADED_BELOW && !lesson.pinned) return 'faded';
  return lesson.conflictsWith.length > 0 ? 'conflict' : 'live';
}

/**
 * The lesson on a project's clock: its confidence is computed again, and live / faded with it.
 * Links stay.
 */
export function lessonAt(lesson: Lesson, clock: ProjectClock): Lesson {
  const aged = { ...lesson, confidence: confidenceAt(lesson, clock) };
  return { ...aged, status: statusOf(aged, lesson.status === 'forgotten') };
}

/**
 * A conflict needs two that stand: the other one faded, lost or was forgotten, and the doubt goes
 * with it. Changes the lessons.
 */
export function dropSettledConflicts(lessons: readonly Lesson[]): void {
  const effective = new Set(lessons.filter(isShown).map((l) => l.id));
  for (const lesson of lessons) {
    lesson.conflictsWith = effective.has(lesson.id)
      ? lesson.conflictsWith.filter((id) => effective.has(id))
      : [];
    if (lesson.status === 'conflict' && lesson.conflictsWith.length === 0) lesson.status = 'live';
  }
}
