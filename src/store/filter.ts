import type { Params } from './db.js';
import type { Origin, Role } from '../types.js';

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
}

/** The filter as a condition over `own.current_entries e`. */
export function entryCondition(filter: EntryFilter): { where: string; params: Params } {
  const params: Params = {};
  const parts = ['true'];
  const oneOf = (column: string, name: string, values: string[] | undefined): void => {
    if (!values) return;
    parts.push(`${column} IN (SELECT unnest($${name}))`);
    params[name] = values;
  };
  oneOf('e.project_id', 'projects', filter.projects);
  oneOf('e.agent', 'agents', filter.agents);
  oneOf('e.role', 'roles', filter.roles);
  oneOf('e.origin', 'origins', filter.origins);
  oneOf('e.session', 'sessions', filter.sessions);
  if (filter.from !== undefined) parts.push('e.time >= $from::TIMESTAMP');
  if (filter.until !== undefined) parts.push('e.time < $until::TIMESTAMP');
  if (filter.from !== undefined) params.from = filter.from;
  if (filter.until !== undefined) params.until = filter.until;
  return { where: parts.join(' AND '), params };
}
