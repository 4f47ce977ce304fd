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
  /** A tool's name, in any case. */
  tool?: string;
  /** Part of the path of a file that the entry touched, or of its command. */
  file?: string;
}

/** The filter over `own.entries e`: what to join, the condition and its parameters. Superseded rows never match. */
export function entryCondition(filter: EntryFilter): { joins: string; where: string; params: Params } {
  const params: Params = {};
  const parts = ['NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)'];
  const oneOf = (column: string, name: string, values: string[] | undefined): void => {
    if (!values) return;
    parts.push(`${column} IN (SELECT unnest($${name}))`);
    params[name] = values;
  };
  oneOf('coalesce(s.project_id, f.project)', 'projects', filter.projects);
  oneOf('e.agent', 'agents', filter.agents);
  oneOf('e.role', 'roles', filter.roles);
  oneOf('e.origin', 'origins', filter.origins);
  oneOf('e.session', 'sessions', filter.sessions);
  if (filter.from !== undefined) parts.push('e.time >= $from::TIMESTAMP');
  if (filter.until !== undefined) parts.push('e.time < $until::TIMESTAMP');
  if (filter.tool !== undefined) parts.push('lower(e.tool) = lower($tool)');
  if (filter.file !== undefined)
    parts.push(
      "(contains(e.command, $file) OR len(list_filter(e.files, lambda f: contains(replace(f, chr(92), '/'), $file))) > 0)",
    );
  if (filter.tool !== undefined) params.tool = filter.tool;
  if (filter.file !== undefined) params.file = filter.file;
  if (filter.from !== undefined) params.from = filter.from;
  if (filter.until !== undefined) params.until = filter.until;
  return { joins: filter.projects ? PROJECT_JOINS : '', where: parts.join(' AND '), params };
}

/** As in the view `own.current_entries`: the session's settled project, else its folder's. */
const PROJECT_JOINS =
  'LEFT JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session LEFT JOIN own.folders f ' + 'ON f.cwd = e.cwd';
