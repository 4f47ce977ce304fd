/** Paths of the memory and of the person's own files. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AppError, EXIT, messageOf } from './errors.js';

/** The variables of the process, as plain data. */
export type Environment = Record<string, string | undefined>;

/** Every path below the home. */
export interface HomePaths {
  home: string;
  config: string;
  /** Copy of the last valid config.yaml, for reporting commands while the file is broken. */
  lastConfig: string;
  /** Lock of config.yaml during a change; the daemon keeps the other lock as long as it runs. */
  configLock: string;
  store: string;
  /** Computed from the store: states of tokens, for search. */
  vectors: string;
  lock: string;
  /** The home's secret key for the marks of masked secrets. */
  key: string;
  daemon: string;
  logs: string;
  inbox: string;
  /** Working folder of programs that run a model for dripstone; sessions here are never read. */
  llm: string;
  uses: string;
  /** Answers of hooks, one a line; needed if the database is lost. */
  receipts: string;
  /** Sessions in which the person switched guards off, one rule per line. */
  guardsOff: string;
  /** Ids of lessons that the person saw in `review`, one per line. */
  reviewed: string;
  /** Instruction files of agents that contain a line of dripstone. */
  links: string;
  /** Hashes of purged entries; needed if the database is lost. */
  purged: string;
  global: string;
  projects: string;
}

/** The folder of a project's files; null means all projects. */
export function projectFolder(paths: HomePaths, project: { slug: string } | null): string {
  return project === null ? paths.global : join(paths.projects, project.slug);
}

/**
 * The person's home folder, where agents write their logs.
 * @throws AppError exit 2 for an empty `HOME`, which would mean the current folder
 */
export function userHomeOf(env: Environment): string {
  if (env['HOME'] === '' && !env['USERPROFILE'])
    throw new AppError('NO_HOME', 'HOME is set and empty: it does not say where your logs are', {
      hint: 'set HOME to your home folder, or leave it out of the environment',
      exitCode: EXIT.usage,
    });
  return resolve(env['HOME'] || env['USERPROFILE'] || homedir());
}

/**
 * `$DRIPSTONE_HOME`, else `~/.dripstone`; it may not exist yet.
 * @throws AppError exit 14 if no folder can be there: the path is a file, is below one, or is not
 * accessible
 */
export function homeOf(env: Environment): string {
  const home = env['DRIPSTONE_HOME']
    ? resolve(env['DRIPSTONE_HOME'])
    : join(userHomeOf(env), '.dripstone');
  let why = '';
  try {
    // Node 22 and later report a path below a file as missing.
    let nearest = home;
    while (statSync(nearest, { throwIfNoEntry: false }) === undefined) nearest = dirname(nearest);
    if (!statSync(nearest).isDirectory()) why = `${nearest} is not a folder`;
  } catch (cause) {
    why = messageOf(cause);
  }
  if (why === '') return home;
  throw new AppError('HOME_NOT_USABLE', `${home} cannot be used for the memory: ${why}`, {
    hint: 'set DRIPSTONE_HOME to a folder, or to a path at which one can be made',
    exitCode: EXIT.notWritable,
  });
}

/** Every path below a home; pure. */
export function pathsOf(home: string): HomePaths {
  return {
    home,
    config: join(home, 'config.yaml'),
    lastConfig: join(home, 'config.last.yaml'),
    configLock: join(home, 'config.lock.duckdb'),
    store: join(home, 'memory.duckdb'),
    vectors: join(home, 'vectors.bin'),
    lock: join(home, 'daemon.lock.duckdb'),
    key: join(home, 'redact.key'),
    daemon: join(home, 'daemon.json'),
    logs: join(home, 'logs'),
    inbox: join(home, 'inbox'),
    llm: join(home, 'llm'),
    uses: join(home, 'uses.jsonl'),
    receipts: join(home, 'receipts.jsonl'),
    guardsOff: join(home, 'guards-off.jsonl'),
    reviewed: join(home, 'reviewed.txt'),
    links: join(home, 'links.json'),
    purged: join(home, 'purged.txt'),
    global: join(home, 'global'),
    projects: join(home, 'projects'),
  };
}
