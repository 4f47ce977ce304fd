/** A person's changes in detail/*.md become edits before those files are written again. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DETAIL_FILES, parseDetail, type DetailFile } from '../../context/index.js';
import { planDetailEdits } from '../../distill/index.js';
import { addNewEdits } from '../../store/index.js';
import type { Project } from '../../types.js';
import { folderOf, badWith, copyBad } from '../publishing/crystal-file.js';
import { settleAuthors } from './edit-authors.js';
import type { JobContext } from '../job.js';
import { redactorOf } from '../upkeep/mask.js';

/** What stands in the files now, by path; null for none. Writing checks that it still stands. */
export type ReadDetails = ReadonlyMap<string, string | null>;

const FILES = Object.keys(DETAIL_FILES) as DetailFile[];

export function readDetails({ paths }: Pick<JobContext, 'paths'>, project: Project | null): ReadDetails {
  return new Map(FILES.map((file) => join(folderOf(paths, project), 'detail', `${file}.md`)).map((path) => [path, textOf(path)]));
}

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** True when a person saved the file after it was read. */
export function isDetailStale(read: ReadDetails, path: string): boolean {
  return read.has(path) && read.get(path) !== textOf(path);
}

/** @returns true when a person changed something, so that lessons have to be computed anew */
export async function takeDetailEdits(context: JobContext, project: Project | null, read: ReadDetails): Promise<boolean> {
  const owner = project?.id ?? null;
  const parsed = [...read].flatMap(([path, text]) => {
    if (text === null) return [];
    const detail = parseDetail(text);
    const kind = DETAIL_FILES[basename(path, '.md') as DetailFile].at(-1)!;
    return [
      {
        path,
        text,
        detail,
        file: { kind, bullets: detail?.bullets ?? [], missing: detail?.missing ?? [], time: statSync(path).mtime.toISOString() },
      },
    ];
  });
  const edits = planDetailEdits(
    await maskBullets(
      context,
      parsed.map(({ file }) => file),
    ),
    owner,
  );
  for (const { path, text, detail } of parsed)
    if (detail === null || detail.odd.length > 0) await keepAside(context, path, text, detail?.odd ?? []);
  if (edits.length === 0) return false;
  const place = relative(context.paths.home, join(folderOf(context.paths, project), 'detail')).replaceAll('\\', '/');
  const fresh = await context.store.write((db) =>
    addNewEdits(
      db,
      owner,
      edits.map((edit) => ({ ...edit, place })),
    ),
  );
  if (fresh.length > 0) await settleAuthors(context);
  // Also when all were known: a run that was killed here had not learnt from them.
  return true;
}

type EditedFile = Parameters<typeof planDetailEdits>[0][number];

/** Only what a person wrote: bullets as we wrote them were masked before. */
async function maskBullets(context: JobContext, files: readonly EditedFile[]): Promise<readonly EditedFile[]> {
  const isOwn = ({ state }: EditedFile['bullets'][number]): boolean => state !== 'same';
  if (!files.some(({ bullets }) => bullets.some(isOwn))) return files;
  const redact = await redactorOf(context);
  return Promise.all(
    files.map(async (file) => {
      const texts = await redact(file.bullets.map(({ text }) => text));
      return {
        ...file,
        bullets: file.bullets.map((bullet, i) => (isOwn(bullet) ? { ...bullet, text: texts[i]!.trim() } : bullet)),
      };
    }),
  );
}

/** What is no bullet would be lost with the next write: the file is kept beside itself, each version once. */
async function keepAside(context: JobContext, path: string, text: string, lines: readonly number[]): Promise<void> {
  if (badWith(path, text) !== null) return;
  const bad = await copyBad(path, text);
  context.log.warn({ file: bad, lines: lines.slice(0, 10) }, 'something in a detail file is no bullet; the file is kept');
}

/** Versions that were kept aside in a project's folder. */
export function badDetails(folder: string): string[] {
  const detail = join(folder, 'detail');
  return statSync(detail, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(detail)
        .filter((name) => /\.md\.bad(-\d+)?$/.test(name))
        .sort()
        .map((name) => join(detail, name))
    : [];
}
