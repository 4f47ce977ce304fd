/** Which entries a search may return, as SQL. */
import type { Origin, Role } from '../../types.js';
import type { Params } from '../db.js';

/** Which entries a search may return; an absent field allows all. */
export interface EntryFilter {
  /** Project ids. */
  projects?: string[];
  agents?: string[];
  roles?: Role[];
  origins?: Origin[];
  sessions?: string[];
  /** Entry times, inclusive and exclusive, ISO 8601. */
  from?: string;
  until?: string;
  /** Part of the path of a file that the entry touched, or of its command. */
  file?: string;
}

/** Tables to join to `own.entries e`, the condition and its parameters. */
interface Condition {
  joins: string;
  where: string;
  params: Params;
}

/** Excludes rows that a later row replaced. */
const CURRENT = 'NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)';

/** The filter over `own.entries e`. Superseded rows never match. */
export function entryCondition(filter: EntryFilter): Condition {
  const { own, near, exact, ...rest } = conditionOf(filter, '');
  return { ...rest, where: [CURRENT, ...own, ...near, ...exact].join(' AND ') };
}

/**
 * Several filters in one pass over current rows: each filter is a column, 1 if it matches, else 0.
 * `near` excludes, without the joins, most rows that match none.
 */
export function eachCondition(
  filters: readonly EntryFilter[],
): Condition & { columns: string[]; near: string } {
  const each = filters.map((filter, i) => conditionOf(filter, `${i}_`));
  return {
    joins: each.find(({ joins }) => joins !== '')?.joins ?? '',
    where: CURRENT,
    near: each.map(({ own, near }) => `(${['true', ...own, ...near].join(' AND ')})`).join(' OR '),
    params: Object.assign({}, ...each.map(({ params }) => params)) as Params,
    columns: each.map(
      ({ own, exact }) => `coalesce(${['true', ...own, ...exact].join(' AND ')}, false)::INTEGER`,
    ),
  };
}

interface Parts extends Omit<Condition, 'where'> {
  /** Conditions on the row alone. */
  own: string[];
  /**
   * Whether the row's session may be of one of the projects: much faster than `exact`, which needs
   * the joins.
   */
  near: string[];
  exact: string[];
}

/** @param tag of the parameters' names */
function conditionOf({ projects, ...filter }: EntryFilter, tag: string): Parts {
  const params: Params = {};
  const own: string[] = [];
  const add = (
    name: string,
    value: string | string[] | undefined,
    partOf: (parameter: string) => string,
  ): void => {
    if (value === undefined) return;
    own.push(partOf(`$${name}${tag}`));
    params[`${name}${tag}`] = value;
  };
  // Faster than a join for short lists.
  const oneOf = (column: string) => (parameter: string) =>
    `list_contains(${parameter}::VARCHAR[], ${column})`;
  add('agents', filter.agents, oneOf('e.agent'));
  add('roles', filter.roles, oneOf('e.role'));
  add('origins', filter.origins, oneOf('e.origin'));
  add(
    'sessions',
    filter.sessions,
    (sessions) => `e.session IN (SELECT unnest(${sessions}::VARCHAR[]))`,
  );
  add('from', filter.from, (from) => `e.time >= ${from}::TIMESTAMP`);
  add('until', filter.until, (until) => `e.time < ${until}::TIMESTAMP`);
  add(
    'file',
    filter.file,
    (file) =>
      `(contains(e.command, ${file}) OR len(list_filter(e.files, lambda f: contains(replace(f, chr(92), '/'), ${file}))) > 0)`,
  );
  if (projects === undefined) return { joins: '', params, own, near: [], exact: [] };
  const isOf = (column: string): string => oneOf(column)(`$projects${tag}`);
  return {
    joins: PROJECT_JOINS,
    params: { ...params, [`projects${tag}`]: projects },
    own,
    near: [
      `e.session IN (SELECT s.session FROM own.sessions s LEFT JOIN own.folders sf ON sf.cwd = s.cwd
         WHERE coalesce(${isOf('coalesce(s.project, sf.project)')}, true))`,
    ],
    exact: [isOf('coalesce(s.project, sf.project, f.project)')],
  };
}

/**
 * The project of the session, of its folder, or of the entry's folder, as in the view
 * `own.current_entries`, which is much slower to plan.
 */
const PROJECT_JOINS =
  'LEFT JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session ' +
  'LEFT JOIN own.folders sf ON sf.cwd = s.cwd LEFT JOIN own.folders f ON f.cwd = e.cwd';
