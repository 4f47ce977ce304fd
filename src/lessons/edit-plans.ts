/** The edit events that a command writes; nothing here changes a lesson. */

import type { Caller, Edit, LessonKind } from '../types.js';
import { newestEdit } from './edits.js';
import { lessonId } from './identity.js';
import { keyOfText } from '../text/fingerprint.js';

function plain(lesson: string, action: Edit['action'], time: string): Edit {
  return { lesson, action, text: null, kind: null, scope: null, time };
}

/**
 * A new lesson in a person's words.
 * @param project project id, or null for a global lesson
 * @param time ISO 8601 UTC
 */
export function planAdd(
  project: string | null,
  kind: LessonKind,
  text: string,
  time: string,
): Edit {
  const lesson = lessonId(project, kind, keyOfText(text));
  return {
    lesson,
    action: 'add',
    text,
    kind,
    scope: project === null ? 'global' : 'project',
    time,
  };
}

/** New words for a lesson; its id stays. */
export function planReword(
  lesson: string,
  text: string,
  kind: LessonKind | null,
  time: string,
): Edit {
  return { lesson, action: 'edit', text, kind, scope: null, time };
}

/** Pins or unpins. */
export function planPin(lesson: string, pinned: boolean, time: string): Edit {
  return plain(lesson, pinned ? 'pin' : 'unpin', time);
}

/** A tombstone. */
export function planForget(lesson: string, time: string): Edit {
  return plain(lesson, 'forget', time);
}

/** Keeps two lessons apart that were joined, or of which one superseded the other. */
export function planApart(lesson: string, other: string, time: string): Edit {
  return { ...plain(lesson, 'apart', time), text: other };
}

/** The command or path that a person's rule forbids, for a sentence that names none. */
export function planNever(lesson: string, form: string, time: string): Edit {
  return { ...plain(lesson, 'never', time), text: form };
}

/** Takes back the newest effective edit, even if its time is later; null if there is none. */
export function planUndo(edits: readonly Edit[], time: string): Edit | null {
  const newest = newestEdit(edits);
  return newest ? plain(newest.lesson, 'undo', newest.time > time ? newest.time : time) : null;
}

/** The edit with the calling agent as its author; unchanged for a person. */
export function editBy(edit: Edit, caller: Caller): Edit {
  return caller.kind === 'person' ? edit : { ...edit, author: caller.name };
}
