/** What a person should know of the home, its config, the logs and the disk. */
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readText, retiredIn } from '../../config.js';
import { findLackOfSpace } from '../../store/index.js';
import { counted, withCommas } from '../../text/amounts.js';
import { retentionOf, type Retention } from '../reading/log-retention.js';
import { readHookCounts } from './daemon-note.js';
import type { World } from './world.js';

/** The effect of a config.yaml that cannot be used: an `exclude` may be in its broken part. */
export const CONFIG_HELD = 'nothing is read from logs and nothing is sent until it is right';

/** As package.json's `engines` says. */
export const LEAST_NODE = [20, 19] as const;

export const DAY_MS = 86_400_000;
/** So much is a week of work in a busy home. */
const LOW_MB = 512;
export const NAMED = 3;
/** So many days before an agent deletes an unread log it is time to say so. */
const WARN_DAYS = 7;

/** Something found: wrong, unless `ok`. */
export interface Found {
  text: string;
  /** ISO 8601 UTC. */
  since?: string | null;
  ok?: true;
  /** In place of the row's. */
  cure?: string;
  code?: string;
  details?: string[];
}
export function bad(text: string | false | null | undefined, since: string | null = null): Found[] {
  return typeof text === 'string' ? [{ text, since }] : [];
}

export function ok(text: string | false | null | undefined, details: string[] = []): Found[] {
  return typeof text === 'string' ? [{ ok: true, text, details }] : [];
}

export function named(names: readonly string[]): string {
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${withCommas(names.length - NAMED)} more` : ''}`;
}

export function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

export function timeOf(path: string): string {
  return statSync(path).mtime.toISOString();
}

/** @param version e.g. `20.19.0` */
export function checkNode(version: string): Found {
  const [major, minor] = version.split('.').map(Number) as [number, number];
  return major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
    ? { ok: true, text: version }
    : { text: `${version} is too old` };
}

export function checkHome({ paths: { home } }: World): Found[] {
  if (!existsSync(home)) return ok(`${home} is created at the first run`);
  try {
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return bad(`${home} cannot be written`);
  }
  if (process.platform !== 'win32' && (statSync(home).mode & 0o077) !== 0)
    return [{ text: `${home} can be read by others`, cure: `chmod 700 ${home}` }];
  const facts = join(home, 'facts');
  return ok(
    home,
    existsSync(facts) ? [`${facts} is not read any more: \`dripstone sql\` runs such queries`] : [],
  );
}

/** Files directly in the home that other users may read; its folders are closed to them. */
export function checkModes({ paths: { home } }: World): Found[] {
  if (!existsSync(home) || process.platform === 'win32') return [];
  // config.yaml is the person's own file.
  const open = readdirSync(home)
    .filter((name) => name !== 'config.yaml')
    .map((name) => join(home, name))
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
  return open.length === 0
    ? ok('everything in it is yours alone')
    : [{ text: `${open.length} paths in it can be read by others`, details: open }];
}

export function checkConfig({ paths, configProblem: problem }: World): Found[] {
  if (problem === null)
    return existsSync(paths.config)
      ? ok(`${paths.config} is valid`, retiredIn(paths.config, readText(paths.config)))
      : ok('all defaults');
  const since = statSync(paths.config, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
  return [{ since, text: `${problem.message}; ${CONFIG_HELD}`, cure: problem.hint }];
}

/** Moments that the person wants and an agent's settings do not have, and late answers. */
export async function checkHooks({
  paths,
  config: { hooks },
  env,
  userHome,
}: World): Promise<Found[]> {
  const { neededMoments } = await import('../../links/hook-places.js');
  const { missingMoments, usedPlaces } = await import('../../links/hooks.js');
  const lacking = usedPlaces({ userHome, env }).flatMap((place) => {
    const missing = missingMoments(place, neededMoments(hooks), { userHome, env }) ?? [];
    return missing.length === 0 ? [] : [`${place.title} has no hook for: ${missing.join(', ')}`];
  });
  const { answered, skipped } = readHookCounts(paths) ?? { answered: 0, skipped: 0 };
  const text =
    `${counted(answered + skipped, 'question')} of hooks since the daemon started, ` +
    `${withCommas(skipped)} skipped since the answer came too late`;
  return lacking.length === 0 ? ok(text) : [{ text: lacking.join('; '), details: [text] }];
}

export function checkLogs({ logs: found }: World): Found[] {
  const { logs, places } = found;
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
  return logs.length > 0 ? ok(`${logs.length} found`, details) : [{ text: 'none found', details }];
}

/** Links, pipes and the like with the name of a log are no failure. */
export function checkOdd({ logs: { odd } }: World): Found[] {
  const details = odd.map(({ path, reason }) => `${path}: ${reason}`);
  const unreadable = odd.filter(({ reason }) => reason.startsWith('not readable'));
  if (unreadable.length > 0)
    return [{ text: `${unreadable.length} paths cannot be read`, details }];
  return ok(
    odd.length === 0
      ? 'every log can be read'
      : `${odd.length} paths are no logs and are left alone`,
    details,
  );
}

export function retentions({ logs, userHome, env }: World): Retention[] {
  return [...new Set(logs.logs.map(({ agent }) => agent))].flatMap(
    (agent) => retentionOf(agent, { userHome, env }) ?? [],
  );
}

export function unreadLogs(world: World): Found[] {
  const { unread, stored, now, config } = world;
  if (!config.enabled || unread === null || stored === null) return [];
  const lastRead = Date.parse(stored.runs.find(({ job }) => job === 'ingest')?.lastOk ?? '') || 0;
  const changed = unread.filter(({ mtimeMs }) => mtimeMs > lastRead);
  const ageOf = ({ mtimeMs }: { mtimeMs: number }): number => now.getTime() - mtimeMs;
  const late = changed.filter((log) => ageOf(log) > DAY_MS);
  const since = late.length > 0 && new Date(Math.min(...late.map(({ mtimeMs }) => mtimeMs)));
  return [
    ...retentions(world).flatMap(({ agent, days, setting, file }) => {
      const near = changed.filter(
        (log) => days > 0 && log.agent === agent && ageOf(log) / DAY_MS > days - WARN_DAYS,
      );
      return bad(
        near.length > 0 &&
          `${agent} deletes ${counted(near.length, 'unread log')} within ${WARN_DAYS} days (${setting}, ${days} days, in ${file})`,
      );
    }),
    ...bad(
      since &&
        `${counted(late.length, 'log')} changed more than a day ago and ${late.length === 1 ? 'was' : 'were'} not read`,
      since ? since.toISOString() : null,
    ),
  ];
}

export async function checkDisk({ paths }: World): Promise<Found[]> {
  if (!existsSync(paths.home)) return [];
  const fault = await findLackOfSpace({ path: paths.store });
  if (fault !== null) return bad(`${fault.message}; ${fault.hint}`);
  const low = await findLackOfSpace({ path: paths.store, reserveMb: LOW_MB });
  return bad(
    low !== null &&
      `${low.message.replace(/;.*/, '')}; at 64 MB reading stops until there is room again`,
  );
}
