/**
 * Finds global lessons: candidates of global scope, and wishes that the person repeated in two
 * projects.
 */
import type { Candidate, Lesson, LessonKind } from '../types.js';
import { lessonId } from './identity.js';
import { plainText } from '../text/fingerprint.js';
import { compareText } from '../text/order.js';

/** The person must have said the same words in this many projects. */
const PROJECTS_FOR_GLOBAL = 2;

const WISHES: ReadonlySet<LessonKind> = new Set(['preference', 'correction', 'decision']);

type Placed = Candidate & { project: string };

function isWish(c: Candidate): boolean {
  return WISHES.has(c.kind) && c.said_by === 'user' && c.evidence.supports;
}

/**
 * Candidates of the global lessons. The words in two projects must be the same: nearly equal words
 * are not enough.
 */
export function globalCandidates(candidates: readonly Placed[]): Candidate[] {
  const groups = new Map<string, Placed[]>();
  for (const c of candidates.filter(isWish)) {
    const words = plainText(c.text);
    groups.set(words, [...(groups.get(words) ?? []), c]);
  }
  const shared = [...groups.values()].filter(
    (group) => new Set(group.map(({ project }) => project)).size >= PROJECTS_FOR_GLOBAL,
  );
  return [
    ...candidates.filter(({ scope }) => scope === 'global'),
    ...shared.flatMap((group) => {
      const [first] = [...group].sort(
        (a, b) => compareText(a.kind, b.kind) || compareText(a.key, b.key),
      );
      const { kind, key } = first!;
      return group
        .filter(({ scope }) => scope !== 'global')
        .map((c) => ({ ...c, kind, key, scope: 'global' as const, alone: true }));
    }),
  ];
}

/** Candidates of one project's own lessons. */
export function projectCandidates(candidates: readonly Placed[], project: string): Candidate[] {
  return candidates.filter((c) => c.scope === 'project' && c.project === project);
}

/** The global lesson with the kind and key, or the words, of a project's lesson. */
export function findGlobal(lesson: Lesson, globals: readonly Lesson[]): Lesson | null {
  const id = lessonId(null, lesson.kind, lesson.key);
  const words = plainText(lesson.text);
  // A global lesson that a person reworded also counts in its old words.
  const wordingsOf = (g: Lesson): string[] => (g.learnt ? [g.text, g.learnt.text] : [g.text]);
  const found = globals.find(
    (g) =>
      g.id === id ||
      (g.kind === lesson.kind && wordingsOf(g).some((text) => plainText(text) === words)),
  );
  return found ?? null;
}
