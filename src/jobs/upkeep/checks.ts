/** What dripstone needs in order to work, each with a fix. Reads only. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readText, retiredIn } from '../../config.js';
import { type AppError, messageOf } from '../../errors.js';
import {
  faultKind,
  loadBadLines,
  metaValue,
  readBlocks,
  unknownRecords,
} from '../../store/index.js';
import type { Discovery } from '../../watchers/index.js';
import { mib, withCommas } from '../../text/amounts.js';
import { CONFIG_HELD, CURES } from './degraded-fact.js';
import { changedTiers, describeJobs, describeUnknown } from './health.js';
import type { JobContext } from '../job.js';
import { describeWorth, gatherLlm, modelOf } from '../asking/llm-facts.js';
import { retentionOf } from '../reading/log-retention.js';
import { describeCandidates, lookForLogs } from '../reading/look.js';
import { gatherStatus } from './status.js';

export interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  /** Further lines: paths, bad lines. */
  details: string[];
}

type CheckSources = Pick<
  JobContext,
  'paths' | 'config' | 'clock' | 'store' | 'embedder' | 'env' | 'userHome' | 'progress'
> & { storeExists: boolean; configProblem: AppError | null };

/** As package.json's `engines` says. */
export const LEAST_NODE = [20, 19] as const;
const BAD_LINES_SHOWN = 20;
const PASSED_OVER = 'some types of record are unknown and were skipped';

function pass(name: string, text: string, details: string[] = []): Check {
  return { name, ok: true, text, cure: null, details };
}
function fail(name: string, text: string, cure: string, details: string[] = []): Check {
  return { name, ok: false, text, cure, details };
}

/** Every check is made, whatever another one finds or however it fails. */
export async function runChecks(from: CheckSources): Promise<Check[]> {
  const found = await lookForLogs(from).catch((error: unknown) => messageOf(error));
  const store = await checkStore(from);
  // A store that cannot be opened has failed a check already.
  const isOpen = store.every(({ ok }) => ok);
  const steps: [name: string, check: () => Check[] | Promise<Check[]>][] = [
    ['node', () => [checkNode(process.versions.node)]],
    ['home', () => [checkHome(from)]],
    ['modes', () => checkModes(from)],
    ['facts', () => checkFacts(from)],
    ['config', () => [checkConfig(from)]],
    [
      'logs',
      () => (typeof found === 'string' ? [fail('logs', found, LOOK)] : lookedFor(from, found)),
    ],
    ['store', () => store],
    ['blocks', () => (isOpen ? checkBlocks(from) : [])],
    ['tiers', () => checkTiers(from)],
    ['jobs', () => checkJobs(from)],
    ['model', () => checkModel(from)],
    ['status', () => checkDegraded(from)],
  ];
  const checks: Check[] = [];
  for (const [name, check] of steps)
    checks.push(
      ...(await (async () => check())().catch((error: unknown) => [
        fail(name, `it could not be checked: ${messageOf(error)}`, LOOK),
      ])),
    );
  return checks;
}

const LOOK =
  'fix what the other checks name, then `dripstone status --check` again; if it still fails, report the error';

function lookedFor(from: CheckSources, found: Discovery): Check[] {
  return [
    checkLogs(found, describeCandidates(from.userHome, from.paths.home, found)),
    checkOdd(found),
    ...checkRetention(found, from),
  ];
}

/** @param version e.g. `20.19.0` */
export function checkNode(version: string): Check {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  const ok = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return ok
    ? pass('node', version)
    : fail('node', `${version} is too old`, `install Node ${LEAST_NODE.join('.')} or newer`);
}

function checkHome({ paths }: CheckSources): Check {
  if (!existsSync(paths.home)) return pass('home', `${paths.home} is created at the first run`);
  try {
    accessSync(paths.home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      'home',
      `${paths.home} cannot be written`,
      'make it writable, or set DRIPSTONE_HOME to a folder that is',
    );
  }
  const open = process.platform !== 'win32' && (statSync(paths.home).mode & 0o077) !== 0;
  return open
    ? fail('home', `${paths.home} can be read by others`, `chmod 700 ${paths.home}`)
    : pass('home', paths.home);
}

function checkConfig({ paths, configProblem: problem }: CheckSources): Check {
  if (problem !== null) return fail('config', `${problem.message}; ${CONFIG_HELD}`, problem.hint);
  if (!existsSync(paths.config)) return pass('config', 'all defaults');
  return pass(
    'config',
    `${paths.config} is valid`,
    retiredIn(paths.config, readText(paths.config)),
  );
}

/** Queries of a person that earlier builds ran. */
function checkFacts({ paths }: CheckSources): Check[] {
  const folder = join(paths.home, 'facts');
  return existsSync(folder)
    ? [pass('facts', `${folder} is not read any more: \`dripstone sql\` runs such queries`)]
    : [];
}

/** Files directly in the home that other users may read; its folders are closed to them. */
function checkModes({ paths }: CheckSources): Check[] {
  if (!existsSync(paths.home) || process.platform === 'win32') return [];
  // config.yaml is the person's own file.
  const open = readdirSync(paths.home)
    .filter((name) => name !== 'config.yaml')
    .map((name) => join(paths.home, name))
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  return [
    open.length === 0
      ? pass('modes', 'everything in it is yours alone')
      : fail(
          'modes',
          `${open.length} paths in it can be read by others`,
          '`dripstone status --check --fix` shuts them',
          open,
        ),
  ];
}

/** A warning and no failure: what was read by then stays. */
function checkRetention({ logs }: Discovery, where: CheckSources): Check[] {
  return [...new Set(logs.map(({ agent }) => agent))].flatMap((agent) => {
    const kept = retentionOf(agent, where);
    if (kept === null) return [];
    const text =
      `${agent} deletes its logs ${kept.days} days after their last change (${kept.setting} in ${kept.file}): what ` +
      'dripstone has read by then stays';
    return [pass('retention', text)];
  });
}

function checkLogs({ logs, places }: Discovery, candidates: readonly string[]): Check {
  const present = new Set(places.filter(({ exists }) => exists).map(({ agent }) => agent));
  const absent = [...new Set(places.map(({ agent }) => agent))].filter(
    (agent) => !present.has(agent),
  );
  const details = places
    .filter(({ exists }) => exists)
    .map(({ agent, path }) => {
      const here = logs.filter(
        (log) => log.agent === agent && log.path.startsWith(`${path}${sep}`),
      );
      return `${path} (${agent}): ${here.length} logs`;
    });
  if (absent.length > 0) details.push(`no folder of ${absent.join(', ')}`);
  details.push(...candidates.map((each) => `perhaps another agent: ${each}`));
  return logs.length > 0
    ? pass('logs', `${logs.length} found`, details)
    : fail(
        'logs',
        'none found',
        'work with an agent once, or name its folder in config.yaml (agents.roots)',
        details,
      );
}

/** Links, pipes and the like with the name of a log: reported, but not as a failure. */
function checkOdd({ odd }: Discovery): Check {
  const details = odd.map(({ path, reason }) => `${path}: ${reason}`);
  const unreadable = odd.filter(({ reason }) => reason.startsWith('not readable'));
  return unreadable.length > 0
    ? fail(
        'readable',
        `${unreadable.length} paths cannot be read`,
        'give yourself read permission on them, or move them away',
        details,
      )
    : pass(
        'readable',
        odd.length === 0
          ? 'every log can be read'
          : `${odd.length} paths are no logs and are left alone`,
        details,
      );
}

async function checkStore({ storeExists, store, paths }: CheckSources): Promise<Check[]> {
  if (!storeExists) return [pass('store', `${paths.store} is created at the first run`)];
  try {
    const { version, bad, unknown } = await store.read(async (db) => ({
      version: await metaValue(db, 'store_version'),
      bad: await loadBadLines(db, BAD_LINES_SHOWN),
      unknown: await unknownRecords(db),
    }));
    const lines = bad.map(
      ({ path, line, offset, reason }) => `${path}:${line} (byte ${offset}): ${reason}`,
    );
    return [
      pass('store', `${paths.store} opens, version ${version}`),
      pass('lines', bad.length === 0 ? 'every line was read' : 'lines that were skipped', lines),
      // A newer version of an agent writes what we do not know yet: shown, and no failure.
      pass(
        'records',
        unknown.length === 0 ? 'every type of record is known' : PASSED_OVER,
        unknown.map(describeUnknown),
      ),
    ];
  } catch (error) {
    const cure =
      faultKind(error) === 'busy'
        ? 'close that program, or wait, then `dripstone status --check` again'
        : (error as AppError).hint || '`dripstone run` rebuilds a damaged store';
    return [fail('store', messageOf(error), cure)];
  }
}

/** Below this no bar is drawn. */
const QUIET_MS = 2000;

/**
 * A damaged block shows only when it is read, which may be in months. So every block is read once,
 * before a job comes across it.
 */
async function checkBlocks({
  storeExists,
  store,
  paths,
  clock,
  progress,
}: CheckSources): Promise<Check[]> {
  if (!storeExists) return [];
  const begun = clock.mono();
  try {
    await readBlocks(store, (done, total) => {
      if (clock.mono() - begun >= QUIET_MS) progress({ job: 'check', done, total, unit: 'rows' });
    });
    return [
      pass(
        'blocks',
        `${mib(statSync(paths.store).size)} of the database were read, each block as it was written`,
      ),
    ];
  } catch (error) {
    const kind = faultKind(error);
    if (kind === 'busy') throw error;
    if (kind !== 'damaged' && kind !== 'fatal')
      return [
        fail(
          'blocks',
          `the database could not be read to its end: ${messageOf(error)}`,
          '`dripstone status --check` again; if it still fails, report the error',
        ),
      ];
    return [
      fail(
        'blocks',
        `a block of the database is not as it was written: ${messageOf(error)}`,
        `check that disk; move ${paths.store} and ${paths.store}.wal away, then rebuild it from tiers, crystals and logs: ` +
          '`dripstone run`',
      ),
    ];
  }
}

/**
 * A tier is the last copy of a text whose log is gone: each is read to its end and compared with
 * what was written. `degraded` names missing ones.
 */
async function checkTiers({ storeExists, store }: CheckSources): Promise<Check[]> {
  const tiers = storeExists ? await changedTiers({ store }).catch(() => null) : null;
  if (tiers === null) return [];
  const { changed, whole } = tiers;
  return changed.length === 0
    ? [
        pass(
          'tiers',
          whole === 0 ? 'none yet' : `${withCommas(whole)} read to the end, each as it was written`,
        ),
      ]
    : [
        fail(
          'tiers',
          `${changed.length} of ${changed.length + whole} are not as they were written`,
          CURES['TIERS_MISSING']!,
          changed.map(({ path }) => path),
        ),
      ];
}

/** No failure: `degraded` names a job that fails. */
async function checkJobs({ storeExists, store }: CheckSources): Promise<Check[]> {
  const jobs = storeExists ? await store.read(describeJobs).catch(() => []) : [];
  return jobs.length === 0 ? [] : [pass('jobs', 'the last run of each', jobs)];
}

/** Whether the model that is switched on helps; nothing if no model is on. */
async function checkModel({
  storeExists,
  store,
  config,
  clock,
  env,
  paths,
}: CheckSources): Promise<Check[]> {
  if (config.llm.provider === 'off') return [];
  const { problem } = modelOf({ config, env, paths });
  if (problem !== null)
    return [
      fail(
        'model',
        problem,
        `correct the group llm in ${paths.config}, or \`dripstone model off\``,
      ),
    ];
  const facts = storeExists
    ? await store.read((db) => gatherLlm(db, { config, clock })).catch(() => null)
    : null;
  if (facts === null) return [pass('model', 'not asked yet')];
  return facts.resting_until === null
    ? [pass('model', describeWorth(facts))]
    : [
        fail(
          'model',
          `its last calls failed: ${facts.error ?? ''}`,
          '`dripstone model use` tries it again',
        ),
      ];
}

async function checkDegraded(from: CheckSources): Promise<Check[]> {
  const { degraded } = await gatherStatus(from);
  // The store and the config have checks of their own.
  return degraded
    .filter(
      ({ code }) =>
        !['STORE_UNREADABLE', 'STORE_BUSY'].includes(code) &&
        (code !== 'CONFIG_REFUSED' || from.configProblem === null),
    )
    .map(({ code, text }) =>
      fail(code.toLowerCase().replaceAll('_', ' '), text, CURES[code] ?? 'see `dripstone status`'),
    );
}
