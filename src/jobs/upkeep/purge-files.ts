/** Purges files of the home: tiers, and all files with lines. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { appendFile, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { HomePaths } from '../../config.js';
import { renderNotesHead } from '../../context/index.js';
import type { Purged } from '../../lessons/index.js';
import { loadTiers, publishFile } from '../../store/index.js';
import { filesBelow } from '../../watchers/index.js';
import { removeCopy } from '../../links/older.js';
import { COPY } from '../../links/line.js';
import { readLinks, renderLinks } from '../../links/registry.js';
import type { JobContext } from '../job.js';
import { homeFiles, isStoreName } from './home-files.js';
import { sessionKey, type Project } from '../../types.js';
import { parse } from '../../text/fields.js';

/** Removes tiers of sessions without any entry left; the nightly work writes the others again. */
export async function dropTiers(
  { store }: JobContext,
  sessions: Purged['sessions'],
): Promise<void> {
  for (const { agent, session, path } of await store.read((db) => loadTiers(db)))
    if (sessions.has(sessionKey(agent, session))) await rm(path, { force: true });
}

/**
 * Whether a line of the inbox, of uses.jsonl, of receipts.jsonl, of guards-off.jsonl or of a log
 * must be removed.
 */
function lineGoes(line: string, { ids, sessions, hasPurged }: Purged): boolean {
  if (hasPurged(line)) return true;
  const { id, agent, session } = parse(line);
  return (
    (typeof id === 'string' && ids.has(id)) ||
    sessions.has(sessionKey(String(agent), String(session)))
  );
}

/** Suffix of a file while a purge removes lines from it. */
const ASIDE = '.purging';

/** Files of which lines are removed; other processes append to some of them. */
function lineFiles(paths: HomePaths): string[] {
  const { inbox, logs, uses, receipts, guardsOff } = paths;
  return [...listed(inbox), ...listed(logs), uses, `${uses}.folding`, receipts, guardsOff];
}

function without(path: string, isGone: (line: string) => boolean): { kept: string; gone: number } {
  const lines = readFileSync(path, 'utf8').split('\n');
  const kept = lines.filter((line) => line === '' || !isGone(line));
  return { kept: kept.join('\n'), gone: lines.length - kept.length };
}

/**
 * Removes lines one by one. Renames each file first, so that lines that others append meanwhile
 * stay.
 * @returns number of removed lines
 */
export async function purgeLines(paths: HomePaths, purged: Purged): Promise<number> {
  const isGone = (line: string): boolean => lineGoes(line, purged);
  let all = 0;
  for (const path of lineFiles(paths).filter(existsSync)) {
    if (without(path, isGone).gone === 0) continue;
    await rename(path, path + ASIDE);
    const { kept, gone } = without(path + ASIDE, isGone);
    await appendFile(path, kept, { mode: 0o600 });
    await unlink(path + ASIDE);
    all += gone;
  }
  return all;
}

/** Restores files that a killed purge had renamed; the person must start the purge again. */
export async function putLinesBack(paths: HomePaths): Promise<void> {
  for (const path of lineFiles(paths)) {
    const aside = path.endsWith(ASIDE) ? path : path + ASIDE;
    if (!existsSync(aside)) continue;
    await appendFile(aside.slice(0, -ASIDE.length), readFileSync(aside), { mode: 0o600 });
    await unlink(aside);
  }
}

function listed(folder: string): string[] {
  return existsSync(folder) ? filesBelow(folder) : [];
}

/**
 * Removes quarantined files that may contain the data, and published files that are written again.
 * @returns names, relative to the home
 */
export async function purgeAside(paths: HomePaths, { ids, hasPurged }: Purged): Promise<string[]> {
  const gone: string[] = [];
  for (const path of await homeFiles(paths)) {
    const name = basename(path);
    const isDamagedStore =
      name.includes('.damaged-') && (name.startsWith('memory.duckdb.') || isStoreName(name, paths));
    const isBad = /\.bad(?:-\d+)?$/.test(name);
    if (!isDamagedStore && !isBad && path !== paths.lastConfig) continue;
    const unsure = isDamagedStore || /\.gz\.bad/.test(name);
    if (!unsure && !isAboutPurged(readFileSync(path, 'utf8'), ids, hasPurged)) continue;
    await unlink(path);
    gone.push(relative(paths.home, path));
  }
  await rm(`${paths.store}.tmp`, { recursive: true, force: true });
  return gone;
}

function isAboutPurged(
  text: string,
  ids: ReadonlySet<string>,
  hasPurged: Purged['hasPurged'],
): boolean {
  return hasPurged(text) || (text.match(/\b[0-9a-f]{32}\b/g) ?? []).some((id) => ids.has(id));
}

/**
 * Removes episodes of projects that lose entries. They are written again from the other entries; a
 * month without any would stay otherwise.
 * @param losing ids of projects that lose entries
 */
export async function dropEpisodes(
  paths: HomePaths,
  projects: readonly Pick<Project, 'id' | 'slug'>[],
  losing: readonly string[],
  hasPurged: Purged['hasPurged'],
): Promise<void> {
  for (const { id, slug } of projects) {
    const folder = join(paths.projects, slug, 'episodes');
    const hasText = listed(folder).some((path) => hasPurged(readFileSync(path, 'utf8')));
    if (hasText || losing.includes(id)) await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the folder of a purged project; a person's notes stay unless they are purged, too. */
export async function dropProjectFolder(
  paths: HomePaths,
  project: { slug: string; name: string },
  notesToo: boolean,
): Promise<void> {
  const folder = join(paths.projects, project.slug);
  if (!existsSync(folder)) return;
  const notes = join(folder, 'notes.md');
  const kept =
    !notesToo && existsSync(notes) && readFileSync(notes, 'utf8') !== renderNotesHead(project);
  for (const name of readdirSync(folder))
    if (!kept || name !== 'notes.md')
      await rm(join(folder, name), { recursive: true, force: true });
  if (!kept) await rm(folder, { recursive: true, force: true });
}

/**
 * Removes the copies of a project's context.md in repositories and their entries in `links.json`.
 * @returns the agents' instruction files with a line of ours, which belong to the person
 */
export async function dropLinks(paths: HomePaths, slugs: readonly string[]): Promise<OwnLine[]> {
  const links = readLinks(paths.links);
  const gone = links.filter(({ slug }) => slug !== null && slugs.includes(slug));
  if (gone.length === 0) return [];
  for (const { repo } of gone) if (repo !== null) removeCopy(repo);
  await publishFile(paths.links, renderLinks(links.filter((link) => !gone.includes(link))));
  return gone
    .flatMap(({ files }) => files)
    .filter(({ path }) => existsSync(path))
    .map(({ path }) => ({ path, line: lineOf(path, slugs) }));
}

function lineOf(path: string, slugs: readonly string[]): number {
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(COPY) || slugs.some((slug) => line.includes(slug))) + 1
  );
}

/** Copies in repositories that contain purged text. */
export function copiesHolding(paths: HomePaths, hasPurged: Purged['hasPurged']): string[] {
  return readLinks(paths.links)
    .flatMap(({ repo, copy }) => (copy && repo !== null ? [join(repo, COPY)] : []))
    .filter((path) => existsSync(path) && hasPurged(readFileSync(path, 'utf8')));
}

export interface OwnLine {
  path: string;
  /** 1-based; 0 for the name of the file. */
  line: number;
}

function notesOf(paths: HomePaths): string[] {
  return [...listed(paths.projects), ...listed(paths.global)].filter(
    (path) => basename(path) === 'notes.md' && statSync(path).isFile(),
  );
}

/**
 * Matching lines in the person's own files: notes and config. They are listed; only notes are
 * changed, on request.
 */
export function ownLines(paths: HomePaths, hasPurged: Purged['hasPurged']): OwnLine[] {
  return [paths.config, ...notesOf(paths)].filter(existsSync).flatMap((path) => [
    ...(hasPurged(path.slice(dirname(paths.home).length)) ? [{ path, line: 0 }] : []),
    ...readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (hasPurged(line) ? [{ path, line: index + 1 }] : [])),
  ]);
}

export async function purgeNotes(paths: HomePaths, hasPurged: Purged['hasPurged']): Promise<void> {
  for (const path of notesOf(paths)) {
    const { kept, gone } = without(path, hasPurged);
    if (gone > 0) await publishFile(path, kept);
  }
}
