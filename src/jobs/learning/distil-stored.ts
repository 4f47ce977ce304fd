/** Lessons of one project from what the store and the crystal hold of it. Pure. */
import {
  asLearnt,
  askedBy,
  distillProject,
  rememberedEdits,
  rememberedLessons,
  uniteEdits,
  withheldOf,
  type Crystal,
  type Material,
  type ProjectClock,
  type Withheld,
} from '../../distill/index.js';
import type { Candidate, Lesson, Project } from '../../types.js';
import type { StoredMaterial } from '../../store/index.js';

export interface StoredProject {
  /** Null for what is true everywhere. */
  project: Project | null;
  stored: Omit<StoredMaterial, 'clockDay' | 'activeDays'>;
  crystal: Crystal | null;
  clock: ProjectClock;
  extracted: Set<string>;
  /** Tokens of which `stored.sightings` holds all that there are. */
  asked: Set<string>;
  /** Packages that the project's manifests name. */
  packages: Set<string>;
  globals: Lesson[];
  /** As they stood, those that somebody edited: what was done since the crystal was written is told by them alone. */
  edited: Lesson[];
  /** Text of a lesson -> its vector of unit length; null without a model: words decide what is near-equal. */
  vectors: ReadonlyMap<string, Float32Array> | null;
}

/** Tokens whose sightings will be needed. */
export function askedStored(known: StoredProject): string[] {
  return askedBy(materialOf(known));
}

/** With tokens that were missing the lessons do not hold: call it again with their sightings. */
export function distilStored(known: StoredProject): ReturnType<typeof distillProject> {
  return distillProject(materialOf(known));
}

/** What taint keeps out beside the lessons that stand; see {@link distilStored}. */
export function withheldStored(known: StoredProject, lessons: readonly Lesson[]): { withheld: Withheld[]; missing: string[] } {
  return withheldOf(materialOf(known), lessons);
}

function materialOf(known: StoredProject): Material {
  const { project, stored, crystal, clock, extracted, asked, packages, globals, edited, vectors } = known;
  const { candidates, edits, ...rest } = stored;
  return {
    ...rest,
    asked,
    project,
    clock,
    extracted,
    packages,
    globals,
    candidates: candidates.map((row) => ({ ...(JSON.parse(row.payload) as Candidate), project: row.project })),
    remembered: withEdited(crystal, edited),
    edits: uniteEdits([...edits, ...(crystal === null ? [] : rememberedEdits(crystal))]),
    tombstones: crystal?.tombstones ?? [],
    ...(vectors === null ? {} : { similar: (a: Lesson, b: Lesson) => cosine(vectors.get(a.text), vectors.get(b.text)) }),
  };
}

/** What the crystal knows, tombstones that name their sentences included, is told by it alone: it is the same on each machine. */
function withEdited(crystal: Crystal | null, edited: readonly Lesson[]): Lesson[] {
  const remembered = crystal === null ? [] : rememberedLessons(crystal);
  const buried = (crystal?.tombstones ?? []).filter(({ sources }) => sources !== undefined);
  const known = new Set([...remembered, ...buried].map(({ id }) => id));
  return [...remembered, ...edited.filter(({ id }) => !known.has(id)).map(asLearnt)];
}

/** Both of unit length. */
function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a && b ? a.reduce((sum, x, i) => sum + x * b[i]!, 0) : 0;
}
