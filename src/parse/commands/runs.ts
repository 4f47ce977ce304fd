import type { Entry } from '../../types.js';
import { type Verdict, judgeSteps } from '../outcome.js';
import { pairsOf } from '../pairs.js';
import type { SessionInput } from '../session.js';
import {
  type Form,
  formOf,
  isAbsolute,
  isHome,
  placeIn,
  rootsOf,
  type Step,
  splitShell,
} from '../../shell/index.js';

/** A shell call with its result. */
export interface Call {
  /** Place in the session's entries. */
  at: number;
  entry: Entry;
  result: Entry | null;
  steps: Step[];
  /** Folder of each step below the project's root, null outside. */
  folders: (string | null)[];
  verdicts: Verdict[];
}

/** One step that is no probe, in its general form. */
export interface Run {
  at: number;
  call: Call;
  step: Step;
  form: Form;
  verdict: Verdict;
}

/** Folders of a session's project, also when only the session itself names one. */
export function sessionRoots(session: SessionInput): string[] {
  const own = [session.facts.originalCwd, session.facts.cwd]
    .filter((f) => f !== undefined && f !== null)
    .filter((f) => !isHome(f));
  const roots = rootsOf(session.project.folders);
  return roots.length > 0
    ? roots
    : rootsOf(
        own.length > 0
          ? own
          : session.entries
              .map((e) => e.cwd ?? '')
              .filter((f) => !isHome(f))
              .slice(0, 1),
      );
}

/** Where each step runs, below the project's root; null outside. */
export function foldersOf(steps: Step[], cwd: string | null, roots: string[]): (string | null)[] {
  const start = cwd === null ? '' : cwd;
  const stack: string[] = [start];
  let here = start;
  return steps.map((step) => {
    while (stack.length <= step.depth) stack.push(here);
    if (stack.length > step.depth + 1) {
      stack.length = step.depth + 1;
      here = stack[step.depth] ?? start;
    }
    const at = placeIn(roots, here);
    const target = step.words[1];
    if (step.words[0] === 'cd' || step.words[0] === 'pushd') {
      here =
        target === undefined || target === '-' || /^[~$]/.test(target)
          ? `/\u0000${target ?? ''}`
          : isAbsolute(target)
            ? target
            : `${here}/${target}`;
      stack[step.depth] = here;
    }
    return at;
  });
}

/** All shell calls of a session in order. */
export function callsOf(session: SessionInput): Call[] {
  const roots = sessionRoots(session);
  const { results } = pairsOf(session.entries);
  const calls: Call[] = [];
  session.entries.forEach((entry, at) => {
    if (entry.role !== 'tool_call' || entry.command === null) return;
    const result = results.get(entry)?.at(-1) ?? null;
    const steps = splitShell(entry.command);
    const verdicts =
      result === null ? steps.map(() => 'unknown' as const) : judgeSteps(steps, result);
    calls.push({ at, entry, result, steps, folders: foldersOf(steps, entry.cwd, roots), verdicts });
  });
  return calls;
}

/** What the calls run, without probes; in order. */
function runsOf(session: SessionInput, calls: Call[]): Run[] {
  const roots = sessionRoots(session);
  const runs: Run[] = [];
  for (const call of calls) {
    const found = call.steps.map((step, i) => formOf(step, call.folders[i] ?? null, roots));
    call.steps.forEach((step, i) => {
      const form = found[i];
      if (form === null || form === undefined) return;
      runs.push({ at: call.at, call, step, form, verdict: call.verdicts[i] ?? 'unknown' });
    });
  }
  return runs;
}

/** What a session itself ran, without what it copied from the one that it goes on from. */
export interface Work {
  own: SessionInput;
  calls: Call[];
  runs: Run[];
}

export function workOf(session: SessionInput): Work {
  const own = { ...session, entries: session.entries.filter(({ copied }) => !copied) };
  const calls = callsOf(own);
  return { own, calls, runs: runsOf(own, calls) };
}

const EDITORS =
  /^(?:multi_?edit|edit|write|notebook_?edit|apply_patch|patch|str_replace\w*|create\w*|replace\w*|write_\w+|edit_\w+|update\w*|insert\w*|file_?edit\w*|file_?write\w*|.*_(?:edit|write)_file|fs_write|append\w*)$/i;

/** One file changed by a call. */
export interface Change {
  at: number;
  entry: Entry;
  /** Below the project's root. */
  file: string;
}

/** Whether a tool call changes files. */
function isEdit(entry: Entry): boolean {
  return (
    entry.role === 'tool_call' &&
    entry.command === null &&
    entry.files.length > 0 &&
    EDITORS.test((entry.tool ?? '').replace(/^.*[.:/]/, ''))
  );
}

/**
 * Files of the project that the session changed, in order; failed and refused edits are left out.
 */
export function changesOf(entries: Entry[], roots: string[]): Change[] {
  const { results } = pairsOf(entries);
  const hasFailed = (call: Entry): boolean =>
    (results.get(call) ?? []).some(({ outcome }) => outcome !== null && outcome !== 'ok');
  const changes: Change[] = [];
  entries.forEach((entry, at) => {
    if (!isEdit(entry) || hasFailed(entry)) return;
    for (const path of entry.files) {
      const file =
        isAbsolute(path) || entry.cwd === null
          ? placeIn(roots, path)
          : placeIn(roots, `${entry.cwd}/${path}`);
      if (file !== null && file !== '') changes.push({ at, entry, file });
    }
  });
  return changes;
}
