/** notes.md of projects and of the person, paragraph by paragraph; ours is only the head. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import type { Project } from '../types.js';
import { folderOf } from './context-file.js';

export interface Note {
  /** Slug, or null for the person's. */
  slug: string | null;
  path: string;
  /** 1-based. */
  line: number;
  text: string;
}

/** Notes are written by hand: anything larger is no such file. */
const READ_CAP = 1024 * 1024;

export const readNotes = (paths: HomePaths, projects: readonly Project[]): Note[] =>
  [null, ...projects].flatMap((project) => {
    const path = join(folderOf(paths, project), 'notes.md');
    if (!existsSync(path) || statSync(path).size > READ_CAP) return [];
    return paragraphs(readFileSync(path, 'utf8')).map(({ line, text }) => ({ slug: project?.slug ?? null, path, line, text }));
  });

/** Blocks between empty lines; quoted lines (our head) are left out. */
const paragraphs = (text: string): { line: number; text: string }[] => {
  const found: { line: number; text: string }[] = [];
  let open: { line: number; text: string } | null = null;
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '' || content.startsWith('>')) open = null;
    else if (open) open.text += `\n${content}`;
    else found.push((open = { line: index + 1, text: content }));
  });
  return found;
};
