/**
 * Watches folders for logs that grow. Events are hints without data: the regular scan finds what
 * they miss. The only user of chokidar.
 */
import { existsSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { watch, type FSWatcher } from 'chokidar';
import { messageOf } from '../errors.js';
import { leadsToLogs, matchLogs } from '../projects/globs.js';
import { ofDatabase, type SearchedPlace } from './discover.js';

export interface WatchOptions {
  /** Folders to watch, and their logs. When the scan finds a new folder, it calls `follow`. */
  places: readonly WatchedPlace[];
  /**
   * Logs without a change since this time (ms) are not watched, to save memory; the scan notices
   * their growth.
   */
  silentSince: number;
  /** A log may have appeared or grown. */
  onHint(path: string): void;
  /** A folder appeared. Only a scan finds a log that was written before the folder is watched. */
  onFolder(): void;
  /** Something cannot be watched; reported once per code. Reading continues with the scan alone. */
  onDegraded(fact: { code: string; text: string }): void;
}

type WatchedPlace = Pick<SearchedPlace, 'path' | 'globs'>;

export interface LogWatch {
  /** Resolves after the existing folders have been walked. */
  ready: Promise<void>;
  /** Watches these folders: keeps known ones, watches recreated ones again, drops deleted ones. */
  follow(places: readonly WatchedPlace[]): void;
  close(): Promise<void>;
}

const CAUSES: Record<string, string> = {
  ENOSPC:
    'the system has no inotify watches left (raise them: `sysctl fs.inotify.max_user_watches=524288`)',
  EMFILE:
    'the system has no inotify instances or open files left (raise them: `sysctl fs.inotify.max_user_instances=512`)',
  ENFILE: 'the system has no open files left',
  EACCES: 'a folder must not be read',
  EPERM: 'a folder must not be read',
};

/** Starts watching; errors become facts and are never thrown. */
export function watchLogs(options: WatchOptions): LogWatch {
  const reported = new Set<string>();
  const degraded = (error: unknown): void => {
    const code = (error as NodeJS.ErrnoException).code ?? 'WATCH';
    if (code === 'ENOENT' || reported.has(code)) return; // deleted between two scans
    reported.add(code);
    options.onDegraded({
      code: `watch_${code.toLowerCase()}`,
      text: `${CAUSES[code] ?? messageOf(error)}: some logs are only found by the regular scan`,
    });
  };
  const watched = new Map<string, Watched>();
  const add = (places: readonly WatchedPlace[]): string[] => {
    const fresh = [...globsByRoot(places)].filter(([root]) => !watched.has(root));
    for (const [root, globs] of fresh)
      watched.set(root, { isLog: matchLogs(globs), leads: leadsToLogs(globs) });
    return fresh.map(([root]) => root);
  };
  const queue = new FolderQueue();
  const watcher = start(add(options.places), watched, queue, options);
  const hint = (path: string): void => {
    if (isLogOf(watched, path)) options.onHint(path);
  };
  watcher.on('add', hint).on('change', hint).on('error', degraded);
  watcher.on('addDir', () => options.onFolder());
  // A watch dies with its folder, and chokidar may miss that another folder took its path at once.
  const dead = new Set<string>();
  watcher.on('unlinkDir', (folder) => dead.delete(folder));
  watcher.on('raw', (event, name: string | null, of) => {
    if (event !== 'rename' || name === null) return;
    const { watchedPath: path } = of as { watchedPath: string };
    // A folder reports its own end; the folder around it reports a new one.
    if (name === basename(path) && !isLogOf(watched, path)) dead.add(path);
    for (const folder of [path, join(path, name)])
      if (dead.has(folder) && existsSync(folder)) {
        dead.delete(folder);
        watcher.unwatch(folder).add(folder);
        options.onFolder();
      }
  });
  return {
    ready: (watched.size === 0
      ? Promise.resolve()
      : new Promise<void>((resolve) => void watcher.once('ready', resolve))
    ).then(async () => {
      if (await queue.addAll(watcher)) options.onFolder();
    }),
    follow(places) {
      const roots = new Set(places.map(({ path }) => path));
      const gone = [...watched.keys()].filter((root) => !roots.has(root) || dead.delete(root));
      for (const root of gone) watched.delete(root);
      if (gone.length > 0) watcher.unwatch(gone);
      const fresh = add(places);
      if (fresh.length > 0) watcher.add(fresh);
    },
    close: () => watcher.close(),
  };
}

interface Watched {
  isLog(relative: string): boolean;
  /** Whether logs may lie in a folder or below it. */
  leads(folder: string): boolean;
}

/** Joins the globs of places in the same folder. */
function globsByRoot(places: readonly WatchedPlace[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { path, globs } of places) all.set(path, [...(all.get(path) ?? []), ...globs]);
  return all;
}

/** Whether a path passes the test of a folder that contains it. */
function passes(watched: ReadonlyMap<string, Watched>, test: keyof Watched, path: string): boolean {
  for (const [root, place] of watched)
    if ((path + sep).startsWith(root + sep))
      if (place[test](path.slice(root.length + 1).replaceAll(sep, '/'))) return true;
  return false;
}

function isLogOf(watched: ReadonlyMap<string, Watched>, path: string): boolean {
  return passes(watched, 'isLog', ofDatabase(path));
}

/** Folders below the roots that chokidar reads at once, and the wait before the next ones. */
const FOLDERS_AT_ONCE = 8;
const NEXT_FOLDERS_MS = 10;

/** Chokidar reads all folders at once, and thousands of logs in them would block the event loop. */
class FolderQueue {
  private readonly entered = new Set<string>();
  private readonly waiting = new Set<string>();
  private isWalked = false;

  /** Whether a folder that the first walk finds is added later. */
  mustWait(folder: string): boolean {
    if (this.isWalked || this.entered.has(folder)) return false;
    (this.entered.size < FOLDERS_AT_ONCE ? this.entered : this.waiting).add(folder);
    return this.waiting.has(folder);
  }

  /** Adds the waiting folders. @returns whether there were any */
  async addAll(watcher: FSWatcher): Promise<boolean> {
    const isAny = this.waiting.size > 0;
    while (this.waiting.size > 0 && !watcher.closed) {
      const some = [...this.waiting].slice(0, FOLDERS_AT_ONCE);
      for (const folder of some) if (this.waiting.delete(folder)) this.entered.add(folder);
      watcher.add(some);
      await sleep(NEXT_FOLDERS_MS);
    }
    this.isWalked = true;
    return isAny;
  }
}

// No awaitWriteFinish: a log that grows all the time would never be reported. No links: they may
// lead out of the root.
function start(
  roots: string[],
  watched: ReadonlyMap<string, Watched>,
  queue: FolderQueue,
  { silentSince }: WatchOptions,
): FSWatcher {
  return watch(roots, {
    ignoreInitial: true,
    followSymlinks: false,
    atomic: false,
    ignored: (path, stats) =>
      stats !== undefined &&
      (stats.isDirectory()
        ? !passes(watched, 'leads', path) || queue.mustWait(path)
        : !stats.isFile() || !isLogOf(watched, path) || stats.mtimeMs < silentSince),
  });
}
