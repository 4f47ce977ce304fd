/** What does not work as it should, told from files and from what opening the store said; each fact has a code. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../errors.js';
import { faultKind, findLackOfSpace, isGivenUp, isProcessAlive } from '../../store/index.js';
import { namedDaemon } from './daemon-note.js';
import { keptBad } from '../publishing/crystal-file.js';
import { badDetails } from '../learning/detail-edits.js';
import { healthOfWal } from './health.js';
import type { JobContext } from '../job.js';

export interface Degraded {
  code: string;
  since: string | null;
  text: string;
}

type From = Pick<JobContext, 'paths' | 'config' | 'clock' | 'embedder'>;

/** @param fault why the store could not be read, or null when it could */
export async function findDegraded(from: From, fault: Error | null): Promise<Degraded[]> {
  return [
    ...(fault === null ? [] : [ofStore(fault), ...(await ofLoop(from, fault))]),
    ...(await ofDisk(from)),
    ...healthOfWal(from.paths),
    ...ofModel(from),
    ...ofHome(from),
    ...ofCrystals(from),
    ...ofDetails(from),
  ];
}

const STALE_MS = 120_000;

function ofStore(fault: Error): Degraded {
  const next = fault instanceof AppError && fault.hint !== '' ? `; ${fault.hint}` : '';
  return {
    code: faultKind(fault) === 'busy' ? 'STORE_BUSY' : 'STORE_UNREADABLE',
    since: null,
    text: `${fault.message}${next}; what stands in the store is not shown`,
  };
}

/** The cure that `STORE_UNREADABLE` names does not help then. */
async function ofLoop({ paths, clock }: From, fault: Error): Promise<Degraded[]> {
  return faultKind(fault) === 'busy' || !(await isGivenUp(paths.store, clock.now()))
    ? []
    : [
        {
          code: 'STORE_DAMAGED_AGAIN',
          since: null,
          text:
            `${paths.store} was damaged three times within an hour and is not rebuilt any more: check the disk and what ` +
            `else writes there, then move ${paths.store}.damaged-* away and \`dripstone run\``,
        },
      ];
}

async function ofDisk({ paths }: From): Promise<Degraded[]> {
  const fault = existsSync(paths.home) ? await findLackOfSpace({ path: paths.store }) : null;
  if (fault !== null) return [{ code: fault.code, since: null, text: `${fault.message}; ${fault.hint}` }];
  const low = existsSync(paths.home) ? await findLackOfSpace({ path: paths.store, reserveMb: LOW_MB }) : null;
  return low === null
    ? []
    : [
        {
          code: 'DISK_LOW',
          since: null,
          text: `${low.message.replace(/;.*/, '')}: free some space soon; at 64 MB reading stops until there is room again`,
        },
      ];
}

/** So much is a week of work in a busy home. */
const LOW_MB = 512;

/** Switched off by the person is no fault. */
function ofModel({ config, embedder }: From): Degraded[] {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null ? [] : [{ code: 'NO_MODEL', since: null, text: `search works with words alone: ${problem}` }];
}

function ofHome({ config, paths, clock }: From): Degraded[] {
  const out: Degraded[] = [];
  if (!config.enabled)
    out.push({
      code: 'SWITCHED_OFF',
      since: null,
      text: '`enabled: false` in config.yaml: nothing is read until it says `true`',
    });
  const daemon = namedDaemon(paths);
  if (daemon && !isProcessAlive(daemon.pid)) {
    out.push({
      code: 'DAEMON_DEAD',
      since: daemon.heartbeat,
      text:
        `process ${daemon.pid}, the daemon, ended without a goodbye: \`dripstone service status\` tells why, ` +
        `\`dripstone start\` goes on where it stopped`,
    });
  } else if (daemon && clock.now().getTime() - Date.parse(daemon.heartbeat) > STALE_MS) {
    out.push({
      code: 'DAEMON_SILENT',
      since: daemon.heartbeat,
      text: `process ${daemon.pid} gave no sign of life since ${daemon.heartbeat}: end it and start the daemon anew`,
    });
  }
  // Long texts that were cut are told by the database, with their number.
  for (const name of namesIn(dirname(paths.store)).filter(
    (each) => each.startsWith(`${basename(paths.store)}.`) && each.includes('.damaged-') && !each.includes('.long-texts'),
  )) {
    out.push({
      code: 'STORE_SET_ASIDE',
      since: timeOf(join(dirname(paths.store), name)),
      text: `${name} was damaged and set aside; remove it when you no longer need it`,
    });
  }
  return out;
}

function ofCrystals({ paths }: From): Degraded[] {
  return [paths.global, ...namesIn(paths.projects).map((name) => join(paths.projects, name))].flatMap((folder) =>
    keptBad(join(folder, 'crystal.json')).map((bad) => ({
      code: 'CRYSTAL_UNREADABLE',
      since: timeOf(bad),
      text: `an edit could not be read and is kept in ${bad}; take its words over and remove it`,
    })),
  );
}

function ofDetails({ paths }: From): Degraded[] {
  return [paths.global, ...namesIn(paths.projects).map((name) => join(paths.projects, name))]
    .flatMap((folder) => badDetails(folder))
    .map((bad) => ({
      code: 'DETAIL_UNREADABLE',
      since: timeOf(bad),
      text: `something in it is no bullet and could not be taken in; it is kept in ${bad}: make bullets of it and remove it`,
    }));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function timeOf(path: string): string {
  return statSync(path).mtime.toISOString();
}

/** The next step for each code of `degraded`: a new code gets its line here. */
export const CURES: Record<string, string> = {
  DAEMON_DEAD: '`dripstone service install`, or `dripstone start`; `dripstone doctor --fix` removes the stale daemon.json',
  DAEMON_SILENT: 'end that process and start the daemon anew (`dripstone service install` does both)',
  LOGS_UNREAD: '`dripstone run`; `make install` keeps reading',
  LOGS_EXPIRE: '`dripstone run` now, and raise that setting if you want the logs themselves',
  LOGS_NOT_KEPT: 'raise that setting',
  NOTHING_LEARNT: '`dripstone run --only extract,context`; if it fails, report what it prints',
  CONTEXT_OLD: '`dripstone run`',
  CLOCK_BEHIND: 'set the clock',
  CLOCK_JUMPED: 'nothing to do if the clock is right now',
  DISK_LOW: 'free some space on that disk',
  DISK_FULL: 'free some space on that disk; reading goes on by itself',
  NO_MODEL: 'restore models/ (`git checkout models`), or set `embed: {enabled: false}`',
  CONFIG_REFUSED: 'correct that line in config.yaml',
  SWITCHED_OFF: 'set `enabled: true` in config.yaml',
  CRYSTAL_UNREADABLE: 'take its words over into crystal.json and remove it',
  DETAIL_UNREADABLE: 'make bullets of it in the file itself and remove it',
  DISK_BUDGET: 'raise store.disk_budget_mib, or move old weeks out of projects/*/archive/',
  STORE_SET_ASIDE: 'remove it when you no longer need it',
  WATCH_ENOSPC: '`sudo sysctl fs.inotify.max_user_watches=524288`; until then logs are found every 30 s',
  WATCH_EMFILE: '`sudo sysctl fs.inotify.max_user_instances=512`; until then logs are found every 30 s',
  STORE_DAMAGED_AGAIN:
    'check that disk and what else writes there, move the files that end in .damaged-… away, then `dripstone run`',
  JOB_FAILS:
    '`dripstone run --only` with the name of that job tries it at once and prints why it fails; if the reason does not ' +
    'help, report it',
  SESSION_UNLEARNT: '`dripstone run --only extract,context` tries it at once; if it stays, report what that prints',
  PROJECT_UNPUBLISHED: "mend what the error names in that project's folder, then `dripstone run`; its files stay as they were",
  CRYSTAL_UNWRITTEN:
    "mend what the error names in that project's folder, then `dripstone crystallize`; its crystal.json stays as it was",
  PROJECT_UNLEARNT:
    '`dripstone run` tries it at once; its lessons and files stay as they were; report what stands there if it stays',
  TIERS_MISSING:
    '`dripstone crystallize` writes them anew from the database; what has left the database must come from a backup of ' +
    'these files',
  TEXTS_CUT:
    'look with `zcat` whether you need one of those texts whole, then remove the file that is named: the cut ones stay ' +
    'searchable, context and lessons are as before',
  TIERS_REMADE:
    'find out what removes or changes files below projects/ (a cleaner, a sync, that disk) and keep it from it; it is told ' +
    'for a week',
  TEXT_LOST: 'put the missing files back below projects/ from a backup, then `dripstone crystallize` and `dripstone run`',
  CHECKPOINT_FAILS:
    'free some space on that disk and close programs that hold the database, then `dripstone run`; if it stays, report it ' +
    'with the size of that file',
};
