/** Groups sessions that are not independent: forks and resumes that share an entry count as one. */
import { type Candidate, type LessonEvent, sessionKey } from '../types.js';
import { compareText } from '../text/order.js';

/** Maps every `agent\0session` of the events to the name of its group (the smallest member). */
export function groupSessions(evidence: readonly LessonEvent[]): Map<string, string> {
  const parent = new Map<string, string>();
  const find = (key: string): string => {
    let root = key;
    while (parent.get(root) !== root) root = parent.get(root)!;
    return root;
  };
  const join = (a: string, b: string): void => {
    const [low, high] = [find(a), find(b)].sort(compareText) as [string, string];
    parent.set(high, low);
  };
  const byEntry = new Map<string, string>();
  for (const e of evidence) {
    const key = sessionKey(e.agent, e.session);
    if (!parent.has(key)) parent.set(key, key);
    if (e.entry === null) continue;
    const other = byEntry.get(e.entry);
    if (other === undefined) byEntry.set(e.entry, key);
    else join(other, key);
  }
  return new Map([...parent.keys()].map((key) => [key, find(key)]));
}

/** Name of the group of an event's session; `groups` maps `agent\0session` to the group's name. */
export function groupOf(groups: ReadonlyMap<string, string>, e: LessonEvent): string {
  return groups.get(sessionKey(e.agent, e.session)) ?? sessionKey(e.agent, e.session);
}

/** Number of independent sessions that support a lesson. */
export function countSessions(evidence: readonly LessonEvent[]): number {
  const supporting = evidence.filter((e) => e.supports);
  return new Set(groupSessions(supporting).values()).size;
}

/**
 * Replaces the session of a candidate's event with the name of its group; `groups` maps
 * `agent\0session` to the group's name.
 */
export function inGroup<C extends Candidate>(candidate: C, groups: ReadonlyMap<string, string>): C {
  const { agent, session } = candidate.evidence;
  const group = groups.get(sessionKey(agent, session));
  return group === undefined
    ? candidate
    : {
        ...candidate,
        evidence: { ...candidate.evidence, session: group.slice(group.indexOf('\0') + 1) },
      };
}
