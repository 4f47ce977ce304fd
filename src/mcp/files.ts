/**
 * Shows the memory as files: context.md, detail/, episodes/ and notes.md of the project, and the
 * global ones under global/. An agent may write only the project's notes.md, since we rewrite all
 * others.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderNotesHead } from '../context/index.js';
import { projectFolder } from '../config.js';
import { AppError, EXIT } from '../errors.js';
import { maskText } from '../jobs/upkeep/mask.js';
import { publishFile } from '../store/index.js';
import type { Project } from '../types.js';
import { type Memory, projectOf } from './answer.js';
import { shortHash } from '../text/fingerprint.js';

export const NOTES = 'notes.md';
/** Search does not read a larger file. */
const MOST_NOTES_BYTES = 1024 * 1024;
const GLOBAL = 'global/';
const SHOWN = /^(?:context\.md|notes\.md|(?:detail|episodes)\/[\w-]+\.md)$/;

interface MemoryFile {
  path: string;
  summary: string;
  /** Bytes. */
  size: number;
}

/** The files that may be read; all other names, and links, are refused. */
export async function listFiles(memory: Memory): Promise<MemoryFile[]> {
  const project = await projectOf(memory);
  const roots: [string, Project | null][] = [
    ['', project],
    ...(project === null ? [] : [[GLOBAL, null] as [string, null]]),
  ];
  return roots.flatMap(([prefix, owner]) => {
    const folder = projectFolder(memory.app.paths, owner);
    return ['', 'detail', 'episodes']
      .flatMap((inner) =>
        namesIn(join(folder, inner)).map((name) => (inner === '' ? name : `${inner}/${name}`)),
      )
      .filter((name) => SHOWN.test(name))
      .map((name) => ({ name, text: textOf(join(folder, name)) }))
      .flatMap(({ name, text }) =>
        text === null
          ? []
          : [{ path: prefix + name, summary: summaryOf(text), size: Buffer.byteLength(text) }],
      );
  });
}

function namesIn(folder: string): string[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder).sort() : [];
  } catch {
    return [];
  }
}

/** Null if the file is missing or no plain file. */
function textOf(path: string): string | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

/** The summary in the file's head, else the first line. */
function summaryOf(text: string): string {
  const line =
    /^> Summary: (.*)$/m.exec(text)?.[1] ??
    text.split('\n').find((each) => each.trim() !== '') ??
    '';
  return line.replace(/^#+\s*/, '').slice(0, 160);
}

/** @throws AppError if there is no such file */
export async function readMemoryFile(memory: Memory, path: string): Promise<string> {
  if (!(await listFiles(memory)).some((file) => file.path === path)) throw unknownFile(path);
  const isGlobal = path.startsWith(GLOBAL);
  const project = isGlobal ? null : await projectOf(memory);
  return (
    textOf(
      join(projectFolder(memory.app.paths, project), isGlobal ? path.slice(GLOBAL.length) : path),
    ) ?? ''
  );
}

function unknownFile(path: string): AppError {
  return new AppError('FILE_UNKNOWN', `the memory has no file ${path}`, {
    hint: 'memory_list names the files',
    exitCode: EXIT.usage,
  });
}

/** Short hash of a text, by which a writer names the version that it replaces. */
export function versionOf(text: string): string {
  return shortHash(text);
}

/**
 * Changes notes.md and masks secrets.
 * @param change gets the current notes, or the head of new ones; null changes nothing
 * @throws AppError for any other path, without a project, or if the notes would be too long
 */
export async function changeNotes(
  memory: Memory,
  path: string,
  change: (before: string) => string | null,
): Promise<string> {
  if (path !== NOTES)
    throw new AppError(
      'NOT_WRITABLE',
      `${path} is written from the logs; an agent writes only ${NOTES}`,
      { hint: 'use memory_remember for a lesson, or write into notes.md', exitCode: EXIT.usage },
    );
  const project = await projectOf(memory);
  if (project === null)
    throw new AppError('NO_PROJECT', 'this folder is not a known project', {
      hint: 'it is known once a session in it was read',
      exitCode: EXIT.usage,
    });
  const file = join(projectFolder(memory.app.paths, project), NOTES);
  for (;;) {
    const before = notesAt(file) ?? renderNotesHead(project);
    const wanted = change(before);
    if (wanted === null) return before;
    const after = await maskText(memory.app, wanted);
    if (Buffer.byteLength(after) > MOST_NOTES_BYTES)
      throw new AppError(
        'NOTES_TOO_LONG',
        `${NOTES} would be longer than ${MOST_NOTES_BYTES} bytes; nothing was written`,
        { hint: 'keep what lasts and leave the rest out', exitCode: EXIT.usage },
      );
    // If somebody saved the file while this text was masked, change the newer file.
    if ((notesAt(file) ?? renderNotesHead(project)) !== before) continue;
    await publishFile(file, after);
    return after;
  }
}

/** @throws AppError if this is no plain file, since replacing a link would remove the link */
function notesAt(file: string): string | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isFile()) return readFileSync(file, 'utf8');
  throw new AppError('NOT_WRITABLE', `${file} is a link or not a file; it is left alone`, {
    hint: 'a person can write where it leads',
    exitCode: EXIT.usage,
  });
}

interface Patch {
  old: string;
  new: string;
}

/** Applies each edit whose old text occurs exactly once. Pure. */
export function patchText(
  text: string,
  edits: readonly Patch[],
): { text: string; applied: number } {
  let applied = 0;
  for (const edit of edits) {
    const at = edit.old === '' ? -1 : text.indexOf(edit.old);
    if (at < 0 || text.indexOf(edit.old, at + 1) >= 0) continue;
    text = text.slice(0, at) + edit.new + text.slice(at + edit.old.length);
    applied += 1;
  }
  return { text, applied };
}
