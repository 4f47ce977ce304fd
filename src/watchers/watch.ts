/**
 * Watches folders for logs that grow. Events are hints without data: the regular scan finds what they miss. The only user of
 * chokidar.
 */
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { watch, type FSWatcher } from 'chokidar';
import { messageOf } from '../errors.js';
import { leadsToLogs, matchLogs } from '../projects/globs.js';
import { ofDatabase, type SearchedPlace } from './discover.js';

export interface WatchOptions {
  /** Folders to watch and what lies there; one that is not there yet is found by the scan, which calls `follow`. */
  places: readonly WatchedPlace[];
  /** Logs silent since this time (ms) get no watch of their own: one costs 7 kB, and the scan sees when they grow. */
  silentSince: number;
  /** A log may have appeared or grown. */
  onHint(path: string): void;
  /** Something is not watched, told once by code; reading goes on by the scan alone. */
  onDegraded(fact: { code: string; text: string }): void;
}

type WatchedPlace = Pick<SearchedPlace, 'path' | 'globs'>;

export interface LogWatch {
  /** Resolves when the folders that were there have been walked. */
  ready: Promise<void>;
  /**
   * Watches these folders: known ones are left as they are, one that was made anew is watched anew, one that is gone is
   * forgotten.
   */
  follow(places: readonly WatchedPlace[]): void;
  close(): Promise<void>;
}

const CAUSES: Record<string, string> = {
  ENOSPC: 'the system has no inotify watches left (raise them: `sysctl fs.inotify.max_user_watches=524288`)',
  EMFILE: 'the system has no inotify instances or open files left (raise them: `sysctl fs.inotify.max_user_instances=512`)',
  ENFILE: 'the system has no open files left',
  EACCES: 'a folder must not be read',
  EPERM: 'a folder must not be read',
};

/** Starts watching; errors are facts, never thrown. */
export function watchLogs(options: WatchOptions): LogWatch {
  const told = new Set<string>();
  const degraded = (error: unknown): void => {
    const code = (error as NodeJS.ErrnoException).code ?? 'WATCH';
    if (code === 'ENOENT' || told.has(code)) return; // gone between two looks
    told.add(code);
    options.onDegraded({
      code: `watch_${code.toLowerCase()}`,
      text: `${CAUSES[code] ?? messageOf(error)}: some logs are only found by the regular scan`,
    });
  };
  const watched = new Map<string, Watched>();
  const add = (places: readonly WatchedPlace[]): string[] => {
    const fresh = [...globsByRoot(places)].filter(([root]) => !watched.has(root));
    for (const [root, globs] of fresh)
      watched.set(root, { identity: identityOf(root), isLog: matchLogs(globs), leads: leadsToLogs(globs) });
    return fresh.map(([root]) => root);
  };
  const watcher = start(add(options.places), watched, options);
  const hint = (path: string): void => {
    if (isLogOf(watched, path)) options.onHint(path);
  };
  watcher.on('add', hint).on('change', hint).on('error', degraded);
  return {
    ready: watched.size === 0 ? Promise.resolve() : new Promise((resolve) => void watcher.once('ready', resolve)),
    follow(places) {
      // A folder that was deleted keeps a dead watch: chokidar never sees the one that takes its place.
      const roots = new Set(places.map(({ path }) => path));
      const gone = [...watched]
        .filter(([root, { identity }]) => !roots.has(root) || identityOf(root) !== identity)
        .map(([root]) => root);
      for (const root of gone) watched.delete(root);
      if (gone.length > 0) watcher.unwatch(gone);
      const fresh = add(places);
      if (fresh.length > 0) watcher.add(fresh);
    },
    close: () => watcher.close(),
  };
}

interface Watched {
  identity: string;
  isLog(relative: string): boolean;
  /** Whether logs may lie in a folder or below it. */
  leads(folder: string): boolean;
}

/** Several places may share a folder. */
function globsByRoot(places: readonly WatchedPlace[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { path, globs } of places) all.set(path, [...(all.get(path) ?? []), ...globs]);
  return all;
}

/** The path below each watched folder that holds it. */
function* waysTo(watched: ReadonlyMap<string, Watched>, path: string): Generator<[Watched, string]> {
  for (const [root, place] of watched) {
    if (path === root) yield [place, ''];
    else if (path.startsWith(root + sep)) yield [place, path.slice(root.length + 1).replaceAll(sep, '/')];
  }
}

function isLogOf(watched: ReadonlyMap<string, Watched>, path: string): boolean {
  for (const [{ isLog }, relative] of waysTo(watched, ofDatabase(path))) if (isLog(relative)) return true;
  return false;
}

function isWayOf(watched: ReadonlyMap<string, Watched>, folder: string): boolean {
  for (const [{ leads }, relative] of waysTo(watched, folder)) if (leads(relative)) return true;
  return false;
}

/** Another folder at the same path is another one; some file systems hand out the same inode again at once. */
function identityOf(root: string): string {
  const stat = statSync(root, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
}

// No awaitWriteFinish: a log that is appended to all the time would never be told of. No links: they may lead out of the root.
function start(roots: string[], watched: ReadonlyMap<string, Watched>, { silentSince }: WatchOptions): FSWatcher {
  return watch(roots, {
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) =>
      stats !== undefined &&
      (stats.isDirectory() ? !isWayOf(watched, path) : !stats.isFile() || !isLogOf(watched, path) || stats.mtimeMs < silentSince),
  });
}
