/**
 * What a person should know, as one table: a code, how to find it, what cures it. `status` prints
 * what a row finds wrong, `status --check` each row.
 */
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../errors.js';
import { faultKind, isGivenUp, keptBad } from '../../store/index.js';
import { counted, mib } from '../../text/amounts.js';
import type { StatusFacts } from '../../types.js';
import { namedDaemon, otherVersion, readDaemon, readDaemonNotes } from './daemon-note.js';
import * as home from './found-in-home.js';
import { bad, named, namesIn, ok, timeOf, type Found } from './found-in-home.js';
import * as store from './found-in-store.js';
import type { World } from './world.js';

type Find = (world: World) => Found[] | Promise<Found[]>;

interface Row {
  code: string;
  cure: string;
  find: Find;
  /** Too slow for `status`, or no problem of the memory: in `status --check` alone. */
  checkOnly: boolean;
}

const RUN = '`dripstone run`';
const AGAIN = 'if it still fails, report the error';
/** The daemon updates its heartbeat each minute. */
const SILENT_MS = 120_000;
/** Eight times the size at which the engine folds it: one large commit does not reach that. */
const WAL_BYTES = 128 * 2 ** 20;

const row = (code: string, cure: string, find: Find): Row => ({
  ...{ code, cure, find, checkOnly: false },
});
const check = (name: string, cure: string, find: Find): Row => ({
  ...{ code: name, cure, find, checkOnly: true },
});

const ROWS: readonly Row[] = [
  check('node', `install Node ${home.LEAST_NODE.join('.')} or newer`, () => [
    home.checkNode(process.versions.node),
  ]),
  check('home', 'make it writable, or set DRIPSTONE_HOME to a folder that is', home.checkHome),
  check('modes', '`dripstone status --check --fix` shuts them', home.checkModes),
  row('CONFIG_REFUSED', '`dripstone config check` says when it is right', home.checkConfig),
  row('SWITCHED_OFF', 'set `enabled: true` in config.yaml', ({ config }) =>
    bad(!config.enabled && '`enabled: false` in config.yaml: nothing is read'),
  ),
  check(
    'logs',
    'work with an agent once, or name its folder in config.yaml (agents.roots)',
    home.checkLogs,
  ),
  check('readable', 'give yourself read permission on them, or move them away', home.checkOdd),
  row('LOGS_NOT_KEPT', 'set it to a large number of days', (world) =>
    home
      .retentions(world)
      .flatMap(({ agent, days, setting, file }) =>
        bad(days === 0 && `${agent} writes no logs: ${setting} is 0 in ${file}`),
      ),
  ),
  row('LOGS_UNREAD', `${RUN} reads them now, \`make install\` keeps reading`, home.unreadLogs),
  row('CLOCK_BEHIND', 'set the clock', ({ logs: { logs }, now }) => {
    const newest = Math.max(0, ...logs.map(({ mtimeMs }) => mtimeMs));
    // A day allows for clocks that differ and for time zones taken for UTC.
    return bad(
      newest - now.getTime() > home.DAY_MS &&
        `the newest log has a date in the future: ${new Date(newest).toISOString()}`,
    );
  }),
  row('STORE_UNREADABLE', `${RUN} rebuilds a damaged store`, store.checkStore),
  row(
    'STORE_DAMAGED_AGAIN',
    `check that disk and which other program writes there, move the files that end in .damaged-… away, then ${RUN}`,
    async ({ fault, paths, now }) =>
      bad(
        fault !== null &&
          faultKind(fault) !== 'busy' &&
          (await isGivenUp(paths.store, now)) &&
          `${paths.store} was damaged three times within an hour and is not rebuilt any more`,
      ),
  ),
  row('STORE_SET_ASIDE', 'delete it when you no longer need it', ({ paths }) =>
    namesIn(dirname(paths.store))
      .filter((each) => each.startsWith(`${basename(paths.store)}.`) && each.includes('.damaged-'))
      .map((name) => ({
        since: timeOf(join(dirname(paths.store), name)),
        text: `${name} was damaged and is quarantined`,
      })),
  ),
  row(
    'CHECKPOINT_FAILS',
    `free some space on that disk and close programs that hold the database, then ${RUN}; ${AGAIN} with the size of that file`,
    ({ paths }) => {
      const wal = statSync(`${paths.store}.wal`, { throwIfNoEntry: false });
      return bad(
        wal !== undefined &&
          wal.size >= WAL_BYTES &&
          `the write-ahead log of ${paths.store} has ${mib(wal.size)} and is not folded into it`,
        wal?.mtime.toISOString(),
      );
    },
  ),
  row('DISK_FULL', 'free some space on that disk; reading continues automatically', home.checkDisk),
  check('lines', '', ({ stored }) =>
    ok(
      stored && (stored.bad.length === 0 ? 'every line was read' : 'lines that were skipped'),
      stored?.bad.map((bad) => `${bad.path}:${bad.line} (byte ${bad.offset}): ${bad.reason}`),
    ),
  ),
  // A newer version of an agent writes what we do not know yet: shown, and no failure.
  check('records', '', ({ stored }) =>
    ok(
      stored &&
        (stored.unknown.length === 0
          ? 'every type of record is known'
          : 'some types of record are unknown and were skipped'),
      stored?.unknown.map(store.describeUnknown),
    ),
  ),
  check('blocks', `\`dripstone status --check\` again; ${AGAIN}`, store.checkBlocks),
  row(
    'TIERS_MISSING',
    '`dripstone crystallize` writes again what the database still has',
    ({ stored }) => {
      const gone = (stored?.tierFiles ?? []).filter(store.isGone);
      return bad(
        gone.length > 0 &&
          `${counted(gone.length, 'tier')} ${gone.length === 1 ? 'is' : 'are'} missing or empty: ` +
            named(gone.map(({ path }) => path)),
      );
    },
  ),
  check('tiers', '`dripstone crystallize` writes them again from the database', store.checkTiers),
  row(
    'TIERS_REMADE',
    'find the program that changes files below projects/ (a cleaner, a sync) and stop it; shown for a week',
    ({ stored }) =>
      bad(
        (stored?.remade.tiers ?? 0) > 0 &&
          `${counted(stored!.remade.tiers, 'tier')} gone or not as written: written again from the database`,
        stored?.remade.last ?? undefined,
      ),
  ),
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
  check('jobs', '', ({ stored }) =>
    ok(stored && 'the last run of each', stored ? store.describeJobs(stored.runs) : []),
  ),
  row(
    'UNLEARNT',
    `\`dripstone run --only extract,context\` tries again; what was learnt before stays; ${AGAIN}`,
    store.unlearnt,
  ),
  row(
    'UNPUBLISHED',
    "fix what the error names in that project's folder, then `dripstone crystallize`; its files stay as they were",
    ({ stored }) => store.skipped(stored?.passed ?? [], ['page', 'crystal']),
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
      // Switched off by the person is no fault.
      const problem = config.embed.enabled ? embedder.problem() : null;
      return bad(problem && `search uses words alone; everything else works: ${problem}`);
    },
  ),
  row(
    'EMBEDDING_FAILS',
    'start that server or restore that model, or correct embed.url, embed.model and embed.key_variable in config.yaml; `dripstone run --only embed` tries it now',
    ({ stored, config: { embed } }) => {
      const fault = embed.enabled ? stored?.embedFault : null;
      return bad(fault && `${fault.text}: new texts are found by words alone`, fault?.since);
    },
  ),
  check('hooks', '`dripstone link --hooks` adds it', home.checkHooks),
  check('model', '`dripstone model use` tries it again', store.checkModel),
  row(
    'DAEMON_DEAD',
    '`dripstone service status` says why; `dripstone start` or `dripstone service install` continues where it stopped',
    ({ paths }) => {
      const daemon = readDaemon(paths) === null ? namedDaemon(paths) : null;
      return bad(
        daemon && `process ${daemon.pid}, the daemon, ended unexpectedly`,
        daemon?.heartbeat,
      );
    },
  ),
  row(
    'DAEMON_SILENT',
    'end that process and start it again (`dripstone service install` does both)',
    ({ paths, now }) => {
      const daemon = readDaemon(paths);
      return bad(
        daemon !== null &&
          now.getTime() - Date.parse(daemon.heartbeat) > SILENT_MS &&
          `process ${daemon.pid}, the daemon, gave no sign of life since ${daemon.heartbeat}`,
        daemon?.heartbeat,
      );
    },
  ),
  row(
    'DAEMON_OTHER',
    '`dripstone service install` updates the service; else end that process and type `dripstone start`',
    (world) => bad(otherVersion(world)?.text),
  ),
  row('DAEMON_MET', 'see the log of the daemon', ({ paths, configProblem }) =>
    readDaemonNotes(paths)
      .filter(({ code }) => code !== 'CONFIG_REFUSED' || configProblem === null)
      .map((each) => ({ ...each, ...(MET[each.code] && { cure: MET[each.code] }) })),
  ),
];

/** Cures for what a daemon notes by code. */
const MET: Record<string, string> = {
  CONFIG_REFUSED: '`dripstone config check` says when it is right',
  NO_SOCKET: 'remove what is in its way, then start the daemon again',
  CLOCK_JUMPED: 'nothing to do if the clock is right now',
  WATCH_ENOSPC:
    '`sudo sysctl fs.inotify.max_user_watches=524288`; until then logs are found every 30 s',
  WATCH_EMFILE:
    '`sudo sysctl fs.inotify.max_user_instances=512`; until then logs are found every 30 s',
};

/** A line of `status --check`. */
export interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  /** Further lines: paths, bad lines. */
  details: string[];
}

/** What is wrong, as `status` and the page print it. */
export async function findDegraded(world: World): Promise<StatusFacts['degraded']> {
  const found: StatusFacts['degraded'] = [];
  for (const row of ROWS.filter(({ checkOnly }) => !checkOnly))
    for (const { ok: isFine, since = null, text, ...own } of await row.find(world))
      if (isFine !== true)
        found.push({ code: own.code ?? row.code, since, text, cure: own.cure ?? row.cure });
  return found;
}

/** Every row is tried, whatever another one finds or however it fails. */
export async function runChecks(world: World): Promise<Check[]> {
  const checks: Check[] = [];
  for (const row of ROWS) {
    const found = await (async () => row.find(world))().catch((error: unknown): Found[] => [
      {
        text: `it could not be checked: ${messageOf(error)}`,
        cure: `fix what the other checks name, then \`dripstone status --check\` again; ${AGAIN}`,
      },
    ]);
    for (const {
      code = row.code,
      ok: isFine = false,
      text,
      cure = row.cure,
      details = [],
    } of found)
      checks.push({
        // What is fine is named by its thing: `config`, not `config refused`.
        name: (isFine ? code.split('_')[0]! : code.replaceAll('_', ' ')).toLowerCase(),
        ...{ ok: isFine, text, details },
        cure: isFine ? null : cure,
      });
  }
  return checks;
}
