/** Same subject, other value: one of them is out of date. */

import type { Lesson } from '../types.js';
import { topTrust, type Forming } from './forming.js';
import { plainText } from './identity.js';
import { compareText, sortedSet } from './order.js';

/** Independent sessions that a less trusted but newer observation needs before it puts a more trusted one in doubt. */
const SESSIONS_FOR_DOUBT = 2;

export type Verdict = 'first' | 'second' | 'unclear';

const isUsersCorrection = (l: Lesson): boolean => l.saidBy === 'user' && (l.kind === 'correction' || l.importance === 5);

/** Which of two lessons on one point holds: the user's correction, then higher trust, then the newer one. */
export function judge(a: Lesson, b: Lesson): Verdict {
  const [trustA, trustB] = [topTrust(a.evidence), topTrust(b.evidence)];
  const [correctionA, correctionB] = [isUsersCorrection(a), isUsersCorrection(b)];
  const newer = compareText(a.lastSeen, b.lastSeen);
  if (correctionA !== correctionB) return correctionA ? 'first' : 'second';
  if (trustA !== trustB) {
    const [lower, lowerIsNewer] = trustA > trustB ? [b, newer < 0] : [a, newer > 0];
    // The world may have changed since the more trusted word: several later sessions saying otherwise make it doubtful.
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

const compareStrength = (a: Lesson, b: Lesson): number =>
  Number(isUsersCorrection(b)) - Number(isUsersCorrection(a)) ||
  topTrust(b.evidence) - topTrust(a.evidence) ||
  compareText(b.lastSeen, a.lastSeen) ||
  compareText(a.id, b.id);

function settle(group: readonly Lesson[]): void {
  const ordered = [...group].sort(compareStrength);
  ordered.forEach((lesson, i) => {
    for (const stronger of ordered.slice(0, i)) {
      if (stronger.supersededBy !== null || plainText(stronger.value!) === plainText(lesson.value!)) continue;
      const verdict = judge(stronger, lesson);
      if (verdict === 'unclear') linkConflict(stronger, lesson);
      else if (lesson.supersededBy === null) {
        if (verdict === 'first') linkSuperseded(stronger, lesson);
        else linkSuperseded(lesson, stronger);
      }
    }
  });
}

/** Settles every subject that has several values among lessons that still stand. Changes the lessons' links. */
export function supersedeBySubject(forming: readonly Forming[]): void {
  const subjects = new Map<string, Lesson[]>();
  for (const f of forming) {
    const { subject, value, supersededBy } = f.lesson;
    if (!f.admitted || f.forgotten || supersededBy !== null || subject === null || value === null) continue;
    const key = plainText(subject);
    if (key !== '') subjects.set(key, [...(subjects.get(key) ?? []), f.lesson]);
  }
  for (const key of [...subjects.keys()].sort(compareText)) settle(subjects.get(key)!);
}
