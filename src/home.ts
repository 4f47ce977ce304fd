/** Where the memory and the person's own files lie. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError, EXIT, messageOf } from './errors.js';

/** The variables of the process, as plain data. */
export type Environment = Record<string, string | undefined>;

/** Where everything lies below the home. */
export interface HomePaths {
  home: string;
  config: string;
  /** Copy of the last config.yaml that was valid: what reports reads with it while the file is broken. */
  lastConfig: string;
  /** Held while config.yaml is changed: the daemon holds the other lock for its whole life. */
  configLock: string;
  /** Held while a dataset is written: two at once would take each other's files away. */
  datasetLock: string;
  store: string;
  /** Derived from the store: states of tokens, for search. */
  vectors: string;
  lock: string;
  /** Secret of the home, for the marks of masked secrets. */
  key: string;
  daemon: string;
  logs: string;
  nudges: string;
  inbox: string;
  /** The person's own facts, a query each. */
  facts: string;
  /** Where programs that answer for us run; sessions of this folder are never read. */
  llm: string;
  uses: string;
  /** Lessons that the person looked at in `review`, one id a line. */
  reviewed: string;
  /** Which instruction files of agents hold a line of ours. */
  links: string;
  /** Hashes of what was purged: they stay when the database is lost. */
  purged: string;
  global: string;
  projects: string;
}

/**
 * The person's home folder, where agents leave their logs.
 * @throws AppError exit 2 for `HOME=`: the folder that the command runs in would be taken for it
 */
export function userHomeOf(env: Environment): string {
  if (env['HOME'] === '' && !env['USERPROFILE'])
    throw new AppError('NO_HOME', 'HOME is set and empty: it does not say where your logs lie', {
      hint: 'set HOME to your home folder, or leave it out of the environment',
      exitCode: EXIT.usage,
    });
  return resolve(env['HOME'] || env['USERPROFILE'] || homedir());
}

/**
 * `$DRIPSTONE_HOME`, else `~/.dripstone`; it need not be there yet.
 * @throws AppError exit 14 where no folder can be: it is a file or lies below one, or nobody may look into what holds it
 */
export function homeOf(env: Environment): string {
  const home = env['DRIPSTONE_HOME'] ? resolve(env['DRIPSTONE_HOME']) : join(userHomeOf(env), '.dripstone');
  let why = '';
  try {
    if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === false) why = 'it is no folder';
  } catch (cause) {
    why = messageOf(cause);
  }
  if (why === '') return home;
  throw new AppError('HOME_NOT_USABLE', `${home} cannot hold the memory: ${why}`, {
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
    datasetLock: join(home, 'dataset.lock.duckdb'),
    store: join(home, 'memory.duckdb'),
    vectors: join(home, 'vectors.bin'),
    lock: join(home, 'daemon.lock.duckdb'),
    key: join(home, 'redact.key'),
    daemon: join(home, 'daemon.json'),
    logs: join(home, 'logs'),
    nudges: join(home, 'nudges'),
    inbox: join(home, 'inbox'),
    facts: join(home, 'facts'),
    llm: join(home, 'llm'),
    uses: join(home, 'uses.jsonl'),
    reviewed: join(home, 'reviewed.txt'),
    links: join(home, 'links.json'),
    purged: join(home, 'purged.txt'),
    global: join(home, 'global'),
    projects: join(home, 'projects'),
  };
}
