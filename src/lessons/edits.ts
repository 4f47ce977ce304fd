/** What a person did to lessons: an insert-only log, folded into the state that is effective. */

import { hasPolarity } from '../text/words.js';
import {
  AGENTS_HAND,
  MOST_LESSON_CHARS,
  PERSON,
  type Edit,
  type Lesson,
  type LessonKind,
  type Scope,
} from '../types.js';
import { blankLesson, datesOf, type Forming } from './forming.js';
import { lessonId } from './identity.js';
import { keyOfText } from '../text/fingerprint.js';
import { uniteEvidence } from './order.js';
import { compareText } from '../text/order.js';

const TRUST_OF_HAND = 1;
const TRUST_OF_AGENT = 0.4;
const MAX_QUOTE = 300;

/** What is effective for one lesson after all its edits. */
export interface EditState {
  added: boolean;
  forgottenAt: string | null;
  pinned: boolean | null;
  text: string | null;
  kind: LessonKind | null;
  scope: Scope | null;
  /** Time of the newest edit that gave a text. */
  saidAt: string | null;
  /** Agent that gave it; null for a person. */
  author: string | null;
  /** Lessons that it stays apart from, whatever they say. */
  apart: string[];
  /** Commands and paths that the person says it forbids. */
  never: string[];
}

const ACTION_ORDER: Readonly<Record<Edit['action'], number>> = {
  add: 0,
  edit: 1,
  pin: 2,
  unpin: 3,
  forget: 4,
  apart: 5,
  never: 6,
  undo: 7,
};

/** Oldest first; an undo comes after what it may take back. */
function compareEdits(a: Edit, b: Edit): number {
  return (
    compareText(a.time, b.time) ||
    ACTION_ORDER[a.action] - ACTION_ORDER[b.action] ||
    compareText(a.lesson, b.lesson) ||
    compareText(a.text ?? '', b.text ?? '')
  );
}

function editKey(e: Edit): string {
  return JSON.stringify([e.time, e.action, e.lesson, e.text, e.kind, e.scope]);
}

/**
 * The same edits once each, oldest first. One that a log showed to be an agent's stays the agent's,
 * whoever it was taken for before. Longer texts than a lesson may have are of older versions, and
 * cost each learning seconds: they count no more.
 */
export function uniteEdits(edits: readonly Edit[]): Edit[] {
  const united = new Map<string, Edit>();
  for (const edit of edits) {
    if ((edit.text?.length ?? 0) > MOST_LESSON_CHARS) continue;
    const key = editKey(edit);
    const known = united.get(key);
    if (
      !known ||
      (edit.author !== undefined && (known.author === undefined || edit.author < known.author))
    )
      united.set(key, edit);
  }
  return [...united.values()].sort(compareEdits);
}

function isAgents({ author }: Edit): boolean {
  return author !== undefined;
}

/**
 * Edits that no undo took back, oldest first. An undo takes back the newest edit of the lesson that
 * it names; an agent's only what an agent did.
 */
function effectiveEdits(edits: readonly Edit[]): Edit[] {
  const effective: Edit[] = [];
  for (const edit of uniteEdits(edits)) {
    if (edit.action !== 'undo') {
      effective.push(edit);
      continue;
    }
    const at = effective.findLastIndex((e) => e.lesson === edit.lesson);
    if (at >= 0 && (!isAgents(edit) || isAgents(effective[at]!))) effective.splice(at, 1);
  }
  return effective;
}

/** The newest edit that stands, which `undo` would take back; null when there is none. */
export function newestEdit(edits: readonly Edit[]): Edit | null {
  return effectiveEdits(edits).at(-1) ?? null;
}

function blankEditState(): EditState {
  return {
    added: false,
    forgottenAt: null,
    pinned: null,
    text: null,
    kind: null,
    scope: null,
    saidAt: null,
    author: null,
    apart: [],
    never: [],
  };
}

function applyTo(effective: EditState, edit: Edit): void {
  if (edit.action === 'pin' || edit.action === 'unpin') effective.pinned = edit.action === 'pin';
  else if (edit.action === 'forget') effective.forgottenAt = edit.time;
  else if (edit.action === 'apart') effective.apart.push(edit.text ?? '');
  else if (edit.action === 'never') effective.never.push(edit.text ?? '');
  else {
    effective.added ||= edit.action === 'add';
    effective.text = edit.text ?? effective.text;
    effective.kind = edit.kind ?? effective.kind;
    effective.scope = edit.scope ?? effective.scope;
    effective.saidAt = edit.text === null ? effective.saidAt : edit.time;
    effective.author = edit.text === null ? effective.author : (edit.author ?? null);
    // Adding or rewording what was forgotten is the person's own way back.
    effective.forgottenAt = null;
  }
}

/** What stands per lesson id by a person's edits. */
export function foldEdits(edits: readonly Edit[]): Map<string, EditState> {
  return fold(effectiveEdits(edits).filter((edit) => !isAgents(edit)));
}

/** What stands per lesson id by agents' edits. */
export function foldAgentEdits(edits: readonly Edit[]): Map<string, EditState> {
  return fold(effectiveEdits(edits).filter(isAgents));
}

function fold(edits: readonly Edit[]): Map<string, EditState> {
  const folded = new Map<string, EditState>();
  for (const edit of edits) {
    const effective = folded.get(edit.lesson) ?? blankEditState();
    applyTo(effective, edit);
    folded.set(edit.lesson, effective);
  }
  return folded;
}

/**
 * Importance of what a person wrote by hand: 5 for a correction, or for words that oblige or
 * forbid, else 4.
 */
function importanceByHand(kind: LessonKind, text: string): 4 | 5 {
  return kind === 'correction' || hasPolarity(text) ? 5 : 4;
}

/** Rewords a lesson with a person's own words (trust 1); the words' day is their evidence. */
function sayByHand(forming: Forming, text: string, saidAt: string, kind: LessonKind | null): void {
  const { lesson } = forming;
  if (lesson.evidence.some((e) => e.agent !== PERSON) && !lesson.learnt)
    lesson.learnt = {
      ...{
        kind: lesson.kind,
        text: lesson.text,
        importance: lesson.importance,
        saidBy: lesson.saidBy,
      },
      ...(lesson.fact === null || lesson.fields === null
        ? {}
        : { fact: lesson.fact, fields: lesson.fields }),
    };
  const event = {
    agent: PERSON,
    session: PERSON,
    entry: null,
    day: saidAt.slice(0, 10),
    trust: TRUST_OF_HAND,
    supports: true,
    quote: text.slice(0, MAX_QUOTE),
  };
  lesson.kind = kind ?? lesson.kind;
  lesson.text = text;
  lesson.saidBy = 'user';
  // In the person's words it is a claim: no row proves them, and the fact comes back only when they
  // are taken back.
  lesson.fact = null;
  lesson.fields = null;
  lesson.worth = 1;
  lesson.importance = importanceByHand(lesson.kind, text);
  lesson.evidence = uniteEvidence([...lesson.evidence, event]);
  Object.assign(lesson, datesOf(lesson.evidence));
  forming.byHand = true;
  forming.admitted = true;
}

/**
 * A lesson that only the edit knows; null when the edit belongs to another project (its id would
 * not come out).
 */
function formAdded(id: string, effective: EditState, project: string | null): Forming | null {
  const { text } = effective;
  const kind = effective.kind ?? 'fact';
  const scope: Scope = project === null ? 'global' : 'project';
  if (!effective.added || text === null || (effective.scope ?? 'project') !== scope) return null;
  const lesson = blankLesson({ id, kind, scope, project, text, key: keyOfText(text) });
  return { lesson, admitted: true, byHand: true, forgotten: false };
}

/**
 * Applies edits to forming lessons (changed in place) and gives back all of them, with the added
 * ones.
 * @param addedHere tells whether an added lesson belongs to this project
 */
export function applyEdits(
  forming: readonly Forming[],
  editStates: ReadonlyMap<string, EditState>,
  project: string | null,
  addedHere: (id: string, effective: EditState) => boolean,
): Forming[] {
  const known = new Map(forming.map((f) => [f.lesson.id, f] as const));
  for (const [id, effective] of editStates) {
    const f =
      known.get(id) ?? (addedHere(id, effective) ? formAdded(id, effective, project) : null);
    if (!f) continue;
    known.set(id, f);
    if (effective.text !== null && effective.saidAt !== null)
      sayByHand(f, effective.text, effective.saidAt, effective.kind);
    f.lesson.pinned = effective.pinned ?? f.lesson.pinned;
    if (effective.forgottenAt !== null) f.forgotten = 'person';
    f.admitted ||= f.lesson.pinned || f.forgotten !== false;
  }
  return [...known.values()].sort((a, b) => compareText(a.lesson.id, b.lesson.id));
}

/**
 * May an agent change the words of this lesson, or forget it? Its pins never count; what a person
 * said or touched is out of its reach.
 */
export function isOpenToAgents(
  { saidBy, pinned }: Pick<Lesson, 'saidBy' | 'pinned'>,
  action: 'edit' | 'forget',
): boolean {
  return !pinned && (action === 'edit' ? saidBy === 'agent' : saidBy !== 'user');
}

/** An agent's words about a lesson: one event of low trust, as if it had said them in a session. */
function sayByAgent({ lesson }: Forming, { text, saidAt, kind, author }: EditState): void {
  if (text === null || saidAt === null || author === null) return;
  const event = {
    agent: author,
    session: AGENTS_HAND,
    entry: null,
    day: saidAt.slice(0, 10),
    trust: TRUST_OF_AGENT,
    supports: true,
    quote: text.slice(0, MAX_QUOTE),
  };
  Object.assign(lesson, {
    kind: kind ?? lesson.kind,
    text,
    saidBy: 'agent',
    evidence: uniteEvidence([...lesson.evidence, event]),
  });
  Object.assign(lesson, datesOf(lesson.evidence));
}

/**
 * Applies agents' edits (forming lessons are changed in place).
 * @param own what stands by a person's hand: it is applied later and wins, and no agent forgets it
 * @returns all of them with the added ones, and which an agent worded
 */
export function applyAgentEdits(
  forming: readonly Forming[],
  editStates: ReadonlyMap<string, EditState>,
  own: ReadonlyMap<string, EditState>,
  project: string | null,
  addedHere: (id: string, effective: EditState) => boolean,
): { forming: Forming[]; worded: Set<string> } {
  const known = new Map(forming.map((f) => [f.lesson.id, f] as const));
  const worded = new Set<string>();
  for (const [id, effective] of editStates) {
    const added =
      known.has(id) || !addedHere(id, effective) ? null : formAdded(id, effective, project);
    const f = known.get(id) ?? (added && { ...added, byHand: false });
    if (!f) continue;
    known.set(id, f);
    if (effective.text !== null && isOpenToAgents(f.lesson, 'edit')) {
      sayByAgent(f, effective);
      f.admitted = true;
      worded.add(id);
    }
    if (effective.forgottenAt !== null && !own.has(id) && isOpenToAgents(f.lesson, 'forget'))
      Object.assign(f, { forgotten: 'agent', admitted: true });
  }
  return {
    forming: [...known.values()].sort((a, b) => compareText(a.lesson.id, b.lesson.id)),
    worded,
  };
}

/**
 * Does an added lesson carry the id that this project gives to its first wording? True for any
 * wording it had, given all edits.
 */
export function isAddedHere(
  edits: readonly Edit[],
  project: string | null,
): (id: string) => boolean {
  const own = new Set(
    edits.flatMap((e) =>
      e.action === 'add' &&
      e.text !== null &&
      lessonId(project, e.kind ?? 'fact', keyOfText(e.text)) === e.lesson
        ? [e.lesson]
        : [],
    ),
  );
  return (id) => own.has(id);
}
