import type { Candidate, Entry } from '../types.js';
import { observed } from './commands/candidate.js';
import { missingWord } from './commands/renaming.js';
import { callsOf, sessionRoots, type Call } from './commands/runs.js';
import type { SessionInput } from './session.js';
import { isPassing, placeIn } from './shell/steps.js';

/** Lines that name a file as missing. */
const NO_FILE: readonly RegExp[] = [
  /(?:^|[\s:'"`‘(])([\w@.+/-]+)['"`’]?: No such file or directory/,
  /cannot (?:access|open|stat|find) ['"`‘]?([\w@.+/-]+)['"`’]?/,
  /(?:path|file) does not exist: ([\w@.+/-]+)/i,
  /ENOENT: no such file or directory, \w+ '([^']+)'/,
  /pathspec '([^']+)' did not match any/,
];
/** An answer of a file tool without the file's name; the call has it. */
const UNNAMED = /^\W*(?:<tool_use_error>)?\W*(?:File|Path) (?:does not exist|not found)\b/i;

/** Longest result that is looked at: an error is short, and such a line in a long listing means nothing. */
const REACH = 4000;
const MOST = 20;

/** A file that anyone could look for: with an ending or a folder, no pattern, nothing of one session. */
function isNameable(file: string): boolean {
  return /[/.]/.test(file) && /^[\w@.+/-]{4,120}$/.test(file) && !isPassing(file);
}

interface Absence {
  entry: Entry;
  /** What is not there: a file below the root, or an option. */
  name: string;
  /** Program that does not take the option; null for a file. */
  of: string | null;
}

/** Folder that a missing name was looked for from: of the step that names it in a shell call; unknown when no step does. */
function folderOf(entry: Entry, name: string, shell: ReadonlyMap<string, Call>): string | null {
  if (entry.command === null) return entry.cwd;
  const call = shell.get(entry.call ?? '');
  const at = call?.steps.findIndex((s) => s.words.includes(name)) ?? -1;
  return at < 0 ? null : (call?.folders[at] ?? null);
}

function filesMissing(session: SessionInput, roots: string[]): Absence[] {
  const calls = new Map(session.entries.filter((e) => e.role === 'tool_call' && e.call !== null).map((e) => [e.call, e]));
  const shell = new Map(callsOf(session).map((c) => [c.entry.call ?? '', c]));
  return session.entries.flatMap((entry) => {
    if (entry.role !== 'tool_result' || entry.copied || entry.text.length > REACH) return [];
    const named = entry.text
      .split('\n')
      .slice(0, 40)
      .flatMap((line) => NO_FILE.map((p) => p.exec(line)?.[1]).find((n) => n !== undefined) ?? []);
    const names = named.length > 0 || !UNNAMED.test(entry.text) ? named : (calls.get(entry.call)?.files ?? []);
    return names.flatMap((name) => {
      const folder = name.startsWith('/') ? '' : folderOf(entry, name, shell);
      const file = folder === null ? null : placeIn(roots, name.startsWith('/') || folder === '' ? name : `${folder}/${name}`);
      return file !== null && isNameable(file) ? [{ entry, name: file, of: null }] : [];
    });
  });
}

function optionsMissing(session: SessionInput): Absence[] {
  return callsOf(session).flatMap((call) =>
    call.steps.flatMap((step, i) => {
      if (call.verdicts[i] === 'ok' || call.result === null || step.scripted) return [];
      const missing = missingWord(step.words, call.result.text);
      return missing?.kind === 'option' ? [{ entry: call.result, name: missing.word, of: step.words[0] ?? '' }] : [];
    }),
  );
}

/** Files of the project that the session read or changed. */
function filesThere(session: SessionInput, roots: string[]): Set<string> {
  const good = session.entries.filter((e) => e.role === 'tool_result' && e.outcome === 'ok');
  const calls = new Set(good.map((e) => e.call));
  const all = session.entries
    .filter((e) => e.role === 'tool_call' && e.call !== null && calls.has(e.call))
    .flatMap((e) => e.files.map((f) => ({ f, cwd: e.cwd })));
  return new Set(all.map(({ f, cwd }) => placeIn(roots, f.startsWith('/') ? f : `${cwd ?? ''}/${f}`)).filter((f) => f !== null));
}

/**
 * Files and options that the session's tools showed to be missing: never lessons, but evidence against those that name them.
 * A file that the session also read or wrote was only looked for in the wrong place or too early.
 */
export function extractAbsences(session: SessionInput): Candidate[] {
  const roots = sessionRoots(session);
  const there = filesThere(session, roots);
  const found = new Map<string, Absence>();
  for (const one of [...filesMissing(session, roots), ...optionsMissing(session)])
    if (!there.has(one.name) && found.size < MOST) found.set(`${one.of ?? ''}\u0000${one.name}`, one);
  return [...found.values()].map(({ entry, name, of }) =>
    observed(session, {
      kind: 'fact',
      text: of === null ? `\`${name}\` is missing` : `\`${of}\` does not take \`${name}\``,
      key: `absent:${of ?? ''}:${name}`,
      importance: 2,
      alone: false,
      worth: 0,
      entry,
      quote: entry.error ?? name,
      supports: false,
      tags: ['absent'],
      subject: of,
      value: name,
      commands: [],
    }),
  );
}
