/** What a person should know of the database, its tiers, jobs and model. */
import { statSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.js';
import { faultKind, readBlocks, type Passed, type unknownRecords } from '../../store/index.js';
import { counted, mib, seconds, withCommas } from '../../text/amounts.js';
import { JOB_NAMES } from '../../types.js';
import { bad, DAY_MS, named, NAMED, ok, type Found } from './found-in-home.js';
import { UNLEARNT_DAYS, type World } from './world.js';

/** Below this no bar is drawn. */
const QUIET_MS = 2000;

export function checkStore({ storeExists, paths, fault, stored }: World): Found[] {
  if (!storeExists) return ok(`${paths.store} is created at the first run`);
  if (fault === null) return ok(`${paths.store} opens, version ${stored!.version}`);
  const hint = fault instanceof AppError ? fault.hint : '';
  const isBusy = faultKind(fault) === 'busy' || (fault as AppError).code === 'STORE_OF_OLDER';
  return [
    {
      ...(isBusy && { code: 'STORE_BUSY' }),
      text: `${fault.message}; the counts from the database are missing`,
      ...(faultKind(fault) === 'busy'
        ? { cure: 'close that program, or wait, then `dripstone status --check` again' }
        : hint !== '' && { cure: hint }),
    },
  ];
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
 * A damaged block shows only when it is read, which may be in months. So every block is read once,
 * before a job comes across it.
 */
export async function checkBlocks({
  stored,
  store,
  paths,
  clock,
  progress,
}: World): Promise<Found[]> {
  if (stored === null) return [];
  const begun = clock.mono();
  try {
    await readBlocks(store, (done, total) => {
      if (clock.mono() - begun >= QUIET_MS) progress({ job: 'check', done, total, unit: 'rows' });
    });
  } catch (error) {
    const kind = faultKind(error);
    if (kind === 'busy') throw error;
    if (kind !== 'damaged' && kind !== 'fatal')
      return bad(`the database could not be read to its end: ${messageOf(error)}`);
    return [
      {
        text: `a block of the database is not as it was written: ${messageOf(error)}`,
        cure:
          `check that disk; move ${paths.store} and ${paths.store}.wal away, then rebuild it from tiers, crystals and logs: ` +
          '`dripstone run`',
      },
    ];
  }
  return ok(
    `${mib(statSync(paths.store).size)} of the database were read, each block as it was written`,
  );
}

/** Missing, or without a byte: a look at the folder tells. */
export function isGone({ path }: { path: string }): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/**
 * A tier is the last copy of a text whose log is gone: each is read to its end and compared with
 * what was written.
 */
export async function checkTiers({ stored }: World): Promise<Found[]> {
  if (stored === null) return [];
  const { hashOf } = await import('../nightly/tier-file.js');
  const there = stored.tierFiles.filter((tier) => !isGone(tier));
  const changed: string[] = [];
  for (const { path, sha256 } of there)
    if ((await hashOf(path).catch(() => null)) !== sha256) changed.push(path);
  if (changed.length > 0)
    return [
      {
        text: `${changed.length} of ${there.length} are not as they were written`,
        details: changed,
      },
    ];
  return ok(
    there.length === 0
      ? 'none yet'
      : `${withCommas(there.length)} read to the end, each as it was written`,
  );
}

/** When each job ran last, how long that took and how it ended, in the order of work. */
export function describeJobs(runs: NonNullable<World['stored']>['runs']): string[] {
  return JOB_NAMES.map((job) => {
    const run = runs.find((each) => each.job === job)?.lastRun;
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

const NOUN: Record<Passed['kind'], [one: string, many: string, done: string]> = {
  session: ['session', 'sessions', 'learnt from'],
  fact: ['fact query', 'fact queries', 'answered'],
  project: ['project', 'projects', 'learnt from'],
  page: ['project', 'projects', 'published'],
  crystal: ['project', 'projects', 'folded into crystal.json'],
};

/** What a job skipped, since its work threw for it alone. */
export function skipped(passed: readonly Passed[], kinds: readonly Passed['kind'][]): Found[] {
  return kinds.flatMap((kind) => {
    const some = passed.filter((each) => each.kind === kind);
    const [one, many, done] = NOUN[kind];
    const names = some.map(
      ({ agent, name, error }) => `${name}${agent === '' ? '' : ` (${agent})`}: ${error}`,
    );
    return bad(
      some.length > 0 &&
        `${counted(some.length, one, many)} could not be ${done} and ` +
          `${some.length === 1 ? 'is' : 'are'} skipped: ${names.slice(0, NAMED).join('; ')}`,
      some[0]?.since,
    );
  });
}

export function unlearnt({ stored, now }: World): Found[] {
  if (stored === null) return [];
  const { left, waiting, passed } = stored;
  const { sessions, last } = waiting;
  const isQuiet = last === null || now.getTime() - Date.parse(last) > UNLEARNT_DAYS * DAY_MS;
  return [
    ...bad(
      left.length > 0 &&
        `${counted(left.length, 'session')} could not be learnt from: ` +
          named(left.map(({ agent, session }) => `${session} (${agent})`)),
      left[0]?.since,
    ),
    ...bad(
      sessions > 0 &&
        isQuiet &&
        `${counted(sessions, 'session')} ${sessions === 1 ? 'was' : 'were'} read and dripstone learnt nothing for ` +
          `${UNLEARNT_DAYS} days`,
      last,
    ),
    ...skipped(passed, ['session', 'fact', 'project']),
  ];
}

/** Whether the model that is switched on helps; nothing if no model is on. */
export async function checkModel({ config, env, paths, stored }: World): Promise<Found[]> {
  if (config.llm.provider === 'off') return [];
  const { describeWorth, modelOf } = await import('../asking/llm-facts.js');
  const { problem } = modelOf({ config, env, paths });
  if (problem !== null)
    return [
      {
        text: problem,
        cure: `correct the group llm in ${paths.config}, or \`dripstone model off\``,
      },
    ];
  const facts = stored?.llm ?? null;
  if (facts === null) return ok('not asked yet');
  return facts.resting_until === null
    ? ok(describeWorth(facts))
    : bad(`its last calls failed: ${facts.error ?? ''}`);
}
