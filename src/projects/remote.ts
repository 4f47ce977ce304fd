/** Spells each git remote as `host/owner/repo`. Pure. */

/** Hosts that people often give an alias in ~/.ssh/config, or reach with ssh over port 443. */
const HOSTS = ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'];

/**
 * `host/owner/repo` with a lower-case host, without scheme, user, password, port and `.git`; ssh
 * and https give the same. Takes any remote URL, a pull request's page, `host/owner/repo`, and
 * `owner/repo` (on github.com). A path becomes `file:/path`. Null without a repository.
 */
export function normaliseRemote(remote: string): string | null {
  const text = remote.trim();
  if (text === '' || text.length > 500 || /[\s\p{Cc}]/u.test(text)) return null;
  const url = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(text);
  if (url) return url[1]!.toLowerCase() === 'file' ? filePath(url[3]!) : join(url[2]!, url[3]!);
  const scp = /^(?:[^@/\\]+@)?([^:/\\@]{2,}):(?!\/\/)(.+)$/.exec(text);
  if (scp) return join(scp[1]!, scp[2]!);
  if (/^(?:[/\\~.]|[A-Za-z]:)/.test(text))
    return /^(?:\/|[A-Za-z]:)/.test(text) ? filePath(text) : null;
  const parts = text.split('/');
  return parts.length === 2
    ? join('github.com', text)
    : parts.length > 2 && parts[0]!.includes('.')
      ? join(parts[0]!, parts.slice(1).join('/'))
      : null;
}

function filePath(path: string): string | null {
  const clean = trimEnds(path.replaceAll('\\', '/'));
  return clean === '' ? null : `file:/${clean}`;
}

function join(authority: string, path: string): string | null {
  const host = hostOf(authority);
  const parts = pathOf(host, path);
  if (host === '' || parts.length === 0) return null;
  return host === 'ssh.dev.azure.com'
    ? ['dev.azure.com', ...parts].join('/')
    : [host, ...parts].join('/');
}

function hostOf(authority: string): string {
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase()
    .replace(/^(?:www|ssh)\.(?=github|gitlab|bitbucket)/, '')
    .replace(/^altssh\./, '');
  return (
    HOSTS.find((known) => host.startsWith(`${known}-`) || host.startsWith(`${known}_`)) ?? host
  );
}

function pathOf(host: string, path: string): string[] {
  const page =
    /^(.*?)\/(?:-\/)?(?:pull|pulls|merge_requests|issues|tree|commit|compare)\/.*$/.exec(
      path,
    )?.[1] ?? path;
  const parts = trimEnds(page)
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  if (host === 'ssh.dev.azure.com') return parts.filter((part) => part !== 'v3');
  return host === 'dev.azure.com' ? parts.filter((part) => part !== '_git') : parts;
}

/** Removes slashes at both ends and a final `.git`. */
function trimEnds(path: string): string {
  return path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/i, '')
    .replace(/\/+$/, '');
}

/** Key to compare remotes: hosts treat `Ana/Shop` and `ana/shop` alike. */
export function remoteKey(remote: string): string {
  return remote.toLowerCase();
}
