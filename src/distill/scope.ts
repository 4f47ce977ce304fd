/** What holds for the person everywhere: said as general, or wished for in two projects. */

import type { Candidate, Lesson, LessonKind } from '../types.js';
import { lessonId, plainText } from './identity.js';
import { compareText } from './order.js';

/** Projects in which a wish must have been seen before it counts as the person's habit. */
export const PROJECTS_FOR_GLOBAL = 2;

const WISHES: ReadonlySet<LessonKind> = new Set(['preference', 'correction']);

type Placed = Candidate & { project: string };

const isWish = (c: Candidate): boolean => WISHES.has(c.kind) && c.saidBy === 'user' && c.evidence.supports;

/** Keys (`kind\0key`) of the user's wishes that were seen in two projects, by key or by equal wording. */
function sharedWishes(candidates: readonly Placed[]): Map<string, string> {
  const byWording = new Map<string, Placed[]>();
  for (const c of candidates) if (isWish(c)) byWording.set(plainText(c.text), [...(byWording.get(plainText(c.text)) ?? []), c]);
  const byKey = new Map<string, Placed[]>();
  for (const c of candidates) if (isWish(c)) byKey.set(`${c.kind}\u0000${c.key}`, [...(byKey.get(`${c.kind}\u0000${c.key}`) ?? []), c]);
  const shared = new Map<string, string>();
  for (const group of [...byWording.values(), ...byKey.values()]) {
    if (new Set(group.map((c) => c.project)).size < PROJECTS_FOR_GLOBAL) continue;
    const first = group.map((c) => `${c.kind}\u0000${c.key}`).sort(compareText)[0]!;
    for (const c of group) if (!shared.has(`${c.kind}\u0000${c.key}`)) shared.set(`${c.kind}\u0000${c.key}`, first);
  }
  return shared;
}

/** Candidates of the global lessons: those of global scope, and wishes seen in two projects under one common key. */
export function globalCandidates(candidates: readonly Placed[]): Candidate[] {
  const shared = sharedWishes(candidates);
  return candidates.flatMap((c) => {
    if (c.scope === 'global') return [c];
    const common = shared.get(`${c.kind}\u0000${c.key}`);
    if (common === undefined || !isWish(c)) return [];
    const [kind, key] = common.split('\u0000') as [LessonKind, string];
    return [{ ...c, kind, key, scope: 'global' as const, alone: true }];
  });
}

/** Candidates of one project's own lessons. */
export const projectCandidates = (candidates: readonly Placed[], project: string): Candidate[] =>
  candidates.filter((c) => c.scope === 'project' && c.project === project);

/** The global lesson that says what a project's lesson says, by kind and key or by equal wording. */
export function findGlobal(lesson: Lesson, globals: readonly Lesson[]): Lesson | null {
  const id = lessonId(null, lesson.kind, lesson.key);
  const wording = plainText(lesson.text);
  return globals.find((g) => g.id === id || (g.kind === lesson.kind && plainText(g.text) === wording)) ?? null;
}
