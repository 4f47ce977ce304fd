/**
 * What does not work as it should, found from files and from the error of opening the store; each
 * fact has a code.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../errors.js';
import { faultKind, findLackOfSpace, isGivenUp, isProcessAlive } from '../../store/index.js';
import { namedDaemon, otherVersion } from './daemon-note.js';
import type { Degraded } from './degraded-fact.js';
import { keptBad } from '../publishing/crystal-file.js';
import { healthOfWal } from './health.js';
import type { JobContext } from '../job.js';

type DegradedSources = Pick<JobContext, 'paths' | 'config' | 'clock' | 'embedder' | 'env'>;

/** @param fault why the store could not be read, or null when it could */
export async function findDegraded(
  from: DegradedSources,
  fault: Error | null,
): Promise<Degraded[]> {
  return [
    ...(fault === null ? [] : [ofStore(fault), ...(await ofLoop(from, fault))]),
    ...(await ofDisk(from)),
    ...healthOfWal(from.paths),
    ...ofModel(from),
    ...ofHome(from),
    ...ofCrystals(from),
  ];
}

const STALE_MS = 120_000;

function ofStore(fault: Error): Degraded {
  const next = fault instanceof AppError && fault.hint !== '' ? `; ${fault.hint}` : '';
  return {
    code:
      faultKind(fault) === 'busy' || (fault as AppError).code === 'STORE_OF_OLDER'
        ? 'STORE_BUSY'
        : 'STORE_UNREADABLE',
    since: null,
    text: `${fault.message}${next}; the counts from the database are missing`,
  };
}

/** The cure that `STORE_UNREADABLE` names does not help then. */
async function ofLoop({ paths, clock }: DegradedSources, fault: Error): Promise<Degraded[]> {
  return faultKind(fault) === 'busy' || !(await isGivenUp(paths.store, clock.now()))
    ? []
    : [
        {
          code: 'STORE_DAMAGED_AGAIN',
          since: null,
          text:
            `${paths.store} was damaged three times within an hour and is not rebuilt any more: check the disk and which ` +
            `other program writes there, then move ${paths.store}.damaged-* away and \`dripstone run\``,
        },
      ];
}

async function ofDisk({ paths }: DegradedSources): Promise<Degraded[]> {
  const fault = existsSync(paths.home) ? await findLackOfSpace({ path: paths.store }) : null;
  if (fault !== null)
    return [{ code: fault.code, since: null, text: `${fault.message}; ${fault.hint}` }];
  const low = existsSync(paths.home)
    ? await findLackOfSpace({ path: paths.store, reserveMb: LOW_MB })
    : null;
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
function ofModel({ config, embedder }: DegradedSources): Degraded[] {
  const problem = config.embed.enabled ? embedder.problem() : null;
  return problem === null
    ? []
    : [
        {
          code: 'NO_MODEL',
          since: null,
          text: `search uses words alone; everything else works: ${problem}`,
        },
      ];
}

function ofHome(from: DegradedSources): Degraded[] {
  const { config, paths, clock } = from;
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
        `process ${daemon.pid}, the daemon, ended unexpectedly: \`dripstone service status\` tells why, ` +
        `\`dripstone start\` continues where it stopped`,
    });
  } else if (daemon && clock.now().getTime() - Date.parse(daemon.heartbeat) > STALE_MS) {
    out.push({
      code: 'DAEMON_SILENT',
      since: daemon.heartbeat,
      text: `process ${daemon.pid} gave no sign of life since ${daemon.heartbeat}: end it and start it again`,
    });
  }
  const other = otherVersion(from);
  if (other !== null) out.push({ code: 'DAEMON_OTHER', since: null, text: other.text });
  // The database itself reports long texts that were cut, with their number.
  for (const name of namesIn(dirname(paths.store)).filter(
    (each) => each.startsWith(`${basename(paths.store)}.`) && each.includes('.damaged-'),
  )) {
    out.push({
      code: 'STORE_SET_ASIDE',
      since: timeOf(join(dirname(paths.store), name)),
      text: `${name} was damaged and is quarantined; delete it when you no longer need it`,
    });
  }
  return out;
}

function ofCrystals({ paths }: DegradedSources): Degraded[] {
  return [
    paths.global,
    ...namesIn(paths.projects).map((name) => join(paths.projects, name)),
  ].flatMap((folder) =>
    keptBad(join(folder, 'crystal.json')).map((bad) => ({
      code: 'CRYSTAL_UNREADABLE',
      since: timeOf(bad),
      text:
        `an edit was not taken over whole and is kept in ${bad}: what could not be read, or fields of a fact, which only logs ` +
        'change; copy words that you miss into crystal.json, then delete it',
    })),
  );
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function timeOf(path: string): string {
  return statSync(path).mtime.toISOString();
}
