/** Computes all lessons of one project. Pure, so that the order of reading has no effect. */

import {
  FORGOTTEN_BY_AGENT,
  type Candidate,
  type Edit,
  type Lesson,
  type Project,
} from '../types.js';
import type { Tombstone } from './crystal/shape.js';
import { type ProjectClock, isAhead } from './days.js';
import {
  applyAgentEdits,
  applyEdits,
  foldAgentEdits,
  foldEdits,
  isAddedHere,
  isOpenToAgents,
  type EditState,
} from './edits.js';
import type { Forming } from './forming.js';
import { lessonId } from './identity.js';
import { fingerprintOf, keyOfText } from '../text/fingerprint.js';
import { mergeCandidates } from './merge.js';
import { applyPersonsEditsToSameSentence, stillRemembered } from './crystal/remembered.js';
import { findGlobal, globalCandidates, projectCandidates } from './scope.js';
import { inGroup } from './sessions.js';
import { type IsApart, joinSame, lessonAt, supersedeByClaim } from './join.js';
import {
  whyLesson,
  withheldLessons,
  withoutTainted,
  type TaintGround,
  type Withheld,
} from './taint/taint.js';
import { compareText, sortedSet } from '../text/order.js';

/** The data from which the lessons of one project are computed. */
export interface Material {
  /** null for the global lessons: `candidates` are then those of all projects. */
  project: Project | null;
  candidates: readonly (Candidate & { project: string })[];
  /** From the crystal. */
  remembered: readonly Lesson[];
  /**
   * True if the remembered lessons were learnt in this home: their sources passed the taint check.
   */
  isLearntHere?: boolean;
  edits: readonly Edit[];
  /** Everything that the person typed, one prompt per line, in the form of `nameKey`. */
  typed: string;
  /**
   * Maps `agent\0session` to the group of the session: forks and resumes that share an entry count
   * once. The taint check uses the session itself.
   */
  groups?: ReadonlyMap<string, string>;
  uses: ReadonlyMap<string, number>;
  clock: ProjectClock;
  /**
   * Sessions (`agent\0session`) whose logs were extracted here: their candidates replace the
   * evidence in the crystal.
   */
  extracted?: ReadonlySet<string>;
  /** Packages that the project's manifests name, so installing them is no risk. */
  packages?: ReadonlySet<string>;
  /** The global lessons, which a project does not repeat. */
  globals?: readonly Lesson[];
  /**
   * The crystal's tombstones: hashes of forgotten wordings, so that they do not come back under
   * another key.
   */
  tombstones?: readonly Tombstone[];
  /** Hashes of wordings that the person forgot everywhere; see {@link forgottenWordings}. */
  forgottenEverywhere?: ReadonlySet<string>;
}

/**
 * Maps kind and sentence of a known claim to its key, since earlier builds made keys from word
 * stems.
 */
function knownKeys(remembered: readonly Lesson[], project: string | null): Map<string, string> {
  const keys = new Map<string, string>();
  const isOld = ({ fact, id, kind, key, text }: Lesson): boolean =>
    fact === null && key !== keyOfText(text) && lessonId(project, kind, key) === id;
  for (const lesson of remembered.filter(isOld).sort((a, b) => compareText(b.key, a.key)))
    keys.set(`${lesson.kind}\0${keyOfText(lesson.text)}`, lesson.key);
  return keys;
}

/**
 * The project's candidates. A day in the future is removed, since its event would always be the
 * newest.
 */
function placedCandidates({ project, candidates, clock, remembered }: Material): Candidate[] {
  const known = knownKeys(remembered, project?.id ?? null);
  const placed =
    project === null ? globalCandidates(candidates) : projectCandidates(candidates, project.id);
  return placed.map((candidate) => ({
    ...candidate,
    // A claim keeps its key, so that edits, pins, tombstones and guards still apply to it.
    key: known.get(`${candidate.kind}\0${candidate.key}`) ?? candidate.key,
    ...(isAhead(candidate.evidence.day, clock)
      ? { evidence: { ...candidate.evidence, day: '' } }
      : {}),
  }));
}

function groundOf({ typed, packages = new Set<string>() }: Material): TaintGround {
  return { typed, packages };
}

function groupsOf({ groups }: Material): ReadonlyMap<string, string> {
  return groups ?? new Map<string, string>();
}

/** The candidates that contain nothing tainted. */
export function untainted(material: Material, candidates: readonly Candidate[]): Set<Candidate> {
  return new Set(withoutTainted(candidates, groundOf(material)));
}

/** The claims that the taint check withholds, and why; `lessons` are the project's lessons. */
export function withheldOf(material: Material, lessons: readonly Lesson[]): Withheld[] {
  const known = new Set(lessons.map(({ id }) => id));
  const withheld = withheldLessons(
    material.project?.id ?? null,
    placedCandidates(material),
    groundOf(material),
    known,
    groupsOf(material),
  );
  const written = withAgentsWords(material, foldEdits(material.edits)).withheld;
  for (const { lesson } of withheld) known.add(lesson.id);
  return [...withheld, ...written.filter(({ lesson }) => !known.has(lesson.id))];
}

function formAll(material: Material, editStates: ReadonlyMap<string, EditState>): Forming[] {
  const project = material.project?.id ?? null;
  const ground = groundOf(material);
  const clean = withoutTainted(placedCandidates(material), ground);
  const candidates = clean.map((candidate) => inGroup(candidate, groupsOf(material)));
  const supported = new Set(
    candidates
      .filter(({ evidence }) => evidence.supports)
      .map(({ kind, key }) => lessonId(project, kind, key)),
  );
  const remembered = stillRemembered(
    material.remembered,
    material.extracted ?? new Set(),
    editStates,
    supported,
  );
  const known =
    material.isLearntHere === true
      ? remembered
      : remembered.filter((lesson) => whyLesson(lesson, ground) === null);
  return mergeCandidates(project, candidates, known);
}

/**
 * Lessons that agents wrote into files or by commands are checked for taint, like those from their
 * sessions.
 */
function withAgentsWords(
  material: Material,
  editStates: ReadonlyMap<string, EditState>,
): { forming: Forming[]; withheld: Withheld[] } {
  const project = material.project?.id ?? null;
  const { forming, worded } = applyAgentEdits(
    formAll(material, editStates),
    foldAgentEdits(material.edits),
    editStates,
    project,
    isAddedHere(material.edits, project),
  );
  if (worded.size === 0) return { forming, withheld: [] };
  const withheld = forming.flatMap(({ lesson }): Withheld[] => {
    const reason = worded.has(lesson.id) ? whyLesson(lesson, groundOf(material)) : null;
    return reason === null ? [] : [{ lesson, reason }];
  });
  const out = new Set(withheld.map(({ lesson }) => lesson));
  return { forming: forming.filter(({ lesson }) => !out.has(lesson)), withheld };
}

/** Hashes of wordings that have a tombstone and that no later edit restored. */
export function forgottenWordings(
  tombstones: readonly Tombstone[],
  edits: readonly Edit[],
): Set<string> {
  const editStates = foldEdits(edits);
  return new Set(
    tombstones.flatMap(({ id, text_hash: hash }) =>
      hash !== '' && editStates.get(id)?.forgottenAt != null ? [hash] : [],
    ),
  );
}

/** Forgets a lesson if a person forgot it globally, or forgot the same words under another key. */
function forgetElsewhere(
  forming: readonly Forming[],
  editStates: ReadonlyMap<string, EditState>,
  tombstones: readonly Tombstone[],
  everywhere: ReadonlySet<string>,
): void {
  const isForgotten = (id: string): boolean => (editStates.get(id)?.forgottenAt ?? null) !== null;
  if (everywhere.size === 0 && ![...editStates.values()].some((s) => s.forgottenAt !== null))
    return;
  const wordings = new Set([
    ...everywhere,
    ...tombstones.filter((t) => isForgotten(t.id)).map((t) => t.text_hash),
  ]);
  for (const f of forming) {
    if (f.isPersonsWording || f.forgotten) continue;
    if (
      isForgotten(lessonId(null, f.lesson.kind, f.lesson.key)) ||
      wordings.has(fingerprintOf(f.lesson.text))
    )
      f.forgotten = 'person';
  }
}

/**
 * Supersedes lessons that a global lesson repeats, and forgets lessons that are forgotten globally.
 * An agent's global lesson has no effect on a lesson of the person.
 */
function linkGlobals(forming: readonly Forming[], globals: readonly Lesson[]): void {
  const settled = globals.filter((g) => g.status !== 'faded' && g.status !== 'superseded');
  for (const f of forming) {
    if (!f.admitted || f.forgotten || f.isPersonsWording || f.lesson.pinned) continue;
    const isOpen = isOpenToAgents(f.lesson, 'forget');
    const reaches = (g: Lesson): boolean =>
      isOpen ||
      (g.status === 'forgotten' ? !g.tags.includes(FORGOTTEN_BY_AGENT) : g.said_by === 'user');
    const global = findGlobal(f.lesson, settled.filter(reaches));
    if (global?.status === 'forgotten')
      f.forgotten = global.tags.includes(FORGOTTEN_BY_AGENT) ? 'agent' : 'person';
    else if (global) f.lesson.superseded_by = global.id;
  }
}

/** The tags to store: a tag also marks a lesson that an agent forgot. */
function tagsOf({ lesson, forgotten }: Forming): string[] {
  const own = lesson.tags.filter((tag) => tag !== FORGOTTEN_BY_AGENT);
  return forgotten === 'agent' ? sortedSet([...own, FORGOTTEN_BY_AGENT]) : own;
}

/**
 * Lessons on the project clock, in id order. The same material in any order gives the same bytes.
 */
export function distillProject(material: Material): { lessons: Lesson[] } {
  const project = material.project?.id ?? null;
  const editStates = foldEdits(material.edits);
  const forming = applyEdits(
    withAgentsWords(material, editStates).forming,
    editStates,
    project,
    isAddedHere(material.edits, project),
  );
  forgetElsewhere(
    forming,
    editStates,
    material.tombstones ?? [],
    material.forgottenEverywhere ?? new Set(),
  );
  applyPersonsEditsToSameSentence(forming, editStates, material.tombstones ?? []);
  const isApart: IsApart = (a, b) =>
    (editStates.get(a.id)?.apart.includes(b.id) ?? false) ||
    (editStates.get(b.id)?.apart.includes(a.id) ?? false);
  joinSame(forming, isApart);
  if (project !== null) linkGlobals(forming, material.globals ?? []);
  supersedeByClaim(forming, isApart);
  const finished = (f: Forming): Lesson => {
    const status = f.forgotten ? 'forgotten' : 'live';
    const own = {
      ...f.lesson,
      tags: tagsOf(f),
      uses: material.uses.get(f.lesson.id) ?? f.lesson.uses,
    };
    return lessonAt({ ...own, status }, material.clock);
  };
  const lessons = forming
    .filter((f) => f.admitted)
    .map(finished)
    .sort((a, b) => compareText(a.id, b.id));
  const known = new Set(lessons.map((l) => l.id));
  for (const lesson of lessons) lesson.supersedes = lesson.supersedes.filter((id) => known.has(id));
  return { lessons };
}
