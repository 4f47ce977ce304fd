/** A purge among the files of the home: tiers, crystals, and everything that is kept as lines. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { appendFile, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { HomePaths } from '../../config.js';
import { renderNotesHead } from '../../context/index.js';
import type { Purged } from '../../lessons/index.js';
import {
  forgetTiers,
  loadTiers,
  publishFile,
  saveTiers,
  type Tier,
  type TierRow,
} from '../../store/index.js';
import { filesBelow } from '../../watchers/index.js';
import { removeCopy } from '../../links/older.js';
import { COPY } from '../../links/line.js';
import { readLinks, renderLinks } from '../../links/registry.js';
import type { JobContext } from '../job.js';
import { homeFiles, isStoreName } from './home-files.js';
import { tierRows, writeTier } from '../nightly/tier-file.js';
import { sessionKey, type Project } from '../../types.js';
import { parse } from '../../text/fields.js';

const TIER = /[\\/](?:recent|archive[\\/][^\\/]+)[\\/][^\\/]+\.jsonl\.gz$/;

function tierPaths({ projects }: HomePaths): string[] {
  return existsSync(projects)
    ? filesBelow(projects).filter((path) => TIER.test(path) && !path.includes('.empty'))
    : [];
}

function isGone(row: TierRow, { ids, holds }: Purged): boolean {
  return (
    ids.has(row.id) ||
    holds(JSON.stringify(row)) ||
    Object.values(row).some((value) => typeof value === 'string' && holds(value))
  );
}

/** Ids of rows that only match in a tier: the database lacks their text. */
export async function idsInTiers(paths: HomePaths, holds: Purged['holds']): Promise<string[]> {
  const ids: string[] = [];
  for (const path of tierPaths(paths))
    for await (const row of tierRows(path))
      if (isGone(row, { ids: new Set(), sessions: new Set(), holds })) ids.push(row.id);
  return ids;
}

/**
 * Writes every tier again that has something to lose; one of which nothing is left goes.
 * @returns number of rows that went
 */
export async function purgeTiers(
  { store, paths, clock }: JobContext,
  purged: Purged,
): Promise<number> {
  const known = new Map((await store.read((db) => loadTiers(db))).map((tier) => [tier.path, tier]));
  const written: Tier[] = [];
  const emptied: Tier[] = [];
  let gone = 0;
  for (const path of tierPaths(paths)) {
    const found = { damaged: false };
    let [lost, left] = [0, 0];
    for await (const row of tierRows(path, found))
      if (isGone(row, purged)) lost++;
      else left++;
    if (lost === 0 && !found.damaged) continue;
    gone += lost;
    const tier = known.get(path);
    if (left === 0) {
      await unlink(path);
      if (tier !== undefined) emptied.push(tier);
      continue;
    }
    const { rows, sha256 } = await writeTier(path, leftOf(path, purged));
    if (tier !== undefined)
      written.push({ ...tier, entries: rows, sha256, written: clock.now().toISOString() });
  }
  await store.write(async (db) => {
    await forgetTiers(db, emptied);
    await saveTiers(db, written);
  });
  return gone;
}

async function* leftOf(path: string, purged: Purged): AsyncGenerator<TierRow> {
  for await (const row of tierRows(path)) if (!isGone(row, purged)) yield row;
}

/**
 * Whether a line of the inbox, of uses.jsonl, of receipts.jsonl, of guards-off.jsonl or of a log
 * belongs to what must go.
 */
function lineGoes(line: string, { ids, sessions, holds }: Purged): boolean {
  if (holds(line)) return true;
  const { id, agent, session } = parse(line);
  return (
    (typeof id === 'string' && ids.has(id)) ||
    sessions.has(sessionKey(String(agent), String(session)))
  );
}

/** End of the name of a file from which a purge takes lines. */
const ASIDE = '.purging';

/** Files to which other programs append lines. */
function appended(paths: HomePaths): string[] {
  return [...listed(paths.inbox), paths.uses, paths.receipts, paths.guardsOff];
}

/**
 * Lines go one by one from the inbox, the log files and what readers noted. A file to which others
 * append moves aside first: what they write meanwhile stays.
 * @returns number of lines that went
 */
export async function purgeLines(paths: HomePaths, purged: Purged): Promise<number> {
  const split = (path: string): { kept: string; gone: number } => {
    const lines = readFileSync(path, 'utf8').split('\n');
    const kept = lines.filter((line) => line === '' || !lineGoes(line, purged));
    return { kept: kept.join('\n'), gone: lines.length - kept.length };
  };
  let all = 0;
  for (const path of [...listed(paths.logs), `${paths.uses}.folding`].filter(existsSync)) {
    const { kept, gone } = split(path);
    if (gone > 0) await publishFile(path, kept);
    all += gone;
  }
  for (const path of appended(paths).filter(existsSync)) {
    if (split(path).gone === 0) continue;
    await rename(path, path + ASIDE);
    const { kept, gone } = split(path + ASIDE);
    await appendFile(path, kept, { mode: 0o600 });
    await unlink(path + ASIDE);
    all += gone;
  }
  return all;
}

/** Lines that a killed purge had moved aside are where they were: the purge is asked for again. */
export async function putLinesBack(paths: HomePaths): Promise<void> {
  for (const path of appended(paths)) {
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
 * Quarantined files that we cannot read for sure go; so do published files that are rewritten
 * afterwards. @returns names, relative to the home
 */
export async function purgeAside(paths: HomePaths, { ids, holds }: Purged): Promise<string[]> {
  const gone: string[] = [];
  for (const path of homeFiles(paths)) {
    const name = basename(path);
    const isDamagedStore =
      name.includes('.damaged-') && (name.startsWith('memory.duckdb.') || isStoreName(name, paths));
    const isBad = /\.bad(?:-\d+)?$/.test(name);
    if (!isDamagedStore && !isBad && path !== paths.lastConfig) continue;
    const unsure = isDamagedStore || /\.gz\.bad/.test(name);
    if (!unsure && !tellsOf(readFileSync(path, 'utf8'), ids, holds)) continue;
    await unlink(path);
    gone.push(relative(paths.home, path));
  }
  await rm(`${paths.store}.tmp`, { recursive: true, force: true });
  return gone;
}

function tellsOf(text: string, ids: ReadonlySet<string>, holds: Purged['holds']): boolean {
  return holds(text) || (text.match(/\b[0-9a-f]{32}\b/g) ?? []).some((id) => ids.has(id));
}

/**
 * Episodes of projects that lose something are rewritten from what is left: a month of which nothing
 * is left would stay for ever.
 * @param losing ids of projects that lose entries
 */
export async function dropEpisodes(
  paths: HomePaths,
  projects: readonly Pick<Project, 'id' | 'slug'>[],
  losing: readonly string[],
  holds: Purged['holds'],
): Promise<void> {
  for (const { id, slug } of projects) {
    const folder = join(paths.projects, slug, 'episodes');
    const isHeld = listed(folder).some((path) => holds(readFileSync(path, 'utf8')));
    if (isHeld || losing.includes(id)) await rm(folder, { recursive: true, force: true });
  }
}

/** Folder of a project that goes whole; a person's own notes stay unless they are to go too. */
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
 * Copies of a project's context.md in repositories go, and so does what `links.json` knows of them.
 * The agents' instruction files are the person's: @returns those that still hold a line of ours.
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

/** Copies in repositories that hold what must go. */
export function copiesHolding(paths: HomePaths, holds: Purged['holds']): string[] {
  return readLinks(paths.links)
    .flatMap(({ repo, copy }) => (copy && repo !== null ? [join(repo, COPY)] : []))
    .filter((path) => existsSync(path) && holds(readFileSync(path, 'utf8')));
}

export interface OwnLine {
  path: string;
  /** 1-based; 0 for the name of the file. */
  line: number;
}

/**
 * Lines of the files that belong to the person: notes and config. They are named, and only notes
 * are rewritten, when told.
 */
export function ownLines(paths: HomePaths, holds: Purged['holds']): OwnLine[] {
  return [paths.config, ...listed(paths.projects), ...listed(paths.global)]
    .filter(
      (path) =>
        existsSync(path) &&
        statSync(path).isFile() &&
        (path === paths.config || basename(path) === 'notes.md'),
    )
    .flatMap((path) => [
      ...(holds(path.slice(dirname(paths.home).length)) ? [{ path, line: 0 }] : []),
      ...readFileSync(path, 'utf8')
        .split('\n')
        .flatMap((line, index) => (holds(line) ? [{ path, line: index + 1 }] : [])),
    ]);
}

/** Takes those lines out of the notes. */
export async function purgeNotes(lines: readonly OwnLine[]): Promise<void> {
  for (const path of new Set(
    lines.filter((each) => basename(each.path) === 'notes.md').map((each) => each.path),
  )) {
    const gone = new Set(lines.filter((each) => each.path === path).map(({ line }) => line));
    await publishFile(
      path,
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((_, index) => !gone.has(index + 1))
        .join('\n'),
    );
  }
}
