/** Finds the logs of every agent: walks their places, follows no link out, opens no file. */
import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  realpathSync,
  statSync,
  type BigIntStats,
  type Dirent,
} from 'node:fs';
import { join, sep } from 'node:path';
import { type Adapter, type LogPlace, type Shape, shapeOf } from '../types.js';
import { leadsToLogs, matchLogs } from '../projects/globs.js';
import { codeOf, reasonOf, shownBy, sizeOfDatabase, type Shown } from './file-facts.js';
import { isForeign, isOfSystem, rootsOf, type Surroundings } from './roots.js';

/** A log as found in its folder; its content has not been read. */
export interface FoundLog extends Shown {
  agent: string;
  path: string;
  /** Relative to the place, with forward slashes (the adapter's `LogName`). */
  relative: string;
  /** It lies in a repository or belongs to another user, and the config does not claim it. */
  foreign: boolean;
  /** Sessions that have logs of their own: see `Adapter.sessionIn`. */
  elsewhere?: readonly string[];
}

/** A path that looks like a log but cannot be one, or a folder that cannot be read. */
interface OddPath {
  agent: string;
  path: string;
  reason: string;
}

/** A folder that was searched. */
export interface SearchedPlace {
  agent: string;
  path: string;
  exists: boolean;
  /** Globs of its logs, relative to it. */
  globs: readonly string[];
}

export interface Discovery {
  /** Newest first (mtime, then path). */
  logs: FoundLog[];
  odd: OddPath[];
  places: SearchedPlace[];
}

/** Entries handled before the event loop gets a turn. */
const SLICE = 256;

/**
 * Finds every log of the given agents. Missing folders are normal. A path that cannot be read goes
 * into `odd` and is never an error. The event loop gets a turn between slices of the walk.
 * @param only known paths: then no folder is walked, and a path that is not a log is left out
 */
export async function discoverLogs(
  adapters: readonly Adapter[],
  where: Surroundings,
  only?: readonly string[],
): Promise<Discovery> {
  const found: Discovery = { logs: [], odd: [], places: [] };
  for (const adapter of adapters) {
    for (const place of adapter.places) {
      for (const root of rootsOf(adapter, place, where)) {
        const top = join(root.path, place.under);
        const foreign = root.isNamed && isForeign(top, where, place.named === true);
        await searchPlace(
          { agent: adapter.agent, shape: (name) => shapeOf(adapter, name), place, foreign },
          top,
          found,
          only,
        );
      }
    }
  }
  found.logs = onePerFile(found.logs).sort(
    (a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1),
  );
  return found;
}

/** A place of an agent, and the names of its logs. */
interface Searched {
  agent: string;
  place: LogPlace;
  shape(relative: string): Shape;
  foreign: boolean;
}

async function searchPlace(
  searched: Searched,
  top: string,
  found: Discovery,
  only: readonly string[] | undefined,
): Promise<void> {
  const { agent, place } = searched;
  const { globs } = place;
  // Checked before any access to the disk, because a hint concerns only one of many places.
  const wanted = only?.filter((path) => path.startsWith(top + sep));
  if (wanted?.length === 0) return;

  let real: string;
  try {
    real = realpathSync(top); // the place itself may be a link: people keep dot folders elsewhere
    if (!statSync(real).isDirectory())
      throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  } catch (error) {
    if (isOfSystem(place.root, process.platform))
      found.places.push({ agent, path: top, exists: false, globs });
    if (codeOf(error) !== 'ENOENT') found.odd.push({ agent, path: top, reason: reasonOf(error) });
    return;
  }
  found.places.push({ agent, path: top, exists: true, globs });
  const walk_ = {
    ...searched,
    top,
    real,
    isLog: matchLogs(globs),
    leads: leadsToLogs(globs),
    found,
    count: 0,
  };
  if (wanted === undefined) await walk(walk_, '');
  else for (const path of new Set(wanted.map(ofDatabase))) takeNamed(walk_, path);
}

/** The log that a path belongs to: a side file of a database counts as the database. */
export function ofDatabase(path: string): string {
  return path.replace(/-(?:wal|journal)$/, '');
}

/** Handles a named path like the walk: no link on the way, a plain form before a compressed one. */
function takeNamed(walk_: Walk, path: string): void {
  const relative = path.slice(walk_.top.length + 1).replaceAll(sep, '/');
  if (!walk_.isLog(relative) || !isPlainWay(walk_, relative)) return;
  if (
    path.endsWith('.zst') &&
    lstatSync(path.slice(0, -4), { throwIfNoEntry: false }) !== undefined
  )
    return;
  take(walk_, relative, []);
}

function isPlainWay({ top, real }: Walk, relative: string): boolean {
  const folder = relative.split('/').slice(0, -1);
  try {
    return realpathSync(join(top, ...folder)) === join(real, ...folder);
  } catch {
    return false;
  }
}

interface Walk extends Searched {
  top: string;
  real: string;
  isLog: (relative: string) => boolean;
  /** Whether logs may lie in a folder or below it. */
  leads: (folder: string) => boolean;
  found: Discovery;
  count: number;
}

async function walk(walk_: Walk, folder: string): Promise<void> {
  const waiting = [folder];
  while (waiting.length > 0) {
    const current = waiting.pop()!;
    for (const entry of entriesOf(walk_, current)) {
      const relative = current === '' ? entry.name : `${current}/${entry.name}`;
      if (entry.isDirectory() && !walk_.isLog(relative)) {
        if (walk_.leads(relative)) waiting.push(relative);
      } else if (entry.isDirectory() || walk_.isLog(relative)) take(walk_, relative, waiting);
      else if (entry.isSymbolicLink() && walk_.leads(relative))
        noteOdd(walk_, relative, 'a linked folder, which is not followed');
      if (++walk_.count % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function entriesOf(
  walk_: Walk,
  folder: string,
): Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink'>[] {
  const path = join(walk_.top, folder);
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter(({ name }) => {
      if (!name.includes('\uFFFD')) return true;
      const relative = join(folder, name);
      const reason = 'its name is not valid UTF-8';
      if (walk_.isLog(relative) || walk_.leads(relative))
        walk_.found.odd.push({ agent: walk_.agent, path: join(path, name), reason });
      return false;
    });
  } catch (error) {
    if (codeOf(error) !== 'ENOENT')
      walk_.found.odd.push({ agent: walk_.agent, path, reason: reasonOf(error) });
    return [];
  }
}

/** Adds a path with the name of a log: a regular file as a log, anything else as odd. */
function take(walk_: Walk, relative: string, waiting: string[]): void {
  const path = join(walk_.top, relative);
  let stat: BigIntStats;
  try {
    stat = lstatSync(path, { bigint: true });
    if (stat.isFile() && !isOurs(stat)) accessSync(path, constants.R_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') noteOdd(walk_, relative, reasonOf(error));
    return;
  }
  if (stat.isFile()) {
    const { agent, foreign } = walk_;
    const shown = walk_.shape(relative) === 'rows' ? sizeOfDatabase(path) : shownBy(stat);
    walk_.found.logs.push({ agent, path, relative, ...shown, foreign });
  } else if (stat.isDirectory()) {
    noteOdd(walk_, relative, 'a folder with the name of a log');
    waiting.push(relative);
  } else
    noteOdd(
      walk_,
      relative,
      stat.isSymbolicLink() ? 'a link, which is not followed' : 'not a plain file',
    );
}

function noteOdd({ agent, top, found }: Walk, relative: string, reason: string): void {
  found.odd.push({ agent, path: join(top, relative), reason });
}

const USER = BigInt(process.getuid?.() ?? -1);

/** Whether this user owns the file and may read it; asking the system would slow the scan. */
function isOurs({ uid, mode }: BigIntStats): boolean {
  return uid === USER && (mode & 0o400n) !== 0n;
}

function isPacked({ path }: FoundLog): boolean {
  return path.endsWith('.zst');
}

/**
 * Keeps one log per file, despite hard links and overlapping places, and drops a compressed log
 * that has a plain form.
 */
function onePerFile(logs: FoundLog[]): FoundLog[] {
  const plain = new Set(logs.some(isPacked) ? logs.map((log) => log.path) : []);
  const seen = new Map<string, Set<string>>();
  return logs.filter((log) => {
    if (isPacked(log) && plain.has(log.path.slice(0, -4))) return false;
    const files = seen.get(log.device) ?? new Set();
    if (files.size === 0) seen.set(log.device, files);
    return files.has(log.inode) ? false : files.add(log.inode);
  });
}
