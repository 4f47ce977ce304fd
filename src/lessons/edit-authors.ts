/**
 * Finds who edited a file of dripstone: an agent, if a log has a tool call that writes these words
 * there; else the person.
 */

import type { Edit } from '../types.js';

/** A tool call that names the file or folder of the edit. */
interface WritingCall {
  agent: string;
  time: string | null;
  /** Its shell command; null for a call of another tool. */
  command: string | null;
  /** The stored input of the call; of a long input only the head. */
  text: string;
}

/** The clocks of a file system and of an agent may differ by this much. */
const SKEW_MS = 2_000;
/**
 * A command that does not contain the words counts as the writer if the file was saved within this
 * time.
 */
const NEAR_MS = 120_000;
/** From this length on, the end of the stored text may be missing. */
const CUT_AT = 4_000;
/** A redirection, or a program that is given a file to change. */
const WRITES = />|\b(?:tee|sed|awk|perl|python3?|node|ruby|ed|ex|mv|cp|rm|patch|truncate|dd)\b/;

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
function showsWords({ text, command }: WritingCall, words: string): boolean {
  const shown = plain(`${text} ${command ?? ''}`);
  const asJson = JSON.stringify(words).slice(1, -1);
  return [words, asJson].some((each) => shown.includes(plain(each)));
}

function isNear(call: WritingCall, savedMs: number): boolean {
  if (call.time === null || savedMs - Date.parse(call.time) > NEAR_MS) return false;
  return call.command === null ? call.text.length >= CUT_AT : WRITES.test(call.command);
}

/**
 * The agent that made an edit; null if the person made it.
 * @param calls tool calls that name the place of the edit, of any time
 * @param lessonText words of the lesson before the edit, for edits without a new text
 */
export function authorOf(
  edit: Edit,
  calls: readonly WritingCall[],
  lessonText: string | null,
): string | null {
  const saved = Date.parse(edit.time);
  const before = calls.filter(({ time }) => time === null || Date.parse(time) <= saved + SKEW_MS);
  const words = edit.action === 'add' || edit.action === 'edit' ? edit.text : lessonText;
  const writer = before.find(
    (call) => (words !== null && showsWords(call, words)) || isNear(call, saved),
  );
  return writer?.agent ?? null;
}
