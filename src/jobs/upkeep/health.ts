/**
 * Work that does not succeed and promises that are broken, as facts: jobs, sessions, tiers, the
 * write-ahead log. Reads only.
 */
import { statSync } from 'node:fs';
import {
  embedFault,
  failingJobs,
  lastRuns,
  leftSessions,
  loadTiers,
  type Db,
  type EmbedFault,
  type FailingJob,
  type LeftSession,
  type Tier,
  type unknownRecords,
} from '../../store/index.js';
import { counted, mib, seconds, withCommas } from '../../text/amounts.js';
import { JOB_NAMES } from '../../types.js';
import type { Degraded } from './degraded-fact.js';
import type { JobContext } from '../job.js';
import { findPassedOver } from '../learning/passed-over.js';
import { findTierFaults } from '../nightly/tier-check.js';
import { hashOf } from '../nightly/tier-stream.js';

const FAILURES_TOLD = 2;
/** An extraction in slices may take a while to come to the last session. */
const EXTRACT_MS = 3_600_000;
const NAMED = 3;

/** What the store tells; to add a fact, add a function to this list. */
export async function healthOfStore(
  db: Db,
  { clock, config }: Pick<JobContext, 'clock' | 'config'>,
): Promise<Degraded[]> {
  return [
    ...(await failingJobs(db, FAILURES_TOLD)).map(ofJob),
    ...ofSessions(
      await leftSessions(db, new Date(clock.now().getTime() - EXTRACT_MS).toISOString()),
    ),
    ...ofTiers((await loadTiers(db)).filter(isGone)),
    ...(await findTierFaults(db, clock.now())),
    ...(await findPassedOver(db)),
    // Of a server that is no longer named nothing is told.
    ...(config.embed.enabled && config.embed.url !== '' ? ofEmbedding(await embedFault(db)) : []),
  ];
}

function ofEmbedding(fault: EmbedFault | null): Degraded[] {
  if (fault === null) return [];
  const text =
    `${fault.text}: new texts are found by words alone; it is tried again by itself, \`dripstone run --only embed\` tries it ` +
    'now';
  return [{ code: 'EMBEDDING_FAILS', since: fault.since, text }];
}

function ofJob({ job, failures, since, error }: FailingJob): Degraded {
  return {
    code: 'JOB_FAILS',
    since,
    text:
      `${job} did not succeed ${failures} times in a ` +
      `row${error === null ? ': it was done only in part' : `, last with: ${error}`}; \`dripstone run --only ${job}\` tries ` +
      'it now',
  };
}

function ofSessions(left: readonly LeftSession[]): Degraded[] {
  return left.length === 0
    ? []
    : [
        {
          code: 'SESSION_UNLEARNT',
          since: left[0]!.since,
          text:
            `${counted(left.length, 'session')} could not be learnt from: ` +
            `${named(left.map(({ agent, session }) => `${session} (${agent})`))}; \`dripstone run --only extract,context\` ` +
            'tries it now',
        },
      ];
}

/** Missing, or without a byte: a look at the folder tells. */
function isGone({ path }: Tier): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

function ofTiers(gone: readonly Tier[]): Degraded[] {
  return gone.length === 0
    ? []
    : [
        {
          code: 'TIERS_MISSING',
          since: null,
          text:
            `${counted(gone.length, 'tier')} ${gone.length === 1 ? 'is' : 'are'} missing or empty: ` +
            `${named(gone.map(({ path }) => path))}; \`dripstone crystallize\` writes again what the database still has`,
        },
      ];
}

function named(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ' and ' + `${withCommas(names.length - NAMED)} more` : ''}`;
}

/** Eight times the size at which the engine folds it: one large commit does not reach that. */
const WAL_TOLD_BYTES = 128 * 2 ** 20;

/**
 * A write-ahead log that is never folded grows until the disk is full, and each start has to play
 * it again.
 */
export function healthOfWal({ store }: JobContext['paths']): Degraded[] {
  const wal = statSync(`${store}.wal`, { throwIfNoEntry: false });
  if (wal === undefined || wal.size < WAL_TOLD_BYTES) return [];
  return [
    {
      code: 'CHECKPOINT_FAILS',
      since: wal.mtime.toISOString(),
      text:
        `the write-ahead log of ${store} has ${mib(wal.size)} and is not folded into it: free some space, close ` +
        `programs that hold the database, then \`dripstone run\``,
    },
  ];
}

/**
 * Reads every tier that is there to its end. @returns those whose bytes are not the ones that were
 * written
 */
export async function changedTiers({
  store,
}: Pick<JobContext, 'store'>): Promise<{ changed: Tier[]; whole: number }> {
  const there = (await store.read((db) => loadTiers(db))).filter((tier) => !isGone(tier));
  const changed: Tier[] = [];
  for (const tier of there) if ((await hashOf(tier.path)) !== tier.sha256) changed.push(tier);
  return { changed, whole: there.length - changed.length };
}

/** Records of unknown type that an agent's version wrote. */
export function describeUnknown({
  agent,
  version,
  share,
  types,
}: Awaited<ReturnType<typeof unknownRecords>>[number]): string {
  const list = Object.entries(types).map(([type, count]) => `${type} (${withCommas(count)})`);
  const percent = share < 0.001 ? 'under 0.1' : (share * 100).toFixed(share < 0.1 ? 1 : 0);
  return `${percent} % of the records of ${agent} ${version ?? '(version unknown)'} have an unknown type: ${list.join(', ')}`;
}

/**
 * When each job ran last, how long that took and how it ended, in the order of work; of a long job
 * that is its last slice.
 */
export async function describeJobs(db: Db): Promise<string[]> {
  const runs = new Map((await lastRuns(db)).map(({ job, lastRun }) => [job, lastRun]));
  return JOB_NAMES.map((job) => {
    const run = runs.get(job);
    if (run === undefined) return `${job.padEnd(11)} never`;
    const { started, ended, outcome } = run;
    const took =
      ended === null
        ? 'runs now'
        : `took ${seconds((Date.parse(ended) - Date.parse(started)) / 1000)}`;
    const end = outcome === 'failed' || outcome === 'killed' ? `, ${outcome}` : '';
    return `${job.padEnd(11)} ${started.slice(0, 16).replace('T', ' ')} UTC, ${took}${end}`;
  });
}
