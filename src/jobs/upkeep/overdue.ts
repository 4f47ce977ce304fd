/** What should have happened by now and did not: unread logs, sessions without learning. Pure. */
import type { FoundLog } from '../../watchers/index.js';
import { counted } from '../../text/amounts.js';
import type { Degraded } from './degraded-fact.js';
import type { Retention } from '../reading/log-retention.js';

interface OverdueInput {
  now: Date;
  /** Logs on disk that were not read since they changed. */
  unread: readonly Pick<FoundLog, 'agent' | 'path' | 'mtimeMs'>[];
  logs: readonly Pick<FoundLog, 'mtimeMs'>[];
  unlearnt: { sessions: number; last: string | null };
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
  return [...unread(from), ...expiring(from), ...unlearnt(from), ...future(from)];
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
