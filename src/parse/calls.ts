/** The shell calls of a session with their results, and the files that it changed. Pure. */
import {
  type Form,
  formOf,
  isAbsolute,
  isHome,
  placeIn,
  rootsOf,
  type Step,
  splitShell,
} from '../shell/index.js';
import type { Entry } from '../types.js';
import { type Verdict, judgeSteps } from './outcome.js';
import type { SessionInput } from './session.js';

/** A shell call with its result. */
export interface Call {
  /** Place in the session's entries. */
  at: number;
  entry: Entry;
  result: Entry | null;
  steps: Step[];
  /** For each step: folder below the project's root (null outside), form and outcome. */
  folders: (string | null)[];
  forms: (Form | null)[];
  verdicts: Verdict[];
}

interface Pairs {
  results: ReadonlyMap<Entry, readonly Entry[]>;
  calls: ReadonlyMap<Entry, Entry>;
}

/** A result belongs to the last call of its id before it, since a gateway may reuse ids. */
export function pairsOf(entries: readonly Entry[]): Pairs {
  const results = new Map<Entry, Entry[]>();
  const calls = new Map<Entry, Entry>();
  const last = new Map<string, Entry>();
  const early = new Map<string, Entry[]>();
  const join = (call: Entry, result: Entry): void => {
    results.set(call, [...(results.get(call) ?? []), result]);
    calls.set(result, call);
  };
  for (const entry of entries) {
    if (entry.call === null) continue;
    const call = last.get(entry.call);
    if (entry.role === 'tool_call') {
      if (call === undefined) early.get(entry.call)?.forEach((result) => join(entry, result));
      last.set(entry.call, entry);
    } else if (entry.role === 'tool_result') {
      if (call !== undefined) join(call, entry);
      else early.set(entry.call, [...(early.get(entry.call) ?? []), entry]);
    }
  }
  return { results, calls };
}

/** Folders of a session's project; if it has none, from the session itself. */
export function sessionRoots({ facts, project, entries }: SessionInput): string[] {
  const roots = rootsOf(project.folders);
  if (roots.length > 0) return roots;
  const isFolder = (folder: string | null | undefined): folder is string =>
    folder !== undefined && folder !== null && !isHome(folder);
  const own = [facts.original_cwd, facts.cwd].filter(isFolder);
  return rootsOf(
    own.length > 0
      ? own
      : entries
          .map(({ cwd }) => cwd)
          .filter(isFolder)
          .slice(0, 1),
  );
}

/** Folder of each step below the project's root; null outside. */
export function foldersOf(steps: Step[], cwd: string | null, roots: string[]): (string | null)[] {
  const start = cwd ?? '';
  const stack: string[] = [start];
  let cursor = start;
  return steps.map(({ depth, words: [program, target] }) => {
    while (stack.length <= depth) stack.push(cursor);
    if (stack.length > depth + 1) {
      stack.length = depth + 1;
      cursor = stack[depth] ?? start;
    }
    const at = placeIn(roots, cursor);
    if (program === 'cd' || program === 'pushd') {
      const isUnknown = target === undefined || target === '-' || /^[~$]/.test(target);
      cursor = isUnknown
        ? `/\u0000${target ?? ''}`
        : isAbsolute(target)
          ? target
          : `${cursor}/${target}`;
      stack[depth] = cursor;
    }
    return at;
  });
}

/** All shell calls of a session in order. */
export function callsOf(session: SessionInput): Call[] {
  const roots = sessionRoots(session);
  const { results } = pairsOf(session.entries);
  return session.entries.flatMap((entry, at): Call[] => {
    if (entry.role !== 'tool_call' || entry.command === null) return [];
    const result = results.get(entry)?.at(-1) ?? null;
    const steps = splitShell(entry.command);
    const folders = foldersOf(steps, entry.cwd, roots);
    const forms = steps.map((step, n) => formOf(step, folders[n]!, roots));
    const verdicts =
      result === null ? steps.map(() => 'unknown' as const) : judgeSteps(steps, result);
    return [{ at, entry, result, steps, folders, forms, verdicts }];
  });
}

const EDITORS =
  /^(?:multi_?edit|edit|write|notebook_?edit|apply_patch|patch|str_replace\w*|create\w*|replace\w*|write_\w+|edit_\w+|update\w*|insert\w*|file_?edit\w*|file_?write\w*|.*_(?:edit|write)_file|fs_write|append\w*)$/i;

/** One file changed by a call. */
export interface Change {
  at: number;
  entry: Entry;
  /** Path below the project's root. */
  file: string;
  deleted: boolean;
}

/** A longer patch may be cut anywhere, even between a file's name and its lines. */
const WHOLE_PATCH = 3_500;

/** Files that a patch deletes or moves; no changed lines follow their names. */
function deletedBy({ tool, text }: Entry): Set<string> {
  if (tool?.endsWith('apply_patch') !== true || text.length > WHOLE_PATCH) return new Set();
  const lines = text.split('\n');
  return new Set(
    lines.filter((line, at) => !/^[+-]/.test(line) && !/^[+-]/.test(lines[at + 1] ?? '')),
  );
}

/** Files of the project that the session changed, in order, without failed and refused edits. */
export function changesOf(entries: Entry[], roots: string[]): Change[] {
  const { results } = pairsOf(entries);
  return entries.flatMap((entry, at): Change[] => {
    const isEdit =
      entry.role === 'tool_call' &&
      entry.command === null &&
      EDITORS.test((entry.tool ?? '').replace(/^.*[.:/]/, '')) &&
      (results.get(entry) ?? []).every(({ outcome }) => outcome === null || outcome === 'ok');
    const deleted = isEdit ? deletedBy(entry) : new Set();
    return (isEdit ? entry.files : []).flatMap((path): Change[] => {
      const isFull = isAbsolute(path) || entry.cwd === null;
      const file = placeIn(roots, isFull ? path : `${entry.cwd}/${path}`);
      return file ? [{ at, entry, file, deleted: deleted.has(path) }] : [];
    });
  });
}
