/**
 * Addresses of the page: `#/lessons?kind=command`. Every view has one, so that back, reload and
 * links work.
 */

export interface Route {
  /** The first part: `lessons`; empty for the start. */
  page: string;
  args: string[];
  query: URLSearchParams;
}

/** Reads `location.hash`; one that cannot be read is an address that nothing lies at. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  try {
    const [page = '', ...args] = path.split('/').map(decodeURIComponent);
    return { page, args, query: new URLSearchParams(query) };
  } catch {
    return { page: path, args: [], query: new URLSearchParams() };
  }
}

/** The address of a view; what is empty stays out of it. */
export function addressOf(
  page: string,
  args: string[] = [],
  query: Record<string, string | number | null | undefined> = {},
) {
  const kept = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const asked = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return `#/${[page, ...args.map(encodeURIComponent)].join('/')}${asked && `?${asked}`}`;
}

/** The same view with other filters: null takes one out. */
export function withQuery(route: Route, changes: Record<string, string | null>): string {
  return addressOf(route.page, route.args, { ...Object.fromEntries(route.query), ...changes });
}

/** A path of the server with what it is asked; what is empty stays out. */
export function asked(
  path: string,
  query: Record<string, string | number | null | undefined>,
): string {
  const [, rest = ''] = addressOf('', [], query).split('?');
  return rest === '' ? path : `${path}?${rest}`;
}
