/**
 * All problems for the person, as one table: a code, the cure, the check. `status` prints the
 * problems, `status --check` prints each row.
 */
import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readText, retiredIn } from '../../config.js';
import { AppError, messageOf } from '../../errors.js';
import {
  faultKind,
  findLackOfSpace,
  hashOf,
  isGivenUp,
  keptBad,
  readBlocks,
  type Passed,
} from '../../store/index.js';
import { counted, mib, withCommas } from '../../text/amounts.js';
import { retentionOf } from '../reading/log-retention.js';
import { otherVersion, readDaemon, readNote } from './daemon-note.js';
import { DAY_MS, UNLEARNT_DAYS, type World } from './world.js';

/** A finding: a problem, unless `ok`. `code` and `cure` replace those of the row. */
export interface Found {
  text: string;
  /** ISO 8601 UTC. */
  since?: string | null;
  ok?: true;
  cure?: string;
  code?: string;
  details?: string[];
}

/** A text is a problem; false and null mean that there is none. */
type Say = Found | string | false | null | undefined;

export interface Row {
  code: string;
  cure: string;
  find(world: World): Say | Say[] | Promise<Say | Say[]>;
  /** Only in `status --check`: too slow for `status`, or not a problem of the memory. */
  checkOnly: boolean;
}

const row = (code: string, cure: string, find: Row['find']): Row => ({
  ...{ code, cure, find, checkOnly: false },
});
const check = (name: string, cure: string, find: Row['find']): Row => ({
  ...{ code: name, cure, find, checkOnly: true },
});
const ok = (text: string, details: string[] = []): Found => ({ ok: true, text, details });

/** The effect of an invalid config.yaml, whose broken part may contain an `exclude`. */
export const UNTIL_CONFIG_IS_RIGHT =
  'nothing is read from logs and nothing is sent until it is right';
/** Enough for about a week of work. */
const LOW_MB = 512;
const NAMED = 3;
/** A warning begins this many days before an agent deletes an unread log. */
const WARN_DAYS = 7;
/** The daemon updates its heartbeat each minute. */
const SILENT_MS = 120_000;
/** A faster step shows no progress bar. */
const QUIET_MS = 2000;
const RUN = '`dripstone run`';
const AGAIN = 'if it still fails, report the error';

export const ROWS: readonly Row[] = [
  check('home', 'make it writable, or set DRIPSTONE_HOME to a folder that is', checkHome),
  check('modes', '`dripstone status --check --fix` shuts them', ({ paths: { home } }) => {
    const details = openPaths(home);
    return details.length === 0
      ? ok('everything in the home is yours alone')
      : { text: `${details.length} paths of the home can be read by others`, details };
  }),
  row('CONFIG_REFUSED', '`dripstone config check` says when it is right', checkConfig),
  row('SWITCHED_OFF', 'set `enabled: true` in config.yaml', ({ config }) =>
    config.enabled ? null : '`enabled: false` in config.yaml: nothing is read',
  ),
  check(
    'logs',
    'work with an agent once, or name its folder in config.yaml (agents.roots)',
    ({ logs: { logs } }) => (logs.length > 0 ? ok(`${logs.length} found`) : 'none found'),
  ),
  check(
    'readable',
    'give yourself read permission on them, or move them away',
    ({ logs: { odd } }) => {
      const shut = odd.filter(({ reason }) => reason.startsWith('not readable'));
      const details = shut.map(({ path, reason }) => `${path}: ${reason}`);
      return shut.length === 0
        ? ok('every log can be read')
        : { text: `${shut.length} paths cannot be read`, details };
    },
  ),
  row('LOGS_NOT_KEPT', 'set it to a large number of days', (world) =>
    retentions(world).map(
      ({ agent, days, setting, file }) =>
        days === 0 && `${agent} writes no logs: ${setting} is 0 in ${file}`,
    ),
  ),
  row('LOGS_UNREAD', `${RUN} reads them now, \`make install\` keeps reading`, unreadLogs),
  row('CLOCK_BEHIND', 'set the clock', ({ logs: { logs }, now }) => {
    const newest = Math.max(0, ...logs.map(({ mtimeMs }) => mtimeMs));
    // A day allows for wrong clocks and for local times that were read as UTC.
    return (
      newest - now.getTime() > DAY_MS &&
      `the newest log has a date in the future: ${new Date(newest).toISOString()}`
    );
  }),
  row('STORE_UNREADABLE', `${RUN} rebuilds a damaged store`, checkStore),
  row('STORE_SET_ASIDE', 'delete it when you no longer need it', ({ paths: { store } }) =>
    namesIn(dirname(store))
      .filter((each) => each.startsWith(`${basename(store)}.`) && each.includes('.damaged-'))
      .map((name) => ({
        since: timeOf(join(dirname(store), name)),
        text: `${name} was damaged and is quarantined`,
      })),
  ),
  row(
    'DISK_FULL',
    'free some space on that disk; reading continues automatically',
    async ({ paths: { home, store: path } }) => {
      if (!existsSync(home)) return null;
      const fault = await findLackOfSpace({ path });
      if (fault !== null) return `${fault.message}; ${fault.hint}`;
      const low = await findLackOfSpace({ path, reserveMb: LOW_MB });
      return (
        low && `${low.message.replace(/;.*/, '')}; at 64 MB reading stops until there is room again`
      );
    },
  ),
  check('blocks', `\`dripstone status --check\` again; ${AGAIN}`, checkBlocks),
  row(
    'TIERS_MISSING',
    '`dripstone crystallize` writes again what the database still has',
    ({ stored }) => {
      const gone = (stored?.tierFiles ?? []).filter(isGone).map(({ path }) => path);
      return (
        gone.length > 0 &&
        `${counted(gone.length, 'tier')} ${gone.length === 1 ? 'is' : 'are'} missing or empty: ${named(gone)}`
      );
    },
  ),
  check('tiers', '`dripstone crystallize` writes them again from the database', checkTiers),
  row(
    'JOB_FAILS',
    `\`dripstone run --only\` with the name of that job tries it now and prints why it fails; ${AGAIN}`,
    ({ stored }) =>
      (stored?.failing ?? []).map(({ job, failures, since, error }) => ({
        since,
        text:
          `${job} did not succeed ${failures} times in a row` +
          (error === null ? ': it was done only in part' : `, last with: ${error}`),
      })),
  ),
  row(
    'UNLEARNT',
    `\`dripstone run --only extract,context\` tries again; what was learnt before stays; ${AGAIN}`,
    unlearnt,
  ),
  row(
    'UNPUBLISHED',
    "fix what the error names in that project's folder, then `dripstone crystallize`; its files stay as they were",
    ({ stored }) => skipped(stored?.passed ?? [], ['page', 'crystal']),
  ),
  row(
    'CRYSTAL_UNREADABLE',
    'copy words that you miss into crystal.json, then delete it',
    ({ paths }) =>
      [paths.global, ...namesIn(paths.projects).map((name) => join(paths.projects, name))]
        .flatMap((folder) => keptBad(join(folder, 'crystal.json')))
        .map((path) => ({
          since: timeOf(path),
          text: `an edit was not taken over whole and is kept in ${path}: what could not be read, or fields of a fact, which only logs change`,
        })),
  ),
  row(
    'NO_MODEL',
    'install the package that was made for this machine, or restore models/ (`git checkout models`); a server does it too ' +
      '(`dripstone config set embed.url URL`), and `dripstone config set embed.enabled false` is words alone, without this line',
    ({ config, embedder }) => {
      // A disabled embedder is not a fault.
      const problem = config.embed.enabled ? embedder.problem() : null;
      return problem && `search uses words alone; everything else works: ${problem}`;
    },
  ),
  row(
    'EMBEDDING_FAILS',
    'start that server or restore that model, or correct embed.url, embed.model and embed.key_variable in config.yaml; `dripstone run --only embed` tries it now',
    ({ stored, config: { embed } }) => {
      const fault = embed.enabled ? stored?.embedFault : null;
      return (
        fault && { text: `${fault.text}: new texts are found by words alone`, since: fault.since }
      );
    },
  ),
  check(
    'hooks',
    '`dripstone link --hooks` adds it',
    async ({ paths, config: { hooks }, env, userHome }) => {
      const { neededMoments } = await import('../../links/hook-places.js');
      const { missingMoments, usedPlaces } = await import('../../links/hooks.js');
      const lacking = usedPlaces({ userHome, env }).flatMap((place) => {
        const missing = missingMoments(place, neededMoments(hooks), { userHome, env }) ?? [];
        return missing.length === 0
          ? []
          : [`${place.title} has no hook for: ${missing.join(', ')}`];
      });
      const { answered, skipped } = readNote(paths)?.hooks ?? { answered: 0, skipped: 0 };
      const text = `${counted(answered + skipped, 'question')} of hooks since the daemon started, ${withCommas(skipped)} skipped since the answer came too late`;
      return lacking.length === 0 ? ok(text) : { text: lacking.join('; '), details: [text] };
    },
  ),
  check('model', '`dripstone model use` tries it again', async ({ config, env, paths, stored }) => {
    if (config.llm.provider === 'off') return null;
    const { describeWorth, modelOf } = await import('../asking/llm-facts.js');
    const { problem } = modelOf({ config, env, paths });
    if (problem !== null || !stored?.llm) return problem ?? ok('not asked yet');
    const { resting_until: rests, error } = stored.llm;
    return rests === null ? ok(describeWorth(stored.llm)) : `its last calls failed: ${error ?? ''}`;
  }),
  row(
    'DAEMON_DEAD',
    '`dripstone service status` says why; `dripstone start` or `dripstone service install` continues where it stopped',
    ({ paths }) => {
      const note = readNote(paths);
      return (
        note?.isAlive === false && {
          text: `process ${note.daemon.pid}, the daemon, ended unexpectedly`,
          since: note.daemon.heartbeat,
        }
      );
    },
  ),
  row(
    'DAEMON_SILENT',
    'end that process and start it again (`dripstone service install` does both)',
    ({ paths, now }) => {
      const daemon = readDaemon(paths);
      return (
        daemon !== null &&
        now.getTime() - Date.parse(daemon.heartbeat) > SILENT_MS && {
          text: `process ${daemon.pid}, the daemon, gave no sign of life since ${daemon.heartbeat}`,
          since: daemon.heartbeat,
        }
      );
    },
  ),
  row(
    'DAEMON_OTHER',
    '`dripstone service install` updates the service; else end that process and type `dripstone start`',
    (world) => otherVersion(world)?.text,
  ),
  row('DAEMON_MET', 'see the log of the daemon', ({ paths, configProblem }) =>
    (readNote(paths)?.met ?? [])
      .filter(({ code }) => code !== 'CONFIG_REFUSED' || configProblem === null)
      .map((each) => ({ ...each, ...(MET[each.code] && { cure: MET[each.code] }) })),
  ),
];

/** Cures for problems that the daemon notes by code. */
const MET: Record<string, string> = {
  CONFIG_REFUSED: '`dripstone config check` says when it is right',
  NO_SOCKET: 'remove what is in its way, then start the daemon again',
  CLOCK_JUMPED: 'nothing to do if the clock is right now',
  WATCH_ENOSPC:
    '`sudo sysctl fs.inotify.max_user_watches=524288`; until then logs are found every 30 s',
  WATCH_EMFILE:
    '`sudo sysctl fs.inotify.max_user_instances=512`; until then logs are found every 30 s',
};

function named(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${withCommas(names.length - NAMED)} more` : ''}`;
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Whether the file is missing or empty. */
function isGone({ path }: { path: string }): boolean {
  return sizeOf(path) === 0;
}

function timeOf(path: string): string {
  return statSync(path).mtime.toISOString();
}

export function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function checkHome({ paths: { home } }: World): Say {
  if (!existsSync(home)) return ok(`${home} is created at the first run`);
  if (!allows(home, constants.R_OK | constants.W_OK | constants.X_OK))
    return `${home} cannot be written`;
  const facts = join(home, 'facts');
  const older = `${facts} is not read any more: \`dripstone sql\` runs such queries`;
  return ok(home, existsSync(facts) ? [older] : []);
}

/**
 * The home and its direct content that other users may read; a closed folder protects the rest.
 * Without links, which lead elsewhere, and config.yaml, which is the person's.
 */
export function openPaths(home: string): string[] {
  if (!existsSync(home) || process.platform === 'win32') return [];
  const names = readdirSync(home).filter((name) => name !== 'config.yaml');
  return [home, ...names.map((name) => join(home, name))].filter((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat !== undefined && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
  });
}

function checkConfig({ paths, configProblem: problem }: World): Say {
  if (problem !== null)
    return { text: `${problem.message}; ${UNTIL_CONFIG_IS_RIGHT}`, cure: problem.hint };
  return existsSync(paths.config)
    ? ok(`${paths.config} is valid`, retiredIn(paths.config, readText(paths.config)))
    : ok('all defaults');
}

function retentions({ logs, userHome, env }: World) {
  return [...new Set(logs.logs.map(({ agent }) => agent))].flatMap(
    (agent) => retentionOf(agent, { userHome, env }) ?? [],
  );
}

function unreadLogs(world: World): Say[] {
  const { unread, stored, now, config } = world;
  if (!config.enabled || unread === null || stored === null) return [];
  const lastRead =
    Date.parse(stored.jobs.find(({ name }) => name === 'ingest')?.last_ok ?? '') || 0;
  const changed = unread.filter(({ mtimeMs }) => mtimeMs > lastRead);
  const daysOf = ({ mtimeMs }: { mtimeMs: number }): number => (now.getTime() - mtimeMs) / DAY_MS;
  const late = changed.filter((log) => daysOf(log) > 1);
  return [
    ...retentions(world).map(({ agent, days, setting, file }) => {
      const near = changed.filter(
        (log) => days > 0 && log.agent === agent && daysOf(log) > days - WARN_DAYS,
      );
      return (
        near.length > 0 &&
        `${agent} deletes ${counted(near.length, 'unread log')} within ${WARN_DAYS} days (${setting}, ${days} days, in ${file})`
      );
    }),
    late.length > 0 && {
      text: `${counted(late.length, 'log')} changed more than a day ago and ${late.length === 1 ? 'was' : 'were'} not read`,
      since: new Date(Math.min(...late.map(({ mtimeMs }) => mtimeMs))).toISOString(),
    },
  ];
}

async function checkStore({ storeExists, paths, fault, stored, now }: World): Promise<Say> {
  if (!storeExists) return ok(`${paths.store} is created at the first run`);
  if (fault === null) return ok(`${paths.store} opens, version ${stored!.version}`);
  const text = `${fault.message}; the counts from the database are missing`;
  if (faultKind(fault) === 'busy')
    return {
      ...{ code: 'STORE_BUSY', text },
      cure: 'close that program, or wait, then `dripstone status --check` again',
    };
  if (await isGivenUp(paths.store, now))
    return {
      code: 'STORE_DAMAGED_AGAIN',
      text: `${text}; it was damaged three times within an hour and is not rebuilt any more`,
      cure: `check that disk and which other program writes there, move the files that end in .damaged-… away, then ${RUN}`,
    };
  const { code = '', hint = '' } = fault instanceof AppError ? fault : {};
  return {
    ...{ text, ...(hint !== '' && { cure: hint }) },
    ...(code === 'STORE_OF_OLDER' && { code: 'STORE_BUSY' }),
  };
}

/** Reads every block, because a damaged block is noticed only when it is read. */
async function checkBlocks({ stored, store, paths, clock, progress }: World): Promise<Say> {
  if (stored === null) return null;
  const begun = clock.mono();
  try {
    await readBlocks(store, (done, total) => {
      if (clock.mono() - begun >= QUIET_MS) progress({ job: 'check', done, total, unit: 'rows' });
    });
  } catch (error) {
    const kind = faultKind(error);
    if (kind === 'busy') throw error;
    if (kind !== 'damaged' && kind !== 'fatal')
      return `the database could not be read to its end: ${messageOf(error)}`;
    return {
      text: `a block of the database is not as it was written: ${messageOf(error)}`,
      cure:
        `check that disk; move ${paths.store} and ${paths.store}.wal away, then rebuild it from tiers, crystals and logs: ` +
        RUN,
    };
  }
  return ok(`${mib(sizeOf(paths.store))} of the database were read, each block as it was written`);
}

/** Compares each tier with its hash, because it may be the last copy of a text. */
async function checkTiers({ stored }: World): Promise<Say> {
  if (stored === null) return null;
  const there = stored.tierFiles.filter((tier) => !isGone(tier));
  const details: string[] = [];
  for (const { path, sha256 } of there)
    if ((await hashOf(path).catch(() => null)) !== sha256) details.push(path);
  return details.length > 0
    ? { text: `${details.length} of ${there.length} are not as they were written`, details }
    : ok(`${withCommas(there.length)} read to the end, each as it was written`);
}

/** Items that a job skipped, because only their own work failed. */
function skipped(passed: readonly Passed[], kinds: readonly Passed['kind'][]): Say[] {
  return kinds.map((kind) => {
    const some = passed.filter((each) => each.kind === kind);
    const names = some.map(({ agent, name, error }) => `${name} ${agent}`.trim() + `: ${error}`);
    return (
      some.length > 0 && {
        text: `${counted(some.length, kind)} could not be done and ${some.length === 1 ? 'is' : 'are'} skipped: ${names.slice(0, NAMED).join('; ')}`,
        since: some[0]!.since,
      }
    );
  });
}

function unlearnt({ stored, now }: World): Say[] {
  if (stored === null) return [];
  const { left, waiting, passed } = stored;
  const { sessions, last } = waiting;
  const isQuiet = last === null || now.getTime() - Date.parse(last) > UNLEARNT_DAYS * DAY_MS;
  const names = left.map(({ agent, session }) => `${session} (${agent})`);
  return [
    left.length > 0 && {
      text: `${counted(left.length, 'session')} could not be learnt from: ${named(names)}`,
      since: left[0]!.since,
    },
    sessions > 0 &&
      isQuiet && {
        text:
          `${counted(sessions, 'session')} ${sessions === 1 ? 'was' : 'were'} read and dripstone learnt nothing for ` +
          `${UNLEARNT_DAYS} days`,
        since: last,
      },
    ...skipped(passed, ['session', 'project']),
  ];
}
