/** Forms the lessons of one project from its rows in the store and its crystal. Pure. */
import {
  asLearnt,
  distillProject,
  foldEdits,
  lessonAt,
  rememberedEdits,
  rememberedLessons,
  uniteEdits,
  uniteEvidence,
  untainted,
  withheldOf,
  type Crystal,
  type Material,
  type ProjectClock,
  type Withheld,
} from '../../lessons/index.js';
import { noteNames, ruleOf } from '../../parse/index.js';
import {
  sessionKey,
  type Candidate,
  type Edit,
  type FactEvent,
  type Lesson,
  type LessonEvent,
  type Project,
} from '../../types.js';
import type { StoredMaterial, Undone } from '../../store/index.js';
import {
  eventCandidates,
  factCandidates,
  OUTCOME,
  type PlacedCandidate,
} from './fact-candidates.js';

export interface StoredProject {
  /** Null for the global lessons. */
  project: Project | null;
  stored: Omit<StoredMaterial, 'clockDay' | 'activeDays'>;
  crystal: Crystal | null;
  clock: ProjectClock;
  extracted: Set<string>;
  /** The person's prompts of all projects, one per line. */
  typed: string;
  /** Packages that the project's manifests name. */
  packages: Set<string>;
  globals: Lesson[];
  /** Hashes of texts that the person forgot everywhere. */
  forgottenEverywhere: ReadonlySet<string>;
  /** Edited lessons as stored: only they have the edits since the crystal was written. */
  edited: Lesson[];
  /** Names in notes that rows contradict. */
  undone: readonly Undone[];
  /** The times of the notes' entries. */
  notedAt: ReadonlyMap<string, string>;
}

export function distilStored(known: StoredProject): Lesson[] {
  const material = materialOf(known, cleanFacts(known));
  return withRules(distillProject(material).lessons, material.edits).map((lesson) =>
    withContradictions(lesson, known),
  );
}

/**
 * Forms the lessons of projects, and counts the claims of each that taint withholds.
 * @param typed same for all projects, because a text is copied between threads for each place
 */
export function distilAll(
  projects: readonly Omit<StoredProject, 'typed'>[],
  typed: string,
): { lessons: Lesson[]; withheld: number }[] {
  return projects.map((project) => {
    const known = { ...project, typed };
    const lessons = distilStored(known);
    return { lessons, withheld: withheldOf(materialOf(known), lessons).length };
  });
}

/**
 * Adds what happened after an agent's statement: its command failed and did not work since, or its
 * file was deleted.
 */
function withContradictions(
  lesson: Lesson,
  { undone, notedAt: said, stored, clock }: StoredProject,
): Lesson {
  const { said_by, fact, superseded_by, text, evidence } = lesson;
  if (said_by !== 'agent' || fact !== null || superseded_by !== null || undone.length === 0)
    return lesson;
  const { forms, files } = noteNames(text);
  const last = evidence
    .filter(({ supports }) => supports)
    .map(({ entry, day }) => said.get(entry ?? '') ?? `${day}T23:59:59.999Z`)
    .reduce((newest, time) => (time > newest ? time : newest), '');
  const events = undone
    .filter(({ name, isFile, time }) => (isFile ? files : forms).includes(name) && time > last)
    .map(({ agent, session, entry, time, quote }): LessonEvent => {
      const group = stored.groups.get(sessionKey(agent, session));
      return {
        ...{ agent, session: group?.slice(group.indexOf('\0') + 1) ?? session, entry },
        ...{ day: time.slice(0, 10), trust: OUTCOME, supports: false, quote },
      };
    });
  return events.length === 0
    ? lesson
    : lessonAt({ ...lesson, evidence: uniteEvidence([...evidence, ...events]) }, clock);
}

/** The data for forming lessons again after an edit. */
type Reformed = Omit<Material, 'candidates' | 'remembered' | 'isLearntHere' | 'uses'> & {
  lessons: readonly Lesson[];
};

/** The lessons of a project after its edits, formed from those of the last run. */
export function reformStored({ lessons, ...known }: Reformed): Lesson[] {
  const formed = distillProject({
    ...known,
    candidates: [],
    remembered: asLearnt(lessons),
    isLearntHere: true,
    uses: new Map(),
  });
  return withRules(formed.lessons, known.edits);
}

/** Adds what the person's words forbid. The words are read again each time, so that they decide. */
function withRules(lessons: readonly Lesson[], edits: readonly Edit[]): Lesson[] {
  const states = foldEdits(edits);
  return lessons.map((lesson) => {
    const { id, fact, said_by, text, supersedes } = lesson;
    if (said_by !== 'user' || fact !== null) return lesson;
    const forms = [id, ...supersedes].flatMap((each) => states.get(each)?.never ?? []);
    return { ...lesson, fields: ruleOf(text, forms) };
  });
}

/** The claims that taint withholds; see {@link distilStored}. */
export function withheldStored(known: StoredProject, lessons: readonly Lesson[]): Withheld[] {
  const { project, stored } = known;
  return withheldOf(
    materialOf(known, project === null ? [] : factCandidates(inGroups(stored), project.id)),
    lessons,
  );
}

/**
 * Gives events the name of their session's group, because forks and resumes with common entries
 * count as one session for a threshold.
 */
function inGroups({ facts, groups }: StoredProject['stored']): FactEvent[] {
  return facts.map((event) => {
    const group = groups.get(sessionKey(event.agent, event.session));
    return group === undefined
      ? event
      : { ...event, session: group.slice(group.indexOf('\0') + 1) };
  });
}

/** Facts as candidates, only from events without taint. */
function cleanFacts(known: StoredProject): PlacedCandidate[] {
  const { project, stored } = known;
  if (project === null || stored.facts.length === 0) return [];
  const events = eventCandidates(stored.facts, project.id);
  const clean = untainted(materialOf(known), events);
  return factCandidates(
    inGroups(stored).filter((_, at) => clean.has(events[at]!)),
    project.id,
  );
}

/** @param facts candidates in addition to the claims */
function materialOf(known: StoredProject, facts: readonly PlacedCandidate[] = []): Material {
  const {
    project,
    stored,
    crystal,
    clock,
    extracted,
    typed,
    packages,
    globals,
    forgottenEverywhere,
    edited,
  } = known;
  const { candidates, facts: _, edits, ...rest } = stored;
  const claims = candidates.map((row) => ({
    ...(JSON.parse(row.payload) as Candidate),
    project: row.project,
  }));
  return {
    ...{ ...rest, typed, project, clock, extracted, packages, globals, forgottenEverywhere },
    candidates: [...claims, ...facts],
    remembered: withEdited(crystal, edited),
    edits: uniteEdits([...edits, ...(crystal === null ? [] : rememberedEdits(crystal))]),
    tombstones: crystal?.tombstones ?? [],
  };
}

/**
 * Adds edited lessons that the crystal does not have. For all others the crystal decides, because
 * it is the same on each machine.
 */
function withEdited(crystal: Crystal | null, edited: readonly Lesson[]): Lesson[] {
  const remembered = crystal === null ? [] : rememberedLessons(crystal);
  const buried = (crystal?.tombstones ?? []).filter(({ sources }) => sources !== undefined);
  const known = new Set([...remembered, ...buried].map(({ id }) => id));
  return [...remembered, ...asLearnt(edited.filter(({ id }) => !known.has(id)))];
}
