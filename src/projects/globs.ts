/** Glob patterns of folders and logs, with picomatch. */
import picomatch from 'picomatch';
import { ancestorsOf, folderKey } from './folder-path.js';

/**
 * Makes a test whether a path relative to a place is a log.
 * @param globs relative to the place; forward slashes
 */
export function matchLogs(globs: readonly string[]): (relative: string) => boolean {
  return picomatch([...globs], { dot: true });
}

/**
 * Makes a test whether a folder or one below it may contain logs, so that no other folder is
 * searched: `*\/chats\/*.json` leads into `a` and `a/chats`, never into `a/bin`.
 * @param globs relative to the place, like the folder; '' is the place itself
 */
export function leadsToLogs(globs: readonly string[]): (folder: string) => boolean {
  const ways = globs.map((glob) => {
    const parts = glob.split('/').slice(0, -1);
    const open = parts.indexOf('**');
    return {
      isOpen: open >= 0,
      parts: (open < 0 ? parts : parts.slice(0, open)).map((part) =>
        picomatch(part, { dot: true }),
      ),
    };
  });
  return (folder) => {
    const names = folder === '' ? [] : folder.split('/');
    return ways.some(
      ({ isOpen, parts }) =>
        (isOpen || names.length <= parts.length) &&
        names.every((name, at) => at >= parts.length || parts[at]!(name)),
    );
  };
}

/**
 * Makes a test whether a folder or one above it matches. `~` is the home; a glob without a slash
 * names a folder anywhere in the path.
 * @param globs as a person writes them in config.yaml
 */
export function matchFolders(globs: readonly string[], home: string): (folder: string) => boolean {
  if (globs.length === 0) return () => false;
  const match = picomatch(
    globs.map((glob) => absoluteGlob(glob, home)),
    { dot: true },
  );
  return (folder) => ancestorsOf(folderKey(folder)).some((ancestor) => match(ancestor));
}

function absoluteGlob(glob: string, home: string): string {
  const key = folderKey(glob.replace(/^~(?=$|\/|\\)/, escapeGlob(home)));
  return key.includes('/') ? key : `**/${key}`;
}

/** Escapes a folder for a glob, since its name may contain special characters. */
export function escapeGlob(text: string): string {
  return folderKey(text).replace(/[()[\]{}!*?+@|\\]/g, '\\$&');
}
