/**
 * While a daemon runs in the home, commands that write send it their request and wait for the answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { homeOf, packageVersion, pathsOf, type Environment, type HomePaths } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import {
  dropRequest,
  fetchAnswer,
  hasAnswer,
  leaveRequest,
  type Answer,
  type Request,
} from './requests.js';
import { readDaemon } from './upkeep/daemon-note.js';
import { lockHolder } from '../store/index.js';
import type { Clock } from '../types.js';

/** A process that asks. */
interface Asker {
  env: Environment;
  clock: Clock;
  signal: AbortSignal;
}

const LOOK_MS = 50;

/** A daemon updates its heartbeat each minute; without one for this long it is stopped or hangs. */
const SILENT_MS = 150_000;
/** After waking from sleep, a machine shows an old heartbeat for a moment. */
const AWAKE_MS = 10_000;

/**
 * The daemon's pid if one really runs in the home: the lock decides, daemon.json is only information.
 */
export async function daemonOf(paths: HomePaths): Promise<number | null> {
  const named = readDaemon(paths);
  if (named === null) return null;
  const holder = await lockHolder(paths.lock);
  return holder !== null && (holder.pid === null || holder.pid === named.pid) ? named.pid : null;
}

/**
 * The next step after the daemon failed. After an update the old daemon runs on until it is
 * restarted, and cannot read what the new program has migrated: its own advice would be to update,
 * or to begin with an empty store.
 */
export function hintOf(
  hint: string,
  daemon: { pid: number; version: string } | null,
  own: string,
): string {
  return daemon === null || daemon.version === own
    ? hint
    : `the daemon, process ${daemon.pid}, is of version ${daemon.version}, this program of ${own}: start it again ` +
        '(`dripstone service install`, or end it and type `dripstone start`)';
}

/**
 * Makes a test whether the daemon's heartbeat is old and stays so during the wait.
 * @param patienceMs how long to wait for a heartbeat
 */
function createSilence(
  { clock }: Asker,
  paths: HomePaths,
  patienceMs: number,
): () => string | null {
  let [seen, since] = ['', clock.mono()];
  return () => {
    const heartbeat = readDaemon(paths)?.heartbeat ?? '';
    if (heartbeat !== seen) [seen, since] = [heartbeat, clock.mono()];
    const isOld = clock.now().getTime() - Date.parse(heartbeat) > SILENT_MS;
    return isOld && clock.mono() - since >= patienceMs ? heartbeat : null;
  };
}

/**
 * @returns null if no daemon serves this home, or it ended before it began: the command does the
 * work itself
 * @throws AppError the daemon's error, or that the daemon is stopped
 */
export async function askDaemon(
  asker: Asker,
  request: Request,
  patienceMs = AWAKE_MS,
): Promise<Exclude<Answer, { kind: 'failed' }> | null> {
  const paths = pathsOf(homeOf(asker.env));
  const pid = await daemonOf(paths);
  if (pid === null) return null;
  const silentSince = createSilence(asker, paths, patienceMs);
  const path = await leaveRequest(paths, request, asker.clock.now());
  for (let looks = 1; ; looks++) {
    const answer = await fetchAnswer(path);
    if (answer?.kind === 'failed')
      throw new AppError('DAEMON_FAILED', answer.message, {
        hint: hintOf(answer.hint, readDaemon(paths), packageVersion()),
        exitCode: answer.exitCode as ExitCode,
      });
    if (answer) return answer;
    if (asker.signal.aborted) {
      await dropRequest(path);
      throw new AppError(
        'INTERRUPTED',
        'interrupted; a request that the daemon had begun is finished by it',
        { exitCode: EXIT.interrupted },
      );
    }
    // The daemon may end between two looks: its lock is checked about once a second.
    if (looks % 20 === 0 && (await daemonOf(paths)) === null && !hasAnswer(path)) {
      await dropRequest(path);
      return null;
    }
    const silent = looks % 20 === 0 ? silentSince() : null;
    if (silent !== null && (await dropRequest(path)))
      throw new AppError(
        'DAEMON_SILENT',
        `the daemon, process ${pid}, gave no sign of life since ${silent}`,
        {
          hint: 'nothing was changed; resume it if it is stopped, or end it: the command then does the work itself',
          exitCode: EXIT.busy,
        },
      );
    await sleep(LOOK_MS);
  }
}
