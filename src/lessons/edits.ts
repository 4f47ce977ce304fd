/** Computes the effective state of lessons from an insert-only log of edits. */

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

const TRUST_OF_PERSON = 1;
const TRUST_OF_AGENT = 0.4;
const MAX_QUOTE = 300;

/** The effective state of one lesson after all its edits. */
export type EditState = ReturnType<typeof blankEditState>;

function blankEditState() {
  return {
    added: false,
    forgottenAt: null as string | null,
    pinned: null as boolean | null,
    text: null as string | null,
    kind: null as LessonKind | null,
    scope: null as Scope | null,
    /** Time of the newest edit that gave a text. */
    wordedAt: null as string | null,
    /** Agent that gave the text; null for a person. */
    author: null as string | null,
    /** Lessons with which this one is never joined. */
    apart: [] as string[],
    /** Commands and paths that the lesson forbids, as the person says. */
    never: [] as string[],
  };
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

/** Oldest first; an undo comes after the edits that it may take back. */
function compareEdits(a: Edit, b: Edit): number {
  return (
    compareText(a.time, b.time) ||
    ACTION_ORDER[a.action] - ACTION_ORDER[b.action] ||
    compareText(a.lesson, b.lesson) ||
    compareText(a.text ?? '', b.text ?? '')
  );
}

/**
 * Each edit once, oldest first. If a log shows that an agent made an edit, the copy with the agent
 * as author is kept. Edits with a text that is too long for a lesson are left out, since learning
 * them would take seconds.
 */
export function uniteEdits(edits: readonly Edit[]): Edit[] {
  const united = new Map<string, Edit>();
  for (const edit of edits) {
    const { time, action, lesson, text, kind, scope } = edit;
    if ((text?.length ?? 0) > MOST_LESSON_CHARS) continue;
    const key = JSON.stringify([time, action, lesson, text, kind, scope]);
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
 * Edits that no undo took back, oldest first. An undo takes back the newest edit of its lesson; an
 * agent's undo takes back only an agent's edit.
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

/** The newest effective edit, which `undo` takes back; null when there is none. */
export function newestEdit(edits: readonly Edit[]): Edit | null {
  return effectiveEdits(edits).at(-1) ?? null;
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
    effective.wordedAt = edit.text === null ? effective.wordedAt : edit.time;
    effective.author = edit.text === null ? effective.author : (edit.author ?? null);
    // Adding or rewording a forgotten lesson brings it back.
    effective.forgottenAt = null;
  }
}

/** The state after the person's edits, by lesson id. */
export function foldEdits(edits: readonly Edit[]): Map<string, EditState> {
  return fold(effectiveEdits(edits).filter((edit) => !isAgents(edit)));
}

/** The state after the agents' edits, by lesson id. */
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

/** Adds an event for an edit with a text. */
function addEvent(
  lesson: Lesson,
  text: string,
  wordedAt: string,
  by: { agent: string; session: string; trust: number },
): void {
  const [day, quote] = [wordedAt.slice(0, 10), text.slice(0, MAX_QUOTE)];
  const event = { ...by, entry: null, day, supports: true, quote };
  lesson.evidence = uniteEvidence([...lesson.evidence, event]);
  Object.assign(lesson, datesOf(lesson.evidence));
}

/** Gives a lesson the person's own words. */
function rewordAsPerson(
  forming: Forming,
  text: string,
  wordedAt: string,
  kind: LessonKind | null,
): void {
  const { lesson } = forming;
  if (lesson.evidence.some((e) => e.agent !== PERSON) && !lesson.learnt)
    lesson.learnt = {
      kind: lesson.kind,
      text: lesson.text,
      importance: lesson.importance,
      said_by: lesson.said_by,
      ...(lesson.fact === null || lesson.fields === null
        ? {}
        : { fact: lesson.fact, fields: lesson.fields }),
    };
  lesson.kind = kind ?? lesson.kind;
  lesson.text = text;
  lesson.said_by = 'user';
  // A fact in the person's words is a claim, since no row proves the words.
  lesson.fact = null;
  lesson.fields = null;
  lesson.worth = 1;
  lesson.importance = lesson.kind === 'correction' || hasPolarity(text) ? 5 : 4;
  addEvent(lesson, text, wordedAt, { agent: PERSON, session: PERSON, trust: TRUST_OF_PERSON });
  forming.isPersonsWording = true;
  forming.admitted = true;
}

/** A lesson that an edit added; null if the edit is for another project. */
function formAdded(id: string, effective: EditState, project: string | null): Forming | null {
  const { text } = effective;
  const kind = effective.kind ?? 'fact';
  const scope: Scope = project === null ? 'global' : 'project';
  if (!effective.added || text === null || (effective.scope ?? 'project') !== scope) return null;
  const lesson = blankLesson({ id, kind, scope, project, text, key: keyOfText(text) });
  return { lesson, admitted: true, isPersonsWording: true, forgotten: false };
}

/**
 * Applies edits to forming lessons, which are changed in place, and returns all of them with the
 * added ones.
 * @param addedHere whether an added lesson belongs to this project
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
    if (effective.text !== null && effective.wordedAt !== null)
      rewordAsPerson(f, effective.text, effective.wordedAt, effective.kind);
    f.lesson.pinned = effective.pinned ?? f.lesson.pinned;
    if (effective.forgottenAt !== null) f.forgotten = 'person';
    f.admitted ||= f.lesson.pinned || f.forgotten !== false;
  }
  return [...known.values()].sort((a, b) => compareText(a.lesson.id, b.lesson.id));
}

/** Whether an agent may reword or forget a lesson: not if a person said, pinned or changed it. */
export function isOpenToAgents(
  { said_by, pinned }: Pick<Lesson, 'said_by' | 'pinned'>,
  action: 'edit' | 'forget',
): boolean {
  return !pinned && (action === 'edit' ? said_by === 'agent' : said_by !== 'user');
}

/** Gives a lesson an agent's words. */
function rewordAsAgent({ lesson }: Forming, { text, wordedAt, kind, author }: EditState): void {
  if (text === null || wordedAt === null || author === null) return;
  Object.assign(lesson, { kind: kind ?? lesson.kind, text, said_by: 'agent' });
  addEvent(lesson, text, wordedAt, { agent: author, session: AGENTS_HAND, trust: TRUST_OF_AGENT });
}

/**
 * Applies agents' edits to forming lessons, which are changed in place.
 * @param own the person's edits: they are applied later and win
 * @returns all lessons with the added ones, and the ids of those that an agent worded
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
    const f = known.get(id) ?? (added && { ...added, isPersonsWording: false });
    if (!f) continue;
    known.set(id, f);
    if (effective.text !== null && isOpenToAgents(f.lesson, 'edit')) {
      rewordAsAgent(f, effective);
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
 * Whether a lesson was added to this project: its id is computed from the project and the words
 * with which it was added.
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
