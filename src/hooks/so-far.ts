/** Summarizes the entries of a running session, for `compaction` and `end`. Pure. */
import { noteLines } from '../parse/index.js';
import { ruleSentences } from '../parse/rules.js';
import { formOf, splitShell } from '../shell/index.js';
import type { SessionRow } from '../store/index.js';

/** A command that failed and has not passed since. */
interface OpenFailure {
  /** Id of the result. */
  id: string;
  command: string;
  /** The error's signature. */
  error: string;
}

interface SoFar {
  open: OpenFailure | null;
  /** Something happened that is useful for later sessions. */
  isTelling: boolean;
  isNoted: boolean;
  /** The person interrupted the agent and has typed nothing since. */
  isInterrupted: boolean;
}

/** A session with this many tool calls is long. */
const LONG = 30;
const REMEMBERS = /(?:^|_)memory_remember$/;

/** @param rows in order */
export function soFar(rows: readonly SessionRow[]): SoFar {
  const failed = new Map<string, OpenFailure>();
  let [calls, prompts, isCured, isCorrected, isNoted, isInterrupted] = [
    ...[0, 0],
    ...[false, false, false, false],
  ] as [number, number, boolean, boolean, boolean, boolean];
  for (const row of rows) {
    const { id, role, origin, tool, command, outcome, error, marks, text } = row;
    if (role === 'tool_call') calls++;
    if (role === 'user' && origin === 'user') {
      isInterrupted = false;
      isCorrected ||= prompts++ > 0 && ruleSentences(text).length > 0;
    }
    isInterrupted ||= marks.includes('interrupt') || outcome === 'interrupted';
    isCorrected ||= outcome === 'rejected';
    isNoted ||= role === 'assistant' ? noteLines(text).length > 0 : REMEMBERS.test(tool ?? '');
    const form = role === 'tool_result' && command !== null ? formsOf(command) : '';
    if (form === '') continue;
    if (outcome === 'ok') isCured = failed.delete(form) || isCured;
    else if (outcome === 'failed' && error) {
      failed.delete(form);
      failed.set(form, { id, command: command!, error });
    }
  }
  const isTelling = isCured || isCorrected || calls >= LONG;
  return { open: [...failed.values()].at(-1) ?? null, isTelling, isNoted, isInterrupted };
}

/** General forms of a command's steps, without steps that only read; '' if none is left. */
function formsOf(command: string): string {
  return splitShell(command)
    .flatMap((step) => formOf(step, '', [])?.text ?? [])
    .join(' && ');
}
