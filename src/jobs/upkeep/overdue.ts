/**
 * What should have happened by now and did not: unread logs, sessions without learning, context.md
 * files that are not renewed. Pure.
 */
import type { Link } from '../../links/registry.js';
import type { FoundLog } from '../../watchers/index.js';
import { counted } from '../../text/amounts.js';
import type { Degraded } from './degraded-fact.js';
import type { Retention } from '../reading/log-retention.js';

interface OverdueInput {
  now: Date;
  /** Logs on disk that were not read since they changed. */
  unread: readonly Pick<FoundLog, 'agent' | 'path' | 'mtimeMs'>[];
  logs: readonly Pick<FoundLog, 'path' | 'mtimeMs'>[];
  unlearnt: { sessions: number; last: string | null };
  links: readonly Link[];
  /** Log -> slug of its project. */
  projectOf: ReadonlyMap<string, string>;
  /**
   * When each linked context.md was last known to be current: its own time, or that of the last
   * good run of the job; null without either.
   */
  contextAt: (slug: string) => number | null;
  retention: readonly Retention[];
}

const DAY_MS = 86_400_000;
/** Sessions wait for lessons no longer than this in a healthy home. */
export const UNLEARNT_DAYS = 3;
/** So many days before an agent deletes an unread log it is time to say so. */
const WARN_DAYS = 7;

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function findOverdue(from: OverdueInput): Degraded[] {
  return [
    ...unread(from),
    ...expiring(from),
    ...unlearnt(from),
    ...oldPages(from),
    ...future(from),
  ];
}

function unread({ now, unread: logs }: OverdueInput): Degraded[] {
  const late = logs.filter(({ mtimeMs }) => now.getTime() - mtimeMs > DAY_MS);
  if (late.length === 0) return [];
  const since = isoOf(Math.min(...late.map(({ mtimeMs }) => mtimeMs)));
  return [
    {
      code: 'LOGS_UNREAD',
      since,
      text:
        `${counted(late.length, 'log')} changed more than a day ago and ${late.length === 1 ? 'was' : 'were'} not read: ` +
        `\`dripstone run\` reads them, \`make install\` keeps reading`,
    },
  ];
}

function expiring({ now, unread: logs, retention }: OverdueInput): Degraded[] {
  return retention.flatMap(({ agent, days, file, setting }) => {
    if (days === 0)
      return [
        {
          code: 'LOGS_NOT_KEPT',
          since: null,
          text: `${agent} writes no logs: ${setting} is 0 in ${file}; set it to a large number of days`,
        },
      ];
    const near = logs.filter(
      (log) => log.agent === agent && (now.getTime() - log.mtimeMs) / DAY_MS > days - WARN_DAYS,
    );
    if (near.length === 0) return [];
    return [
      {
        code: 'LOGS_EXPIRE',
        since: null,
        text:
          `${agent} deletes ${counted(near.length, 'unread log')} within ${WARN_DAYS} days (${setting}, ${days} days, ` +
          `in ${file}): \`dripstone run\` reads ${near.length === 1 ? 'it' : 'them'} now`,
      },
    ];
  });
}

function unlearnt({ unlearnt: { sessions, last }, now }: OverdueInput): Degraded[] {
  const quiet = last === null || now.getTime() - Date.parse(last) > UNLEARNT_DAYS * DAY_MS;
  if (sessions === 0 || !quiet) return [];
  return [
    {
      code: 'NOTHING_LEARNT',
      since: last,
      text:
        `${counted(sessions, 'session')} ${sessions === 1 ? 'was' : 'were'} read and dripstone learnt nothing for ` +
        `${UNLEARNT_DAYS} days: \`dripstone run --only extract,context\` shows why`,
    },
  ];
}

function oldPages({ links, logs, projectOf, contextAt }: OverdueInput): Degraded[] {
  const newest = new Map<string, number>();
  for (const { path, mtimeMs } of logs) {
    const slug = projectOf.get(path);
    if (slug !== undefined) newest.set(slug, Math.max(newest.get(slug) ?? 0, mtimeMs));
  }
  const slugs = [...new Set(links.flatMap(({ slug }) => (slug === null ? [] : [slug])))].sort();
  return slugs.flatMap((slug) => {
    const [log, at] = [newest.get(slug), contextAt(slug)];
    if (log === undefined || (at !== null && log - at <= DAY_MS)) return [];
    return [
      {
        code: 'CONTEXT_OLD',
        since: at === null ? null : isoOf(at),
        text:
          `the linked context.md of ${slug} ` +
          `${at === null ? 'does not exist' : 'is more than a day older than the newest log'}: \`dripstone run\` writes it`,
      },
    ];
  });
}

/** A day allows for clocks that differ and for time zones taken for UTC. */
function future({ logs, now }: OverdueInput): Degraded[] {
  const newest = Math.max(0, ...logs.map(({ mtimeMs }) => mtimeMs));
  return newest - now.getTime() > DAY_MS
    ? [
        {
          code: 'CLOCK_BEHIND',
          since: null,
          text: `the newest log has a date in the future (${isoOf(newest)}): is the clock right?`,
        },
      ]
    : [];
}
