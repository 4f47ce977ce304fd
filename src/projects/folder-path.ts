/** Folders in logs as comparable text. Many are of other systems or no longer exist. Pure. */

/**
 * One spelling for each folder: `/`, composed letters, no trailing slash, `.` or `..`. Drives
 * become `c:`, also those of WSL and `\\?\`. Only drives change their case.
 */
export function folderKey(folder: string): string {
  const composed = folder.normalize('NFC');
  const slashed = /^[A-Za-z]:[\\/]?|^\\\\/.test(composed)
    ? composed
        .replaceAll('\\', '/')
        .replace(/^\/\/[?.]\/(?:UNC(?=\/))?/i, '')
        .replace(/^\/+wsl(?:\$|\.localhost)\/[^/]+/i, '/')
    : composed;
  const drive = /^(?:\/mnt\/([A-Za-z])|([A-Za-z]):)(?=\/|$)/.exec(slashed);
  const rest = drive ? slashed.slice(drive[0].length) : slashed;
  const path = collapse(rest, drive !== null || rest.startsWith('/')).replace(
    drive === null ? /$^/ : /^\/$/,
    '',
  );
  return drive ? `${(drive[1] ?? drive[2])!.toLowerCase()}:${path.toLowerCase()}` : path;
}

function collapse(path: string, absolute: boolean): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0) out.pop();
    else if (part !== '..') out.push(part);
  }
  return (absolute ? '/' : '') + out.join('/');
}

/** The folder itself and every folder above it, nearest first; takes a key. */
export function ancestorsOf(key: string): string[] {
  const out = [key];
  for (let cut = key.lastIndexOf('/'); cut > 0; cut = key.lastIndexOf('/', cut - 1))
    out.push(key.slice(0, cut));
  return out;
}

/** Last folder of a key; empty for a root. */
export function lastOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1).replace(/^[a-z]:$/, '');
}

/** Whether `key` is `above` or lies below it. */
export function isWithin(key: string, above: string): boolean {
  return key === above || key.startsWith(above.endsWith('/') ? above : `${above}/`);
}

const HOME =
  /^(?:(?:\/var|\/export)?\/home\/[^/]+|\/Users\/[^/]+|\/root|[a-z]:\/users\/[^/]+)(?=\/|$)/;

/**
 * Whether a key is any user's home, a root or a folder of homes. Sessions start there by default,
 * so two sessions there may be about different projects.
 */
export function isHomeFolder(key: string, ownHome: string): boolean {
  return (
    key === ownHome ||
    key === HOME.exec(key)?.[0] ||
    /^(?:\/|(?:\/var|\/export)?\/home|\/Users|[a-z]:(?:\/users)?)$/.test(key)
  );
}

/**
 * The home folder that contains a path: the person's own, else a path like a home (`/home/x`,
 * `/Users/x`, `/root`, `c:/users/x`), else ''.
 */
export function homeOfPath(key: string, ownHome: string): string {
  if (isWithin(key, ownHome)) return ownHome;
  return HOME.exec(key)?.[0] ?? '';
}
