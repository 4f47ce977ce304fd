/** URLs of the page: `#/lessons?kind=command`. All views have one, for back, reload and links. */

export interface Route {
  /** The first part, e.g. `lessons`; empty for the start page. */
  page: string;
  args: string[];
  query: URLSearchParams;
}

/** Reads `location.hash`; an invalid one gives an unknown page. */
export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  try {
    const [page = '', ...args] = path.split('/').map(decodeURIComponent);
    return { page, args, query: new URLSearchParams(query) };
  } catch {
    return { page: path, args: [], query: new URLSearchParams() };
  }
}

/** The URL of a view; empty parts are left out. */
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

/** The same view with other filters; null removes a filter. */
export function withQuery(route: Route, changes: Record<string, string | null>): string {
  return addressOf(route.page, route.args, { ...Object.fromEntries(route.query), ...changes });
}

/** A path of the server with its query; empty values are left out. */
export function asked(
  path: string,
  query: Record<string, string | number | null | undefined>,
): string {
  const [, rest = ''] = addressOf('', [], query).split('?');
  return rest === '' ? path : `${path}?${rest}`;
}
