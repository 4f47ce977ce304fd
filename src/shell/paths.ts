/** Paths of POSIX and Windows as commands and logs contain them. Pure. */

const WORKTREE = /\/(?:\.worktrees?|worktrees?|\.claude\/worktrees|\.git\/worktrees)\/[^/]+/;

/** Temporary folders and the like: their files belong to one session only. */
const TEMPORARY =
  /^(?:\/tmp|\/private\/tmp|\/var\/(?:folders|tmp)|\/private\/var|\/dev\/shm|\$\{?TMP(?:DIR)?|\$\(mktemp|[A-Za-z]:[\\/](?:.*[\\/])?Te?mp|%TE?MP%)(?:[/\\})]|$)/i;

export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path) || /(?:^|[\\/])(?:tmp|temp|scratchpad|scratch)[\\/]/i.test(path);
}

export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}

/** A Windows path with forward slashes, a small drive and no `\\?\`; other paths unchanged. */
export function slashed(path: string): string {
  if (!/^(?:[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(path)) return path;
  return path
    .replaceAll('\\', '/')
    .replace(/^\/\/[?.]\/(?:UNC\/)?/, (found) => (found.endsWith('UNC/') ? '//' : ''))
    .replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

/** A home folder or one above it. Shells start there by default, so it belongs to no project. */
export function isHome(folder: string): boolean {
  return /^(?:(?:\/var|\/export)?\/home(?:\/[^/]+)?|\/Users(?:\/[^/]+)?|\/root|\/|[a-z]:(?:\/users(?:\/[^/]+)?)?)\/?$/i.test(
    slashed(folder),
  );
}

/** Absolute folders without trailing slashes; folders in others are left out, except worktrees. */
export function rootsOf(folders: string[]): string[] {
  const clean = [
    ...new Set(
      folders
        .map((f) => slashed(f).replace(/\/+$/, ''))
        .filter((f) => isAbsolute(f) && f.split('/').length > (f.startsWith('/') ? 2 : 1)),
    ),
  ];
  return clean
    .filter(
      (f) =>
        !clean.some(
          (other) =>
            f !== other && f.startsWith(`${other}/`) && !WORKTREE.test(f.slice(other.length)),
        ),
    )
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** Path without `.` and `..` steps. */
export function cleanPath(path: string): string {
  const out: string[] = [];
  const slashes = slashed(path);
  for (const part of slashes.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out[out.length - 1] !== '..') out.pop();
    else out.push(part);
  }
  const root =
    isAbsolute(path) && slashes.startsWith('//') ? '//' : slashes.startsWith('/') ? '/' : '';
  return root + out.join('/');
}

/**
 * Path below the project's root: '' for the root itself, null outside.
 * @param path absolute, or relative to the root
 */
export function placeIn(roots: string[], path: string): string | null {
  const isDrive = roots.some((root) => /^[a-z]:/.test(root));
  // Git Bash writes `/c/work`, WSL `/mnt/c/work`; both may also use backslashes.
  const spelled = isDrive
    ? slashed(path)
        .replaceAll('\\', '/')
        .replace(/^(?:\/mnt)?\/([A-Za-z])(?=\/|$)/, '$1:')
    : path;
  const clean = cleanPath(spelled);
  if (!isAbsolute(clean))
    return clean.startsWith('..') || path.startsWith('~') || path.startsWith('$') ? null : clean;
  const compared = (value: string): string =>
    /^(?:[a-z]:|\/\/)/.test(value) ? value.toLowerCase() : value;
  for (const root of roots) {
    if (!`${compared(clean)}/`.startsWith(`${compared(root)}/`)) continue;
    const rest = clean.slice(root.length);
    return rest.replace(new RegExp(`^(?:/[^/]+)??${WORKTREE.source}`), '').replace(/^\//, '');
  }
  return null;
}
