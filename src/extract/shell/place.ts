const WORKTREE = /\/(?:\.worktrees?|worktrees?|\.claude\/worktrees|\.git\/worktrees)\/[^/]+/;

/** Temporary folders and such: what lies there is of one session only. */
const PASSING =
  /^(?:\/tmp|\/private\/tmp|\/var\/(?:folders|tmp)|\/private\/var|\/dev\/shm|\$\{?TMP(?:DIR)?|\$\(mktemp|[A-Za-z]:\\.*\\Temp)(?:[/\\})]|$)/i;

export const isPassing = (path: string): boolean => PASSING.test(path) || /(?:^|\/)(?:tmp|temp|scratchpad|scratch)\//i.test(path);

/** Somebody's home, or what lies above it: where shells land by habit, no part of a project. */
export const isHome = (folder: string): boolean =>
  /^(?:(?:\/var|\/export)?\/home(?:\/[^/]+)?|\/Users(?:\/[^/]+)?|\/root|\/)\/?$/.test(folder);

/** Absolute folders without a trailing slash, and without those that lie in another one (worktrees stay). */
export function rootsOf(folders: string[]): string[] {
  const clean = [
    ...new Set(folders.map((f) => f.replace(/\/+$/, '')).filter((f) => f.startsWith('/') && f.split('/').length > 2)),
  ];
  return clean
    .filter((f) => !clean.some((other) => f !== other && f.startsWith(`${other}/`) && !WORKTREE.test(f.slice(other.length))))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** Path without `.` and `..` steps. */
export function cleanPath(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else out.push(part);
  }
  return (path.startsWith('/') ? '/' : '') + out.join('/');
}

/**
 * Path below the project's root: '' for the root itself, null outside of it.
 * @param path absolute, or relative to the root
 */
export function placeIn(roots: string[], path: string): string | null {
  const clean = cleanPath(path);
  if (!clean.startsWith('/')) return clean.startsWith('..') || path.startsWith('~') || path.startsWith('$') ? null : clean;
  for (const root of roots) {
    if (clean !== root && !clean.startsWith(`${root}/`)) continue;
    const rest = clean.slice(root.length);
    return rest.replace(new RegExp(`^(?:/[^/]+)??${WORKTREE.source}`), '').replace(/^\//, '');
  }
  return null;
}
